#include "connectors/store_text.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

std::string line_of(const json::value& value) { return clean_line(&value).value_or("none"); }
std::string identifier_of(const json::value& value) { return clean_identifier(&value).value_or("none"); }

TEST(StoreText, HasNoWhiteSpaceAroundIt) {
  for (const auto* const around :
       {" ", "\n", "\t\r\n", "\u00a0", "\u2003", "\u3000", "\u200b", "\ufeff", "\u2028", "\u202e"}) {
    const std::string text = std::string(around) + "a b" + around;
    EXPECT_EQ(clean_text(text), "a b") << text;
    EXPECT_EQ(clean_line(text), "a b") << text;
    EXPECT_EQ(clean_text(around), std::nullopt);
    EXPECT_EQ(clean_line(around), std::nullopt);
  }
  EXPECT_EQ(clean_text("a\n\tb\x01\x7f"), "a\n\tb");
  EXPECT_EQ(clean_text("\xff"
                       "a"),
            "\ufffda");
}

TEST(StoreText, IsCutAtItsLimitInCharacters) {
  EXPECT_EQ(clean_text("ééé", 3), "ééé");
  EXPECT_EQ(clean_text("ééé", 2), "éé");
  EXPECT_EQ(clean_text("🎁é", 1), "🎁");
  EXPECT_EQ(clean_text("a   b", 3), "a");
  EXPECT_EQ(cut_text("é é", 2), "é");
  EXPECT_EQ(cut_text("é é", 3), "é é");
}

TEST(StoreText, IsAsLongAsARecordCanHaveIt) {
  std::string text;
  for (std::size_t i = 0; i <= domain::longest_text; ++i) text += "é";
  const json::value value(text);
  const std::string_view kept = std::string_view(text).substr(2);
  EXPECT_EQ(clean_text(text), kept);
  EXPECT_EQ(clean_line(text), kept);
  EXPECT_EQ(plain_text(&value), kept);
  EXPECT_EQ(plain_line(&value), kept);
  EXPECT_EQ(identifier_of(value), text.substr(0, 2 * domain::longest_string));
}

TEST(StoreText, ALineHasOneBlankForWhiteSpace) {
  EXPECT_EQ(line_of("a\r\n b\u00a0\u00a0c\u2028d"), "a b c d");
  EXPECT_EQ(line_of("🏴󠁧󠁢󠁥󠁮󠁧󠁿 a\u200db"), "🏴󠁧󠁢󠁥󠁮󠁧󠁿 a\u200db")
      << "joiners within a text mean something";
}

TEST(StoreText, IdentifiersHaveNoInvisibleCharacters) {
  EXPECT_EQ(identifier_of("\ufeffTEE\u200b-\u00ad1 \n"), "TEE-1");
  EXPECT_EQ(identifier_of("TEE\u00a01"), "TEE 1");
  EXPECT_EQ(identifier_of(727), "727");
  EXPECT_EQ(identifier_of("\u200b"), "none");
  EXPECT_EQ(identifier_of(false), "none");
}

TEST(StoreText, AnEmailIsAnAddressOfADomainThatMayExist) {
  EXPECT_EQ(clean_email("\xff, Ann <ann@example.com>"), "ann@example.com");
  for (const auto* const text :
       {"", "n/a", "deleted@site.invalid", "x@SITE.INVALID", "<deleted@site.invalid>"})
    EXPECT_EQ(clean_email(text), std::nullopt) << text;
}

TEST(StoreText, TheElementsOfAListMayHaveIndices) {
  const auto count = [](const json::value& list) { return elements_of(&list).size(); };
  EXPECT_EQ(count(json::array{1, 2}), 2U);
  EXPECT_EQ(count(json::object{{"0", 1}, {"7", 2}}), 2U);
  EXPECT_EQ(count(json::object{{"0", 1}, {"name", 2}}), 0U);
  for (const json::value& none :
       {json::value(), json::value(""), json::value(false), json::value(7), json::value(json::object())})
    EXPECT_EQ(count(none), 0U);
  EXPECT_TRUE(elements_of(nullptr).empty());
}

TEST(StoreText, NumbersMayBeTexts) {
  const auto number = [](const json::value& value) { return number_of(&value); };
  EXPECT_EQ(number(2), 2);
  EXPECT_EQ(number(" 2.5 "), 2.5);
  EXPECT_EQ(number("-1"), -1);
  for (const json::value& none : {json::value(), json::value("two"), json::value(""), json::value(true),
                                  json::value("nan"), json::value("inf"), json::value("2 pieces")})
    EXPECT_EQ(number(none), std::nullopt) << to_json(none);
}

}  // namespace
}  // namespace waybill::connectors
