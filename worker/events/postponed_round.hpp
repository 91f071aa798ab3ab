#pragma once

#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::worker {

/// The order in which workflows with postponed events take turns, and when to look for them: once a second,
/// or at once while rounds find any. Pure; one thread. A crash loses nothing: a round begins anew.
class PostponedRound {
 public:
  /// True if a look is due. The next one then is due a second later, unless this one finds something.
  bool begin_look(Time now);
  Time next_look() const { return next_look_; }

  /// The workflow whose turn was last; nil at the beginning of a round.
  const Guid& last() const { return last_; }
  void turn_of(const Guid& workflow) { last_ = workflow; }
  /// Notes that the workflow with this turn had matches.
  void found_matches() { has_matches_ = true; }

  /// Notes that the look ended early for lack of time: the next one is due at once.
  void interrupt() { next_look_ = {}; }
  /// Notes that the look went through all workflows that it found; `is_last` if they end the round. Returns
  /// true if another look is due at once.
  bool end_look(bool is_last);

 private:
  Guid last_;
  bool has_matches_ = false;  // in this round
  Time next_look_{};
};

}  // namespace waybill::worker
