#include "base/thread/thread.hpp"

#include <pthread.h>
#include <string>
#include <utility>

namespace waybill {

void Thread::start(std::function<void(const std::stop_token&)> run) {
  thread_ = std::jthread([kind = kind_, run = std::move(run)](const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), std::string(row_of(kind).name).c_str());
    run(stop);
  });
}

}  // namespace waybill
