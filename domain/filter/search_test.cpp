#include <gtest/gtest.h>

#include "domain/filter/filter.hpp"

namespace waybill::domain {
namespace {

using Params = std::vector<std::string>;

SqlFragment compiled_search(std::string_view text, EntityType type = EntityType::customer) {
  return std::get<SqlFragment>(compile_search(text, record_type(type), 3));
}

std::string error(std::string_view text) {
  const auto result = compile_search(text, record_type(EntityType::customer), 3);
  const auto* failed = std::get_if<FilterError>(&result);
  return failed == nullptr ? "" : failed->message;
}

TEST(Search, EveryWordMustOccur) {
  const auto fragment = compiled_search("  Anna\tMüller\n");
  EXPECT_EQ(fragment.text,
            "((r.search_text like lower($3) or r.reference_text like lower($3)) and "
            "(r.search_text like lower($4) or r.reference_text like lower($4)))");
  EXPECT_EQ(fragment.params, (Params{"%Anna%", "%Müller%"}));
}

TEST(Search, SearchesRelativesByTheirSearchIndex) {
  const auto fragment = compiled_search("anna", EntityType::order);
  EXPECT_EQ(fragment.text,
            "((r.search_text like lower($3) or r.recipient_text like lower($3) or r.reference_text like "
            "lower($3) or "
            "(r.business_id = $1 and r.customer_id = "
            "any(array(select x.guid from customers x where "
            "x.business_id = $1 and x.search_text like lower($3) and (lower(x.name) like lower($3) or "
            "lower(x.email) like lower($3)))))))");
  EXPECT_TRUE(fragment.has_indexed_word);
  EXPECT_EQ(fragment.params, Params{"%anna%"});
}

TEST(Search, WordsWithoutATrigramDoNotReadTheIndex) {
  EXPECT_FALSE(compiled_search("Al ab").has_indexed_word);
  EXPECT_TRUE(compiled_search("abc ab").has_indexed_word);
  EXPECT_EQ(compiled_search("Al").text,
            "((r.search_text || '' like lower($3) or r.reference_text || '' like lower($3)))");
  EXPECT_EQ(compiled_search("—–—–").text,
            "((r.search_text || '' like lower($3) or r.reference_text || '' like lower($3)))");
  EXPECT_EQ(compiled_search("a-b_c%d").text,
            "((r.search_text || '' like lower($3) or r.reference_text || '' like lower($3)))");
  for (const auto* const word : {"a1b", "-abc-", "Żółć", "東京都", "москва"}) {
    EXPECT_EQ(compiled_search(word).text,
              "((r.search_text like lower($3) or r.reference_text like lower($3)))")
        << word;
  }
  EXPECT_EQ(compiled_search("al", EntityType::order).text,
            "((r.search_text || '' like lower($3) or r.recipient_text || '' like lower($3) or "
            "r.reference_text || '' like lower($3) or "
            "(r.business_id = $1 and r.customer_id = any(array(select x.guid from customers "
            "x where "
            "x.business_id = $1 and (lower(x.name) like lower($3) or lower(x.email) like lower($3)))))))");
}

TEST(Search, TheSigmasAreOneLetter) {
  const auto fragment = compiled_search("ΓΙΏΡΓΟΣ");
  EXPECT_EQ(fragment.text,
            "(((r.search_text like lower($4) and translate(r.search_text, 'ς', 'σ') like lower($3)) or "
            "(r.reference_text like lower($4) and translate(r.reference_text, 'ς', 'σ') like lower($3))))");
  EXPECT_EQ(fragment.params, (Params{"%ΓΙΏΡΓΟσ%", "%ΓΙΏΡΓΟ_%"}));
  EXPECT_TRUE(fragment.has_indexed_word);
  const auto brief = compiled_search("φως");
  EXPECT_EQ(
      brief.text,
      "((translate(r.search_text, 'ς', 'σ') like lower($3) or translate(r.reference_text, 'ς', 'σ') like "
      "lower($3)))");
  EXPECT_EQ(brief.params, Params{"%φωσ%"});
  EXPECT_FALSE(brief.has_indexed_word) << "no trigram";
  EXPECT_EQ(
      compiled_search("άνος", EntityType::order).text,
      "(((r.search_text like lower($4) and translate(r.search_text, 'ς', 'σ') like lower($3)) or "
      "(r.recipient_text like lower($4) and translate(r.recipient_text, 'ς', 'σ') like lower($3)) or "
      "(r.reference_text like lower($4) and translate(r.reference_text, 'ς', 'σ') like lower($3)) or "
      "(r.business_id = $1 and r.customer_id = any(array(select x.guid from customers x where "
      "x.business_id = $1 and x.search_text like lower($4) and (translate(lower(x.name), 'ς', 'σ') like "
      "lower($3) or translate(lower(x.email), 'ς', 'σ') like lower($3)))))))");
}

TEST(Search, AnyWhiteSpaceSeparatesWords) {
  for (const std::string space : {" ", "\u00a0", "\u2009", "\u202f", "\u3000", "\u2028", "\u0085"}) {
    EXPECT_EQ(compiled_search(space + "N-77" + space + space + "A" + space).params,
              (Params{"%N-77%", "%A%"}));
    EXPECT_EQ(compiled_search(space).text, "true");
  }
}

TEST(Search, AWordIsFoundWithAndWithoutItsInvisibleCharacters) {
  for (const std::string hidden : {"\u200b", "\u200c", "\u00ad", "\ufeff", "\u2060", "\u200e"}) {
    EXPECT_EQ(compiled_search(hidden + "N-77" + hidden).params, Params{"%N-77%"}) << "around a word";
    EXPECT_EQ(compiled_search(hidden).text, "true");
    const auto within = compiled_search("1Z99" + hidden + "9AA1");
    EXPECT_EQ(within.params, (Params{"%1Z999AA1%", "%1Z99" + hidden + "9AA1%"}));
    EXPECT_EQ(within.text,
              "((r.search_text like lower($3) or r.reference_text like lower($3) or r.search_text like "
              "lower($4) or r.reference_text like lower($4)))");
    EXPECT_TRUE(within.has_indexed_word);
    EXPECT_FALSE(compiled_search("ab" + hidden + "c").has_indexed_word) << "one spelling has no trigram";
  }
}

TEST(Search, WordsAreLiteral) { EXPECT_EQ(compiled_search("5%_\\").params, Params{"%5\\%\\_\\\\%"}); }

TEST(Search, EmptyTextMatchesEverything) {
  EXPECT_EQ(compiled_search("").text, "true");
  EXPECT_EQ(compiled_search(" \t").text, "true");
}

TEST(Search, TakesAtMost16WordsAnd200Characters) {
  std::string words = "a";
  for (int i = 1; i < 16; ++i) words += " a";
  EXPECT_EQ(error(words), "");
  EXPECT_EQ(error(words + " a"), "more than 16 words");
  std::string characters;
  for (int i = 0; i < 200; ++i) characters += "ü";
  EXPECT_EQ(error(characters), "");
  EXPECT_EQ(error(characters + "a"), "longer than 200 characters");
}

TEST(Search, RefusesValuesBeyondPostgres) {
  EXPECT_EQ(error(std::string_view("a\0", 2)), "a NUL character is not allowed at character 2");
  EXPECT_EQ(error("a\xff"), "invalid UTF-8 at character 2");
}

TEST(Search, WordsAreFoundInGivenTexts) {
  const SearchText texts[] = {{.indexed = "r.a", .searched = "lower(r.b)"},
                              {.indexed = "r.c", .condition = "r.d is not null"}};
  const auto words = [&](std::string_view text) {
    return std::get<SqlFragment>(compile_words(text, texts, 3));
  };
  EXPECT_EQ(
      words("Anna x").text,
      "(((r.a like lower($3) and lower(r.b) like lower($3)) or (r.c like lower($3) and r.d is not null)) "
      "and ((lower(r.b) like lower($4)) or (r.c || '' like lower($4) and r.d is not null)))");
  EXPECT_EQ(words("50% a_b").params, (Params{"%50\\%%", "%a\\_b%"}));
  EXPECT_EQ(words(" ").text, "true");
  EXPECT_TRUE(std::holds_alternative<FilterError>(compile_words(std::string(201, 'a'), texts, 3)));
}

}  // namespace
}  // namespace waybill::domain
