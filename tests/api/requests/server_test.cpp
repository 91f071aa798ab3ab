#include "api/http/server.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/api/fixtures/small_api.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

std::string post_thing(std::string_view headers, std::string_view body) {
  return request_text(
      "POST /things",
      "Authorization: Bearer wb_admin\r\nContent-Type: application/json\r\n" + std::string(headers), body);
}

class ServerTest : public testing::Test {
 protected:
  SmallApi api;
};

TEST_F(ServerTest, AnswersAndKeepsTheConnection) {
  auto client = connect(api);
  for (int count = 0; count < 3; ++count) {
    const auto reply = ask(client, get_public);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.text, R"({"success":true})");
    EXPECT_EQ(reply.header("content-type"), "application/json");
    EXPECT_EQ(reply.header("date").size(), std::string_view("Fri, 20 Nov 2026 05:45:12 GMT").size());
    EXPECT_EQ(reply.header("connection"), "");
  }
}

TEST_F(ServerTest, ClosesTheConnectionOnRequest) {
  auto client = connect(api);
  const auto reply = ask(client, request_text("GET /public", "Connection: close\r\n"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("connection"), "close");
  EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(ServerTest, ClosesAnHttp10ConnectionWithoutKeepAlive) {
  auto once = connect(api);
  EXPECT_EQ(ask(once, "GET /public HTTP/1.0\r\n\r\n").status, 200);
  EXPECT_TRUE(once.closed_by_peer());
  auto kept_alive = connect(api);
  EXPECT_EQ(ask(kept_alive, "GET /public HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").header("connection"),
            "keep-alive");
  EXPECT_EQ(ask(kept_alive, "GET /public HTTP/1.0\r\n\r\n").status, 200);
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  auto client = connect(api);
  std::string burst;
  for (int count = 0; count < 500; ++count) {
    burst += request_text("GET /text/" + std::to_string(count), "Authorization: Bearer wb_admin\r\n");
    if (count % 50 == 0) burst += post_thing("", R"({"name":"x"})");
  }
  auto sending = std::async(std::launch::async, [&] { return client.send(burst); });
  for (int count = 0; count < 500; ++count) {
    const auto reply = client.read_response();
    ASSERT_EQ(reply.status, 200);
    ASSERT_EQ(reply.text, R"({"data":")" + std::to_string(count) + R"(","success":true})");
    if (count % 50 == 0) {
      ASSERT_EQ(client.read_response().status, 201);
    }
  }
  EXPECT_TRUE(sending.get());
}

TEST_F(ServerTest, ReadsARequestThatArrivesByteByByte) {
  auto client = connect(api);
  for (const char byte : post_thing("", R"({"name":"é"})")) ASSERT_TRUE(client.send({&byte, 1}));
  EXPECT_EQ(client.read_response().status, 201);
}

TEST_F(ServerTest, ReadsChunkedBodiesAndDropsTrailers) {
  auto client = connect(api);
  const auto head = post_thing("Transfer-Encoding: chunked\r\n", "");
  const auto chunked =
      head + "5;ext=1\r\n{\"nam\r\n7\r\ne\":\"x\"}\r\n0\r\nAuthorization: Bearer no\r\nHost: y\r\n\r\n";
  const auto reply = ask(client, chunked);
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.text, R"({"data":{"name":"x"},"success":true})");
  EXPECT_EQ(ask(client, get_public).status, 200);
}

TEST_F(ServerTest, HeadHasTheLengthOfABodyThatIsNotSent) {
  auto client = connect(api);
  const auto reply = ask(client, request_text("HEAD /public"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("content-length"), "16");
  EXPECT_EQ(ask(client, get_public).status, 200);
}

TEST(ServerContinue, IsSentWhenTheBodyIsNeeded) {
  SmallApi api({.body_timeout = 80ms});
  auto client = connect(api);
  client.send(post_thing("Expect: 100-continue\r\nContent-Length: 12\r\n", ""));
  EXPECT_EQ(client.read_until_close(), "HTTP/1.1 100 Continue\r\n\r\n");
}

TEST_F(ServerTest, SendsNoContinueWhenTheBodyIsNotNeeded) {
  auto client = connect(api);
  client.send(request_text("POST /things", "Expect: 100-continue\r\nContent-Length: 12\r\n"));
  const auto received = client.read_until_close();
  ASSERT_TRUE(received);
  EXPECT_TRUE(received->starts_with("HTTP/1.1 401 ")) << *received;
}

TEST_F(ServerTest, RefusesMalformedRequestsAndCloses) {
  const std::string_view malformed[] = {
      "\x16\x03\x01\x02garbage\r\n\r\n",
      "GET\r\n\r\n",
      "GET /public\r\nHost: x\r\n\r\n",
      "GET  /public HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /public HTTP/2.0\r\nHost: x\r\n\r\n",
      "GET /public HTTP/1.1\nHost: x\n\n",                      // bare LF
      "GET /public HTTP/1.1\r\nHost: x\nA: b\r\n\r\n",          // bare LF inside
      "GET /public HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",  // obs-fold
      "GET /public HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n",      // space in a name
      "GET /public HTTP/1.1\r\nHost: x\r\nA : c\r\n\r\n",       // space before the colon
      "GET /public HTTP/1.1\r\nHost: x\r\nNo colon\r\n\r\n",
      "GET /public HTTP/1.1\r\nA: b\r\n\r\n",                // no Host
      "GET /public HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",  // two
      "GET /public HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n",
      "GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",  // no UTF-8
      "POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
      "POST /things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
      "POST /things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
      "POST /things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n",
      "POST /things HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
      "POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
      "POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 1x\r\n\r\n",
  };
  for (const auto text : malformed) {
    auto client = connect(api);
    const auto reply = ask(client, text);
    EXPECT_EQ(reply.status, 400) << text;
    EXPECT_NE(reply.text.find("VALIDATION_ERROR"), std::string::npos) << text;
    EXPECT_NE(reply.header("x-request-id"), "") << text;
    EXPECT_TRUE(client.closed_by_peer()) << text;
  }
  EXPECT_EQ(ask(api, get_public).status, 200);
}

TEST_F(ServerTest, RefusesNulBytesInAHead) {
  for (std::string text :
       {"GET /pu@blic HTTP/1.1\r\nHost: x\r\n\r\n", "GET /public HTTP/1.1\r\nHost: x@y\r\n\r\n"}) {
    text[text.find('@')] = '\0';
    auto client = connect(api);
    EXPECT_EQ(ask(client, text).status, 400);
    EXPECT_TRUE(client.closed_by_peer());
  }
}

TEST_F(ServerTest, RefusesMalformedChunks) {
  const auto head = post_thing("Transfer-Encoding: chunked\r\n", "");
  for (const std::string_view body : {"zz\r\n", "-1\r\n", "5\r\nhelloX\r\n0\r\n\r\n",
                                      "ffffffffffffffffff\r\n", "\r\n\r\n", "2;\"\r\n{}\r\n0\r\n\r\n"}) {
    auto client = connect(api);
    EXPECT_EQ(ask(client, head + std::string(body)).status, 400) << body;
    EXPECT_TRUE(client.closed_by_peer()) << body;
  }
  auto endless = connect(api);
  EXPECT_EQ(ask(endless, head + "1;" + std::string(100'000, 'x')).status, 400);
  EXPECT_TRUE(endless.closed_by_peer());
}

TEST_F(ServerTest, TargetsOfAnyFormGetAResponse) {
  const std::pair<std::string_view, int> targets[] = {
      {"http://other.example/public", 200},
      {"http://other.example", 404},
      {"ftp://x/public", 400},
      {"public", 400},
      {"*", 400},
      {"/public?", 200},
      {"/public?%zz", 400},
      {"/public#x", 400},
      {"/%00", 404},
      {"/../public", 404},
      {"//public", 404},
      {"/text/%C3%A9", 401},
  };
  for (const auto& [target, status] : targets) {
    EXPECT_EQ(ask(api, request_text("GET " + std::string(target))).status, status) << target;
  }
}

TEST_F(ServerTest, HeadsHaveAtMost16KiB) {
  const auto of_size = [](std::size_t size) {
    const auto bare = request_text("GET /public", "A: \r\n").size();
    return request_text("GET /public", "A: " + std::string(size - bare, 'x') + "\r\n");
  };
  auto client = connect(api);
  EXPECT_EQ(ask(client, of_size(16UL * 1024)).status, 200);
  EXPECT_EQ(ask(client, of_size(16UL * 1024 + 1)).status, 400);
  EXPECT_TRUE(client.closed_by_peer());
  auto endless = connect(api);
  EXPECT_EQ(ask(endless, "GET /public HTTP/1.1\r\nA: " + std::string(100'000, 'x')).status, 400);
  auto many = connect(api);
  std::string lines = "GET /public HTTP/1.1\r\n";
  while (lines.size() < 100'000) lines += "A: b\r\n";
  EXPECT_EQ(ask(many, lines).status, 400);
}

TEST_F(ServerTest, BodiesHaveAtMost1MiB) {
  const auto of_size = [](std::size_t size) {
    return R"({"name":")" + std::string(150, 'x') + "\"" + std::string(size - 161, ' ') + "}";
  };
  auto client = connect(api);
  EXPECT_EQ(ask(client, post_thing("", of_size(1024UL * 1024))).status, 201);
  const auto refused = ask(client, post_thing("", of_size(1024 * 1024 + 1)));
  EXPECT_EQ(refused.status, 413);
  EXPECT_NE(refused.text.find("PAYLOAD_TOO_LARGE"), std::string::npos);
  EXPECT_TRUE(client.closed_by_peer());
  auto chunked = connect(api);
  std::string text = post_thing("Transfer-Encoding: chunked\r\n", "");
  for (int count = 0; count < 17; ++count) text += "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
  EXPECT_EQ(ask(chunked, text + "0\r\n\r\n").status, 413);
}

TEST_F(ServerTest, UploadsHaveAtMost10MiB) {
  const auto upload = [](std::size_t size) {
    return request_text("POST /upload",
                        "Authorization: Bearer wb_admin\r\nContent-Type: multipart/form-data; boundary=x\r\n",
                        std::string(size, 'x'));
  };
  auto client = connect(api);
  const auto reply = ask(client, upload(10UL * 1024 * 1024));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.text, R"({"data":10485760,"success":true})");
  EXPECT_EQ(ask(client, upload(10 * 1024 * 1024 + 1)).status, 413);
}

TEST_F(ServerTest, KeepsTheConnectionAfterAShortUnreadBody) {
  auto client = connect(api);
  EXPECT_EQ(ask(client, request_text("POST /nowhere", "", std::string(1000, 'x'))).status, 404);
  EXPECT_EQ(ask(client, request_text("POST /nowhere", "", std::string(60'000, 'x'))).status, 404);
  EXPECT_EQ(ask(client, get_public).status, 200);
  EXPECT_EQ(ask(client, request_text("POST /nowhere", "", std::string(70'000, 'x'))).status, 404);
  EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(ServerTest, AHalfClosedClientGetsItsResponse) {
  auto client = connect(api);
  client.send(get_public);
  client.half_close();
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(ServerTest, ClientsThatDisconnectMidwayDoNoHarm) {
  for (const std::string_view part :
       {"GET /pub", "POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"}) {
    connect(api).send(part);
    connect(api).send(post_thing("Content-Length: 100\r\n", "").append("{"));
  }
  EXPECT_TRUE(eventually([&] { return api.server().open_connections() == 0; }));
  EXPECT_EQ(ask(api, get_public).status, 200);
}

TEST(ServerLimits, SlowHeadsAreCutOff) {
  SmallApi api({.head_timeout = 80ms, .idle_timeout = 60s});
  auto silent = connect(api);
  auto partial = connect(api);
  partial.send("GET /public HTTP/1.1\r\nHo");
  auto later = connect(api);
  EXPECT_EQ(ask(later, get_public).status, 200);
  later.send("G");
  EXPECT_TRUE(silent.closed_by_peer());
  EXPECT_TRUE(partial.closed_by_peer());
  EXPECT_TRUE(later.closed_by_peer());
}

TEST(ServerLimits, ATricklingHeadIsCutOff) {
  SmallApi api({.head_timeout = 80ms});
  auto client = connect(api);
  client.send("GET /public HTTP/1.1\r\n");
  // Each send is within the limit, but all of them together are not.
  EXPECT_TRUE(eventually([&] { return !client.send("A: b\r\n") || api.server().open_connections() == 0; }));
}

TEST(ServerLimits, SlowBodiesAreCutOff) {
  SmallApi api({.body_timeout = 80ms});
  auto client = connect(api);
  client.send(post_thing("Content-Length: 100\r\n", "").append("{"));
  EXPECT_TRUE(client.closed_by_peer());
}

TEST(ServerLimits, ABodyThatArrivesSteadilyHasMoreTime) {
  SmallApi api({.body_timeout = 100ms, .body_rate = 1});
  auto client = connect(api);
  const auto start = std::chrono::steady_clock::now();
  client.send(post_thing("Content-Length: 12\r\n", "").append("{"));
  // The byte that has arrived gives the rest a second more than the timeout.
  EXPECT_TRUE(eventually([&] { return std::chrono::steady_clock::now() > start + 300ms; }));
  client.send("\"name\":\"x\"}");
  EXPECT_EQ(client.read_response().status, 201);
}

TEST(ServerLimits, TheExtensionsOfChunksGiveABodyNoMoreTime) {
  SmallApi api({.body_timeout = 80ms, .body_rate = 100});
  auto client = connect(api);
  client.send(
      post_thing("Transfer-Encoding: chunked\r\n", "").append("1;" + std::string(20'000, 'x') + "\r\n{\r\n"));
  EXPECT_TRUE(client.closed_by_peer());
}

TEST(ServerLimits, ChunksHaveAtMostAsMuchFramingAsABodyMayHave) {
  SmallApi api;
  const auto head = post_thing("Transfer-Encoding: chunked\r\n", "");
  std::string small = head + "c\r\n{\"name\":\"x\"}\r\n";
  for (int i = 0; i < 100'000; ++i) small += "1\r\n \r\n";
  EXPECT_EQ(ask(api, small + "0\r\n\r\n").status, 201);
  std::string large = head;
  for (int i = 0; i < 60; ++i) large += "1;" + std::string(20'000, 'x') + "\r\n \r\n";
  const auto refused = ask(api, large);
  EXPECT_EQ(refused.status, 413);
  EXPECT_NE(refused.text.find("PAYLOAD_TOO_LARGE"), std::string::npos);
}

TEST(ServerLimits, IdleConnectionsAreClosed) {
  SmallApi api({.idle_timeout = 80ms});
  auto client = connect(api);
  EXPECT_EQ(ask(client, get_public).status, 200);
  EXPECT_TRUE(client.closed_by_peer());
}

TEST(ServerLimits, ClientsThatDoNotReadAreCutOff) {
  SmallApi api({.write_timeout = 80ms});
  auto client = connect(api);
  client.send(request_text("GET /much"));
  EXPECT_TRUE(eventually([&] { return api.server().open_connections() == 1; }));
  EXPECT_TRUE(eventually([&] { return api.server().open_connections() == 0; }));
}

TEST(ServerLimits, ABusinessWhoseClientsDoNotReadHasNoFurtherLargeAnswers) {
  SmallApi api;
  const std::string large = request_text("GET /large", "Authorization: Bearer wb_admin\r\n");
  const auto status = [&] {
    auto client = connect(api);
    return ask(client, large).status;
  };
  std::vector<RawConnection> slow;
  EXPECT_TRUE(eventually([&] {
    if (slow.size() < 8) {
      slow.push_back(connect(api));
      slow.back().send(large);
    }
    return status() == 503;
  }));
  auto client = connect(api);
  EXPECT_EQ(ask(client, request_text("GET /list", "Authorization: Bearer wb_admin\r\n")).status, 200);
  slow.clear();
  EXPECT_TRUE(eventually([&] { return status() == 200; }));
}

TEST(ServerLimits, ABusinessHasAtMost128MiBOfLargeBodiesUnderWay) {
  SmallApi api;
  const std::string head =
      "POST /upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wb_admin\r\n"
      "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 10485760\r\n\r\n";
  std::vector<RawConnection> slow;
  for (int i = 0; i < 13; ++i) {
    slow.push_back(connect(api));
    slow.back().send(head);
  }
  EXPECT_TRUE(eventually([&] { return api.server().open_connections() == 12; })) << "one is refused";
  auto client = connect(api);
  EXPECT_EQ(ask(client, request_text("GET /list", "Authorization: Bearer wb_admin\r\n")).status, 200);
  slow.clear();
  EXPECT_TRUE(eventually([&] {
    auto later = connect(api);
    return ask(later, head + std::string(10UL * 1024 * 1024, 'x')).status == 200;
  }));
}

std::string post_notice(std::string_view headers) {
  return "POST /notice HTTP/1.1\r\nHost: x\r\n" + std::string(headers) + "\r\n";
}

bool any_is_refused(std::vector<RawConnection>& connections) {
  return eventually([&] {
    return std::ranges::any_of(connections, [](RawConnection& each) { return each.closed_by_peer(1ms); });
  });
}

TEST(ServerLimits, ANetworkHasAtMost16MiBOfBodiesWithoutABusinessUnderWay) {
  SmallApi api;
  const std::string head = post_notice("Content-Length: 1048576\r\n");
  const auto status_of = [&](std::size_t size) {
    return ask(api, request_text("POST /notice", "", std::string(size, 'x'))).status;
  };
  std::vector<RawConnection> slow;
  for (int i = 0; i < 17; ++i) {
    slow.push_back(connect(api));
    slow.back().send(head);
  }
  EXPECT_TRUE(any_is_refused(slow));
  EXPECT_EQ(status_of(16UL * 1024), 503);
  EXPECT_EQ(status_of(16UL * 1024 - 1), 200) << "small bodies do not count";
  const std::string upload =
      "Authorization: Bearer wb_admin\r\nContent-Type: multipart/form-data; boundary=x\r\n";
  EXPECT_EQ(ask(api, request_text("POST /upload", upload, std::string(1024UL * 1024, 'x'))).status, 200)
      << "a business has its own limit";
  slow.clear();
  EXPECT_TRUE(eventually([&] { return status_of(1024UL * 1024) == 200; }));
}

TEST(ServerLimits, AChunkedBodyCountsWithWhatHasArrived) {
  SmallApi api;
  const std::string head = post_notice("Transfer-Encoding: chunked\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  const std::string whole = head + chunk + "0\r\n\r\n";
  std::vector<RawConnection> small;
  for (int i = 0; i < 40; ++i) {
    small.push_back(connect(api));
    small.back().send(head + "1\r\nx\r\n");
  }
  ASSERT_TRUE(eventually([&] { return api.server().open_connections() == 40; }));
  EXPECT_EQ(ask(api, whole).text, R"({"data":65536,"success":true})");
  std::string unfinished = head;
  for (int i = 0; i < 15; ++i) unfinished += chunk;
  std::vector<RawConnection> large;
  for (int i = 0; i < 18; ++i) {
    large.push_back(connect(api));
    large.back().send(unfinished);
  }
  EXPECT_TRUE(any_is_refused(large)) << "18 bodies of 960 KiB";
  large.clear();
  EXPECT_TRUE(eventually([&] { return ask(api, whole).status == 200; }));
}

/// A connection whose request is being answered until small_api_state().released.
RawConnection busy_connection(const SmallApi& api) {
  const int before = small_api_state().waiting;
  auto connection = connect(api);
  connection.send(request_text("GET /wait"));
  EXPECT_TRUE(eventually([&] { return small_api_state().waiting == before + 1; }));
  return connection;
}

TEST(ServerLimits, AConnectionBeyondTheLimitIsRefusedWithAnError) {
  SmallApi api({.most_connections = 2});
  auto first = busy_connection(api);
  auto second = busy_connection(api);
  {
    auto third = connect(api);
    const auto reply = ask(third, get_public);
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.header("retry-after"), "1");
    EXPECT_NE(reply.text.find("UNAVAILABLE"), std::string::npos);
    EXPECT_TRUE(third.closed_by_peer());
  }
  small_api_state().released = true;
  EXPECT_EQ(first.read_response().status, 200);
  EXPECT_EQ(second.read_response().status, 200);
}

TEST(ServerLimits, TheLongestIdleConnectionIsClosedForANewOne) {
  SmallApi api({.most_connections = 3}, {}, 1);  // on one thread the order of responses and waits is fixed
  auto busy = busy_connection(api);
  auto oldest = connect(api);
  EXPECT_EQ(ask(oldest, get_public).status, 200);
  auto older = connect(api);
  EXPECT_EQ(ask(older, get_public).status, 200);
  EXPECT_EQ(ask(oldest, get_public).status, 200) << "the other connection has now waited longer";
  auto newcomer = connect(api);
  EXPECT_EQ(ask(newcomer, get_public).status, 200);
  EXPECT_TRUE(older.closed_by_peer());
  EXPECT_EQ(ask(oldest, get_public).status, 200);
  small_api_state().released = true;
  EXPECT_EQ(busy.read_response().status, 200);
}

TEST(ServerLimits, ANetworkHasALimitedShareOfTheConnections) {
  SmallApi api({.most_connections = 100, .most_of_one_network = 2});
  auto first = connect(api);
  EXPECT_EQ(ask(first, get_public).status, 200);
  auto second = std::make_optional(connect(api));
  EXPECT_EQ(ask(*second, get_public).status, 200);
  auto third = connect(api);
  const auto reply = ask(third, get_public);
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.header("retry-after"), "1");
  EXPECT_NE(reply.text.find("RATE_LIMITED"), std::string::npos);
  EXPECT_TRUE(third.closed_by_peer());
  EXPECT_EQ(ask(first, get_public).status, 200) << "its connections stay";
  second.reset();
  ASSERT_TRUE(eventually([&] { return api.server().open_connections() == 1; }));
  EXPECT_EQ(ask(api, get_public).status, 200);
}

TEST(ServerLimits, TheNetworkLimitDoesNotApplyToATrustedProxy) {
  SmallApi api({.most_of_one_network = 1},
               {.trusted_proxies = {api::AddressBlock::parse("127.0.0.0/8").value()}});
  std::vector<RawConnection> clients;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(clients.emplace_back(connect(api)), get_public).status, 200);
}

}  // namespace
}  // namespace waybill::tests
