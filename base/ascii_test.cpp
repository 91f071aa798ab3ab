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

TEST(Ascii, EachPartIsReplacedOnce) {
  EXPECT_EQ(replaced("a-b-c", "-", "--"), "a--b--c");
  EXPECT_EQ(replaced("none", "x", "y"), "none");
  EXPECT_EQ(replaced("", "x", "y"), "");
}

}  // namespace
}  // namespace waybill
