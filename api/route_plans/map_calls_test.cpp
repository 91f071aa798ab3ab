#include "api/route_plans/map_calls.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using namespace std::chrono_literals;

/// A server that answers when the test says so.
class HeldServer : public net::HttpSender {
 public:
  void send(net::HttpRequest request, Done done) override {
    most_at_a_time = std::max(most_at_a_time, held.size() + 1);
    held.emplace_back(std::move(request), std::move(done));
    order.push_back(held.back().first.url);
  }
  void answer_next() {
    const auto [request, done] = std::move(held.front());
    held.pop_front();
    net::HttpResponse response;
    response.status = 200;
    done(std::move(response));
  }

  std::deque<std::pair<net::HttpRequest, Done>> held;
  std::vector<std::string> order;  // URLs
  std::size_t most_at_a_time = 0;
};

class MapCallsTest : public testing::Test {
 protected:
  void call(const Guid& business, const std::string& url, std::chrono::milliseconds limit = 1h) {
    calls.send(business, {.url = url, .total_timeout = 1h}, std::chrono::steady_clock::now() + limit,
               [this, url](const net::HttpResponse& response) { ended[url] = response; });
  }
  std::size_t begun(const std::string& url) const {
    return static_cast<std::size_t>(std::ranges::count(server.order, url));
  }

  HeldServer server;
  MapCalls calls{server};
  std::map<std::string, net::HttpResponse> ended;
  const Guid loud = Guid::random();
  const Guid louder = Guid::random();
  const Guid quiet = Guid::random();
};

TEST_F(MapCallsTest, ABusinessWithHundredsLeavesAConnectionToOthers) {
  for (int i = 0; i < 300; ++i) call(loud, "loud" + std::to_string(i));
  EXPECT_EQ(server.held.size(), MapCalls::most_at_a_time - 1);
  call(quiet, "quiet");
  EXPECT_EQ(begun("quiet"), 1U);
  while (!server.held.empty()) server.answer_next();
  EXPECT_EQ(ended.size(), 301U);
  EXPECT_EQ(ended["loud299"].status, 200);
  EXPECT_EQ(server.most_at_a_time, MapCalls::most_at_a_time);
}

TEST_F(MapCallsTest, ABusinessWithOneCallWaitsForOneTurnOfEachOther) {
  for (int i = 0; i < 300; ++i) {
    call(loud, "loud");
    call(louder, "louder");
  }
  call(quiet, "quiet");
  EXPECT_EQ(begun("quiet"), 0U) << "all connections are in use";
  server.answer_next();
  server.answer_next();
  EXPECT_EQ(begun("quiet"), 1U);
}

TEST_F(MapCallsTest, ACallWhoseTimeEndsBeforeItsTurnFailsAndTheOthersKeepTheirTime) {
  for (std::size_t i = 0; i < MapCalls::most_at_a_time; ++i) call(loud, "loud");
  call(quiet, "held");
  call(quiet, "late", 0ms);
  call(louder, "late too", 0ms);
  call(louder, "in time", 30min);
  calls.expire();
  EXPECT_EQ(ended["late too"].failure, net::HttpFailure::timeout);
  EXPECT_EQ(ended["late"].failure, net::HttpFailure::timeout);
  EXPECT_EQ(ended.size(), 2U);
  server.answer_next();
  ASSERT_EQ(begun("in time"), 1U);
  EXPECT_LE(server.held.back().first.total_timeout, 30min) << "its turn counts";
  EXPECT_GT(server.held.back().first.total_timeout, 29min);
}

TEST_F(MapCallsTest, WaitingAndLaterCallsEndWhenItCloses) {
  for (std::size_t i = 0; i < MapCalls::most_at_a_time; ++i) call(loud, std::to_string(i));
  calls.close();
  call(quiet, "later");
  EXPECT_EQ(ended[std::to_string(MapCalls::most_at_a_time - 1)].failure, net::HttpFailure::cancelled);
  EXPECT_EQ(ended["later"].failure, net::HttpFailure::cancelled);
  const std::size_t sent = server.order.size();
  while (!server.held.empty()) server.answer_next();
  EXPECT_EQ(server.order.size(), sent);
  EXPECT_EQ(ended.size(), sent + 2);
}

}  // namespace
}  // namespace waybill::api
