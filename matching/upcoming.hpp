#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/records/record_type.hpp"
#include "storage/session/session.hpp"

namespace waybill::matching {

/// One thing that a workflow will do at a time that is known.
struct Upcoming {
  Time at;           // never earlier than now
  std::string kind;  // timer, schedule, wait, delay, window, retry or digest
  Guid workflow;
  std::string name;  // of the workflow, as it is now
  int version;       // of the workflow, with which the run is performed
  domain::EntityType entity_type;
  std::optional<Guid> entity;     // nullopt for several records
  std::optional<Guid> run;        // nullopt before the run begins
  std::optional<bool> holds_now;  // nullopt without a record, and if it cannot be found out
};

inline constexpr std::size_t most_upcoming = 200;

/// The next entries of a record before `until`, by time; at most `most_upcoming` entries. A schedule is among
/// them if its query and conditions name the record now; the schedules with the next 100 ticks are examined.
/// Nullopt if the business has no such record. Conditions are evaluated for the record as it is now, with the
/// previous values of the run's event, for about a second. Reads only. Throws DatabaseUnavailable,
/// StatementError, or ColumnsChanged if a migration changed the tables.
std::optional<std::vector<Upcoming>> upcoming_of_record(storage::Session& session, const Guid& business,
                                                        const Guid& record, std::optional<Time> until);

/// As above, for a workflow, with its next tick whatever its query names.
std::optional<std::vector<Upcoming>> upcoming_of_workflow(storage::Session& session, const Guid& business,
                                                          const Guid& workflow, std::optional<Time> until);

}  // namespace waybill::matching
