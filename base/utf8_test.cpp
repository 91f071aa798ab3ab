#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace waybill {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, AcceptsEveryLength) {
  for (const std::string_view text :
       {""sv, "plain ascii text"sv, "\0"sv, "\xc2\x80"sv, "\xdf\xbf"sv, "\xe0\xa0\x80"sv, "\xed\x9f\xbf"sv,
        "\xee\x80\x80"sv, "\xef\xbf\xbf"sv, "\xf0\x90\x80\x80"sv, "\xf4\x8f\xbf\xbf"sv}) {
    EXPECT_TRUE(is_utf8(text));
  }
}

// RFC 3629: overlong forms, surrogates, beyond U+10FFFF, lone and missing continuation bytes.
TEST(Utf8, RefusesMalformedTexts) {
  for (const std::string_view text :
       {"\x80"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xc2"sv, "\xc2\x41"sv, "\xe0\x9f\xbf"sv, "\xe2\x82"sv,
        "\xed\xa0\x80"sv, "\xf0\x8f\xbf\xbf"sv, "\xf4\x90\x80\x80"sv, "\xf5\x80\x80\x80"sv, "\xff"sv,
        "12345678\xff"sv, "1234567\xff"sv}) {
    EXPECT_FALSE(is_utf8(text));
  }
  EXPECT_EQ(valid_utf8_prefix("12345678\xc3\xa9\xe2\x82"), 10U);
}

TEST(Utf8, ToTextReplacesInvalidBytes) {
  EXPECT_EQ(to_text("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(to_text("a\xff\x62\0c\xe2\x82"sv), "a\xef\xbf\xbd\x62\xef\xbf\xbd\x63\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(to_text(""), "");
}

TEST(Utf8, LowersLettersOfEveryLength) {
  EXPECT_EQ(lower_utf8("Straße ÄÖ Σ Ж 😀 1"), "straße äö σ ж 😀 1");
  EXPECT_EQ(lower_utf8("\xf0\x90\x90\x80"), "\xf0\x90\x90\xa8");  // Deseret, beyond 16 bits
}

TEST(Utf8, TheSigmasAreOneLetterWithoutRegardToCase) {
  for (const auto* const text : {"ΠΕΛΆΤΗΣ", "Πελάτης", "πελάτησ"}) EXPECT_EQ(folded_utf8(text), "πελάτησ");
  EXPECT_EQ(folded_utf8("Ά ς, Ψ"), "ά σ, ψ");
  EXPECT_EQ(folded_utf8(""), "");
}

}  // namespace
}  // namespace waybill
