#include "worker/queue/look_times.hpp"

namespace waybill::worker {
namespace {

constexpr Duration due_again_after = std::chrono::milliseconds(100);

}  // namespace

bool LookTimes::note_due(Time due) {
  if (next_due_ && *next_due_ <= due) return false;
  next_due_ = due;
  return true;
}

void LookTimes::end(const LookResult& look) {
  const Time again = look.now + due_again_after;
  // The search for the next due run leaves out those of blocked destinations. A late look would miss the time
  // in which only workflows that did not fail last may probe.
  next_look_ = std::min({look.now + look_every, look.next_unblocked, std::max(look.next_probe, again)});
  if (look.left_out) next_look_ = {};
  // A run that is due and was not claimed: another worker claims it, or the server's clock is behind.
  if (look.next_due) note_due(look.any_found ? *look.next_due : std::max(*look.next_due, again));
}

}  // namespace waybill::worker
