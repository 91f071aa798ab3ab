#include <array>
#include <cstring>
#include <signal.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/http.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {
namespace {

/// The time limit of the watchdog. A loop counts as hung after half of it; that of an idle worker turns once
/// a second.
constexpr const char* watchdog_usec = "8000000";

/// Receives what a process reports to its service manager, on a socket in a directory.
class Notifications {
 public:
  Notifications() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof(address.sun_path) - 1);
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
      throw std::runtime_error("cannot bind " + path());
  }
  ~Notifications() { ::close(socket_); }
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  std::string path() const { return directory_ / "notify"; }

  /// True if this state arrives within the deadline of tests. Discards others before it.
  bool receives(const std::string& state) const {
    return eventually([&] {
      std::string received;
      while (!(received = next()).empty()) {
        if (received == state) return true;
      }
      return false;
    });
  }

  void discard() const {
    while (!next().empty()) {
    }
  }

 private:
  std::string next() const {
    std::array<char, 256> text{};
    const auto length = ::recv(socket_, text.data(), text.size(), MSG_DONTWAIT);
    return length < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(length));
  }

  const TempDirectory directory_;
  const int socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

class ReportsToServiceManager : public testing::TestWithParam<const char*> {};

TEST_P(ReportsToServiceManager, ReadyAliveAndStopping) {
  const TestDatabase database;
  const Notifications notifications;
  Waybill waybill(database.url(), {.command = GetParam(),
                                   .environment = {{"NOTIFY_SOCKET", notifications.path()},
                                                   {"WATCHDOG_USEC", watchdog_usec}}});
  EXPECT_TRUE(notifications.receives("READY=1")) << waybill.process().standard_error();
  EXPECT_TRUE(notifications.receives("WATCHDOG=1"));
  waybill.process().kill(SIGTERM);
  EXPECT_TRUE(notifications.receives("STOPPING=1"));
  EXPECT_EQ(waybill.process().wait_exit(), 0);
}

INSTANTIATE_TEST_SUITE_P(Roles, ReportsToServiceManager, testing::Values("up", "api", "worker"));

// A restart does not bring a database back, so the watchdog must not cause one.
TEST(ServiceManagers, AProcessWithoutItsDatabaseIsAlive) {
  TestDatabase database;
  const Notifications notifications;
  Waybill waybill(database.url(), {.arguments = {"--metrics-listen", "127.0.0.1:0"},
                                   .environment = {{"NOTIFY_SOCKET", notifications.path()},
                                                   {"WATCHDOG_USEC", watchdog_usec}}});
  const auto line = waybill.process().wait_for_line("/metrics");
  ASSERT_TRUE(line);
  postgres().admin().exec("alter database " + database.name() + " allow_connections false");
  database.terminate_connections();
  ASSERT_TRUE(eventually([&] { return waybill.http().request("GET", "/readyz").status == 503; }));
  notifications.discard();
  for (int turn = 0; turn < 4; ++turn) {
    EXPECT_TRUE(notifications.receives("WATCHDOG=1")) << waybill.process().standard_error();
  }
  const int port = std::stoi(line->substr(line->find("127.0.0.1:") + 10));
  EXPECT_TRUE(eventually([&] { return Http("127.0.0.1", port).request("GET", "/healthz").status == 200; }));
}

}  // namespace
}  // namespace waybill::tests
