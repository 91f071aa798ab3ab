#include "domain/workflows/schedule.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "domain/filter/filter.hpp"
#include "domain/time/time_zone.hpp"

namespace waybill::domain {
namespace {

/// Reads the members of a schedule and collects the errors.
class Reader {
 public:
  Reader(const json::object& members, EntityType type) : members_(members), type_(record_type(type)) {}

  std::variant<Schedule, FieldErrors> read() {
    read_times();
    read_query();
    schedule_.each = flag("each");
    schedule_.run_when_empty = flag("runWhenEmpty");
    if (!errors_.empty()) return errors_;
    return schedule_;
  }

 private:
  static const json::value* present(const json::object& object, std::string_view name) {
    const json::value* const value = object.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  void refuse(std::string field, std::string message) {
    errors_.push_back({std::move(field), std::move(message)});
  }

  /// A member that is an object with known members; null if it is absent or wrong.
  const json::object* object(const char* name, std::initializer_list<std::string_view> known) {
    const json::value* const value = present(members_, name);
    if (value == nullptr) return nullptr;
    if (!value->is_object()) {
      refuse(name, "must be an object");
      return nullptr;
    }
    for (const auto& [member, unused] : value->get_object()) {
      if (std::ranges::find(known, std::string_view(member)) == known.end())
        refuse(std::string(name) + "." + std::string(member), "unknown field");
    }
    return &value->get_object();
  }

  std::optional<std::string> text(const json::object& object, const std::string& path,
                                  std::string_view name) {
    const json::value* const value = present(object, name);
    if (value == nullptr) return std::nullopt;
    if (value->is_string()) return std::string(value->get_string());
    refuse(path, "must be a string");
    return std::nullopt;
  }

  bool flag(const char* name) {
    const json::value* const value = present(members_, name);
    if (value != nullptr && !value->is_bool()) refuse(name, "must be true or false");
    return value != nullptr && value->is_bool() && value->get_bool();
  }

  void read_times() {
    const json::object* const times = object("schedule", {"cron", "timezone"});
    if (times == nullptr) return;
    if (const auto cron = text(*times, "schedule.cron", "cron")) {
      auto parsed = parse_cron(*cron);
      if (const auto* const problem = std::get_if<std::string>(&parsed)) {
        refuse("schedule.cron", *problem);
      } else {
        schedule_.cron = std::get<Cron>(parsed);
        schedule_.cron_text = *cron;
      }
    } else if (present(*times, "cron") == nullptr) {
      refuse("schedule.cron", "is required");
    }
    schedule_.time_zone = text(*times, "schedule.timezone", "timezone");
    if (schedule_.time_zone && !is_time_zone(*schedule_.time_zone))
      refuse("schedule.timezone", "must be an IANA zone such as Europe/Lisbon");
  }

  void read_query() {
    const json::object* const query = object("query", {"filter", "orderBy", "limit"});
    if (query == nullptr) return;
    schedule_.filter = text(*query, "query.filter", "filter").value_or("");
    schedule_.order_by = text(*query, "query.orderBy", "orderBy").value_or("");
    check("query.filter", compile_filter(schedule_.filter, type_, 2));
    check("query.orderBy", compile_orderby(schedule_.order_by, type_));
    const json::value* const limit = present(*query, "limit");
    if (limit == nullptr) return;
    const bool is_valid =
        limit->is_int64() && limit->get_int64() >= 1 && limit->get_int64() <= most_scheduled_records;
    if (is_valid) {
      schedule_.limit = static_cast<int>(limit->get_int64());
    } else {
      refuse("query.limit", "must be a whole number from 1 to " + std::to_string(most_scheduled_records));
    }
  }

  void check(const char* field, const FilterResult& compiled) {
    if (const auto* const error = std::get_if<FilterError>(&compiled)) refuse(field, error->message);
  }

  const json::object& members_;
  const RecordType& type_;
  Schedule schedule_;
  FieldErrors errors_;
};

}  // namespace

json::object Schedule::shown() const {
  json::object times{{"cron", cron_text}, {"timezone", nullptr}};
  if (time_zone) times["timezone"] = *time_zone;
  return {{"schedule", std::move(times)},
          {"query", {{"filter", filter}, {"orderBy", order_by}, {"limit", limit}}},
          {"each", each},
          {"runWhenEmpty", run_when_empty}};
}

std::variant<Schedule, FieldErrors> parse_schedule(const json::object& members, EntityType type) {
  return Reader(members, type).read();
}

}  // namespace waybill::domain
