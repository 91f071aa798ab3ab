#include "base/thread/wake_up.hpp"

#include <cerrno>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace waybill {

WakeUp::WakeUp() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

WakeUp::~WakeUp() { close(event_); }

void WakeUp::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written =
      write(event_, &one, sizeof one);  // fails only if a wake-up is already pending
}

void WakeUp::wait(int socket, Duration limit) {
  pollfd watched[2] = {{event_, POLLIN, 0}, {socket, POLLIN, 0}};
  const std::chrono::nanoseconds remaining = std::max(limit, Duration::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(remaining);
  const timespec time{seconds.count(), (remaining - seconds).count()};
  ppoll(watched, socket < 0 ? 1 : 2, &time, nullptr);
  std::uint64_t count = 0;
  [[maybe_unused]] const auto drained =
      read(event_, &count, sizeof count);  // fails if nothing was written, which is harmless
}

}  // namespace waybill
