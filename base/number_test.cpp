#include "base/number.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(Number, IsAllOfTheText) {
  EXPECT_EQ(parse_number<int>("42"), 42);
  EXPECT_EQ(parse_number<int>("-7"), -7);
  EXPECT_EQ(parse_number<double>("1.5"), 1.5);
  for (const char* const text : {"", " 1", "1 ", "+1", "1x", "x", "-", "0x10", "1.5"})
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
}

TEST(Number, HasTheRangeOfItsType) {
  EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
  EXPECT_EQ(parse_number<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<std::int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_number<std::int64_t>("9223372036854775808"), std::nullopt);
}

}  // namespace
}  // namespace waybill
