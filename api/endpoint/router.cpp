#include "api/endpoint/router.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "api/http/url.hpp"
#include "base/ascii.hpp"
#include "base/joined_texts.hpp"

namespace waybill::api {
namespace {

constexpr std::array<std::string_view, request_method_count> method_names = {
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
constexpr std::size_t most_segments = 12;

/// The segments between the slashes; false for a path without a leading slash or with too many segments.
bool split(std::string_view path, std::array<std::string_view, most_segments>& segments, std::size_t& count) {
  count = 0;
  if (path.empty() || path.front() != '/') return false;
  while (!path.empty()) {
    path.remove_prefix(1);
    if (count == segments.size()) return false;
    const auto segment = path.substr(0, path.find('/'));
    segments[count++] = segment;
    path.remove_prefix(segment.size());
  }
  return true;
}

}  // namespace

std::optional<RequestMethod> parse_method(std::string_view name) {
  const auto found = std::ranges::find(method_names, name);
  if (found == method_names.end()) return std::nullopt;
  return static_cast<RequestMethod>(found - method_names.begin());
}

RequestMethod to_request_method(Method method) {
  switch (method) {
    case Method::get:
      return RequestMethod::get;
    case Method::post:
      return RequestMethod::post;
    case Method::put:
      return RequestMethod::put;
    case Method::patch:
      return RequestMethod::patch;
    case Method::del:
      return RequestMethod::del;
  }
  throw std::logic_error("unknown method");
}

std::string_view method_name(RequestMethod method) { return method_names[static_cast<std::size_t>(method)]; }

struct Router::Node {
  std::vector<std::pair<std::string_view, std::unique_ptr<Node>>> literals;
  std::unique_ptr<Node> parameter;
  std::array<std::shared_ptr<const RoutedEndpoint>, request_method_count> endpoints;
  std::string allow;  // empty if no path ends here

  Node& literal(std::string_view segment) {
    for (auto& [name, node] : literals) {
      if (equal_ignoring_case(name, segment)) return *node;
    }
    return *literals.emplace_back(segment, std::make_unique<Node>()).second;
  }

  void put(RequestMethod method, std::shared_ptr<const RoutedEndpoint> routed) {
    auto& place = endpoints[static_cast<std::size_t>(method)];
    if (place) throw std::logic_error("two endpoints for " + std::string(routed->row.path));
    place = std::move(routed);
    std::vector<std::string_view> allowed;
    for (std::size_t index = 0; index < endpoints.size(); ++index) {
      if (endpoints[index] || static_cast<RequestMethod>(index) == RequestMethod::options)
        allowed.push_back(method_names[index]);
    }
    allow = joined_texts(allowed);
  }
};

struct Router::Search {
  std::array<std::string_view, most_segments> segments;
  std::size_t segment_count = 0;
  std::array<std::string_view, Found::most_values> values;
  std::size_t value_count = 0;
};

Router::Router(const std::vector<Endpoint>& endpoints) : root_(std::make_unique<Node>()) {
  for (const auto& endpoint : endpoints) insert(endpoint);
}

Router::~Router() = default;

void Router::insert(const Endpoint& endpoint) {
  std::array<std::string_view, most_segments> segments;
  std::size_t count = 0;
  if (!split(endpoint.path, segments, count))
    throw std::logic_error("bad path " + std::string(endpoint.path));
  auto routed = std::make_shared<RoutedEndpoint>(RoutedEndpoint{endpoint, {}});
  Node* node = root_.get();
  for (std::size_t index = 0; index < count; ++index) {
    auto segment = segments[index];
    if (!segment.starts_with('{')) {
      node = &node->literal(segment);
      continue;
    }
    segment = segment.substr(1, segment.size() - 2);
    const auto name = segment.substr(0, segment.find(':'));
    routed->parameters.push_back({name, name.size() != segment.size()});
    if (!node->parameter) node->parameter = std::make_unique<Node>();
    node = node->parameter.get();
  }
  if (routed->parameters.size() > Found::most_values) {
    throw std::logic_error("too many parameters in " + std::string(endpoint.path));
  }
  node->put(to_request_method(endpoint.method), routed);
  if (endpoint.method == Method::get) {
    node->put(endpoint.changes ? RequestMethod::post : RequestMethod::head, routed);
  }
}

const Router::Node* Router::walk(const Node& node, Search& search, std::size_t depth) const {
  if (depth == search.segment_count) return node.allow.empty() ? nullptr : &node;
  const auto segment = search.segments[depth];
  for (const auto& [name, next] : node.literals) {
    if (!equal_ignoring_case(name, segment)) continue;
    if (const auto* const found = walk(*next, search, depth + 1)) return found;
    break;
  }
  if (!node.parameter || segment.empty()) return nullptr;
  search.values[search.value_count++] = segment;
  const auto* const found = walk(*node.parameter, search, depth + 1);
  if (!found) --search.value_count;
  return found;
}

Found Router::find(RequestMethod method, std::string_view path) const {
  Found found;
  Search search;
  if (!split(path, search.segments, search.segment_count)) return found;
  if (path.find('%') != std::string_view::npos) {
    found.decoded.reserve(search.segment_count);
    for (auto& segment : std::span(search.segments).first(search.segment_count)) {
      auto decoded = percent_decode(segment);
      if (!decoded) return found;
      segment = found.decoded.emplace_back(std::move(*decoded));
    }
  }
  const auto* const node = walk(*root_, search, 0);
  if (!node) return found;
  found.values = search.values;
  found.allow = node->allow;
  found.endpoint = node->endpoints[static_cast<std::size_t>(method)].get();
  return found;
}

}  // namespace waybill::api
