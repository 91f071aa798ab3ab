#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/endpoint/endpoint.hpp"

namespace waybill::api {

/// The methods of requests; HEAD and OPTIONS have no rows.
enum class RequestMethod : std::uint8_t { get, head, post, put, patch, del, options };
inline constexpr std::size_t request_method_count = 7;

/// Methods are case-sensitive (RFC 9110 section 9.1). nullopt for an unknown method.
std::optional<RequestMethod> parse_method(std::string_view name);
RequestMethod to_request_method(Method method);
std::string_view method_name(RequestMethod method);

/// One `{name}` of an endpoint's path.
struct PathParameter {
  std::string_view name;
  bool is_text = false;  // {name:text}
};

/// An endpoint with its parsed path.
struct RoutedEndpoint {
  Endpoint row;
  std::vector<PathParameter> parameters;
};

/// The result of a search.
struct Found {
  static constexpr std::size_t most_values = 4;

  // Null for OPTIONS, for an unknown path, and for a method that the path does not have.
  const RoutedEndpoint* endpoint = nullptr;
  std::string_view allow;  // the methods of the path for the Allow header; empty for an unknown path
  std::array<std::string_view, most_values> values;  // values of the parameters, with %XX decoded
  std::vector<std::string> decoded;                  // owns the decoded values
};

/// A tree of path segments, built from the endpoint rows. Immutable: any thread can search it.
class Router {
 public:
  /// Throws std::logic_error for rows that contradict each other or a malformed path.
  explicit Router(const std::vector<Endpoint>& endpoints);
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  /// Literal segments match without regard to case and win over `{…}`. The views in the result point into
  /// `path` and the router.
  Found find(RequestMethod method, std::string_view path) const;

 private:
  struct Node;
  struct Search;

  void insert(const Endpoint& endpoint);
  const Node* walk(const Node& node, Search& search, std::size_t depth) const;

  std::unique_ptr<Node> root_;
};

}  // namespace waybill::api
