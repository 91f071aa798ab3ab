#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/session.hpp"
#include "worker/guard/firing_rates.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {

/// Pauses workflows that fire far more often than they use to: more than `minimum` times within a minute and
/// more than `factor` times their rate of the last 7 days. The run that crosses the limit and all after it
/// are held. Counts in memory, by the events' times, so that working off a backlog is no burst; a business is
/// matched by one worker, which therefore sees all its workflows do. The database is asked when a workflow
/// reaches `minimum` and told once a minute what fired. A worker that dies takes a minute's counts with it.
/// One thread.
class BlastGuard {
 public:
  struct Options {
    std::int64_t factor = 100;    // 0: off
    std::int64_t minimum = 1000;  // 0: off
  };

  BlastGuard(Options options, PauseWriter& pauses, const Clock& clock)
      : options_(options), pauses_(pauses), clock_(clock) {}

  /// Counts what fired and holds what is beyond a limit. Throws DatabaseUnavailable or StatementError before
  /// it has counted any of it.
  void watch(storage::Session& session, std::vector<MatchedEvent>& events);

  /// Tells the database what fired since it was last told, if that was a minute ago. Throws like `watch`;
  /// nothing is forgotten then.
  void keep(storage::Session& session) {
    if (clock_.now() >= next_keeping_) keep_now(session);
  }
  void keep_now(storage::Session& session);

 private:
  struct Group;  // the runs of one workflow in one batch
  struct Limit {
    std::int64_t count;
    Time known_until;
  };
  bool is_on() const { return options_.factor > 0 && options_.minimum > 0; }
  std::optional<PauseNotice> notice_if_beyond(storage::Session& session, const Group& group,
                                              std::int64_t count);
  std::optional<PauseNotice> examine(storage::Session& session, Group& group);

  const Options options_;
  PauseWriter& pauses_;
  const Clock& clock_;
  FiringRates rates_;
  std::unordered_map<Guid, Limit> limits_;                // of workflows that have reached the minimum
  std::map<std::pair<Guid, Guid>, std::int64_t> untold_;  // by business and workflow
  Time next_keeping_{};
};

}  // namespace waybill::worker
