#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <future>
#include <latch>
#include <string>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/net/http_client_fixture.hpp"
#include "tests/net/raw_server.hpp"

namespace waybill::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tests::RawServer;

/// Sends all requests at once, waits for their ends, and returns how many were answered with 200.
int succeed_at_once(HttpClient& client, std::vector<HttpRequest> requests) {
  std::atomic<int> succeeded = 0;
  std::latch done(static_cast<std::ptrdiff_t>(requests.size()));
  for (HttpRequest& request : requests) {
    client.send(std::move(request), [&](const HttpResponse& response) {
      succeeded += response.status == 200 ? 1 : 0;
      done.count_down();
    });
  }
  done.wait();
  return succeeded;
}

TEST_P(HttpClientOfScheme, ReusesConnectionsAndKeepsManyInFlight) {
  constexpr int count = 2000;
  RawServer server(always_fine, certificate());
  auto options = this->options();
  options.max_connections_per_host = 8;
  HttpClient client(options);
  EXPECT_EQ(succeed_at_once(client, std::vector(count, post(server.url()))), count);
  EXPECT_LE(server.connections(), 8);
  EXPECT_EQ(client.in_flight(), 0U);
}

TEST_P(HttpClientOfScheme, CanSendFromACompletionHandler) {
  RawServer server(always_fine, certificate());
  HttpClient client(options());
  std::promise<int> last;
  int rounds = 0;
  std::function<void(HttpResponse)> next = [&](const HttpResponse& response) {
    if (++rounds == 50 || response.status != 200) {
      last.set_value(response.status);
    } else {
      client.send(post(server.url()), next);
    }
  };
  client.send(post(server.url()), next);
  EXPECT_EQ(last.get_future().get(), 200);
  EXPECT_EQ(rounds, 50);
}

TEST_P(HttpClientOfScheme, AnIdleConnectionThatTheServerClosedIsReplaced) {
  RawServer server(
      [](const RawServer::Request&) {
        RawServer::Reply reply = RawServer::answer(200);
        reply.then = RawServer::Reply::Then::close;
        return reply;
      },
      certificate());
  HttpClient client(options());
  for (int i = 0; i < 200; ++i) {
    const HttpResponse response = exchange(client, post(server.url()));
    EXPECT_EQ(response.status, 200) << response.error;
  }
  EXPECT_EQ(server.connections(), 200);
}

TEST_P(HttpClientOfScheme, ARequestOnAFreshConnectionIsNotSentAgainWhenItIsLost) {
  std::atomic<int> lost = 0;
  RawServer server(
      [&](const RawServer::Request& request) {
        if (request.method == "GET") return RawServer::answer(200);
        ++lost;
        return RawServer::Reply{.bytes = "", .then = RawServer::Reply::Then::close};
      },
      certificate());
  HttpClient client(options());
  for (const bool fresh : {false, true}) {
    HttpRequest get = post(server.url(), "");
    get.method = "GET";
    EXPECT_EQ(exchange(client, get).status, 200);
    lost = 0;
    HttpRequest request = post(server.url());
    request.fresh_connection = fresh;
    EXPECT_EQ(exchange(client, request).failure, HttpFailure::protocol);
    EXPECT_EQ(lost, fresh ? 1 : 2);
  }
}

TEST_P(HttpClientOfScheme, AServerThatClosesAllConnectionsGetsARequestAtMostTwice) {
  constexpr int connections = 8;
  std::atomic<bool> closes = false;
  std::atomic<int> lost = 0;
  std::latch together(connections);
  RawServer server(
      [&](const RawServer::Request&) {
        if (closes) {
          ++lost;
          return RawServer::Reply{.bytes = "", .then = RawServer::Reply::Then::close};
        }
        together.arrive_and_wait();
        return RawServer::answer(200);
      },
      certificate());
  HttpClient client(options());
  std::latch connected(connections);
  for (int i = 0; i < connections; ++i)
    client.send(post(server.url()), [&](const HttpResponse&) { connected.count_down(); });
  connected.wait();
  ASSERT_EQ(server.connections(), connections);
  closes = true;
  EXPECT_EQ(exchange(client, post(server.url())).failure, HttpFailure::protocol);
  EXPECT_EQ(lost, 2);
}

TEST_P(HttpClientOfScheme, BytesAfterAnAnswerAreNotTheAnswerToTheNextRequest) {
  RawServer server(
      [](const RawServer::Request& request) {
        RawServer::Reply reply = RawServer::answer(200, "own answer to " + request.target);
        reply.bytes += RawServer::answer(200, "forged").bytes;
        return reply;
      },
      certificate());
  HttpClient client(options());
  for (const char* const path : {"/first", "/second", "/third"})
    EXPECT_EQ(exchange(client, post(server.url(path))).body, "own answer to " + std::string(path));
  EXPECT_EQ(server.connections(), 3);
}

/// Accepts one connection, reads the beginning of the request, answers, and reads no more.
class AnswersEarly {
 public:
  AnswersEarly() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 1) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::system_error(errno, std::generic_category(), "listen");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~AnswersEarly() {
    may_close_.set_value();
    thread_.join();
    ::close(listener_);
  }
  AnswersEarly(const AnswersEarly&) = delete;
  AnswersEarly& operator=(const AnswersEarly&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + '/'; }

 private:
  void serve() {
    const int accepted = ::accept(listener_, nullptr, nullptr);
    if (accepted < 0) return;
    std::array<char, 100> beginning{};
    [[maybe_unused]] const auto got = ::recv(accepted, beginning.data(), beginning.size(), 0);
    const std::string answer = RawServer::answer(413, "too large").bytes;
    [[maybe_unused]] const auto sent = ::send(accepted, answer.data(), answer.size(), MSG_NOSIGNAL);
    may_close_.get_future().wait();
    ::close(accepted);
  }

  int listener_;
  int port_ = 0;
  std::promise<void> may_close_;
  std::thread thread_;
};

TEST(HttpClient, AnAnswerBeforeTheEndOfTheRequestCounts) {
  AnswersEarly server;
  HttpClient client(open_options());
  // More than the buffers of both sockets hold.
  const std::string body(30'000'000, 'x');  // NOLINT(bugprone-string-constructor)
  const HttpResponse response = exchange(client, post(server.url(), body));
  EXPECT_EQ(response.status, 413) << response.error;
  EXPECT_EQ(response.body, "too large");
}

/// A server that answers the first request twice, the second time on demand, and all others once.
class AnswersTwice {
 public:
  AnswersTwice() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 8) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::system_error(errno, std::generic_category());
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~AnswersTwice() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
    for (const int connection : connections_) ::close(connection);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }
  /// Sends the second answer on the first connection.
  void answer_again() { answer(first_.get_future().get(), 299); }

 private:
  static void answer(int connection, int status) {
    const std::string text = "HTTP/1.1 " + std::to_string(status) + " OK\r\nContent-Length: 0\r\n\r\n";
    (void)!::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
  }
  void serve() {
    for (int connection = 0; (connection = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      if (connections_.empty()) first_.set_value(connection);
      connections_.push_back(connection);
      std::string request;
      std::array<char, 1024> buffer{};
      for (ssize_t got = 0; !request.ends_with("{}"); request.append(buffer.data(), got)) {
        got = ::recv(connection, buffer.data(), buffer.size(), 0);
        if (got <= 0) break;
      }
      answer(connection, 200);
    }
  }

  int listener_;
  int port_ = 0;
  std::promise<int> first_;
  std::vector<int> connections_;
  std::thread thread_;
};

TEST(HttpClient, ASecondAnswerNeverAnswersTheNextRequest) {
  for (const auto* const next_owner : {"a", "b"}) {
    for (int i = 0; i < 20; ++i) {
      AnswersTwice server;
      HttpClient client(open_options());
      auto request = post(server.url());
      request.owner = "a";
      EXPECT_EQ(exchange(client, request).status, 200);
      server.answer_again();
      request.owner = next_owner;
      EXPECT_EQ(exchange(client, request).status, 200);
    }
  }
}

TEST_P(HttpClientOfScheme, OwnersShareNoConnection) {
  RawServer server(always_fine, certificate());
  HttpClient client(options());
  for (int i = 0; i < 10; ++i) {
    for (const auto* const owner : {"a", "b", "c"}) {
      auto request = post(server.url());
      request.owner = owner;
      EXPECT_EQ(exchange(client, request).status, 200);
    }
  }
  EXPECT_EQ(server.connections(), 3);
}

TEST_P(HttpClientOfScheme, ConnectionsThatManyOwnersOpenAtOnceAreNotClosedForEachOther) {
  constexpr int owners = 100;
  RawServer server(always_fine, certificate());
  auto options = this->options();
  options.max_connections_per_host = 1;
  HttpClient client(options);
  std::vector requests(owners, post(server.url()));
  for (int i = 0; i < owners; ++i) requests.at(i).owner = std::to_string(i);
  EXPECT_EQ(succeed_at_once(client, std::move(requests)), owners);
}

TEST_P(HttpClientOfScheme, TheTimeOfARequestIncludesItsWaitForAConnection) {
  RawServer server(
      [](const RawServer::Request& request) {
        return request.target == "/hang" ? RawServer::Reply{"", RawServer::Reply::Then::hang}
                                         : RawServer::answer(200);
      },
      certificate());
  for (const bool limits_host : {true, false}) {
    auto options = this->options();
    (limits_host ? options.max_connections_per_host : options.max_connections) = 1;
    HttpClient client(options);
    std::latch ended(1);
    client.send(with_timeout(post(server.url("/hang")), seconds(1)),
                [&](const HttpResponse&) { ended.count_down(); });
    const HttpResponse response = exchange(client, with_timeout(post(server.url("/")), milliseconds(100)));
    EXPECT_EQ(response.failure, HttpFailure::timeout);
    EXPECT_GE(response.duration, milliseconds(90));
    EXPECT_EQ(client.in_flight(), 1U);
    ended.wait();
    EXPECT_EQ(exchange(client, post(server.url("/"))).status, 200) << "the connection is free again";
  }
}

TEST_P(HttpClientOfScheme, AnIdleConnectionMakesRoomForAnotherHost) {
  RawServer one(always_fine, certificate()), two(always_fine, certificate()),
      three(always_fine, certificate());
  auto options = this->options();
  options.max_connections = 2;
  HttpClient client(options);
  for (int round = 0; round < 3; ++round) {
    for (const RawServer* const server : {&one, &two, &three})
      EXPECT_EQ(exchange(client, post(server->url())).status, 200);
  }
}

TEST_P(HttpClientOfScheme, HostsTakeTurnsIfThereAreFewerConnectionsThanHosts) {
  constexpr int count = 300;
  RawServer one(always_fine, certificate()), two(always_fine, certificate()),
      three(always_fine, certificate());
  auto options = this->options();
  options.max_connections = 2;
  options.max_connections_per_host = 2;
  HttpClient client(options);
  std::vector<HttpRequest> requests;
  for (int i = 0; i < count; ++i) {
    const RawServer& server = i % 3 == 0 ? one : i % 3 == 1 ? two : three;
    requests.push_back(post(server.url()));
  }
  EXPECT_EQ(succeed_at_once(client, std::move(requests)), count);
}

}  // namespace
}  // namespace waybill::net
