#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/events/outbox.hpp"
#include "storage/session/session.hpp"
#include "worker/delivery/runner.hpp"
#include "worker/events/event_intake.hpp"
#include "worker/events/matcher.hpp"
#include "worker/events/postponed_round.hpp"
#include "worker/events/workflow_follower.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/threads/batch_size.hpp"

namespace waybill::worker {

/// Matches events with workflows and hands their runs to the runner: new events in batches of a few
/// milliseconds in which businesses take turns, events of a suspended business once it is resumed, and
/// postponed events, for workflows that were unreadable, or whose conditions would have taken too long, when
/// the events came. Runs on the pump thread only. Methods throw DatabaseUnavailable or StatementError; the
/// events then are matched later.
class EventMatching {
 public:
  struct Options {
    Guid worker;
    std::string public_url;  // URL of the service, for links to tracking pages; may be empty
    Duration batch_time = std::chrono::milliseconds(2);
    std::size_t most_in_batch = 500;
  };

  EventMatching(const Options& options, EventIntake& intake, const Catalogue& catalogue,
                WorkflowFollower& workflows, BlastGuard& guard, Runner& runner, const Clock& clock);

  /// Notes a new connection, whose server may have lost changes.
  void reconnected() { matcher_.reconnected(); }

  /// Matches the next batch. `rows` are rows of some of its events. Returns false if there is no event that
  /// may be matched now.
  bool match_some(storage::Session& session, std::vector<storage::StoredEvent> rows);

  /// Matches some events that were set aside for one resumed business, and queues their runs. Returns true if
  /// there may be more.
  bool match_set_aside(storage::Session& session);

  /// Matches some postponed events of workflows that are readable now; workflows take turns. Looks once a
  /// second. Returns true if there may be more.
  bool match_postponed(storage::Session& session);
  Time next_postponed_look() const { return postponed_.next_look(); }

 private:
  std::vector<MatchedEvent> match(storage::Session& session, const std::vector<storage::PendingEvent>& events,
                                  std::vector<storage::StoredEvent> rows);
  void find_turns(storage::Session& session, std::vector<MatchedEvent>& events);
  std::vector<storage::Run> store_late(storage::Session& session, const Workflow& workflow,
                                       std::span<const storage::PostponedMatch> matches);
  void set_aside(storage::Session& session, std::vector<storage::PendingEvent>& events,
                 std::vector<storage::StoredEvent>& rows);
  void give_back_unmatched(std::vector<storage::PendingEvent> events,
                           const std::vector<MatchedEvent>& matched);

  const Options options_;
  EventIntake& intake_;
  const Catalogue& catalogue_;
  WorkflowFollower& workflows_;
  BlastGuard& guard_;
  Runner& runner_;
  const Clock& clock_;
  Matcher matcher_;
  BatchSize batch_;
  BatchSize postponed_batch_;
  PostponedRound postponed_;
};

}  // namespace waybill::worker
