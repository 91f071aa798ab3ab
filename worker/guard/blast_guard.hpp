#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/session/session.hpp"
#include "worker/guard/firing_counts.hpp"
#include "worker/guard/firing_rates.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {

/// Pauses workflows that fire far more often than usual: more than `minimum` times within a minute and more
/// than `factor` times their rate of the last 7 days. The run that exceeds the limit and all later ones are
/// held. Counts in memory and by the events' times, so that a backlog does not count as a burst. One worker
/// matches all events of a business, so it sees every run. It reads the usual rate from the database when a
/// workflow reaches `minimum`, and saves the counts once a minute; a crash loses one minute. One thread.
class BlastGuard {
 public:
  struct Options {
    std::int64_t factor = 100;    // 0: off
    std::int64_t minimum = 1000;  // 0: off
  };

  BlastGuard(Options options, PauseWriter& pauses, const Clock& clock)
      : options_(options), pauses_(pauses), clock_(clock) {}

  /// Counts the runs and holds those beyond a limit, if the guard is on. Throws DatabaseUnavailable or
  /// StatementError before it has counted any of them.
  void watch(storage::Session& session, std::vector<MatchedEvent>& events);

  /// Saves the counts once a minute. Throws like `watch`; the counts are then kept.
  void save(storage::Session& session) {
    if (clock_.now() >= next_save_) save_now(session);
  }
  void save_now(storage::Session& session);

  /// The counts that are saved with those of the watched runs.
  FiringCounts& counts() { return counts_; }

 private:
  struct Group;  // the runs of one workflow in one batch
  struct Limit {
    std::int64_t count;
    Time valid_until;
  };
  bool is_on() const { return options_.factor > 0 && options_.minimum > 0; }
  std::optional<PauseNotice> notice_if_beyond(storage::Session& session, const Group& group,
                                              std::int64_t count);
  std::optional<PauseNotice> examine(storage::Session& session, Group& group);

  const Options options_;
  PauseWriter& pauses_;
  const Clock& clock_;
  FiringRates rates_;
  std::unordered_map<Guid, Limit> limits_;  // limits of workflows that reached the minimum
  FiringCounts counts_;
  Time next_save_{};
};

}  // namespace waybill::worker
