#include "documents/text_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::documents {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Every character has the width 1.
float count(std::string_view text) {
  float characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1;
  return characters;
}

TEST(TextFit, PrintableTextIsOneLine) {
  EXPECT_EQ(printable_text("  a\t\r\n b \x7f c "), "a b c");
  EXPECT_EQ(printable_text("a\xC2\x85 b\x01"), "a b") << "next line (U+0085)";
  EXPECT_EQ(printable_text("a\u3000b\u2028c\u2029"), "a b c") << "spaces that the fonts lack";
  EXPECT_EQ(printable_text("Łódź \U0001F600"), "Łódź \uFFFD");
  EXPECT_EQ(printable_text(" \n "), "");
}

TEST(TextFit, LinesBreakAtSpaces) {
  EXPECT_THAT(wrap_text("aa bb cc", 5, count), ElementsAre("aa bb", "cc"));
  EXPECT_THAT(wrap_text("aa bb cc", 6, count), ElementsAre("aa bb", "cc"));
  EXPECT_THAT(wrap_text("aa bb cc", 8, count), ElementsAre("aa bb cc"));
  EXPECT_THAT(wrap_text("", 8, count), IsEmpty());
}

TEST(TextFit, AWordThatIsTooWideBreaksBetweenCharacters) {
  EXPECT_THAT(wrap_text("żółćżółć x", 3, count), ElementsAre("żół", "ćżó", "łć", "x"));
  EXPECT_THAT(wrap_text("ab", 0, count), ElementsAre("a", "b")) << "however narrow";
}

TEST(TextFit, CutTextEndsWithAnEllipsisAndFits) {
  EXPECT_EQ(cut_text("abcdef", 4, count), "abc…");
  EXPECT_EQ(cut_text("ab cdef", 4, count), "ab…");
  EXPECT_EQ(cut_text("żółć", 2, count), "ż…");
  EXPECT_EQ(cut_text("abc", 0, count), "…");
}

}  // namespace
}  // namespace waybill::documents
