#include "base/blanks.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace waybill {
namespace {

const std::vector<std::string> spaces{" ",      "\t",     "\r\n",   "\u00a0", "\u1680", "\u2003",
                                      "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\u0085"};
const std::vector<std::string> invisible{"\u00ad", "\u200b", "\u200c", "\u200d", "\u200e",    "\u202a",
                                         "\u202c", "\u2060", "\u2066", "\ufeff", "\U000e0020"};

TEST(Blanks, EachSpaceAndInvisibleCharacterIsABlankAtBothEnds) {
  for (const auto* const list : {&spaces, &invisible}) {
    for (const auto& blank : *list) {
      EXPECT_TRUE(has_blanks("a" + blank + "b"));
      EXPECT_TRUE(is_blank(blank + blank));
      EXPECT_EQ(without_outer_blanks(blank + " Ann" + blank + "Lee " + blank), "Ann" + blank + "Lee");
      EXPECT_EQ(without_blanks(blank + "1Z" + blank + "99" + blank), "1Z99");
    }
  }
}

TEST(Blanks, ARunOfSpacesBecomesOneSpaceAndInvisibleCharactersGo) {
  for (const auto& space : spaces) EXPECT_EQ(single_spaced(space + "A" + space + space + "1" + space), "A 1");
  for (const auto& character : invisible) EXPECT_EQ(single_spaced(character + "A" + character + "1"), "A1");
  EXPECT_EQ(single_spaced("A \u200b 1"), "A 1");
}

TEST(Blanks, SpacesSeparateWordsAndInvisibleCharactersStayWithinThem) {
  using Words = std::vector<std::string_view>;
  for (const auto& space : spaces)
    EXPECT_EQ(words_between_blanks(space + "Ann" + space + " Lee" + space), (Words{"Ann", "Lee"}));
  for (const auto& character : invisible) {
    const std::string word = "A" + character + "1";
    EXPECT_EQ(words_between_blanks(character + word + character + " " + character + " b"),
              (Words{word, "b"}));
    EXPECT_EQ(words_between_blanks(character), Words());
  }
  EXPECT_EQ(words_between_blanks(""), Words());
  EXPECT_EQ(words_between_blanks("東京\u3000都"), (Words{"東京", "都"}));
}

TEST(Blanks, VisibleTextStaysAsItIs) {
  for (const std::string text :
       {"", "1Z999AA10123456784", "Ann Lee", "Zoë", "東京 都", "ann@bücher.example", "👍🏽"}) {
    EXPECT_EQ(without_outer_blanks(text), text);
    EXPECT_EQ(single_spaced(text), text);
  }
  EXPECT_FALSE(has_blanks("東京都"));
  EXPECT_FALSE(is_blank("x"));
  EXPECT_TRUE(is_blank(""));
}

}  // namespace
}  // namespace waybill
