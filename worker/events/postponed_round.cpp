#include "worker/events/postponed_round.hpp"

namespace waybill::worker {
namespace {

constexpr Duration look_every = std::chrono::seconds(1);

}  // namespace

bool PostponedRound::begin_look(Time now) {
  if (now < next_look_) return false;
  next_look_ = now + look_every;
  return true;
}

bool PostponedRound::end_look(bool is_last) {
  const bool goes_on = !is_last || has_matches_;
  if (is_last) {
    last_ = {};
    has_matches_ = false;
  }
  if (goes_on) next_look_ = {};
  return goes_on;
}

}  // namespace waybill::worker
