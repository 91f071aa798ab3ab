#include "app/process/service_manager.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/number.hpp"

namespace waybill::app {
namespace {

std::string take_variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no other thread runs yet
  std::string text = value == nullptr ? "" : value;
  ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
  return text;
}

}  // namespace

ServiceManager::ServiceManager() : socket_(take_variable("NOTIFY_SOCKET")) {
  const auto interval = parse_number<std::int64_t>(take_variable("WATCHDOG_USEC"));
  const auto watched = take_variable("WATCHDOG_PID");
  const bool is_watched = watched.empty() || watched == std::to_string(::getpid());
  if (interval && *interval > 0 && is_watched && !socket_.empty())
    watchdog_ = std::chrono::microseconds(*interval);
}

void ServiceManager::send(std::string_view state) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.empty() || socket_.size() >= sizeof(address.sun_path)) return;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';
  const int datagrams = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (datagrams < 0) return;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  // The result is ignored: the service continues without its service manager.
  (void)::sendto(datagrams, state.data(), state.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address), length);
  ::close(datagrams);
}

}  // namespace waybill::app
