#include "documents/printable_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/label.hpp"

namespace waybill::documents {
namespace {

using testing::ElementsAre;

TEST(PrintableText, IsOneLine) {
  EXPECT_EQ(printable_text("  a\t\r\n b \x7f c "), "a b c");
  EXPECT_EQ(printable_text("a\xC2\x85 b\x01"), "a b") << "next line (U+0085)";
  EXPECT_EQ(printable_text("a\u3000b\u2028c\u2029d\u00A0e"), "a b c d e");
  EXPECT_EQ(printable_text(std::string_view("a\0b", 3)), "a b");
  EXPECT_EQ(printable_text("a\u3164\u115F"), "a") << "fillers of Hangul, which are letters";
  EXPECT_EQ(printable_text(" \n "), "");
  EXPECT_EQ(printable_text("a\xFF b"), "a\uFFFD b");
}

TEST(PrintableText, KeepsTheTextOfAnyScript) {
  for (const std::string text :
       {"Łódź 12/3", "e\u0301", "山田太郎", "葛\U000E0100城", "김철수", "أحمد", "می\u200Cخواهم", "क्\u200Dष",
        "กรุงเทพฯ", "भारत", "ភ្នំ\u200Bពេញ", "☎ № 5", "〒100-0001"}) {
    EXPECT_EQ(printable_text(text), text);
  }
}

TEST(PrintableText, LeavesOutEmojiAndPrivateCharacters) {
  EXPECT_EQ(printable_text("Ada\U0001F380Shop"), "Ada Shop");
  EXPECT_EQ(printable_text(
                "\U0001F468\u200D\U0001F469\u200D\U0001F467 Ada \U0001F1E9\U0001F1EA\U0001F44D\U0001F3FD"),
            "Ada");
  EXPECT_EQ(printable_text("\u2665\uFE0F Ada"), "\u2665 Ada") << "a sign that fonts have";
  EXPECT_EQ(printable_text("\uF8FF Ada \U000F0001"), "Ada");
}

TEST(PrintableText, IsLeftOutIfNothingButBlanksWouldRemain) {
  for (const char* const text : {"\U0001F380", " \U0001F468\u200D\U0001F469 ", "\uF8FF\U000F0001", "\u3164",
                                 "\u034F", "\U0001F1E9\U0001F1EA"})
    EXPECT_TRUE(is_left_out(text)) << text;
  for (const char* const text :
       {"", " ", "\u200B\u00A0", "\U0001F380 Ada", "-", "\u2665\uFE0F", "\U0001F170"})
    EXPECT_FALSE(is_left_out(text)) << text;
}

TEST(PrintableText, LeavesOutControlsOfTheWritingDirection) {
  for (const std::string control : {"\u061C", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D",
                                    "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"})
    EXPECT_EQ(printable_text("12" + control + "-34"), "12-34");
  EXPECT_EQ(printable_text("Stra\u00ADße\u2060\uFEFF\U000E0041\u034F"), "Straße")
      << "other invisible characters";
}

TEST(PrintableText, CharactersThatNoFontHasBecomePlainOnes) {
  EXPECT_EQ(printable_text("\u332C"), "パーツ") << "a square of katakana";
  EXPECT_EQ(printable_text("\uFA70"), "並") << "a compatibility ideograph";
}

TEST(PrintableText, LettersInSquaresAndCirclesAreLetters) {
  EXPECT_EQ(printable_text("\U0001F130\U0001F13D\U0001F13D Lee"), "ANN Lee") << "squares";
  EXPECT_EQ(printable_text("\U0001F170\uFE0FNN"), "ANN") << "a black square, as an emoji";
  EXPECT_EQ(printable_text("\U0001F150\U0001F15D\U0001F15D"), "ANN") << "black circles";
  EXPECT_EQ(printable_text("\U0001F110"), "(A)");
  EXPECT_EQ(printable_text("\U0001F213 \U0001F21A"), "デ 無");
  EXPECT_EQ(printable_text("\U0001F1E9\U0001F1EA"), "") << "a flag";
}

TEST(PrintableText, CompatibilityCharactersAreLegible) {
  for (const std::string text : {"①", "Ⓐ", "ﷺ", "ﬁ", "㈱", "℡", "１２Ａ"})
    EXPECT_FALSE(printable_text(text).empty()) << text;
  EXPECT_EQ(printable_text("1\uFE0F\u20E32\uFE0F\u20E3").find(' '), std::string::npos)
      << "keys with digits are one number";
}

TEST(PlainCharacters, AreWhatACharacterStandsFor) {
  EXPECT_EQ(plain_characters(U'①'), "1");
  EXPECT_EQ(plain_characters(U'❶'), "1");
  EXPECT_EQ(plain_characters(U'➓'), "10");
  EXPECT_EQ(plain_characters(U'⓴'), "20");
  EXPECT_EQ(plain_characters(U'⓿'), "0");
  EXPECT_EQ(plain_characters(U'Ⓩ'), "Z");
  EXPECT_EQ(plain_characters(U'\U0001F169'), "Z");
  EXPECT_EQ(plain_characters(U'\U0001F189'), "Z");
  EXPECT_EQ(plain_characters(U'ﬁ'), "fi");
  EXPECT_EQ(plain_characters(U'㈱'), "(株)");
  EXPECT_EQ(plain_characters(U'℡'), "TEL");
  EXPECT_EQ(plain_characters(U'Ａ'), "A");
  for (const char32_t itself : {U'A', U'é', U'山', U'\U0001F600', U'\U0001F1E9'})
    EXPECT_EQ(plain_characters(itself), "");
}

TEST(PrintableText, ALetterHasAtMost8Marks) {
  const auto marked = [](int count) {
    std::string text = "a";
    for (int i = 0; i < count; ++i) text += "\u0301";
    return text + "b";
  };
  EXPECT_EQ(printable_text(marked(8)), marked(8));
  EXPECT_EQ(printable_text(marked(9)), marked(8));
  EXPECT_EQ(printable_text(marked(500) + marked(2)), marked(8) + marked(2));
}

TEST(PrintableText, AScriptWithoutAFontIsNamedOnce) {
  // The fonts of the tests lack these characters.
  try {
    printable_text("\uFACF \U00010580 a \U00010597 \u0378");
    ADD_FAILURE();
  } catch (const MissingFont& missing) {
    EXPECT_THAT(missing.scripts(), ElementsAre("Han (U+FACF)", "Vith (U+10580)", "U+0378"));
  }
}

}  // namespace
}  // namespace waybill::documents
