#include "api/customers/customer_csv.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct Outcome {
  std::vector<std::string> rows;  // the values joined by bars, "-" for an empty one
  std::vector<std::string> errors;
  std::string problem;
};

Outcome read_all(std::string_view text) {
  CustomerCsv csv(text);
  Outcome outcome;
  while (const auto row = csv.next()) {
    auto line = std::to_string(row->line);
    for (const auto& value : row->values) line.append("|").append(value.value_or("-"));
    outcome.rows.push_back(std::move(line));
  }
  for (const auto& [line, message] : csv.line_errors())
    outcome.errors.push_back(std::to_string(line) + ": " + message);
  outcome.problem = csv.problem().value_or("");
  return outcome;
}

constexpr std::string_view header = "name,email,phone,company,street,city,state,postalCode,country\r\n";

TEST(CustomerCsv, RowsHaveTheColumnsOfTheHeader) {
  const auto whole =
      read_all(std::string(header) + "Ada,ada@example.com,1,E,\"Rua 1, 2\",Lisbon,,1100,PT\r\n");
  EXPECT_THAT(whole.rows, ElementsAre("2|Ada|ada@example.com|1|E|Rua 1, 2|Lisbon|-|1100|PT|-|-"));
  EXPECT_THAT(whole.errors, IsEmpty());
  EXPECT_EQ(whole.problem, "");
  EXPECT_THAT(read_all("POSTALCODE,Email,name\n1,,Ada\n").rows, ElementsAre("2|Ada|-|-|-|-|-|-|1|-|-|-"));
}

TEST(CustomerCsv, TagsAreSeparatedBySemicolons) {
  CustomerCsv csv("name,email,tags,externalReference\nAda,,Vip; new ;;VIP,A-1\nBob,,;,\n");
  const auto tagged = csv.next();
  ASSERT_TRUE(tagged);
  EXPECT_EQ(tagged->tags, R"(["Vip","new"])");
  EXPECT_EQ(tagged->values[9], "A-1");
  const auto untagged = csv.next();
  ASSERT_TRUE(untagged);
  EXPECT_EQ(untagged->tags, std::nullopt);

  std::string many = "t1";
  for (int i = 2; i <= 51; ++i) many += ";t" + std::to_string(i);
  EXPECT_THAT(read_all("name,email,tags\nAda,," + many + "\nBob,," + std::string(51, 't') + "\n").errors,
              ElementsAre("2: tags must have at most 50 entries", "3: tags must have at most 50 characters"));
}

TEST(CustomerCsv, AnInvalidHeaderIsALineError) {
  EXPECT_THAT(read_all("name,email,planet\nAda,,x").errors,
              ElementsAre(HasSubstr("1: the header has an unknown")));
  EXPECT_THAT(read_all("name,email,Name\nAda,,x").errors, ElementsAre(HasSubstr("twice")));
  EXPECT_THAT(read_all("email,phone\n").errors, ElementsAre(HasSubstr("lacks the column name")));
  EXPECT_THAT(read_all("name,phone\n").errors, ElementsAre(HasSubstr("lacks the column email")));
  EXPECT_THAT(read_all("name,\"email\n").errors, ElementsAre(HasSubstr("unclosed quote")));
  EXPECT_THAT(read_all("name,email,phone,company,street,city,state,postalCode,country,"
                       "externalReference,tags,more\n")
                  .errors,
              ElementsAre(HasSubstr("too many columns")));
}

TEST(CustomerCsv, OtherFormsOfSpreadsheetsAreNamed) {
  using std::string_literals::operator""s;
  EXPECT_THAT(read_all("\ufeffname;email;phone\nAda;ada@example.com;1\n").errors,
              ElementsAre("1: the header is separated by semicolons; it must be by commas"));
  EXPECT_THAT(read_all("name\temail\nAda\tada@example.com\n").errors,
              ElementsAre("1: the header is separated by tabs; it must be by commas"));
  for (const auto& text : {"\xff\xfe"s + "n\0a\0m\0e\0\n\0"s, "\xfe\xff"s + "\0n\0a\0m\0e\0,\0e\0\n"s,
                           "\xff\xfe"s + "\"\0n\0a\0m\0e\0\"\0,\0e\0\r\0\n\0"s})
    EXPECT_THAT(read_all(text).errors, ElementsAre("1: the header is in UTF-16; it must be UTF-8"));
  EXPECT_THAT(read_all("name,e;mail\n").errors, ElementsAre(HasSubstr("unknown column \"e;mail\"")));
}

TEST(CustomerCsv, AFileNeedsRows) {
  EXPECT_EQ(read_all("").problem, "is empty");
  EXPECT_EQ(read_all("\n\n").problem, "is empty");
  EXPECT_EQ(read_all(header).problem, "has no rows");
}

TEST(CustomerCsv, AnInvalidRowIsReportedWithAllItsErrors) {
  const auto read =
      read_all("name,email,phone\n" +
               std::string(",ada,1\n"
                           "Ada,ada@example.com\n"
                           "  ,b@example.com,1\n"
                           "Bob\"by,b@example.com,1\n"
                           "\xff,c@example.com,1\n") +
               "Cy,c@example.com," + std::string(201, 'p') + "\n" + "Eve,," + std::string(200, 'p') + "\n");
  EXPECT_THAT(read.errors, ElementsAre("2: email must be an e-mail address; name is required",
                                       "3: has 2 fields, but the header has 3", "4: name is required",
                                       HasSubstr("5: has a quote"), "6: name must be UTF-8 without NUL",
                                       "7: phone must have at most 200 characters"));
  EXPECT_EQ(read.rows.size(), 1U);
}

TEST(CustomerCsv, BlanksAroundAFieldAreRemoved) {
  for (const std::string blank : {" ", "  ", "\t", "\u00a0", "\u200b", "\u3000", "\ufeff"}) {
    const auto row = blank + "Ann Lee" + blank + "," + blank + "ann@example.com" + blank + ",\"" + blank +
                     "1" + blank + "\"," + blank + "vip" + blank + ";" + blank + "new\n";
    const auto read = read_all(blank + "name" + blank + "," + blank + "email, phone ,tags\n" + row);
    EXPECT_THAT(read.errors, ElementsAre());
    ASSERT_EQ(read.rows.size(), 1U);
    EXPECT_THAT(read.rows[0], StartsWith("2|Ann Lee|ann@example.com|1|-|")) << testing::PrintToString(blank);
  }
  EXPECT_THAT(read_all("name,email\n \"Lee, Ann\" , \"ann@example.com\" \n").errors, ElementsAre());
}

TEST(CustomerCsv, AnEmailIsReadWithoutWhatIsPastedWithIt) {
  for (const std::string field :
       {"ann@exam\u200bple.com", "Ann Lee <ann@example.com>", "mailto:ann@example.com", "ann＠example.com",
        "ａｎｎ@example.com", "ann@example.com;", "ann@example.com."}) {
    const auto read = read_all("name,email\nAnn," + field + "\n");
    EXPECT_THAT(read.errors, ElementsAre()) << field;
    ASSERT_EQ(read.rows.size(), 1U) << field;
    EXPECT_THAT(read.rows[0], StartsWith("2|Ann|ann@example.com|-|")) << field;
  }
}

TEST(CustomerCsv, OfSeveralEmailsPeopleDecide) {
  for (const std::string field :
       {"\"ann@example.com, bob@example.org\"", "ann@example.com; bob@example.org",
        "ann@example.com bob@example.org", "Ann <ann@example.com>; Bob <bob@example.org>"})
    EXPECT_THAT(read_all("name,email\nAnn," + field + "\n").errors,
                ElementsAre("2: email must be one e-mail address, not several"))
        << field;
}

TEST(CustomerCsv, RowsWithoutAValueAreLeftOutWhereverTheyStand) {
  for (const std::string empty :
       {",,\n", " , ,\t\n", "\"\",\"\",\n", "\u00a0,,\n", ",\n", ",,,,,,,,,,,,,,,,\n"}) {
    const auto read = read_all(empty + "name,email,phone\n" + empty + empty + "Ann,ann@example.com,1\n" +
                               empty + "Bob,,\n" + empty);
    EXPECT_THAT(read.errors, ElementsAre()) << empty;
    EXPECT_EQ(read.rows.size(), 2U) << empty;
    EXPECT_EQ(read_all("name,email,phone\n" + empty).problem, "has no rows") << empty;
  }
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string whole;
  for (; count > 0; --count) whole += text;
  return whole;
}

TEST(CustomerCsv, ASpreadsheetMayHaveAHundredThousandClearedRows) {
  const auto cleared = repeated(",,\r\n", 100'000);
  const auto read = read_all(cleared + "name,email,phone\n" + cleared + "Ann,,\n" + cleared);
  EXPECT_EQ(read.problem, "");
  EXPECT_EQ(read.rows.size(), 1U);
}

TEST(CustomerCsv, ThereAreAtMostAMillionRowsWithoutAValue) {
  constexpr const char* problem = "has more than 1000000 rows without a value";
  const auto blanks = repeated(" \n", most_empty_rows);
  EXPECT_EQ(read_all("name,email\nAnn,\n" + blanks + "Bob,\n").rows.size(), 2U);
  const auto read = read_all("name,email\nAnn,\n" + blanks + " \nBob,\n");
  EXPECT_EQ(read.problem, problem);
  EXPECT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(read_all(blanks + " \nname,email\nAnn,\n").problem, problem);
}

TEST(CustomerCsv, AFieldHasAtMost16KiB) {
  const auto longest = std::string(most_field_bytes, 'x');
  EXPECT_THAT(
      read_all("name,email,phone\n" + longest + ",,\nAnn,,\nAnn,,\"" + longest + "x\"\nx" + longest + ",x" +
               longest + ",\n")
          .errors,
      ElementsAre("2: name must have at most 200 characters", "4: phone must have at most 16384 bytes",
                  "5: name must have at most 16384 bytes; email must have at most 16384 bytes"));
  std::string tags;
  for (int i = 10; i < 60; ++i) tags += repeated("🙂", 48) + std::to_string(i) + "; ";
  EXPECT_THAT(read_all("name,email,tags\nAnn,," + tags + "\n").errors, IsEmpty()) << "the largest tags";
}

// Replacing the full stops in place would take half an hour.
TEST(CustomerCsv, AFieldOf10MiBIsRefusedAtOnce) {
  for (const std::string_view text : {"\u3002", "a;", ";", "<", "@"}) {
    const auto field = repeated(text, (10UL << 20) / text.size());
    EXPECT_THAT(read_all("name,email\nAnn," + field + "\n").errors,
                ElementsAre("2: email must have at most 16384 bytes"))
        << text;
    EXPECT_THAT(read_all("name,email,tags\nAnn,," + field + "\n").errors,
                ElementsAre("2: tags must have at most 16384 bytes"))
        << text;
  }
}

TEST(CustomerCsv, TagsBeyondTheLimitAreNotRead) {
  EXPECT_THAT(read_all("name,email,tags\nAnn,," + repeated("a;", most_field_bytes / 2) + "\n").errors,
              ElementsAre("2: tags must have at most 50 entries"));
}

// The rows are valid, so the limit of errors does not end the reading.
TEST(CustomerCsv, EmailsWithManySignsAreReadInOnePass) {
  const auto begun = std::chrono::steady_clock::now();
  const auto row = "Ann,\"ann@example.com" + repeated("),", 900) + " Ann\"\n";
  EXPECT_EQ(read_all("name,email\n" + repeated(row, 500)).rows.size(), 500U);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

TEST(CustomerCsv, ReadingEndsWithTheHundredthError) {
  std::string text = "name,email\n";
  for (int i = 0; i < 150; ++i) text += ",ada\n";
  EXPECT_EQ(read_all(text).errors.size(), 100U);
}

TEST(CustomerCsv, ThereAreAtMost100000Rows) {
  std::string text = "name,email\n";
  for (int i = 0; i < 100'000; ++i) text += "A,\n";
  const auto whole = read_all(text);
  EXPECT_EQ(whole.rows.size(), 100'000U);
  EXPECT_EQ(whole.problem, "");
  EXPECT_EQ(read_all(text + "A,\n").problem, "has more than 100000 rows");
}

}  // namespace
}  // namespace waybill::api
