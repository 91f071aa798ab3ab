#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
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

/// Runs workflows at the ticks of their schedules, on a dedicated thread, because a query of records may take
/// long. One transaction locks a schedule that is due, reads the records, queues the runs and stores the next
/// tick, so each tick has its runs once, however many workers there are and whenever one is killed. One tick
/// makes up for all that passed while no worker ran. Businesses take turns, and the time and the memory of a
/// tick are limited. The database's clock decides what is due, and its time zone data determines the ticks.
/// Connects only while a workflow has a schedule.
class ScheduleKeeper {
 public:
  struct Options {
    std::string database_url;
    Guid worker;
    std::string public_url;  // of the service, for links to tracking pages; may be empty
    BlastGuard::Options blast;
  };

  /// Everything referred to outlives it.
  ScheduleKeeper(Options options, const Catalogue& catalogue, PauseWriter& pauses, const Clock& clock);
  /// Ends after the present transaction.
  ~ScheduleKeeper();
  ScheduleKeeper(const ScheduleKeeper&) = delete;
  ScheduleKeeper& operator=(const ScheduleKeeper&) = delete;

 private:
  struct Tick;

  void run();
  Duration work();
  bool tick();
  void plan(const Tick& tick, const Workflow& workflow);
  void perform(const Tick& tick, const Workflow& workflow);
  std::vector<PlannedRun> runs_of_each(const Tick& tick, const Workflow& workflow);
  std::vector<PlannedRun> run_of_all(const Tick& tick, const Workflow& workflow);
  void read_records(const Workflow& workflow,
                    const std::function<bool(std::vector<matching::ScheduledRecord>&)>& take);
  static DueTimer due_of(const Tick& tick, const Workflow& workflow, std::uint64_t run_event);
  std::vector<std::uint64_t> new_ids(std::size_t count);
  void write(std::vector<PlannedRun> planned);
  void follow_zone();
  void postpone(const Guid& business, const Guid& workflow, Duration delay);

  const Options options_;
  const Catalogue& catalogue_;
  const Clock& clock_;
  std::unique_ptr<storage::Session> session_;  // used by thread_ only, as are the next three
  storage::CachedColumns columns_;
  std::vector<Guid> had_turn_;  // businesses in the present round
  BlastGuard guard_;            // of the workflows with a schedule, which fire here only
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace waybill::worker
