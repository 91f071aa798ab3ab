#include "api/gate/line_limit.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

TEST(LineLimit, LeavesOutLinesUntilTheNextIntervalAndTellsHowMany) {
  LineLimit limit;
  const LineLimit::Steady::time_point begin;
  for (int i = 0; i < LineLimit::lines; ++i) EXPECT_EQ(limit.take(begin), 0);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(limit.take(begin + std::chrono::seconds(59)));
  EXPECT_EQ(limit.take(begin + LineLimit::interval), 7);
  EXPECT_EQ(limit.take(begin + LineLimit::interval), 0);
}

}  // namespace
}  // namespace waybill::api
