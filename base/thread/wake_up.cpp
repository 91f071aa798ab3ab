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
  wait_for_any({watched, socket < 0 ? 1U : 2U}, limit);
}

void WakeUp::wait(std::vector<pollfd>& sockets, Duration limit) {
  sockets.push_back({event_, POLLIN, 0});
  wait_for_any(sockets, limit);
  sockets.pop_back();
}

void WakeUp::wait_for_any(std::span<pollfd> watched, Duration limit) {
  const std::chrono::nanoseconds remaining = std::max(limit, Duration::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(remaining);
  const timespec time{seconds.count(), (remaining - seconds).count()};
  ppoll(watched.data(), watched.size(), &time, nullptr);
  std::uint64_t count = 0;
  [[maybe_unused]] const auto drained =
      read(event_, &count, sizeof count);  // fails if nothing was written, which is harmless
}

}  // namespace waybill
