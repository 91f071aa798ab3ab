#include "actions/credentials.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "actions/definition.hpp"
#include "actions/stored_steps.hpp"
#include "actions/webhook_url.hpp"
#include "base/ascii.hpp"
#include "net/destination/destination.hpp"

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

Credentials read(const json::value& stored) {
  const auto* const object = stored.if_object();
  const auto* const host = object == nullptr ? nullptr : object->if_contains("host");
  const auto* const values = object == nullptr ? nullptr : object->if_contains("values");
  if (host == nullptr || values == nullptr || !host->is_string() || !values->is_object())
    throw std::invalid_argument("unreadable credentials");
  return {std::string(host->get_string()), values->get_object()};
}

Credentials take_of_action(json::object& action, const Credentials& kept, std::string_view prefix,
                           FieldErrors& errors) {
  Credentials taken;
  auto* const headers = action.if_contains("headers");
  if (headers == nullptr || !headers->is_object()) return taken;
  const auto* const url = find_value(action, "recipient");
  if (url != nullptr && url->is_string()) taken.host = credential_host(url->get_string());
  const json::value stars(credential_stars);
  for (auto& header : headers->get_object()) {
    if (!is_sealed(header.key())) continue;
    const auto* const value =
        header.value() != stars ? &header.value()
                                : (kept.host == taken.host ? kept.values.if_contains(header.key()) : nullptr);
    if (value == nullptr) {
      errors.push_back(
          {std::string(prefix) + ".headers." + std::string(header.key()),
           "must be given: the value hidden by stars is kept only for the same scheme, host and port"});
      continue;
    }
    taken.values.emplace(header.key(), *value);
    header.value() = stars;
  }
  return taken;
}

Credentials take_of_steps(json::array& steps, const Credentials& kept, FieldErrors& errors) {
  Credentials taken;
  for_each_step(steps, "steps", [&](json::object& step, const std::string& field) {
    const auto* const url = find_value(step, "recipient");
    const std::string host =
        url != nullptr && url->is_string() ? credential_host(url->get_string()) : std::string();
    const int number = static_cast<int>(taken.steps.size()) + 1;
    taken.steps.push_back(take_of_action(step, kept.of_step(number, host), field, errors));
  });
  return taken;
}

}  // namespace

bool Credentials::empty() const { return values.empty() && std::ranges::all_of(steps, &Credentials::empty); }

const Credentials& Credentials::of_step(int number, std::string_view to) const {
  const auto position = static_cast<std::size_t>(number - 1);
  if (position < steps.size() && steps[position].host == to) return steps[position];
  const auto other = std::ranges::find(steps, to, &Credentials::host);
  return other == steps.end() ? *this : *other;
}

std::string Credentials::text() const {
  json::object stored{{"host", host}, {"values", values}};
  json::array of_steps;
  for (const Credentials& step : steps) of_steps.push_back({{"host", step.host}, {"values", step.values}});
  if (!of_steps.empty()) stored["steps"] = std::move(of_steps);
  return to_json(stored);
}

Credentials Credentials::parse(std::string_view text) {
  const auto parsed = parse_json(text);
  const auto* const value = std::get_if<json::value>(&parsed);
  if (value == nullptr) throw std::invalid_argument("unreadable credentials");
  Credentials credentials = read(*value);
  if (const auto* const steps = value->get_object().if_contains("steps")) {
    for (const json::value& step : steps->as_array()) credentials.steps.push_back(read(step));
  }
  return credentials;
}

std::string Credentials::purpose(const Guid& workflow) {
  return "workflow-credentials:" + workflow.to_string();
}

Credentials take_credentials(json::object& action, const Credentials& kept, FieldErrors& errors) {
  json::array* const steps = stored_steps(action);
  return steps == nullptr ? take_of_action(action, kept, "action", errors)
                          : take_of_steps(*steps, kept, errors);
}

Credentials stored_credentials(json::object& action, const Credentials& kept) {
  FieldErrors ignored;  // stars whose value is no longer known stay as they are
  return take_credentials(action, kept, ignored);
}

std::string credential_host(std::string_view url) {
  const auto destination = net::parse_destination(url_without_tags(url));
  return destination ? destination->scheme + "://" + destination->key() : std::string();
}

const json::value* header_value(std::string_view url, std::string_view name, const json::value& stored,
                                const Credentials* credentials) {
  if (stored != json::value(credential_stars) || !is_sealed(name)) return &stored;
  if (credentials == nullptr || credentials->host != credential_host(url)) return nullptr;
  return credentials->values.if_contains(name);
}

}  // namespace waybill::actions
