#include "net/http/counted_response.hpp"

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

using namespace std::chrono_literals;

TEST(CountedResponse, SucceedsWithA2xxAndDoesNotCountWhenCancelled) {
  DestinationCounts counts;
  const auto count = [&](HttpFailure failure, int status) {
    HttpResponse response;
    response.failure = failure;
    response.status = status;
    response.duration = 3ms;
    count_response(&counts, {.business = Guid(), .kind = DestinationKind::store, .destination = "a:443"},
                   response);
  };
  for (const int status : {200, 299, 199, 300, 404, 500}) count(HttpFailure::none, status);
  count(HttpFailure::timeout, 0);
  count(HttpFailure::cancelled, 0);
  const auto reports = counts.take_changed(10);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].succeeded[0], 2U);
  EXPECT_EQ(reports[0].failed[0], 5U);
  EXPECT_EQ(reports[0].durations[duration_class(3ms)], 7U);
  count_response(nullptr, {}, {});
}

}  // namespace
}  // namespace waybill::net
