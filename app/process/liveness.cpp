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
      limit_(limit_under(manager)),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void Liveness::watch(const std::stop_token& stop) {
  Lock lock(mutex_);
  while (!stop.stop_requested()) {
    is_alive_ = loops_turn_(limit_);
    if (is_alive_ && manager_.watchdog()) manager_.alive();
    stopped_.wait_for(lock, stop, limit_ / 4, [] { return false; });
  }
}

}  // namespace waybill::app
