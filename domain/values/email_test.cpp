#include "domain/values/email.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

TEST(Email, HoldsNoWhiteSpaceAndNoInvisibleCharacter) {
  for (const std::string blank :
       {" ", "\t", "\r\n", "\u00a0", "\u00ad", "\u1680", "\u2009", "\u200b", "\u200d", "\u200e", "\u2028",
        "\u202c", "\u202f", "\u2060", "\u2066", "\u3000", "\ufeff", "\u0085"}) {
    for (const auto& text :
         {blank + "ann@example.com", "ann@example.com" + blank, "ann@exam" + blank + "ple.com",
          "a" + blank + "nn@example.com", "ann@" + blank + "example.com"}) {
      EXPECT_FALSE(is_email(text)) << testing::PrintToString(text);
    }
  }
}

TEST(Email, MayHaveLettersOfAnyScript) {
  for (const std::string_view text :
       {"ann@example.com", "zoë@bücher.example", "田中@例え.jp", "почта@пример.рф", "ann@col·legi.example"})
    EXPECT_TRUE(is_email(text)) << text;
}

TEST(Email, HoldsNoPunctuationBeyondAscii) {
  for (const std::string_view text :
       {"“ann@example.com”", "‘ann@example.com’", "«ann@example.com»", "„ann@example.com“",
        "「ann@example.com」", "（ann@example.com）", "o’brien@example.com", "ann@example.com。",
        "ann@ex–ample.com", "ann@example.com，"})
    EXPECT_FALSE(is_email(text)) << text;
}

TEST(Email, ATextWithoutALocalPartOrADomainIsNone) {
  for (const std::string_view text :
       {"n/a", "-", "none", "no@", "@example.com", "+44 20 7946 0958", "ann@localhost", ""})
    EXPECT_FALSE(is_email(text)) << text;
}

}  // namespace
}  // namespace waybill::domain
