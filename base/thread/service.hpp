#pragma once

#include <chrono>
#include <utility>
#include <vector>

namespace waybill {

/// A part of a process that works by itself between `start` and `stop`, usually on a thread. It works once:
/// to start again, make another. One thread, the owner's, calls these methods, and none of them throws. They
/// return in time while the database is unavailable, and the work continues when it is back. A service that
/// was not stopped stops in its destructor.
class Service {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  Service() = default;
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Begins the work. A service that only answers calls works from its construction on. Throws
  /// std::system_error if there is no room for a thread.
  virtual void start() {}

  // A stop has three phases. A list of services finishes each phase before it begins the next one. A phase
  // that has nothing to do is left out, and `stop` alone is a whole stop.

  /// Begins no more work, and returns what has not begun to where other processes find it. Work in flight
  /// continues.
  virtual void stop_accepting() {}
  /// Waits for the work in flight, until `until` at the latest. It returns at once if that is over.
  virtual void drain(Moment /*until*/) {}
  /// Ends the work and its threads. May wait until `until` to store what is done. Has no effect without
  /// `start` or when called again.
  virtual void stop(Moment until) = 0;
  /// A stop that waits for nothing that can be left.
  void stop_at_once() { stop(Moment()); }
};

/// Services that start in order and stop in reverse, phase by phase. They outlive the list.
class ServiceList {
 public:
  explicit ServiceList(std::vector<Service*> services) : services_(std::move(services)) {}

  void start() {
    for (Service* const service : services_) service->start();
  }
  void stop(Service::Moment until) {
    in_reverse([](Service& service) { service.stop_accepting(); });
    in_reverse([&](Service& service) { service.drain(until); });
    in_reverse([&](Service& service) { service.stop(until); });
  }
  const std::vector<Service*>& all() const { return services_; }

 private:
  template <typename Phase>
  void in_reverse(Phase phase) {
    for (auto service = services_.rbegin(); service != services_.rend(); ++service) phase(**service);
  }

  std::vector<Service*> services_;
};

}  // namespace waybill
