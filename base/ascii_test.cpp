#include "base/ascii.hpp"

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(Ascii, OnlyAsciiLettersChangeCase) {
  EXPECT_EQ(ascii_lower("AZ[@`{Ä\xc1"), "az[@`{Ä\xc1");
  EXPECT_TRUE(equal_ignoring_case("Content-TYPE", "content-type"));
  EXPECT_FALSE(equal_ignoring_case("Ä", "ä"));
  EXPECT_FALSE(equal_ignoring_case("a", "ab"));
}

}  // namespace
}  // namespace waybill
