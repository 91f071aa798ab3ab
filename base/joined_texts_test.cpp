#include "base/joined_texts.hpp"

#include <ranges>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(JoinedTexts, StandInOrderWithCommasBetweenThem) {
  EXPECT_EQ(joined_texts(std::vector<std::string_view>{"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(joined_texts(std::vector<std::string_view>{"a"}), "a");
  EXPECT_EQ(joined_texts(std::vector<std::string_view>{}), "");
}

TEST(JoinedTexts, KeepEmptyTextsAndAGivenSeparator) {
  EXPECT_EQ(joined_texts(std::vector<std::string>{"", "b", ""}, " or "), " or b or ");
}

TEST(JoinedTexts, ComeFromAnyRange) {
  const auto decimal = [](int number) { return std::to_string(number); };
  EXPECT_EQ(joined_texts(std::views::iota(1, 4) | std::views::transform(decimal)), "1, 2, 3");
}

}  // namespace
}  // namespace waybill
