#include "base/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Read {
  std::size_t line;
  std::vector<std::string> fields;
  std::string problem;
  bool operator==(const Read&) const = default;
};

void PrintTo(const Read& read, std::ostream* out) {
  *out << read.line << ": " << testing::PrintToString(read.fields) << ' ' << read.problem;
}

std::vector<Read> read_all(std::string_view text, std::size_t max_fields = 10) {
  CsvReader reader(text, max_fields);
  std::vector<Read> all;
  while (const auto record = reader.next()) {
    const bool is_good = record->problem.empty();
    all.push_back(
        {record->line,
         is_good ? std::vector(record->fields.begin(), record->fields.end()) : std::vector<std::string>(),
         std::string(record->problem)});
  }
  return all;
}

TEST(Csv, RecordsEndWithCrLfOrLfAndTheLastMayLackIt) {
  EXPECT_THAT(read_all("a,b\r\nc,d\ne,f"),
              ElementsAre(Read{1, {"a", "b"}, ""}, Read{2, {"c", "d"}, ""}, Read{3, {"e", "f"}, ""}));
  EXPECT_THAT(read_all("a\r\n"), ElementsAre(Read{1, {"a"}, ""}));
  EXPECT_THAT(read_all(""), IsEmpty());
  EXPECT_THAT(read_all("\r\n\n"), IsEmpty());
}

TEST(Csv, EmptyFieldsAndSpacesAreKept) {
  EXPECT_THAT(read_all(",\r\n a ,,\"\""), ElementsAre(Read{1, {"", ""}, ""}, Read{2, {" a ", "", ""}, ""}));
}

TEST(Csv, SpacesAroundAQuotedFieldAreNotPartOfIt) {
  EXPECT_THAT(read_all("a, \"b, c\"\t,\" d \" \n"), ElementsAre(Read{1, {"a", "b, c", " d "}, ""}));
  EXPECT_THAT(read_all("x \"b\"\n"), ElementsAre(Read{1, {}, "has a quote in an unquoted field"}));
}

TEST(Csv, ARecordOfBlankFieldsIsEmptyAlsoBeyondTheLimit) {
  for (const std::string_view text : {",,,", " ,\t,\u00a0,", "\"\",,,\" \""}) {
    CsvReader reader(text, 2);
    EXPECT_TRUE(reader.next()->is_empty) << text;
  }
  CsvReader reader(",,,x", 2);
  EXPECT_FALSE(reader.next()->is_empty);
}

TEST(Csv, QuotedFieldsHoldCommasQuotesAndLineEnds) {
  EXPECT_THAT(read_all("\"a,b\",\"say \"\"hi\"\"\",\"two\r\nlines\"\r\nnext"),
              ElementsAre(Read{1, {"a,b", "say \"hi\"", "two\r\nlines"}, ""}, Read{3, {"next"}, ""}));
  EXPECT_THAT(read_all(R"("""")"), ElementsAre(Read{1, {"\""}, ""}));
}

TEST(Csv, LineNumbersAreThoseOfTheText) {
  EXPECT_THAT(read_all("h\n\n\"x\n\ny\"\n\r\nz"),
              ElementsAre(Read{1, {"h"}, ""}, Read{3, {"x\n\ny"}, ""}, Read{7, {"z"}, ""}));
}

TEST(Csv, AByteOrderMarkIsNotPartOfTheFirstField) {
  EXPECT_THAT(read_all("\xef\xbb\xbf\"a\",b"), ElementsAre(Read{1, {"a", "b"}, ""}));
}

TEST(Csv, AMalformedRecordCostsOnlyItsLine) {
  EXPECT_THAT(read_all("a\"b,c\nd"),
              ElementsAre(Read{1, {}, "has a quote in an unquoted field"}, Read{2, {"d"}, ""}));
  EXPECT_THAT(read_all("\"a\"b,\"c\"\nd"),
              ElementsAre(Read{1, {}, "has text after a closing quote"}, Read{2, {"d"}, ""}));
  EXPECT_THAT(read_all("a\rb\nd"),
              ElementsAre(Read{1, {}, "has a lone carriage return"}, Read{2, {"d"}, ""}));
  EXPECT_THAT(read_all("a\n\"b\nc\n"), ElementsAre(Read{1, {"a"}, ""}, Read{2, {}, "has an unclosed quote"}));
  EXPECT_THAT(read_all("a\r"), ElementsAre(Read{1, {}, "has a lone carriage return"}));
}

TEST(Csv, FieldsBeyondTheLimitAreCountedButNotKept) {
  CsvReader reader("a,b,c,d\ne", 2);
  const auto first = reader.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->field_count, 4U);
  EXPECT_THAT(first->fields, ElementsAre("a", "b"));
  EXPECT_EQ(reader.next()->field_count, 1U);
}

}  // namespace
}  // namespace waybill
