#include "actions/credentials.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "actions/definition.hpp"
#include "actions/webhook_url.hpp"
#include "base/ascii.hpp"
#include "net/destination.hpp"

namespace waybill::actions {
namespace {

// These headers describe the message: their values hold no secret and stay readable in the definition. Any
// other header may be a credential, whatever its name (X-Auth-Key, Ocp-Apim-Subscription-Key). The SQL
// function hidden_headers has the same list.
bool is_sealed(std::string_view header) {
  constexpr auto visible = std::to_array<std::string_view>(
      {"accept", "accept-language", "content-language", "content-type", "user-agent"});
  return std::ranges::find(visible, ascii_lower(header)) == visible.end();
}

std::string origin_of(std::string_view url) {
  const auto destination = net::parse_destination(url_without_tags(url));
  return destination ? destination->scheme + "://" + destination->key() : std::string();
}

}  // namespace

std::string Credentials::text() const { return to_json(json::object{{"host", host}, {"values", values}}); }

Credentials Credentials::parse(std::string_view text) {
  const auto parsed = parse_json(text);
  const auto* const value = std::get_if<json::value>(&parsed);
  const auto* const object = value == nullptr ? nullptr : value->if_object();
  const auto* const host = object == nullptr ? nullptr : object->if_contains("host");
  const auto* const values = object == nullptr ? nullptr : object->if_contains("values");
  if (host == nullptr || values == nullptr || !host->is_string() || !values->is_object())
    throw std::invalid_argument("unreadable credentials");
  return {std::string(host->get_string()), values->get_object()};
}

std::string Credentials::purpose(const Guid& workflow) {
  return "workflow-credentials:" + workflow.to_string();
}

Credentials take_credentials(json::object& action, const Credentials& kept, FieldErrors& errors) {
  Credentials taken;
  auto* const headers = action.if_contains("headers");
  if (headers == nullptr || !headers->is_object()) return taken;
  const auto* const url = find_value(action, "recipient");
  if (url != nullptr && url->is_string()) taken.host = origin_of(url->get_string());
  const json::value stars(credential_stars);
  for (auto& header : headers->get_object()) {
    if (!is_sealed(header.key())) continue;
    const auto* const value =
        header.value() != stars ? &header.value()
                                : (kept.host == taken.host ? kept.values.if_contains(header.key()) : nullptr);
    if (value == nullptr) {
      errors.push_back(
          {"action.headers." + std::string(header.key()),
           "must be given: the value hidden by stars is kept only for the same scheme, host and port"});
      continue;
    }
    taken.values.emplace(header.key(), *value);
    header.value() = stars;
  }
  return taken;
}

Credentials stored_credentials(json::object& action, const Credentials& kept) {
  FieldErrors ignored;  // stars whose value is no longer known stay as they are
  return take_credentials(action, kept, ignored);
}

const json::value* header_value(std::string_view url, std::string_view name, const json::value& stored,
                                const Credentials* credentials) {
  if (stored != json::value(credential_stars) || !is_sealed(name)) return &stored;
  if (credentials == nullptr || credentials->host != origin_of(url)) return nullptr;
  return credentials->values.if_contains(name);
}

}  // namespace waybill::actions
