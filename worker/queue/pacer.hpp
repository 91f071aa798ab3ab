#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// Applies the windows, limits and rates of workflows to runs that were claimed from the queue, where all
/// runs of such workflows begin. In a run of several steps, each step that is an action waits for the window
/// before it begins, and for the rate once its destination is known: the run is then claimed again, with the
/// texts of the step. Waits and stops do not wait. The limit counts the beginning of the first step, of
/// whatever type. The runs that have begun and the requests that were granted are counted in
/// the database, for all workers, each in one statement. A worker that is lost after that statement loses its
/// granted requests, and none of its runs counts twice. Runs that wait for a row which another session has
/// locked are put back for a second, and delay no others. One thread. `pace` throws DatabaseUnavailable or
/// StatementError.
class Pacer {
 public:
  /// A run that would wait for longer than `retention` after its event ends as expired.
  Pacer(const Catalogue& catalogue, const Clock& clock, Duration retention)
      : catalogue_(catalogue), clock_(clock), retention_(retention) {}

  /// Marks the runs whose window was closed when they were made, or may have been, and is open now, but which
  /// waited for something else in that time: in an ordered workflow for an earlier run, for the end of a
  /// pause, or to be matched.
  void note_windows(storage::Session& session, std::vector<storage::ClaimedRun>& runs);

  /// Sets `pace` of the runs. Runs whose conditions no longer hold, whose record is gone, or which are not
  /// performed now for another reason are left alone and take nothing.
  void pace(storage::Session& session, std::vector<storage::ClaimedRun>& runs);

  /// Destinations of workflows with a rate that may get no further request yet.
  std::vector<std::string> blocked_destinations(Time now);
  /// The time at which the first of them may get one; Time::max() if there is none.
  Time next_unblocked() const;

 private:
  struct Opening {
    WorkflowPtr workflow;  // for which it was computed
    Time opens_at;
    Time closes_at;
  };
  struct Candidate {
    storage::ClaimedRun* run;
    WorkflowPtr workflow;
    bool is_attempt;  // false for the first step of a run if it is a wait or a stop
  };

  std::optional<Candidate> candidate(storage::ClaimedRun& run) const;
  void wait_for_window(storage::Session& session, const Candidate& candidate, Time now);
  static void limit(storage::Session& session, const std::vector<Candidate>& candidates, Time now);
  void wait_for_requests(storage::Session& session, const std::vector<Candidate>& candidates);
  void grant(const std::string& destination, const std::vector<Candidate>& waiting, std::size_t granted,
             double full_in);
  void block(const std::string& destination, std::span<const Candidate> waiting, Time until);
  const Opening& opening(storage::Session& session, const WorkflowPtr& workflow, Time now);

  const Catalogue& catalogue_;
  const Clock& clock_;
  const Duration retention_;
  std::unordered_map<Guid, Opening> openings_;  // the present or next one, by workflow
  std::unordered_map<std::string, Time> blocked_;
};

}  // namespace waybill::worker
