#include "app/process/liveness.hpp"

#include <algorithm>
#include <utility>

namespace waybill::app {
namespace {

constexpr Liveness::Limit longest_turn = std::chrono::seconds(30);

Liveness::Limit limit_under(const ServiceManager& manager) {
  const auto watchdog = manager.watchdog();
  return watchdog ? std::min<Liveness::Limit>(longest_turn, *watchdog / 2) : longest_turn;
}

}  // namespace

Liveness::Liveness(const ServiceManager& manager, std::atomic<bool>& is_alive, LoopsTurn loops_turn)
    : manager_(manager),
      is_alive_(is_alive),
      loops_turn_(std::move(loops_turn)),
      limit_(limit_under(manager)) {}

Loop::Wait Liveness::turn() {
  is_alive_ = loops_turn_(limit_);
  if (is_alive_ && manager_.watchdog()) manager_.alive();
  return {std::chrono::ceil<Duration>(limit_ / 4)};
}

}  // namespace waybill::app
