// Letters without regard to case, as PostgreSQL and the program have them.
#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "base/utf8.hpp"
#include "domain/filter/filter.hpp"
#include "domain/records/record_type.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

/// The characters with another form in lower or in upper case, as a table `c (letter)`.
constexpr std::string_view cased_letters =
    "(select chr(n) as letter from generate_series(1, 1114111) n where n not between 55296 and 57343 "
    "and (lower(chr(n)) <> chr(n) or upper(chr(n)) <> chr(n))) c";

/// The condition that a filter of products compiles to, with an expression instead of its parameter.
std::string condition_of(std::string_view filter, const std::string& value) {
  const auto compiled = domain::compile_filter(filter, domain::record_type(domain::EntityType::product), 1);
  std::string text = std::get<domain::SqlFragment>(compiled).text;
  for (auto at = text.find("$1"); at != std::string::npos; at = text.find("$1", at + value.size())) {
    text.replace(at, 2, value);
  }
  return text;
}

TEST(LetterCases, TheProgramHasTheLowerCaseOfTheDatabase) {
  TestDatabase database;
  const auto rows =
      database.connect().rows("select c.letter, lower(c.letter) from " + std::string(cased_letters));
  EXPECT_GT(rows.size(), 2000U);
  for (const auto& row : rows) EXPECT_EQ(lower_utf8(row.at(0).value()), row.at(1).value());
}

TEST(LetterCases, AFilterByATagAndItsNegationDivideTheRecords) {
  TestDatabase database;
  const std::string forms =
      " cross join lateral (select distinct f.tag from unnest(array[c.letter, lower(c.letter), "
      "upper(c.letter), "
      "initcap(c.letter), upper(lower(c.letter)), lower(upper(c.letter))]) f (tag)) f "
      "cross join lateral (select jsonb_build_array(f.tag) as tags) r where ";
  const std::string is_tagged = "(" + condition_of("tags eq 'x'", "c.letter") + ")";
  for (const auto* const others : {"tags ne 'x'", "not (tags eq 'x')", "not (tags in ('x'))"}) {
    EXPECT_EQ(database.value("select string_agg(c.letter || f.tag, ' ') from " + std::string(cased_letters) +
                             forms + is_tagged + " = (" + condition_of(others, "c.letter") + ")"),
              "")
        << others;
  }
}

TEST(LetterCases, EachSpellingOfASigmaHasTheSameTag) {
  TestDatabase database;
  for (const std::string tag : {"ΠΕΛΆΤΗΣ", "Πελάτης", "πελάτησ", "ΣΤΌΧΟΣ ΤΗΣ ΉΜΕΡΑΣ", "στόχος της ήμερας"}) {
    for (const std::string asked :
         {"ΠΕΛΆΤΗΣ", "πελάτης", "Στόχος της ήμερας", "ΣΤΌΧΟΣ ΤΗΣ ΉΜΕΡΑΣ", "ΠΕΛΆΤΗ"}) {
      const bool same = folded_utf8(tag) == folded_utf8(asked);
      const std::string record = "select count(*) from (select jsonb_build_array($2::text) as tags) r where ";
      const auto matches = [&](std::string_view comparison) {
        return database.number(
            record + condition_of("tags " + std::string(comparison) + " '" + asked + "'", "$1"),
            {asked, tag});
      };
      EXPECT_EQ(matches("eq"), same ? 1 : 0) << tag << " " << asked;
      EXPECT_EQ(matches("ne"), same ? 0 : 1) << tag << " " << asked;
    }
  }
}

TEST(LetterCases, WorkflowsAndErasuresTakeTheSigmasForOneLetter) {
  TestDatabase database;
  const auto value = [&](const std::string& expression) { return database.value("select " + expression); };
  EXPECT_EQ(value(R"(changed_tags('["Πελάτης", "b"]', array['ΠΕΛΆΤΗΣ', 'c'], '{}'))"),
            R"(["Πελάτης", "b", "c"])");
  EXPECT_EQ(value(R"(changed_tags('["ΠΕΛΆΤΗΣ", "b"]', '{}', array['πελάτης']))"), R"(["b"])");
  EXPECT_EQ(value("holds_word('Κος ΓΙΏΡΓΟΣ', array['γιώργος'])"), "t");
  EXPECT_EQ(value("text_without('Κος ΓΙΏΡΓΟΣ, Γιώργος, Γιώργοσα', array['γιώργος'])"),
            "Κος Erased, Erased, Γιώργοσα");
  EXPECT_EQ(value("text_without('Της Ada', array['ada'])"), "Της Erased");
}

}  // namespace
}  // namespace waybill::tests
