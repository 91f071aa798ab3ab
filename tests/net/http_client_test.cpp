#include "net/http/http_client.hpp"

#include <atomic>
#include <cstdio>
#include <latch>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/observe.hpp"
#include "tests/net/http_client_fixture.hpp"
#include "tests/net/raw_server.hpp"

namespace waybill::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tests::RawServer;

INSTANTIATE_TEST_SUITE_P(Schemes, HttpClientOfScheme, testing::Values("http", "https"),
                         [](const auto& scheme) { return scheme.param; });

TEST_P(HttpClientOfScheme, SendsMethodHeadersAndBodyUnchanged) {
  RawServer::Request seen;
  RawServer server(
      [&](const RawServer::Request& request) {
        seen = request;
        return RawServer::answer(201, "made", "X-Answer:  Yes \r\n");
      },
      certificate());
  HttpClient client(options());
  HttpRequest request = post(server.url("/hook?a=b"), R"({"x":1})");
  request.headers.emplace_back("webhook-id", "msg_1");
  request.headers.emplace_back("X-Empty", "");
  const HttpResponse response = exchange(client, request);

  EXPECT_EQ(response.failure, HttpFailure::none) << response.error;
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, "made");
  EXPECT_EQ(response.header("x-answer"), "Yes") << "names in lower case, values trimmed";
  EXPECT_EQ(response.header("x-other"), std::nullopt);
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/hook?a=b");
  EXPECT_EQ(seen.body, R"({"x":1})");
  EXPECT_EQ(seen.headers.at("content-type"), "application/json");
  EXPECT_EQ(seen.headers.at("webhook-id"), "msg_1");
  EXPECT_EQ(seen.headers.at("x-empty"), "");
  EXPECT_EQ(seen.headers.at("user-agent"), "waybill");
  EXPECT_FALSE(seen.headers.contains("expect"));
}

TEST_P(HttpClientOfScheme, OneHandleServesEveryMethodInTurn) {
  RawServer server(
      [&](const RawServer::Request& request) {
        return RawServer::answer(200, request.method == "HEAD" ? "" : request.method + ' ' + request.body);
      },
      certificate());
  HttpClient client(options());
  const std::vector<std::pair<std::string, std::string>> exchanges = {
      {"POST", "a"}, {"GET", ""},    {"PUT", "b"}, {"DELETE", ""}, {"HEAD", ""},
      {"POST", ""},  {"PATCH", "c"}, {"HEAD", ""}, {"GET", ""},    {"POST", "d"},
  };
  for (const auto& [method, body] : exchanges) {
    HttpRequest request = post(server.url(), body);
    request.method = method;
    std::string expected;
    if (method != "HEAD") expected.append(method).append(1, ' ').append(body);
    const HttpResponse response = exchange(client, request);
    EXPECT_EQ(response.status, 200) << method << response.error;
    EXPECT_EQ(response.body, expected);
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST_P(HttpClientOfScheme, LargeBodiesAreSentWithoutWaitingForContinue) {
  std::atomic<std::size_t> got = 0;
  RawServer server(
      [&](const RawServer::Request& request) {
        got = request.body.size();
        return RawServer::answer(200);
      },
      certificate());
  HttpClient client(options());
  EXPECT_EQ(exchange(client, post(server.url(), std::string(3'000'000, 'x'))).status, 200);
  EXPECT_EQ(got, 3'000'000U);
}

TEST_P(HttpClientOfScheme, RedirectsAreNotFollowed) {
  RawServer server(
      [](const RawServer::Request& request) {
        return request.target == "/" ? RawServer::answer(302, "", "Location: /elsewhere\r\n")
                                     : RawServer::answer(200);
      },
      certificate());
  HttpClient client(options());
  const HttpResponse response = exchange(client, post(server.url()));
  EXPECT_EQ(response.status, 302);
  EXPECT_EQ(response.header("location"), "/elsewhere");
}

TEST_P(HttpClientOfScheme, TheBodyIsCutAtTheReadLimitAndTheResponseStaysValid) {
  RawServer server(
      [](const RawServer::Request& request) {
        return RawServer::answer(200, std::string(request.target == "/small" ? 65536 : 10'000'000, 'y'));
      },
      certificate());
  HttpClient client(options());
  const HttpResponse large = exchange(client, post(server.url("/large")));
  EXPECT_EQ(large.failure, HttpFailure::none) << large.error;
  EXPECT_EQ(large.status, 200);
  EXPECT_EQ(large.body.size(), 4096U);
  EXPECT_EQ(exchange(client, post(server.url("/small"))).status, 200);
  EXPECT_EQ(server.connections(), 2) << "the cut connection is dropped";
  EXPECT_EQ(exchange(client, post(server.url("/small"))).status, 200);
  EXPECT_EQ(server.connections(), 2) << "a body of exactly the limit is read whole";

  HttpRequest all = post(server.url("/small"));
  all.keep_limit = 1'000'000;
  EXPECT_EQ(exchange(client, all).body.size(), 65536U);
}

TEST_P(HttpClientOfScheme, HeadersAreLimitedTo64KiB) {
  RawServer server(
      [](const RawServer::Request& request) {
        const std::size_t bytes = request.target == "/fits" ? 60'000 : 70'000;
        std::string lines;
        while (lines.size() < bytes) lines += "X-Filler: " + std::string(990, 'z') + "\r\n";
        return RawServer::answer(200, "", lines);
      },
      certificate());
  HttpClient client(options());
  EXPECT_EQ(exchange(client, post(server.url("/fits"))).status, 200);
  const HttpResponse response = exchange(client, post(server.url("/large")));
  EXPECT_EQ(response.failure, HttpFailure::protocol);
  EXPECT_EQ(response.status, 0);
}

TEST_P(HttpClientOfScheme, TrailersAreNotHeaders) {
  RawServer server(
      [](const RawServer::Request&) {
        return RawServer::Reply{
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Late: 1\r\n\r\n"};
      },
      certificate());
  HttpClient client(options());
  const HttpResponse response = exchange(client, post(server.url()));
  EXPECT_EQ(response.body, "ok");
  EXPECT_EQ(response.header("x-late"), std::nullopt);
}

TEST_P(HttpClientOfScheme, OnlyTheHeadersOfTheFinalResponseCount) {
  RawServer server(
      [](const RawServer::Request&) {
        return RawServer::Reply{"HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n" +
                                RawServer::answer(200, "ok", "X-Final: 1\r\n").bytes};
      },
      certificate());
  HttpClient client(options());
  const HttpResponse response = exchange(client, post(server.url()));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.header("x-early"), std::nullopt);
  EXPECT_EQ(response.header("x-final"), "1");
}

TEST_P(HttpClientOfScheme, HangingAndTricklingResponsesEndAtTheTotalTimeout) {
  RawServer server(
      [](const RawServer::Request& request) {
        if (request.target == "/hang") return RawServer::Reply{"", RawServer::Reply::Then::hang};
        if (request.target == "/head")
          return RawServer::Reply{"HTTP/1.1 200 OK\r\nX-A: ", RawServer::Reply::Then::trickle};
        return RawServer::Reply{"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
                                RawServer::Reply::Then::trickle};
      },
      certificate());
  HttpClient client(options());
  for (const char* const path : {"/hang", "/head", "/body"}) {
    const HttpResponse response = exchange(client, with_timeout(post(server.url(path)), milliseconds(150)));
    EXPECT_EQ(response.failure, HttpFailure::timeout) << path << response.error;
    EXPECT_EQ(response.status, 0);
    EXPECT_FALSE(response.error.empty());
    EXPECT_GE(response.duration, milliseconds(140));
    EXPECT_LT(response.duration, seconds(5));
  }
}

TEST(HttpClient, ADeadDestinationDelaysNoOther) {
  RawServer dead(
      [](const RawServer::Request&) { return RawServer::Reply{"", RawServer::Reply::Then::hang}; });
  RawServer alive(always_fine);
  HttpClient client(open_options());
  std::atomic<int> timeouts = 0;
  std::latch ended(64);
  for (int i = 0; i < 64; ++i) {
    client.send(with_timeout(post(dead.url()), seconds(2)), [&](const HttpResponse& response) {
      timeouts += response.failure == HttpFailure::timeout ? 1 : 0;
      ended.count_down();
    });
  }
  for (int i = 0; i < 200; ++i) EXPECT_EQ(exchange(client, post(alive.url())).status, 200);
  EXPECT_EQ(client.in_flight(), 64U) << "all of them finish while the dead one still hangs";
  ended.wait();
  EXPECT_EQ(timeouts, 64);
}

TEST(HttpClient, FailuresAreDistinguished) {
  int closed_port = 0;
  {
    RawServer gone(always_fine);
    closed_port = gone.port();
  }
  RawServer server([](const RawServer::Request& request) {
    if (request.target == "/reset")
      return RawServer::Reply{"HTTP/1.1 200 OK\r\nContent-Le", RawServer::Reply::Then::reset};
    if (request.target == "/short")
      return RawServer::Reply{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                              RawServer::Reply::Then::close};
    if (request.target == "/empty") return RawServer::Reply{"", RawServer::Reply::Then::close};
    return RawServer::Reply{"GARBAGE\r\n\r\n", RawServer::Reply::Then::close};
  });
  HttpClient client(open_options());
  const auto failure = [&](const std::string& url) {
    const HttpResponse response = exchange(client, post(url));
    EXPECT_FALSE(response.error.empty());
    EXPECT_EQ(response.status, 0);
    return response.failure;
  };
  EXPECT_EQ(failure("http://127.0.0.1:" + std::to_string(closed_port)), HttpFailure::connect);
  for (const char* const path : {"/reset", "/short", "/empty", "/garbage"}) {
    EXPECT_EQ(failure(server.url(path)), HttpFailure::protocol) << path;
  }
  // All of these fail in the resolver's parser, before a query is sent.
  EXPECT_EQ(failure("http://" + std::string(64, 'a') + ".invalid./"), HttpFailure::dns);
  EXPECT_EQ(failure("ftp://127.0.0.1/"), HttpFailure::refused_destination);
  EXPECT_EQ(failure("file:///etc/hostname"), HttpFailure::refused_destination);
}

TEST(HttpClient, LineBreaksInHeadersAreNeverSent) {
  RawServer server(always_fine);
  HttpClient client(open_options());
  for (const std::string& text :
       {std::string("a\r\nX-Evil: 1"), std::string("a\nb"), std::string("a\0b", 3)}) {
    HttpRequest value = post(server.url());
    value.headers.emplace_back("X-A", text);
    EXPECT_EQ(exchange(client, value).failure, HttpFailure::refused_destination);
    HttpRequest name = post(server.url());
    name.headers.emplace_back(text, "x");
    EXPECT_EQ(exchange(client, name).failure, HttpFailure::refused_destination);
    EXPECT_EQ(exchange(client, post(server.url("/" + text))).failure, HttpFailure::refused_destination);
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST(HttpClient, TheGuardChecksTheConnectedAddressNotTheUrl) {
  RawServer server(always_fine);
  HttpClient client({});
  for (const char* const host : {"localhost", "127.0.0.1", "127.1", "0x7f.1", "2130706433", "%31%32%37.0.0.1",
                                 "[::ffff:127.0.0.1]", "[::1]", "x.localhost"}) {
    const HttpResponse response = exchange(client, post(server.url("/", host)));
    EXPECT_EQ(response.failure, HttpFailure::refused_destination) << host << response.error;
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST(HttpClient, RefusedAddressesAreCountedAndOtherRefusalsAreNot) {
  constexpr std::string_view counter = "\nwaybill_destinations_refused_total ";
  const auto refused = [&] {
    const std::string text = metrics_text();
    return std::stod(text.substr(text.find(counter) + counter.size()));
  };
  RawServer server(always_fine);
  HttpClient client({});
  const double before = refused();
  exchange(client, post(server.url("/", "localhost")));
  EXPECT_EQ(refused(), before + 1);
  exchange(client, post("ftp://localhost/"));
  EXPECT_EQ(refused(), before + 1);
}

TEST(HttpClient, GuardedRequestsNeverUseAnUnguardedConnection) {
  RawServer server(always_fine);
  HttpClient client({});
  HttpRequest operators = post(server.url());
  operators.guarded = false;
  EXPECT_EQ(exchange(client, operators).status, 200);
  EXPECT_EQ(exchange(client, post(server.url())).failure, HttpFailure::refused_destination);
  EXPECT_EQ(exchange(client, operators).status, 200);
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, ProxiesOfTheEnvironmentAreNotUsed) {
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  setenv("all_proxy", "http://127.0.0.1:1", 1);
  RawServer server(always_fine);
  HttpClient client(open_options());
  EXPECT_EQ(exchange(client, post(server.url())).status, 200);
  unsetenv("http_proxy");
  unsetenv("all_proxy");
}

TEST(HttpClient, TlsTrustsOnlyTheSystemAndTheGivenFile) {
  const RawServer::Certificate certificate;
  RawServer server(always_fine, &certificate);
  {
    HttpClient client(open_options());
    EXPECT_EQ(exchange(client, post(server.url())).failure, HttpFailure::tls);
  }
  std::string path;
  HttpClient client(trusting(certificate, path));
  std::remove(path.c_str());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(exchange(client, post(server.url())).status, 200);
  EXPECT_EQ(exchange(client, post(server.url("/", "localhost"))).status, 200);
}

TEST(HttpClient, TlsChecksTheHostNameOfTheUrl) {
  const RawServer::Certificate certificate("DNS:other.example");
  RawServer server(always_fine, &certificate);
  std::string path;
  HttpClient client(trusting(certificate, path));
  std::remove(path.c_str());
  EXPECT_EQ(exchange(client, post(server.url())).failure, HttpFailure::tls);
}

TEST(HttpClient, AMissingCaFileIsAnErrorAtOnce) {
  auto options = open_options();
  options.ca_file = "/does/not/exist.pem";
  EXPECT_THROW(HttpClient{options}, std::runtime_error);
}

TEST_P(HttpClientOfScheme, DestructionCancelsRequestsInFlight) {
  RawServer server(
      [](const RawServer::Request&) { return RawServer::Reply{"", RawServer::Reply::Then::hang}; },
      certificate());
  std::atomic<int> cancelled = 0;
  std::atomic<int> calls = 0;
  {
    HttpClient client(options());
    for (int i = 0; i < 100; ++i) {
      client.send(post(server.url()), [&](const HttpResponse& response) {
        ++calls;
        cancelled += response.failure == HttpFailure::cancelled ? 1 : 0;
        // A request sent during the stop is cancelled as well.
        client.send(post(server.url()), [&](const HttpResponse& late) {
          ++calls;
          cancelled += late.failure == HttpFailure::cancelled ? 1 : 0;
        });
      });
    }
  }
  EXPECT_EQ(calls, 200);
  EXPECT_EQ(cancelled, 200);
}

}  // namespace
}  // namespace waybill::net
