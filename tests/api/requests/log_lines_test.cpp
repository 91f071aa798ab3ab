// Lines of the log that clients without a token can cause.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <prometheus/counter.h>

#include "api/gate/line_limit.hpp"
#include "base/observe.hpp"
#include "tests/api/fixtures/small_api.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

double refused_notices() { return answers("POST /notice", 503).Value(); }

std::size_t count_of(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Bodies of 16 MiB that a network has begun to send make the server refuse its further large ones.
TEST(LogLines, RefusedRequestsOfAStrangerAreCountedAndNotAllLogged) {
  constexpr int requests = 60;
  static_assert(requests > 2 * api::LineLimit::lines);
  SmallApi api({}, {}, 1);
  const std::string head = "POST /notice HTTP/1.1\r\nHost: x\r\nContent-Length: ";
  std::vector<RawConnection> slow;
  for (int i = 0; i < 16; ++i) {
    slow.push_back(connect(api));
    slow.back().send(head + "1048576\r\n\r\n");
  }
  const std::string large = head + "65536\r\n\r\n" + std::string(65'536, 'x');
  ASSERT_TRUE(eventually([&] { return ask(api, large).status == 503; }));
  const double before = refused_notices();
  testing::internal::CaptureStderr();
  for (int i = 0; i < requests; ++i) EXPECT_EQ(ask(api, large).status, 503);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(refused_notices() - before, requests);
  EXPECT_GT(count_of("request.failed", log), 0U);
  EXPECT_LE(count_of("request.failed", log), static_cast<std::size_t>(api::LineLimit::lines));
}

TEST(LogLines, ConnectionsBeyondTheLimitOfANetworkLeaveNone) {
  SmallApi api({.most_of_one_network = 1});
  auto first = connect(api);
  const std::string get = "GET /public HTTP/1.1\r\nHost: x\r\n\r\n";
  EXPECT_EQ(ask(first, get).status, 200);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ask(api, get).status, 429);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace waybill::tests
