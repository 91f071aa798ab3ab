#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "matching/scheduled_records.hpp"
#include "storage/events/record_columns.hpp"
#include "storage/session/session.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {

/// A locked schedule.
struct Tick {
  Guid business_id;
  Guid workflow_id;
  std::optional<Time> at;  // nullopt: the next tick is to be computed
  std::string zone;        // of the business
  Time now;                // of the database
  int timeouts = 0;        // successive ticks before this one whose query took too long
};

/// Makes and stores the runs of ticks. The time and the memory of a tick are limited. One thread.
class TickRuns {
 public:
  struct Options {
    Guid worker;
    std::string public_url;                  // of the service, for links to tracking pages; may be empty
    std::chrono::milliseconds query_time;    // for the query of a tick, and for each portion of its records
    std::chrono::milliseconds reading_time;  // for all records of a tick
    bool ends_slow_ticks;                    // a tick that takes too long has a dead run instead of none
  };

  /// Everything referred to outlives it.
  TickRuns(Options options, storage::Session& session, BlastGuard& guard, const Clock& clock)
      : options_(std::move(options)), session_(session), guard_(guard), clock_(clock) {}

  /// Stores the runs of a tick in the open transaction, which has the savepoint `tick`. A tick whose runs the
  /// database refuses has one run, which is dead: tried again, it would fail again. Returns false if the
  /// query or the reading of its records takes too long; all but its dead run is then undone. Throws
  /// DatabaseUnavailable or StatementError.
  bool perform(const Tick& tick, const Workflow& workflow);

 private:
  std::vector<PlannedRun> runs_of_each(const Tick& tick, const Workflow& workflow);
  std::vector<PlannedRun> run_of_all(const Tick& tick, const Workflow& workflow);
  void read_records(const Workflow& workflow,
                    const std::function<bool(std::vector<matching::ScheduledRecord>&)>& take);
  void end_dead(const Tick& tick, const Workflow& workflow, const char* code, const std::exception& error);
  static DueTimer due_of(const Tick& tick, const Workflow& workflow, std::uint64_t run_event);
  std::vector<std::uint64_t> new_ids(std::size_t count);
  void write(std::vector<PlannedRun> planned);

  const Options options_;
  storage::Session& session_;
  BlastGuard& guard_;
  const Clock& clock_;
  storage::CachedColumns columns_;
};

}  // namespace waybill::worker
