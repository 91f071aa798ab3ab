#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "app/process/service_manager.hpp"
#include "base/thread/loop.hpp"
#include "base/thread/service.hpp"

namespace waybill::app {

/// Watches the event loops of the process on its own thread, and reports to the service manager while all of
/// them turn. An unavailable database does not stop a loop. An idle worker turns once a second, so the
/// service manager's watchdog needs several seconds.
class Liveness final : public Service {
 public:
  using Limit = std::chrono::steady_clock::duration;
  /// True if each loop has turned within the limit. Called several times within each limit, because it also
  /// prompts the loops that are idle.
  using LoopsTurn = std::function<bool(Limit)>;

  /// A loop hangs if it has not turned for 30 s, or for half the time of the service manager's watchdog.
  /// `is_alive` is false while a loop hangs. `manager` and `is_alive` must outlive the object.
  Liveness(const ServiceManager& manager, std::atomic<bool>& is_alive, LoopsTurn loops_turn);

  void start() override { loop_.start(); }
  void stop(Moment /*until*/) override { loop_.stop(); }

 private:
  Loop::Wait turn();

  const ServiceManager& manager_;
  std::atomic<bool>& is_alive_;
  const LoopsTurn loops_turn_;
  const Limit limit_;
  Loop loop_{ThreadKind::liveness, [this] { return turn(); }};
};

}  // namespace waybill::app
