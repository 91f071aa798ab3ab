#include "storage/pq/primaries.hpp"

#include <chrono>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace waybill::storage::pq {
namespace {

using namespace std::chrono_literals;

/// A host that takes connections and answers nothing.
class SilentHost {
 public:
  SilentHost() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket_, generic, size) != 0 || ::listen(socket_, 8) != 0 ||
        getsockname(socket_, generic, &size) != 0)
      throw std::runtime_error("no port");
    port_ = ntohs(address.sin_port);
  }
  ~SilentHost() { close(socket_); }
  SilentHost(const SilentHost&) = delete;
  SilentHost& operator=(const SilentHost&) = delete;

  int port() const { return port_; }
  /// True if a connection comes.
  bool is_asked(std::chrono::milliseconds within) const {
    pollfd entry{.fd = socket_, .events = POLLIN, .revents = 0};
    return poll(&entry, 1, static_cast<int>(within.count())) == 1;
  }

 private:
  int socket_;
  int port_ = 0;
};

TEST(Primaries, AllHostsAreAskedAtOnceAndAStopEndsTheQuestions) {
  const SilentHost hosts[4];
  std::string url = "postgresql://user@";
  for (const SilentHost& host : hosts)
    url += (url.ends_with('@') ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(host.port());
  std::stop_source stop;
  const auto began = std::chrono::steady_clock::now();
  std::jthread asking([&] { EXPECT_TRUE(primaries_of(url + "/database", stop.get_token()).empty()); });
  for (const SilentHost& host : hosts) EXPECT_TRUE(host.is_asked(1500ms));
  stop.request_stop();
  asking.join();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 2s) << "less than the time for one question";
}

TEST(Primaries, NoHostIsAskedAfterAStop) {
  const SilentHost host;
  std::stop_source stop;
  stop.request_stop();
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(primaries_of("postgresql://user@127.0.0.1:" + std::to_string(host.port()) + "/database",
                           stop.get_token())
                  .empty());
  EXPECT_LT(std::chrono::steady_clock::now() - began, 2s);
}

TEST(Primaries, HostsThatRefuseEndTheQuestions) {
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(primaries_of("postgresql://user@127.0.0.1:1,127.0.0.1:1/database").empty());
  EXPECT_LT(std::chrono::steady_clock::now() - began, 2s);
}

}  // namespace
}  // namespace waybill::storage::pq
