#include "domain/time/time_zone.hpp"

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

TEST(TimeZone, IsANameOfTheIanaDatabase) {
  for (const auto* const name : {"UTC", "Europe/Lisbon", "America/Argentina/Buenos_Aires", "Asia/Kolkata",
                                 "Asia/Calcutta", "Etc/GMT+5", "US/Pacific"}) {
    EXPECT_TRUE(is_time_zone(name)) << name;
  }
  for (const auto* const name :
       {"", "europe/lisbon", "CEST", "UTC+1", "Mars/Olympus", "Europe/", "posix/UTC", "Factory"}) {
    EXPECT_FALSE(is_time_zone(name)) << name;
  }
}

}  // namespace
}  // namespace waybill::domain
