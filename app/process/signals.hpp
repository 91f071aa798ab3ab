#pragma once

#include <pthread.h>
#include <signal.h>
#include <stop_token>

#include "base/thread/thread.hpp"

namespace waybill::app {

/// Turns SIGTERM, SIGINT and SIGHUP into a request to stop; a second signal ends the process at once (status
/// 128 + signal). Create it before any other thread, so that only it receives the signals. SIGPIPE is ignored
/// from then on.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  /// Returns when a stop has been requested.
  void wait() const;

 private:
  void watch();

  std::stop_source source_;
  sigset_t watched_{};
  Thread thread_{ThreadKind::signals};
};

}  // namespace waybill::app
