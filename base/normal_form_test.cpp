#include "base/normal_form.hpp"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(CompatibilityForm, HasPlainLettersForThoseThatStandForThem) {
  EXPECT_EQ(compatibility_form(""), "");
  EXPECT_EQ(compatibility_form("ann@example.com"), "ann@example.com");
  EXPECT_EQ(compatibility_form("ａ１＠ﬁ"), "a1@fi");
  EXPECT_EQ(compatibility_form("e\u0301"), "é");
}

TEST(ReplaceAll, ReplacesEachOccurrenceOnce) {
  std::string text = "a--b-c";
  replace_all(text, "-", "");
  EXPECT_EQ(text, "abc");
  text = "。x。。";
  replace_all(text, "。", "..");
  EXPECT_EQ(text, "..x....");
  text = "x";
  replace_all(text, "。", ".");
  EXPECT_EQ(text, "x");
}

// A replacement in place would move terabytes.
TEST(ReplaceAll, TakesOnePass) {
  constexpr std::size_t count = 4UL << 20;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "。";
  replace_all(text, "。", ".");
  EXPECT_TRUE(text == std::string(count, '.'));
}

}  // namespace
}  // namespace waybill
