#include "domain/time/local_date.hpp"

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

// Pacific/Auckland: +13:00, from 4 April 2026 at 14:00 UTC +12:00, from 26 September 2026 at 14:00 UTC
// +13:00.
constexpr std::string_view auckland = "1764460800 46800,1775311200 43200,1790431200 46800";

std::string date(const char* time, std::string_view offsets) {
  return local_date(parse_timestamp(time).value(), offsets);
}

TEST(LocalDate, IsThatOfTheZoneAtTheTime) {
  EXPECT_EQ(date("2026-12-05T20:30:00Z", auckland), "2026-12-06");
  EXPECT_EQ(date("2026-12-05T10:59:59Z", auckland), "2026-12-05");
  EXPECT_EQ(date("2026-12-05T11:00:00Z", auckland), "2026-12-06");
  EXPECT_EQ(date("2026-06-05T11:00:00Z", auckland), "2026-06-05") << "winter time";
  EXPECT_EQ(date("2026-06-05T12:00:00Z", auckland), "2026-06-06");
  EXPECT_EQ(date("2026-12-06T07:59:59Z", "1764460800 -28800"), "2026-12-05") << "west of Greenwich";
}

TEST(LocalDate, HasTheNearestOffsetOutsideOfTheKnownOnes) {
  EXPECT_EQ(date("2001-01-01T11:00:00Z", auckland), "2001-01-02");
  EXPECT_EQ(date("2050-01-01T11:00:00Z", auckland), "2050-01-02");
  EXPECT_EQ(date("2026-12-05T23:59:59Z", ""), "2026-12-05");
  EXPECT_EQ(date("9999-12-31T23:00:00Z", auckland), "9999-12-31");
}

}  // namespace
}  // namespace waybill::domain
