#pragma once

#include "base/clock.hpp"

namespace waybill {

/// Waits for a socket, a call from another thread, or a timeout.
class WakeUp {
 public:
  WakeUp();
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  /// Makes the current or the next wait return. Any thread may call it.
  void wake();
  /// Returns when `socket` is readable (-1: no socket), after `wake`, or after `limit`.
  void wait(int socket, Duration limit);

 private:
  int event_;
};

}  // namespace waybill
