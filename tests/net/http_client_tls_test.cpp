#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "base/thread/mutex.hpp"
#include "net/http/tls_sessions.hpp"
#include "tests/net/http_client_fixture.hpp"
#include "tests/net/raw_server.hpp"

namespace waybill::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tests::RawServer;

class HttpClientTls : public testing::Test {
 protected:
  ~HttpClientTls() override { std::remove(path_.c_str()); }

  const RawServer::Certificate certificate_;
  std::string path_;
  const HttpClient::Options options_ = trusting(certificate_, path_);
};

TEST_F(HttpClientTls, ASessionIsResumedAfterTheServerClosedItsConnection) {
  RawServer server(
      [](const RawServer::Request&) {
        RawServer::Reply reply = RawServer::answer(200);
        reply.then = RawServer::Reply::Then::close;
        return reply;
      },
      &certificate_);
  HttpClient client(options_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(exchange(client, post(server.url())).status, 200);
  EXPECT_EQ(server.connections(), 3);
  EXPECT_EQ(server.resumed(), 2);
}

TEST_F(HttpClientTls, OwnersShareNoSession) {
  RawServer server(
      [](const RawServer::Request&) { return RawServer::answer(200, "", "Connection: close\r\n"); },
      &certificate_);
  HttpClient client(options_);
  for (const auto* const owner : {"a", "b"}) {
    HttpRequest request = post(server.url());
    request.owner = owner;
    EXPECT_EQ(exchange(client, request).status, 200);
  }
  EXPECT_EQ(server.resumed(), 0);
}

TEST_F(HttpClientTls, AnEndWithoutNoticeIsNotTheEndOfAnAnswer) {
  const auto cut = [](const RawServer::Request&) {
    return RawServer::Reply{"HTTP/1.1 200 OK\r\n\r\n{\"half\":", RawServer::Reply::Then::close};
  };
  RawServer server(cut, &certificate_);
  HttpClient client(options_);
  const HttpResponse response = exchange(client, post(server.url()));
  EXPECT_EQ(response.failure, HttpFailure::protocol);
  EXPECT_NE(response.error.find("unexpected eof"), std::string::npos) << response.error;
}

TEST_F(HttpClientTls, TheTimeForAConnectionIncludesTheBeginningOfTls) {
  RawServer silent(always_fine);  // waits for the end of a request's headers
  HttpClient client(options_);
  HttpRequest request = post("https://127.0.0.1:" + std::to_string(silent.port()));
  request.connect_timeout = milliseconds(100);
  for (int i = 0; i < 2; ++i) {
    const HttpResponse response = exchange(client, request);
    EXPECT_EQ(response.failure, HttpFailure::timeout);
    EXPECT_EQ(response.error, "The server did not begin TLS within 100 ms.");
    EXPECT_LT(response.duration, seconds(5));
  }
}

TEST_F(HttpClientTls, AServerWithoutTlsIsAFailureOfTls) {
  RawServer plain(
      [](const RawServer::Request&) { return RawServer::Reply{"", RawServer::Reply::Then::close}; });
  int closed_port = 0;
  {
    RawServer gone(always_fine);
    closed_port = gone.port();
  }
  HttpClient client(options_);
  HttpResponse response = exchange(client, post("https://127.0.0.1:" + std::to_string(closed_port)));
  EXPECT_EQ(response.failure, HttpFailure::connect) << response.error;
  const RawServer::Certificate other;
  RawServer server(always_fine, &other);
  response = exchange(client, post(server.url()));
  EXPECT_EQ(response.failure, HttpFailure::tls);
  EXPECT_EQ(response.error, "The certificate of the server is not accepted: self-signed certificate.");
  const RawServer::Certificate elsewhere("DNS:other.example");
  std::string path;
  HttpClient trusting_elsewhere(trusting(elsewhere, path));
  std::remove(path.c_str());
  RawServer misnamed(always_fine, &elsewhere);
  EXPECT_EQ(exchange(trusting_elsewhere, post(misnamed.url())).error,
            "The certificate of the server is not accepted: IP address mismatch.");
  EXPECT_EQ(exchange(trusting_elsewhere, post(misnamed.url("/", "localhost"))).error,
            "The certificate of the server is not accepted: hostname mismatch.");
}

TEST_F(HttpClientTls, AServerThatChoosesHttp2GetsItsRequestsThroughHttp2) {
  Mutex mutex;
  std::vector<std::string> methods;
  RawServer server(
      [&](const RawServer::Request& request) {
        const Lock lock(mutex);
        methods.push_back(request.method);
        return RawServer::Reply{"", RawServer::Reply::Then::close};
      },
      &certificate_, "h2");
  HttpClient client(options_);
  HttpRequest request = post(server.url());
  request.fresh_connection = true;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(exchange(client, request).failure, HttpFailure::protocol);
  // HTTP/2 begins with the method PRI, on the connection that showed the protocol.
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(methods, std::vector<std::string>({"PRI", "PRI"}));
}

TEST_F(HttpClientTls, AnHttp2ConnectionThatItsServerFloodsAfterAnAnswerIsClosed) {
  // Frames without a payload, except for the status 200 in an answer that ends with its headers.
  std::string frames(
      "\0\0\0\x04\0\0\0\0\0"
      "\0\0\x01\x01\x05\0\0\0\x01\x88",
      19);
  const std::string unknown("\0\0\0\x7a\0\0\0\0\0", 9);
  for (int i = 0; i < 5'000; ++i) frames += unknown;
  RawServer server(
      [&](const RawServer::Request&) { return RawServer::Reply{frames, RawServer::Reply::Then::hang}; },
      &certificate_, "h2");
  HttpClient client(options_);
  for (int i = 1; i <= 2; ++i) {
    const HttpResponse response = exchange(client, with_timeout(post(server.url()), std::chrono::seconds(5)));
    EXPECT_EQ(response.status, 200) << response.error;
    EXPECT_EQ(server.connections(), i);
  }
}

TEST_F(HttpClientTls, AServerThatChoosesHttp1KeepsItsConnections) {
  RawServer server(always_fine, &certificate_, "http/1.1");
  HttpClient client(options_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(exchange(client, post(server.url())).status, 200);
  EXPECT_EQ(server.connections(), 1);
}

/// A connection whose session can be resumed.
class SoundConnection {
 public:
  SoundConnection(TlsSessions& sessions, const RawServer& server)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ssl_ = sessions.open(socket_, "127.0.0.1", "first", TlsSessions::Moment{});
    EXPECT_EQ(SSL_connect(ssl_.get()), 1);
    constexpr std::string_view request = "GET / HTTP/1.1\r\n\r\n";
    EXPECT_GT(SSL_write(ssl_.get(), request.data(), static_cast<int>(request.size())), 0);
    std::array<char, 1024> answer{};
    EXPECT_GT(SSL_read(ssl_.get(), answer.data(), answer.size()), 0);
  }
  ~SoundConnection() {
    ssl_.reset();
    ::close(socket_);
  }
  SoundConnection(const SoundConnection&) = delete;
  SoundConnection& operator=(const SoundConnection&) = delete;

  SSL* get() const { return ssl_.get(); }

 private:
  int socket_;
  Ssl ssl_;
};

TEST_F(HttpClientTls, SessionsAreKeptForTheLast1024HostsAndForAnHour) {
  const TrustStore trust(path_);
  RawServer server(always_fine, &certificate_);
  TlsSessions sessions(trust);
  const SoundConnection connection(sessions, server);
  const TlsSessions::Moment now;
  const auto resumes = [&](const std::string& key, TlsSessions::Moment at) {
    return SSL_get_session(sessions.open(0, "127.0.0.1", key, at).get()) != nullptr;
  };
  const auto key = [](std::size_t i) { return "host " + std::to_string(i); };
  for (std::size_t i = 0; i < TlsSessions::max_kept; ++i) sessions.keep(key(i), connection.get(), now);
  EXPECT_TRUE(resumes(key(0), now));  // is now the last used one
  sessions.keep(key(TlsSessions::max_kept), connection.get(), now);
  EXPECT_TRUE(resumes(key(0), now));
  EXPECT_FALSE(resumes(key(1), now));
  EXPECT_TRUE(resumes(key(2), now + TlsSessions::max_age));
  EXPECT_FALSE(resumes(key(2), now + TlsSessions::max_age + seconds(1)));
  EXPECT_FALSE(resumes(key(2), now)) << "forgotten";
  sessions.forget(key(3));
  EXPECT_FALSE(resumes(key(3), now));
}

}  // namespace
}  // namespace waybill::net
