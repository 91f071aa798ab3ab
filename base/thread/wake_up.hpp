#pragma once

#include <span>
#include <vector>

#include "base/clock.hpp"

struct pollfd;

namespace waybill {

/// Waits for sockets, a call from another thread, or a timeout.
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
  /// As above, for the events of several sockets, which are noted in them.
  void wait(std::vector<pollfd>& sockets, Duration limit);

 private:
  void wait_for_any(std::span<pollfd> watched, Duration limit);

  int event_;
};

}  // namespace waybill
