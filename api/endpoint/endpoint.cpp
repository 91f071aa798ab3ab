#include "api/endpoint/endpoint.hpp"

#include <algorithm>

#include "base/json.hpp"

namespace waybill::api {

Role parse_role(std::string_view name) {
  const auto* const found = std::ranges::find(role_names, name);
  return found == std::end(role_names) ? Role::viewer : static_cast<Role>(found - std::begin(role_names));
}

Failure business_suspended() {
  return {ErrorCode::forbidden, "The business is suspended; ask the operator."};
}

std::optional<std::string_view> Call::parameter(std::string_view name) const {
  const auto found = std::ranges::find(query, name, &std::pair<std::string_view, std::string>::first);
  return found == query.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

std::string author_json(const Principal& principal) {
  std::string text;
  switch (principal.caller) {
    case Caller::api_token:
      text = R"({"type":"token","guid":")" + principal.token_id.to_string() + '"';
      break;
    case Caller::user:
      text = R"({"type":"user","guid":")" + principal.user_id.to_string() + '"';
      break;
    case Caller::link:
      text = R"({"type":"operator","guid":null)";
  }
  text += R"(,"name":)";
  append_json_string(text, principal.name);
  return text += '}';
}

storage::Cause Call::cause(std::string_view note) const {
  std::string text = R"({"by":)" + author_json(principal) + R"(,"depth":0)";
  if (is_audited) {
    text += R"(,"request":{"id":)";
    append_json_string(text, request_id);
    text += R"(,"address":)";
    append_json_string(text, peer);
    text += '}';
  }
  if (!note.empty()) {
    text += R"(,"note":)";
    append_json_string(text, note);
  }
  text += '}';
  return {.json = std::move(text), .business = principal.business_id, .is_bulk = is_bulk};
}

}  // namespace waybill::api
