#pragma once

#include <pthread.h>
#include <signal.h>
#include <stop_token>
#include <thread>

namespace waybill::app {

/// SIGTERM, SIGINT and SIGHUP as a request to stop; a second one ends the process at once (status 128 +
/// signal, nothing is finished). Make it before any other thread, so that the signals reach it alone. SIGPIPE
/// is ignored from then on.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  /// Returns when stopping was requested.
  void wait() const;

 private:
  void watch();

  std::stop_source source_;
  sigset_t watched_{};
  std::thread thread_;
};

}  // namespace waybill::app
