#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/error.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"
#include "domain/time/cron.hpp"

namespace waybill::domain {

inline constexpr int most_scheduled_records = 1000;

/// The schedule of a workflow, with the query of the records for which it runs.
struct Schedule {
  Cron cron;
  std::string cron_text;
  std::optional<std::string> time_zone;  // nullopt: that of the business
  std::string filter;                    // as $filter of the lists
  std::string order_by;                  // as $orderby
  int limit = most_scheduled_records;
  bool each = false;  // a run for each record; otherwise one run for all
  bool run_when_empty = false;

  bool operator==(const Schedule&) const = default;
  /// The members of a workflow: {"schedule", "query", "each", "runWhenEmpty"}.
  json::object shown() const;
};

/// The names of these members.
inline constexpr const char* schedule_members[] = {"schedule", "query", "each", "runWhenEmpty"};

/// Reads them; null or absent members have their defaults. Errors name `schedule.cron`, `query.limit` and so
/// on.
std::variant<Schedule, FieldErrors> parse_schedule(const json::object& members, EntityType type);

}  // namespace waybill::domain
