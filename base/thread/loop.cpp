#include "base/thread/loop.hpp"

namespace waybill {

void Loop::start() {
  thread_.start([this](const std::stop_token& stop) { run(stop); });
}

void Loop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    thread_.beat();
    Wait wait;
    try {
      wait = turn_();
    } catch (const std::exception& error) {
      if (!failed_) throw;
      wait = {.length = failed_(error)};
    }
    thread_.wait(wait.socket, wait.length);
  }
}

}  // namespace waybill
