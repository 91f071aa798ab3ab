#include "domain/workflows/timer.hpp"

#include <algorithm>
#include <array>

#include "base/joined_texts.hpp"
#include "domain/time/working_days.hpp"

namespace waybill::domain {
namespace {

constexpr std::array<std::string_view, 5> shipment_fields = {"createdAt", "statusChangedAt", "collectionDate",
                                                             "estimatedDelivery", "lastTraceAt"};
constexpr std::array<std::string_view, 3> order_fields = {"createdAt", "statusChangedAt", "collectionDate"};
constexpr std::array<std::string_view, 1> other_fields = {"createdAt"};

/// Reads a required text of the timer; null, with an error, if it is missing or of another type.
const json::string* text_of(const json::object& timer, const char* name, FieldErrors& errors) {
  const json::value* const value = timer.if_contains(name);
  const json::string* const text = value == nullptr ? nullptr : value->if_string();
  if (text == nullptr)
    errors.push_back({"timer." + std::string(name), value == nullptr ? "is required" : "must be a string"});
  return text;
}

}  // namespace

std::optional<Time> Timer::value(const json::object& entity) const {
  const json::value* const found = entity.if_contains(field->path);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return parse_timestamp(found->get_string());
}

std::optional<Time> Timer::due(Time value, Time since) const {
  const Time at = shifted(value, offset);
  return at > since ? std::optional(at) : std::nullopt;
}

Time Timer::since_of_event(Time at) const {
  const bool is_of_change = field->has_role(ColumnRole::bookkeeping) && offset >= Duration::zero();
  return is_of_change && !workdays ? shifted(at, -age_of_present) : at;
}

json::object Timer::shown() const {
  json::object timer{{"field", field->path}, {"offset", format_offset(offset)}};
  if (workdays) timer["workdays"] = true;
  return timer;
}

std::span<const std::string_view> timer_fields(EntityType type) {
  switch (type) {
    case EntityType::order:
      return order_fields;
    case EntityType::shipment:
      return shipment_fields;
    case EntityType::customer:
    case EntityType::product:
      break;
  }
  return other_fields;
}

std::optional<Duration> parse_offset(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const auto length = parse_duration(text);
  if (!length) return std::nullopt;
  return is_negative ? -*length : *length;
}

std::string format_offset(Duration offset) {
  return offset < Duration::zero() ? "-" + format_duration(-offset) : format_duration(offset);
}

std::variant<Timer, FieldErrors> parse_timer(const json::value& timer, EntityType type) {
  const json::object* const object = timer.if_object();
  if (object == nullptr) return FieldErrors{{"timer", "must be an object"}};
  FieldErrors errors;
  for (const auto& [name, value] : *object) {
    if (name != "field" && name != "offset" && name != "workdays")
      errors.push_back({"timer." + std::string(name), "unknown field"});
  }
  Timer parsed{};
  if (const auto* const name = text_of(*object, "field", errors)) {
    const auto fields = timer_fields(type);
    if (std::ranges::find(fields, std::string_view(*name)) == fields.end()) {
      errors.push_back({"timer.field", "must be one of " + joined_texts(fields)});
    } else {
      parsed.field = record_type(type).find(*name);
    }
  }
  if (const json::value* const workdays = object->if_contains("workdays"); workdays && !workdays->is_null()) {
    parsed.workdays = workdays->is_bool() && workdays->get_bool();
    if (!workdays->is_bool()) errors.push_back({"timer.workdays", "must be true or false"});
  }
  if (const auto* const text = text_of(*object, "offset", errors)) {
    const auto offset = parse_offset(*text);
    if (!offset) {
      errors.push_back({"timer.offset", "must be an ISO 8601 duration of at most " +
                                            std::string(longest_duration_text) + ", such as PT24H or -P1D"});
    } else if (parsed.workdays && !parse_working_days(*text)) {
      errors.push_back({"timer.offset", working_days_problem});
    } else {
      parsed.offset = *offset;
    }
  }
  if (!errors.empty()) return errors;
  return parsed;
}

}  // namespace waybill::domain
