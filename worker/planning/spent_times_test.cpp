#include "worker/planning/spent_times.hpp"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

TEST(SpentTimes, ATimeIsDividedByTheBytesThatEachRunRead) {
  const Guid large = Guid::random(), small = Guid::random();
  SpentTimes times;
  const std::vector<SpentTimes::Part> parts{{large, 992UL * 1024}, {small, 0}, {small, 0}};
  times.divide(100ms, parts);
  EXPECT_NEAR(static_cast<double>(times.total().count()), 100e6, 10);
  const SpentTimes::Times taken = times.take();
  EXPECT_NEAR(static_cast<double>(taken.at(large).count()), 99.2e6, 0.1e6);
  EXPECT_NEAR(static_cast<double>(taken.at(small).count()), 0.8e6, 0.1e6);
  EXPECT_TRUE(times.take().empty());
}

TEST(SpentTimes, WorkThatFailsCounts) {
  const Guid business = Guid::random();
  SpentTimes times;
  EXPECT_EQ(times.measure(business, [] { return 7; }), 7);
  EXPECT_THROW(times.measure(business, [] { throw std::runtime_error("x"); }), std::runtime_error);
  EXPECT_GT(times.take().at(business), 0ns);
}

}  // namespace
}  // namespace waybill::worker
