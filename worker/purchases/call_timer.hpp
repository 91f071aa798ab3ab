#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <prometheus/histogram.h>

#include "base/observe.hpp"

namespace waybill::worker {

/// Records the duration of a call to a gateway, from its construction to `stop` or its destruction. One
/// thread.
class CallTimer {
 public:
  CallTimer(std::string_view connector, std::string_view call)
      : label_(std::string(connector) + "." + std::string(call)) {}
  ~CallTimer() { stop(); }
  CallTimer(const CallTimer&) = delete;
  CallTimer& operator=(const CallTimer&) = delete;

  void stop() {
    if (std::exchange(is_over_, true)) return;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began_;
    series(Histogram::gateway_call_seconds, label_).Observe(seconds.count());
  }

 private:
  const std::string label_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool is_over_ = false;
};

}  // namespace waybill::worker
