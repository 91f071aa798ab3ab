// Answers that clients do not take, and what they may cost others.
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "api/http/server.hpp"
#include "tests/api/fixtures/small_api.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t mebibyte = 1024UL * 1024;
constexpr std::string_view authorization = "Authorization: Bearer wb_admin\r\n";

/// A server behind a proxy that names its clients.
class UnreadAnswers : public testing::Test {
 protected:
  /// Sends a request whose answer nobody reads.
  void leave_unread(std::string_view text) {
    auto& connection = unread.emplace_back(connect(api));
    connection.send(text);
  }
  int status_of(std::string_view text) { return ask(api, text).status; }
  bool becomes(int status, std::string_view text) {
    return eventually([&] { return status_of(text) == status; });
  }
  /// Leaves answers to `requests`, in turns, unread until `next` is refused, and not only because of an
  /// answer that is just being read. A request that meets such an answer is refused itself, so it is
  /// repeated.
  bool fill(const std::vector<std::string>& requests, std::string_view next) {
    return eventually([&] {
      if (unread.size() < 100) leave_unread(requests[unread.size() % requests.size()]);
      return status_of(next) == 503 && status_of(next) == 503 && status_of(next) == 503;
    });
  }
  static std::string from(int network, std::string_view headers = "") {
    return "X-Forwarded-For: 192.0.2." + std::to_string(network) + "\r\n" + std::string(headers);
  }

  SmallApi api{{}, {.trusted_proxies = {api::AddressBlock::parse("127.0.0.1").value()}}, 2, 256 * mebibyte};
  std::vector<RawConnection> unread;
};

TEST_F(UnreadAnswers, ANetworkWithoutABusinessHasAtMost16MiB) {
  const auto much = request_text("GET /much", from(1));
  ASSERT_TRUE(fill({much}, much));
  const auto refused = ask(api, much);
  EXPECT_EQ(refused.error_code(), "UNAVAILABLE");
  EXPECT_EQ(status_of(request_text("GET /much", from(2))), 200) << "another network";
  EXPECT_EQ(status_of(request_text("GET /large", from(1, authorization))), 200) << "a business";
  EXPECT_EQ(status_of(request_text("HEAD /much", from(1))), 200) << "nothing of it would wait";
  EXPECT_EQ(status_of(request_text("GET /public", from(1))), 200) << "a small answer";
  const auto body =
      request_text("POST /notice", from(1, "Content-Length: 16384\r\n")) + std::string(16'384, 'x');
  EXPECT_EQ(status_of(body), 503) << "bodies count with answers";
  unread.clear();
  EXPECT_TRUE(becomes(200, much));
}

TEST_F(UnreadAnswers, ClientsWithoutABusinessLeaveRoomForOthers) {
  std::vector<std::string> requests;
  for (int network = 1; network <= 5; ++network) requests.push_back(request_text("GET /much", from(network)));
  ASSERT_TRUE(fill(requests, request_text("GET /much", from(99)))) << "a quarter of the limit is theirs";
  EXPECT_EQ(status_of(request_text("GET /public", from(99))), 200);
  EXPECT_EQ(status_of(request_text("GET /large", from(99, authorization))), 200);
  unread.clear();
  EXPECT_TRUE(becomes(200, request_text("GET /much", from(99))));
}

TEST_F(UnreadAnswers, ANetworkHasAtMostAQuarterOfTheLimit) {
  const auto large = request_text("GET /large", from(1, authorization));
  EXPECT_TRUE(fill({large}, request_text("GET /much", from(1)))) << "all its clients count";
  EXPECT_EQ(status_of(request_text("GET /much", from(2))), 200);
}

TEST_F(UnreadAnswers, AnAnswerToAPostCountsLikeOneToAGet) {
  std::vector<std::string> requests;
  for (int network = 1; network <= 4; ++network)
    requests.push_back(request_text("POST /large", from(network, authorization)));
  EXPECT_TRUE(fill(requests, request_text("POST /large", from(9, authorization))));
}

TEST_F(UnreadAnswers, AFileOfTheProgramCostsNothing) {
  for (int i = 0; i < 100; ++i) leave_unread(request_text("GET /file", from(1)));
  EXPECT_TRUE(eventually([&] { return api.server().open_connections() == 100; }));
  EXPECT_EQ(ask(api, request_text("GET /file", from(1))).text, std::string(16 * mebibyte, 'x'));
  EXPECT_EQ(status_of(request_text("GET /much", from(1))), 200) << "there is room";
}

TEST(UnreadPipelinedAnswers, CountWhileTheyWait) {
  SmallApi api({}, {}, 1, mebibyte / 4);
  std::string burst;
  // The answers are several times as long: more than what the kernel takes for a connection.
  while (burst.size() < 256UL * 1024) burst += request_text("GET /list", authorization);
  // Each connection has about 20 KiB of answers that wait, and a network may have 64 KiB.
  std::vector<RawConnection> unread;
  const auto cut_off = [&] {
    return std::ranges::any_of(unread, [&](RawConnection& each) { return !each.send(get_public); });
  };
  EXPECT_TRUE(eventually([&] {
    if (unread.size() < 12) {
      unread.push_back(connect(api));
      unread.back().send(burst);
    }
    return cut_off();
  }));
  EXPECT_EQ(ask(api, get_public).status, 200);
}

TEST(FullServer, ClosesTheClientThatHasTakenNothingForLongest) {
  SmallApi api({.most_connections = 3}, {}, 1);
  std::vector<RawConnection> unread;
  for (int i = 0; i < 3; ++i) {
    unread.push_back(connect(api));
    unread.back().send(request_text("GET /file"));
    ASSERT_TRUE(eventually([&] { return api.server().open_connections() == unread.size(); }));
  }
  EXPECT_TRUE(eventually([&] { return ask(api, get_public).status == 200; }));
  EXPECT_TRUE(unread.front().closed_by_peer());
  EXPECT_EQ(unread.back().read_response().text.size(), 16 * mebibyte) << "the others stay";
}

TEST(FullServer, ClosesTheClientThatHasSentNothingForLongest) {
  SmallApi api({.most_connections = 3}, {}, 1);
  std::vector<RawConnection> silent;
  for (int i = 0; i < 3; ++i) {
    silent.push_back(connect(api));
    silent.back().send("POST /notice HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx");
    ASSERT_TRUE(eventually([&] { return api.server().open_connections() == silent.size(); }));
  }
  EXPECT_TRUE(eventually([&] { return ask(api, get_public).status == 200; }));
  EXPECT_TRUE(silent.front().closed_by_peer());
}

}  // namespace
}  // namespace waybill::tests
