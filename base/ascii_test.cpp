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

TEST(Ascii, TrimmingRemovesBlanksFromBothEndsOnly) {
  EXPECT_EQ(trimmed(" \t\r\na \t b\n"), "a \t b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(" \n "), "");
  EXPECT_EQ(trimmed("\v a\f"), "\v a\f");
}

TEST(Ascii, TrimmingRemovesOnlyTheGivenBlanks) {
  EXPECT_EQ(trimmed(" \ta\n ", " \t"), "a\n");
  EXPECT_EQ(trimmed("\v a\f", " \v\f"), "a");
}

}  // namespace
}  // namespace waybill
