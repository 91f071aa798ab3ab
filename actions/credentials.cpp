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

constexpr std::size_t most_earlier = 8;
constexpr std::size_t most_earlier_bytes = 16UL * 1024;

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

/// The values of a definition for each host. A header for which its steps have several values has none: which
/// of them a run needs is not known.
std::vector<Credentials> values_by_host(const Credentials& all) {
  std::vector<Credentials> hosts;
  const auto add = [&](const Credentials& part) {
    if (part.values.empty()) return;
    const auto found = std::ranges::find(hosts, part.host, &Credentials::host);
    if (found == hosts.end()) return void(hosts.push_back({part.host, part.values}));
    for (const auto& header : part.values) {
      const auto [known, is_first] = found->values.emplace(header.key(), header.value());
      if (!is_first && known->value() != header.value()) known->value() = nullptr;
    }
  };
  add(all);
  for (const Credentials& step : all.steps) add(step);
  for (Credentials& each : hosts) {
    json::object known;
    for (const auto& header : each.values) {
      if (!header.value().is_null()) known.emplace(header.key(), header.value());
    }
    each.values = std::move(known);
  }
  return hosts;
}

}  // namespace

bool Credentials::empty() const {
  return values.empty() && earlier.empty() && std::ranges::all_of(steps, &Credentials::empty);
}

const Credentials& Credentials::of_step(int number, std::string_view to) const {
  const auto position = static_cast<std::size_t>(number - 1);
  if (position < steps.size() && steps[position].host == to) return steps[position];
  const auto other = std::ranges::find(steps, to, &Credentials::host);
  return other == steps.end() ? *this : *other;
}

const Credentials& Credentials::of_run(int number, std::string_view to) const {
  const Credentials& present = of_step(number, to);
  if (present.host == to && !present.values.empty()) return present;
  const auto found = std::ranges::find(earlier, to, &Credentials::host);
  return found == earlier.end() ? present : *found;
}

void Credentials::keep_earlier(const Credentials& before) {
  earlier.clear();
  std::size_t bytes = 0;
  const auto is_kept = [&](const std::string& to) {
    const auto is_for = [&](const Credentials& other) { return other.host == to && !other.values.empty(); };
    return is_for(*this) || std::ranges::any_of(steps, is_for) || std::ranges::any_of(earlier, is_for);
  };
  const auto keep = [&](const Credentials& other) {
    if (other.values.empty() || is_kept(other.host)) return;
    bytes += to_json(other.values).size();
    if (earlier.size() < most_earlier && bytes <= most_earlier_bytes)
      earlier.push_back({other.host, other.values});
  };
  for (const Credentials& other : values_by_host(before)) keep(other);
  for (const Credentials& other : before.earlier) keep(other);
}

std::string Credentials::text() const {
  json::object stored{{"host", host}, {"values", values}};
  const auto add = [&](std::string_view name, const std::vector<Credentials>& list) {
    json::array parts;
    for (const Credentials& part : list) parts.push_back({{"host", part.host}, {"values", part.values}});
    if (!parts.empty()) stored[name] = std::move(parts);
  };
  add("steps", steps);
  add("earlier", earlier);
  return to_json(stored);
}

Credentials Credentials::parse(std::string_view text) {
  const auto parsed = parse_json(text);
  const auto* const value = std::get_if<json::value>(&parsed);
  if (value == nullptr) throw std::invalid_argument("unreadable credentials");
  Credentials credentials = read(*value);
  const auto add = [&](std::string_view name, std::vector<Credentials>& list) {
    const auto* const parts = value->get_object().if_contains(name);
    if (parts == nullptr) return;
    for (const json::value& part : parts->as_array()) list.push_back(read(part));
  };
  add("steps", credentials.steps);
  add("earlier", credentials.earlier);
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
