#include "app/process/signals.hpp"

#include <unistd.h>

#include "base/thread/mutex.hpp"

namespace waybill::app {

Signals::Signals() {
  ::signal(SIGPIPE, SIG_IGN);
  sigemptyset(&watched_);
  sigaddset(&watched_, SIGTERM);
  sigaddset(&watched_, SIGUSR2);
  // Signals that are ignored from the start (nohup, a shell's background jobs) stay ignored.
  for (const int signal : {SIGINT, SIGHUP}) {
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&watched_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &watched_, nullptr);
  thread_.start([this](const std::stop_token&) { watch(); });
}

Signals::~Signals() {
  thread_.signal(SIGUSR2);
  thread_.join();
}

void Signals::wait() const {
  Mutex mutex;
  StopCondition changed;
  Lock guard(mutex);
  changed.wait(guard, source_.get_token(), [] { return false; });
}

// The destructor ends the thread by SIGUSR2.
void Signals::watch() {
  for (bool stopping = false;; stopping = true) {
    int signal = 0;
    if (::sigwait(&watched_, &signal) != 0 || signal == SIGUSR2) return;
    if (stopping) ::_exit(128 + signal);
    source_.request_stop();
  }
}

}  // namespace waybill::app
