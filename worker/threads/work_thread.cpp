#include "worker/threads/work_thread.hpp"

#include <utility>

namespace waybill::worker {

void WorkThread::start(std::function<void(const std::stop_token&)> run) {
  thread_ = std::jthread([run = std::move(run)](const std::stop_token& stop) { run(stop); });
}

void WorkThread::stop() {
  thread_.request_stop();
  wake_up_.wake();
  if (thread_.joinable()) thread_.join();
}

}  // namespace waybill::worker
