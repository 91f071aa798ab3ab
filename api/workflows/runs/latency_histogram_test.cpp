#include "api/workflows/runs/latency_histogram.hpp"

#include <exception>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

// Bucket 8 ends at 2 ms, bucket 16 at 4 ms, bucket 80 at 1 024 ms.
LatencyHistogram histogram_of(std::string_view text) {
  LatencyHistogram histogram;
  histogram.add(text);
  return histogram;
}

TEST(LatencyHistogramTest, HasNoPercentileWithoutRuns) {
  EXPECT_EQ(histogram_of("[]").percentile_ms(50), std::nullopt);
  EXPECT_EQ(histogram_of("[{}]").percentile_ms(95), std::nullopt);
}

TEST(LatencyHistogramTest, APercentileIsTheFirstBucketThatReachesItsShare) {
  const auto histogram = histogram_of(R"([{"80": 5, "8": 50, "16": 45}])");
  EXPECT_EQ(histogram.percentile_ms(50), 2);
  EXPECT_EQ(histogram.percentile_ms(51), 4);
  EXPECT_EQ(histogram.percentile_ms(95), 4);
  EXPECT_EQ(histogram.percentile_ms(96), 1'024);
}

TEST(LatencyHistogramTest, AddsTheHistogramsOfOneSlot) {
  const auto histogram = histogram_of(R"([{"8": 1}, {"8": 1, "16": 1}, {"16": 2}])");
  EXPECT_EQ(histogram.percentile_ms(40), 2);
  EXPECT_EQ(histogram.percentile_ms(41), 4);
}

TEST(LatencyHistogramTest, RefusesTextThatIsNoHistogram) {
  EXPECT_THROW(histogram_of(R"([{"eight": 1}])"), std::exception);
  EXPECT_THROW(histogram_of(R"([8])"), std::exception);
}

}  // namespace
}  // namespace waybill::api
