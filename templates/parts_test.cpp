#include "templates/parts.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace waybill::templates {
namespace {

TEST(TemplateParts, AreEscapedByTypeAndPart) {
  EXPECT_EQ(part_escape("send_email", "html"), Escape::html);
  EXPECT_EQ(part_escape("send_email", "body"), Escape::none);
  EXPECT_EQ(part_escape("send_email", "subject"), Escape::none);
  EXPECT_EQ(part_escape("send_push", "body"), Escape::none);
  EXPECT_EQ(part_escape("webhook", "body"), Escape::json);
}

TEST(TemplateParts, AProblemNamesTheCharacterNotTheByte) {
  EXPECT_EQ(mustache_problem("{{x}}"), std::nullopt);
  EXPECT_TRUE(mustache_problem("{{#x}}").value().ends_with(" at character 1"));
  EXPECT_TRUE(mustache_problem("Grüße {{#x}}").value().ends_with(" at character 7"));
}

TEST(TemplateParts, RenderingRefusesInvalidMustache) {
  WorkBudget budget(max_work);
  EXPECT_THROW(render("{{#x}}", {}, Escape::none, {}, budget), std::invalid_argument);
  EXPECT_THROW(render("abc", {}, Escape::none, {}, budget, 2), std::length_error);
  EXPECT_EQ(render("abc", {}, Escape::none, {}, budget, 3), "abc");
}

TEST(TemplateParts, ASingleLineHasNoControlCharacters) {
  EXPECT_EQ(single_line(" a\r\nBcc: b\tc\x7f "), "a  Bcc: b c");
  EXPECT_EQ(single_line(""), "");
  EXPECT_EQ(single_line("\r\n"), "");
  EXPECT_EQ(single_line("Grüße"), "Grüße");
}

TEST(TemplateParts, AShortLineSeparatesNoLinesAndChangesNoDirections) {
  EXPECT_EQ(short_line(" a\r\n\u2028b\u2029c\u202ed\u2066e\x1b[2J ", 100), "a   b cde [2J");
  EXPECT_EQ(short_line("a\u0085b\u00e9", 100), "a bé");
  EXPECT_EQ(short_line("Grüße", 5), "Grüße");
  EXPECT_EQ(short_line("Grüße!", 5), "Grüß…");
  EXPECT_EQ(short_line("abc", 3), "abc");
  EXPECT_EQ(short_line("abcd", 3), "ab…");
  EXPECT_EQ(short_line("\u200fשלום", 10), "\u200fשלום") << "a mark changes no other text";
}

}  // namespace
}  // namespace waybill::templates
