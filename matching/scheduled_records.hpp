#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/guid.hpp"
#include "base/json.hpp"
#include "base/work_budget.hpp"
#include "domain/conditions/conditions.hpp"
#include "matching/relatives.hpp"
#include "matching/rule.hpp"
#include "matching/unreadable.hpp"
#include "storage/events/record_columns.hpp"
#include "storage/session/session.hpp"

namespace waybill::matching {

/// A record for which a schedule runs, with its relatives.
struct ScheduledRecord {
  Guid guid;
  json::object entity;
  std::size_t bytes;                                 // size of the stored record
  bool is_unjudged = false;                          // the workflow's conditions need too much work
  std::optional<Unreadable> problem = std::nullopt;  // the record cannot be read; `entity` has the guid alone
};

/// The records for which a workflow with a schedule runs now: those of its query that meet its conditions, or
/// that may meet them (is_unjudged, problem), in the query's order. They are read in portions, so that they
/// are never all in memory. Throws DatabaseUnavailable, StatementError or ColumnsChanged.
class ScheduledRecords {
 public:
  /// Runs the query. If `only` is given, the query is limited to this record, even if its own limit would
  /// exclude it. Everything referred to outlives the object.
  ScheduledRecords(storage::Session& session, storage::RecordColumns& columns, const Rule& rule,
                   const Guid& business, const TrackingPages& pages = {},
                   const std::optional<Guid>& only = std::nullopt);

  bool at_end() const { return position_ == guids_.size(); }
  /// The next records, at most `portion_records`; may be empty before the end.
  std::vector<ScheduledRecord> next();

  static constexpr std::size_t portion_records = 64;
  /// A portion ends with the record that reaches this size.
  static constexpr std::size_t portion_bytes = std::size_t{4} << 20U;
  /// The work of the conditions for all records; about 200 ms.
  static constexpr std::size_t condition_work = 8 * domain::max_condition_work;

 private:
  std::vector<ScheduledRecord> read();

  storage::Session& session_;
  storage::RecordColumns& columns_;
  const Rule& rule_;
  const Guid business_;
  const TrackingPages pages_;
  std::vector<Guid> guids_;  // the result of the query
  std::size_t position_ = 0;
  WorkBudget share_{condition_work};
};

}  // namespace waybill::matching
