#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/route/route.hpp"

namespace waybill::api {

/// The methods of requests; HEAD and OPTIONS have no routes of their own.
enum class RequestMethod : std::uint8_t { get, head, post, put, patch, del, options };
inline constexpr std::size_t request_method_count = 7;

/// RFC 9110 section 9.1: methods are case-sensitive. nullopt for any other.
std::optional<RequestMethod> parse_method(std::string_view name);
RequestMethod to_request_method(Method method);
std::string_view method_name(RequestMethod method);

/// One `{name}` of a route's path.
struct PathParameter {
  std::string_view name;
  bool is_text = false;  // {name:text}
};

/// A route ready to be called.
struct Endpoint {
  Route route;
  std::vector<PathParameter> parameters;
};

/// What a path leads to.
struct Found {
  static constexpr std::size_t most_values = 4;

  const Endpoint* endpoint =
      nullptr;             // null: the path or, when `allow` is set, the method is unknown; or OPTIONS
  std::string_view allow;  // the path's methods, as the Allow header lists them; empty: unknown path
  std::array<std::string_view, most_values> values;  // of the endpoint's parameters, as sent but for %XX
  std::vector<std::string> decoded;                  // owns the values that held %XX
};

/// The route rows, compiled once into a tree of path segments. Immutable: any thread may search it.
class Router {
 public:
  /// Throws std::logic_error for rows that contradict each other or a malformed path.
  explicit Router(const std::vector<Route>& routes);
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  /// Literal segments match without regard to case and win over `{…}`. The views in the answer point into
  /// `path` and the router.
  Found find(RequestMethod method, std::string_view path) const;

 private:
  struct Node;
  struct Search;

  void insert(const Route& route);
  const Node* walk(const Node& node, Search& search, std::size_t depth) const;

  std::unique_ptr<Node> root_;
};

}  // namespace waybill::api
