#pragma once

#include "base/clock.hpp"

namespace waybill::worker {

/// Waits for a socket, a call from another thread, or time.
class WakeUp {
 public:
  WakeUp();
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  /// From any thread; makes the current or the next wait return.
  void wake();
  /// Returns when `socket` (none: -1) is readable, after `wake`, or after `limit`.
  void wait(int socket, Duration limit);

 private:
  int event_;
};

}  // namespace waybill::worker
