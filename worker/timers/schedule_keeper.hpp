#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "worker/timers/schedule_lane.hpp"

namespace waybill::worker {

/// Runs workflows at the ticks of their schedules, on two dedicated threads, because a query of records may
/// take long. One transaction locks a schedule that is due, reads the records, queues the runs and stores the
/// next tick, so each tick has its runs once, however many workers there are and whenever one is killed. One
/// tick makes up for all that passed while no worker ran. Businesses share the time: one whose ticks take
/// long moves to the second thread, so that it delays only other such businesses. A workflow whose query
/// takes too long at three successive ticks is paused. The database's clock decides what is due, and its time
/// zone data determines the ticks. The first thread is connected while a workflow has a schedule, the second
/// one while a business is slow.
class ScheduleKeeper final : public Service {
 public:
  struct Options {
    std::string database_url;
    Guid worker;
    std::string public_url;  // of the service, for links to tracking pages; may be empty
    BlastGuard::Options blast;
  };

  /// Everything referred to outlives it.
  ScheduleKeeper(const Options& options, const Catalogue& catalogue, PauseWriter& pauses, const Clock& clock);

  void start() override {
    quick_.start();
    slow_.start();
  }
  void stop_accepting() override {
    quick_.stop_accepting();
    slow_.stop_accepting();
  }
  /// Ends after the present transactions.
  void stop(Moment until) override {
    stop_accepting();
    quick_.stop(until);
    slow_.stop(until);
  }

 private:
  ScheduleShares shares_;
  ScheduleLane quick_;
  ScheduleLane slow_;
};

}  // namespace waybill::worker
