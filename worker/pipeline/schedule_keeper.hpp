#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/record_columns.hpp"
#include "storage/session.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// Runs workflows at the ticks of their schedules, on a dedicated thread, because a query of records may take
/// long. One transaction locks a schedule that is due, reads the records, queues the runs and stores the next
/// tick, so each tick has its runs once, however many workers there are and whenever one is killed. Ticks
/// that passed while no worker ran are made up by one. The database's clock decides what is due, and its time
/// zones when. Connects only while a workflow has a schedule.
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
  void queue_runs(const Tick& tick, const Workflow& workflow);
  std::vector<json::object> records_of(const Workflow& workflow, const Guid& business);
  void postpone(const Guid& business, const Guid& workflow, Duration delay);

  const Options options_;
  const Catalogue& catalogue_;
  const Clock& clock_;
  std::unique_ptr<storage::Session> session_;  // used by thread_ only, as are the next two
  storage::CachedColumns columns_;
  BlastGuard guard_;  // of the workflows with a schedule, which fire here only
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace waybill::worker
