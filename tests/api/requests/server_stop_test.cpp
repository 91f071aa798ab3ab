// A server that stops: requests in flight, connections in the backlog and new ones.
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "api/http/server.hpp"
#include "tests/api/fixtures/small_api.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string get_wait = "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(ServerStop, FinishesRequestsInFlightAndClosesIdleConnections) {
  SmallApi api({.linger_timeout = 50ms});
  auto& state = small_api_state();
  auto idle = connect(api);
  EXPECT_EQ(ask(idle, get_public).status, 200);
  auto busy = connect(api);
  busy.send(get_wait + std::string(get_public));
  ASSERT_TRUE(eventually([&] { return state.waiting == 1; }));
  auto stopping =
      std::async(std::launch::async, [&] { api.server().stop(std::chrono::steady_clock::now() + 10s); });
  EXPECT_TRUE(idle.closed_by_peer());
  EXPECT_THROW(RawConnection("127.0.0.1", api.port()), std::runtime_error);
  state.released = true;
  const auto reply = busy.read_response();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("connection"), "close");
  EXPECT_TRUE(busy.closed_by_peer());
  stopping.get();
}

class EmptyResponder : public api::Responder {
 public:
  asio::awaitable<void> respond(const api::Request&, api::RequestBody&, api::Response&) override {
    co_return;
  }
  void refuse(const Failure&, api::Response&) override {}
};

std::unique_ptr<api::Responder> make_empty_responder(asio::io_context&) {
  return std::make_unique<EmptyResponder>();
}

// Otherwise the kernel would reset the connections that are not accepted yet.
TEST(ServerStop, ServesTheConnectionsInTheBacklog) {
  api::Server server({.port = 0, .threads = 2}, make_empty_responder);
  std::vector<RawConnection> clients;
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(clients.emplace_back("127.0.0.1", server.port()).send(get));
  server.start();
  server.stop(std::chrono::steady_clock::now() + 10s);
  for (RawConnection& client : clients) EXPECT_EQ(client.read_response().status, 200);
}

enum class Asked { answered, unanswered, not_connected };

/// Asks on a new connection. An attempt to connect ends after 50 ms.
Asked ask_once(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  if (socket < 0) throw std::runtime_error("there is no socket");
  const timeval limit{.tv_sec = 0, .tv_usec = 50'000};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  auto result = Asked::not_connected;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    constexpr std::string_view text = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    char byte = 0;
    const bool answered =
        ::send(socket, text.data(), text.size(), MSG_NOSIGNAL) > 0 && ::recv(socket, &byte, 1, 0) == 1;
    result = answered ? Asked::answered : Asked::unanswered;
  }
  ::close(socket);
  return result;
}

// A load balancer repeats a connection that is refused, but not a request that was sent.
TEST(ServerStop, AnswersOnEachConnectionThatIsEstablished) {
  constexpr int clients = 16;
  std::atomic<int> unanswered = 0;
  for (int round = 0; round < 60; ++round) {
    api::Server server({.port = 0, .threads = 2}, make_empty_responder);
    server.start();
    std::atomic<int> answered = 0;
    std::vector<std::future<void>> asking;
    for (int client = 0; client < clients; ++client) {
      asking.push_back(std::async(std::launch::async, [&, port = server.port()] {
        auto asked = Asked::answered;
        while (asked != Asked::not_connected) {
          asked = ask_once(port);
          if (asked == Asked::answered) ++answered;
          if (asked == Asked::unanswered) ++unanswered;
        }
      }));
    }
    EXPECT_TRUE(eventually([&] { return answered >= clients * 2; }));
    server.stop(std::chrono::steady_clock::now() + 10s);
  }
  EXPECT_EQ(unanswered, 0);
}

TEST(ServerStop, ServesTheFirstRequestOfANewConnectionButDoesNotWaitForIt) {
  api::Server server({.port = 0, .threads = 1}, make_empty_responder);
  server.start();
  RawConnection silent("127.0.0.1", server.port());
  RawConnection client("127.0.0.1", server.port());
  ASSERT_TRUE(eventually([&] { return server.open_connections() == 2; }));
  auto stopping =
      std::async(std::launch::async, [&] { server.stop(std::chrono::steady_clock::now() + 10s); });
  client.send(get);
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_TRUE(silent.closed_by_peer());
  stopping.get();
}

TEST(ServerStop, CutsOffRequestsThatOutlastTheGracePeriod) {
  SmallApi api;
  auto& state = small_api_state();
  auto busy = connect(api);
  busy.send(get_wait);
  ASSERT_TRUE(eventually([&] { return state.waiting == 1; }));
  api.server().stop(std::chrono::steady_clock::now() + 20ms);
  EXPECT_EQ(busy.read_response().status, 0);
  state.waiting = 0;
}

}  // namespace
}  // namespace waybill::tests
