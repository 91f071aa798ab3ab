#include "documents/scripts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::documents {
namespace {

using testing::IsEmpty;

TEST(Scripts, HaveNames) {
  EXPECT_EQ(script_of(U'ก'), "Thai");
  EXPECT_EQ(script_of(U'山'), "Han");
  EXPECT_EQ(script_of(U'\u13A0'), "Cher") << "Cherokee is rare";
  EXPECT_EQ(script_of(U'ー'), "") << "of Hiragana and Katakana";
  EXPECT_EQ(script_of(U'\u0301'), "");
}

TEST(Scripts, AllInWideUseHaveAFontWithNoto) { EXPECT_THAT(scripts_without_font(), IsEmpty()); }

TEST(Scripts, TheCountrySelectsTheFormsOfHan) {
  EXPECT_EQ(han_language("JP", "서울"), "ja");
  EXPECT_EQ(han_language("TW", ""), "zh-tw");
  EXPECT_EQ(han_language("HK", ""), "zh-hk");
  EXPECT_EQ(han_language("KR", ""), "ko");
  EXPECT_EQ(han_language("CN", ""), "zh-cn");
  EXPECT_EQ(han_language("DE", "山田さくら"), "ja") << "kana";
  EXPECT_EQ(han_language("", "金 철수"), "ko") << "hangul";
  EXPECT_EQ(han_language("DE", "山田"), "zh-cn");
}

}  // namespace
}  // namespace waybill::documents
