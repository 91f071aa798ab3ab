#include "api/endpoint/entity_tag.hpp"

#include <algorithm>
#include <array>

#include "base/crypto.hpp"
#include "base/fingerprint.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view weak = "W/";
constexpr std::string_view cache_control = "Cache-Control";
constexpr char quote = '"';

std::string_view without_weakness(std::string_view tag) {
  if (tag.starts_with(weak)) tag.remove_prefix(weak.size());
  return tag;
}

/// True if a field's value, a list of tags, has the tag.
bool lists(std::string_view value, std::string_view tag) {
  if (value == "*") return true;
  tag = without_weakness(tag);
  while (true) {
    value.remove_prefix(std::min(value.find_first_not_of(" \t,"), value.size()));
    value = without_weakness(value);
    const auto end = value.starts_with(quote) ? value.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos) return false;
    if (value.substr(0, end + 1) == tag) return true;
    value.remove_prefix(end + 1);
  }
}

}  // namespace

bool has_entity_tag(const Endpoint& endpoint) {
  return endpoint.method == Method::get && endpoint.permission != Permission::everyone && !endpoint.changes &&
         !endpoint.bare && endpoint.media_type.empty() &&
         std::ranges::find(endpoint.headers, cache_control, &HeaderField::name) == endpoint.headers.end();
}

std::string entity_tag(const Response& response) {
  const auto hash =
      fingerprint(std::array<std::string_view, 3>{response.before, response.body, response.after});
  return std::string(weak) + quote + base64url(hash) + quote;
}

bool names_entity_tag(std::string_view head, std::string_view tag) {
  constexpr std::string_view line_end = "\r\n";
  for (auto at = head.find(line_end); at != std::string_view::npos;) {
    const auto end = std::min(head.find(line_end, at + line_end.size()), head.size());
    const auto value = find_field(head.substr(at, end - at), "if-none-match");
    if (value && lists(*value, tag)) return true;
    at = head.find(line_end, end);
  }
  return false;
}

void keep_private(Response& response) {
  constexpr std::string_view callers = "Authorization, Cookie";
  if (response.headers.find(callers) != std::string::npos) return;
  if (response.headers.find("Cache-Control: ") == std::string::npos)
    response.add_header(cache_control, "private, no-cache");
  response.add_vary(callers);
}

void answer_conditionally(std::string_view head, Response& response) {
  if (response.status != 200) return;
  const auto tag = entity_tag(response);
  response.add_header("ETag", tag);
  keep_private(response);
  if (!names_entity_tag(head, tag)) return;
  response.status = 304;
  response.before = {};
  response.body.clear();
  response.after.clear();
  response.held.reset();
}

}  // namespace waybill::api
