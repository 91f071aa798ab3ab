#include "domain/workflows/pacing.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "domain/time/time_zone.hpp"
#include "domain/time/working_days.hpp"
#include "domain/workflows/definition_members.hpp"

namespace waybill::domain {
namespace {

constexpr std::string_view beginning_of_shared = "more/";

constexpr auto week = std::chrono::days(7);
constexpr auto shortest_period = std::chrono::seconds(1);
constexpr std::size_t hash_size = 16;

std::vector<int> parse_days(const json::value& value, FieldErrors& errors) {
  std::vector<int> days;
  const json::array* const list = value.if_array();
  if (list == nullptr || list->empty()) {
    errors.push_back({"window.days", list == nullptr ? "must be a list" : "must not be empty"});
    return days;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto name = text_of(&(*list)[i]);
    const auto found = std::ranges::find(weekday_names, name.value_or(""));
    const int day = static_cast<int>(found - weekday_names.begin()) + 1;
    const bool is_known = found != weekday_names.end();
    if (!is_known || std::ranges::find(days, day) != days.end()) {
      errors.push_back({"window.days[" + std::to_string(i) + "]",
                        is_known ? "is given twice" : "must be one of mon, tue, wed, thu, fri, sat, sun"});
      continue;
    }
    days.push_back(day);
  }
  std::ranges::sort(days);
  return days;
}

std::string parse_time(const json::object& object, std::string_view member, FieldErrors& errors) {
  const json::value* const value = required(object, "window", member, errors);
  if (value == nullptr) return {};
  auto text = text_of(value);
  if (!text || !is_time_of_day(*text)) {
    errors.push_back({"window." + std::string(member), "must be a time of day such as 09:00"});
    return {};
  }
  return *std::move(text);
}

std::chrono::minutes minutes_of(std::string_view time) {
  const auto two = [&](std::size_t at) { return (time[at] - '0') * 10 + (time[at + 1] - '0'); };
  return std::chrono::hours(two(0)) + std::chrono::minutes(two(3));
}

}  // namespace

json::object TimeWindow::stored() const {
  json::array names;
  for (const int day : days) names.emplace_back(weekday_names.at(static_cast<std::size_t>(day) - 1));
  json::object window{{"days", std::move(names)},
                      {"from", from},
                      {"to", to},
                      {"timezone", zone ? json::value(*zone) : json::value()}};
  if (workdays) window["workdays"] = true;  // earlier versions hold a workflow with this member
  return window;
}

Duration TimeWindow::longest_closed() const {
  const auto opens = minutes_of(from);
  auto length = minutes_of(to) - opens;
  if (length < std::chrono::minutes(0)) length += std::chrono::days(1);
  Duration longest{};
  for (std::size_t i = 0; i < days.size(); ++i) {
    const bool is_last = i + 1 == days.size();
    const auto next = is_last ? std::chrono::days(days.front()) + week : std::chrono::days(days[i + 1]);
    longest = std::max<Duration>(longest, next - std::chrono::days(days[i]) - length);
  }
  return longest;
}

json::object RunLimit::stored() const {
  return {{"by", by}, {"count", count}, {"per", format_duration(per)}};
}

std::string RunLimit::value_of(const json::object& entity, const Guid& workflow) const {
  const json::value* const value = value_at(entity, by);
  if (value == nullptr) return {};
  const auto hash = sha256(workflow.to_string() + '\n' + by + '\n' + to_json(*value));
  return {reinterpret_cast<const char*>(hash.data()), hash_size};
}

json::object RequestRate::stored() const { return {{"perSecond", per_second}}; }

double RequestRate::burst() const { return std::max(per_second, 1.0); }

std::optional<TimeWindow> parse_window(const json::value& definition, FieldErrors& errors) {
  if (definition.is_null()) return std::nullopt;
  const json::object* const object =
      members(definition, "window", {"days", "from", "to", "timezone", "workdays"}, errors);
  if (object == nullptr) return std::nullopt;
  TimeWindow window;
  if (const json::value* const days = required(*object, "window", "days", errors))
    window.days = parse_days(*days, errors);
  window.from = parse_time(*object, "from", errors);
  window.to = parse_time(*object, "to", errors);
  if (!window.from.empty() && window.from == window.to)
    errors.push_back({"window.to", "must differ from `from`"});
  const json::value* const zone = object->if_contains("timezone");
  if (zone != nullptr && !zone->is_null()) {
    window.zone = text_of(zone);
    if (!window.zone || !is_time_zone(*window.zone))
      errors.push_back({"window.timezone", "must be an IANA zone such as Europe/Lisbon"});
  }
  const json::value* const workdays = object->if_contains("workdays");
  if (workdays != nullptr && !workdays->is_null()) {
    window.workdays = workdays->is_bool() && workdays->get_bool();
    if (!workdays->is_bool()) errors.push_back({"window.workdays", "must be true or false"});
  }
  return window;
}

std::optional<RunLimit> parse_limit(const json::value& definition, const RecordType& type,
                                    FieldErrors& errors) {
  if (definition.is_null()) return std::nullopt;
  const json::object* const object = members(definition, "limit", {"by", "count", "per"}, errors);
  if (object == nullptr) return std::nullopt;
  RunLimit limit;
  if (const json::value* const by = required(*object, "limit", "by", errors))
    limit.by = parse_value_path(*by, "limit.by", type, errors);
  if (const json::value* const count = required(*object, "limit", "count", errors)) {
    const bool is_whole =
        count->is_int64() && count->get_int64() >= 1 && count->get_int64() <= most_limited_runs;
    if (is_whole) limit.count = static_cast<int>(count->get_int64());
    if (!is_whole)
      errors.push_back(
          {"limit.count", "must be a whole number from 1 to " + std::to_string(most_limited_runs)});
  }
  if (const json::value* const per = required(*object, "limit", "per", errors)) {
    const auto duration = parse_duration(text_of(per).value_or(""));
    if (duration) limit.per = *duration;
    if (!duration || *duration < shortest_period)
      errors.push_back({"limit.per", "must be an ISO 8601 duration from PT1S to " +
                                         std::string(longest_duration_text) + ", such as P1D"});
  }
  return limit;
}

std::optional<RequestRate> parse_rate(const json::value& definition, FieldErrors& errors) {
  if (definition.is_null()) return std::nullopt;
  const json::object* const object = members(definition, "rate", {"perSecond"}, errors);
  if (object == nullptr) return std::nullopt;
  RequestRate rate;
  if (const json::value* const per_second = required(*object, "rate", "perSecond", errors)) {
    if (per_second->is_number()) rate.per_second = per_second->to_number<double>();
    if (rate.per_second < lowest_rate || rate.per_second > highest_rate)
      errors.push_back({"rate.perSecond", "must be a number from 0.01 to 1000"});
  }
  return rate;
}

std::string destination_with_rate(std::string_view destination, const Guid& workflow, const Guid& business) {
  const std::string end = business.to_string();
  const std::string own = workflow.to_string() + '/' + end;
  if (destination.ends_with(own)) return std::string(destination);
  if (destination.ends_with(end)) destination.remove_suffix(end.size());
  return std::string(destination) + own;
}

std::string shared_place(std::size_t number, const Guid& business) {
  return std::string(beginning_of_shared) + std::to_string(number) + '/' + business.to_string();
}

std::string shared_place_of_rates(const Guid& business) {
  return std::string(beginning_of_shared) + business.to_string();
}

bool is_shared_place(std::string_view place) { return place.starts_with(beginning_of_shared); }

}  // namespace waybill::domain
