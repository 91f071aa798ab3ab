#include "app/process/service_manager.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <semaphore>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/process/liveness.hpp"

namespace waybill::app {
namespace {

using namespace std::chrono_literals;

/// The socket of a service manager, with an abstract name, and the variables that name it.
class Notifications {
 public:
  explicit Notifications(const char* watchdog_usec = nullptr) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    // The system chooses an abstract name for an address that has only a family.
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(sa_family_t)), 0);
    socklen_t length = sizeof(address);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
    const std::string name(address.sun_path + 1, length - offsetof(sockaddr_un, sun_path) - 1);
    ::setenv("NOTIFY_SOCKET", ("@" + name).c_str(), 1);
    if (watchdog_usec != nullptr) ::setenv("WATCHDOG_USEC", watchdog_usec, 1);
    const timeval limit{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  ~Notifications() {
    ::close(socket_);
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
  }
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  /// The next datagram; empty if none comes within 5 s, or with `at_once` if none has come.
  std::string next(bool at_once = false) const {
    std::array<char, 256> text{};
    const auto length = ::recv(socket_, text.data(), text.size(), at_once ? MSG_DONTWAIT : 0);
    return length < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(length));
  }

 private:
  const int socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

TEST(ServiceManager, GetsTheStatesOfTheProcess) {
  const Notifications notifications;
  const ServiceManager manager;
  manager.ready();
  EXPECT_EQ(notifications.next(), "READY=1");
  manager.stopping();
  EXPECT_EQ(notifications.next(), "STOPPING=1");
}

TEST(ServiceManager, IsHiddenFromChildProcesses) {
  const Notifications notifications("1000000");
  const ServiceManager manager;
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
    EXPECT_EQ(std::getenv(name), nullptr) << name;
  }
}

TEST(ServiceManager, MayBeAbsent) {
  const ServiceManager manager;
  EXPECT_EQ(manager.watchdog(), std::nullopt);
  manager.ready();
}

TEST(ServiceManager, TheWatchdogOfAnotherProcessDoesNotCount) {
  {
    const Notifications notifications("1000000");
    ::setenv("WATCHDOG_PID", "1", 1);
    EXPECT_EQ(ServiceManager().watchdog(), std::nullopt);
  }
  const Notifications notifications("1000000");
  ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  EXPECT_EQ(ServiceManager().watchdog(), 1s);
}

TEST(ServiceManager, AWatchdogWithoutATimeIsIgnored) {
  for (const char* text : {"", "0", "-1", "soon"}) {
    const Notifications notifications(text);
    EXPECT_EQ(ServiceManager().watchdog(), std::nullopt) << text;
  }
}

TEST(Liveness, ReportsWhileTheLoopsTurn) {
  const Notifications notifications("40000");
  const ServiceManager manager;
  std::atomic<bool> turns = true;
  std::atomic<bool> is_alive = true;
  std::counting_semaphore<> looks_at_hanging_loops(0);
  Liveness liveness(manager, is_alive, [&](Liveness::Limit limit) {
    EXPECT_EQ(limit, 20ms);
    const bool turn = turns;
    if (!turn) looks_at_hanging_loops.release();
    return turn;
  });
  liveness.start();
  EXPECT_EQ(notifications.next(), "WATCHDOG=1");
  EXPECT_EQ(notifications.next(), "WATCHDOG=1");
  turns = false;
  ASSERT_TRUE(looks_at_hanging_loops.try_acquire_for(5s));
  while (!notifications.next(true).empty()) {
  }
  // The second look begins after the first has ended.
  ASSERT_TRUE(looks_at_hanging_loops.try_acquire_for(5s));
  EXPECT_FALSE(is_alive);
  ASSERT_TRUE(looks_at_hanging_loops.try_acquire_for(5s));
  EXPECT_EQ(notifications.next(true), "");
  turns = true;
  EXPECT_EQ(notifications.next(), "WATCHDOG=1");
  EXPECT_TRUE(is_alive);
}

}  // namespace
}  // namespace waybill::app
