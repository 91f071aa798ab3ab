#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/loop.hpp"
#include "base/thread/service.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/threads/thread_session.hpp"
#include "worker/timers/schedule_shares.hpp"
#include "worker/timers/tick_runs.hpp"

namespace waybill::worker {

/// One of the two threads of a worker that perform schedules. The quick one has the schedules of all
/// businesses that are not slow: they take turns, and a tick that takes long is left to the other thread. The
/// slow one has those of the slow businesses (ScheduleShares), the one that has used the least time first.
class ScheduleLane final : public Service {
 public:
  enum class Kind : std::uint8_t { quick, slow };
  struct Options {
    std::string database_url;
    BlastGuard::Options blast;
    TickRuns::Options runs;
  };

  /// Everything referred to outlives it.
  ScheduleLane(Kind kind, Options options, ScheduleShares& shares, const Catalogue& catalogue,
               PauseWriter& pauses, const Clock& clock);

  void start() override { loop_.start(); }
  void stop_accepting() override { loop_.request_stop(); }
  /// Ends after the present transaction.
  void stop(Moment /*until*/) override { loop_.stop(); }

 private:
  struct Claimed;

  Duration work();
  void connect();
  void disconnect();
  Duration work_quickly(const std::vector<Guid>& slow);
  bool tick(const std::vector<Guid>& slow);
  std::optional<Claimed> claim(const std::vector<Guid>& slow);
  void take_turn(const Claimed& claimed, std::optional<PauseNotice>& pause);
  int perform(const Tick& tick, const Workflow& workflow);
  std::optional<PauseNotice> notice(const Claimed& claimed);
  void plan(const Tick& tick, const Workflow& workflow, int timeouts);
  void follow_zone();
  void bring_back_ticks();
  void postpone(const Tick& tick, Duration delay);

  const Kind kind_;
  const Options options_;
  ScheduleShares& shares_;
  const Catalogue& catalogue_;
  PauseWriter& pauses_;
  const Clock& clock_;
  ThreadSession session_;           // used by loop_ only, as are the next members
  std::unique_ptr<TickRuns> runs_;  // of the session
  std::vector<Guid> had_turn_;      // businesses in the present round of the quick thread
  // The next look for ticks that a wrong clock has stored, and the last schedule that was looked at.
  std::chrono::steady_clock::time_point bring_back_at_;
  Guid last_business_, last_workflow_;
  BlastGuard guard_;  // of the workflows with a schedule, for the ticks of this thread
  Loop loop_;
};

}  // namespace waybill::worker
