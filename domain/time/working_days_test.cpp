#include "domain/time/working_days.hpp"

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

TEST(WorkingDays, AreWholeDaysFromOneToTwenty) {
  for (int count = 1; count <= most_working_days; ++count) {
    EXPECT_EQ(parse_working_days(format_working_days(count)), count);
    EXPECT_EQ(parse_working_days(format_working_days(-count)), -count);
  }
  EXPECT_EQ(parse_working_days("+P3D"), 3);
  EXPECT_EQ(parse_working_days("-P2W"), -14);
  for (const auto* const text : {"", "P0D", "-P0D", "P21D", "-P21D", "P3W", "PT24H", "P1DT1H", "P2DT0S",
                                 "PT0S", "P1M", "2", "--P1D", "P1.5D"})
    EXPECT_EQ(parse_working_days(text), std::nullopt) << text;
}

TEST(WorkingDays, CountAsThreeDaysEachAndTwoWeeks) {
  EXPECT_EQ(longest_working_days(1), std::chrono::days(17));
  EXPECT_EQ(longest_working_days(-20), std::chrono::days(74));
}

}  // namespace
}  // namespace waybill::domain
