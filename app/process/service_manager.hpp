#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::app {

/// Reports the state of the process to the service manager that started it (sd_notify(3), without
/// libsystemd). Does nothing without a service manager.
class ServiceManager {
 public:
  /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID and removes them from the environment, so that child
  /// processes report nothing. Create it before any other thread, because it changes the environment.
  ServiceManager();

  /// Sends `READY=1`: the process serves.
  void ready() const { send("READY=1"); }
  /// Sends `STOPPING=1`: the process ends.
  void stopping() const { send("STOPPING=1"); }
  /// Sends `WATCHDOG=1`: the process is alive.
  void alive() const { send("WATCHDOG=1"); }

  /// The service manager kills a process that is silent for this long; nullopt if it does not watch.
  std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

 private:
  void send(std::string_view state) const;

  std::string socket_;  // a path, or `@` and an abstract name; empty without a service manager
  std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace waybill::app
