#include "domain/filter/filter_errors.hpp"

namespace waybill::domain {
namespace {

TEST(Filter, SyntaxErrorsNameTheCharacter) {
  expect_error({
      {"status eq", "a field or a value is expected, not the end at character 10"},
      {"eq 'a'", "a field or a value is expected, not eq at character 1"},
      {"status 'a'", "an operator or the end is expected, not a at character 8"},
      {"status eq 'a' 'b'", "an operator or the end is expected, not b at character 15"},
      {"(status eq 'a'", ") is expected, not the end at character 15"},
      {"status eq 'a')", "an operator or the end is expected, not ) at character 14"},
      {"status eq 'a", "the string is not closed at character 11"},
      {"status eq 'é' and notes eq 'ü", "the string is not closed at character 28"},
      {"status in ()", "the list of in is empty at character 12"},
      {"status in 'a'", "( after in is expected, not a at character 11"},
      {"status in ('a' 'b')", ", or ) is expected, not b at character 16"},
      {"status in (notes)", "a list of in holds only literals at character 12"},
      {"null in ('a')", "null cannot be tested with in at character 1"},
      {"contains(status)", "a comma and a further argument is expected, not ) at character 16"},
      {"contains(status,'a','b')", ") is expected, not , at character 20"},
      {"length(status) eq 3", "unknown function length at character 1"},
      {"nmae eq 'a'", "unknown field nmae at character 1"},
      {"items eq 'a'", "unknown field items at character 1"},
      {"status and true", "status is not a condition at character 1"},
      {"'a'", "'a' is not a condition at character 1"},
      {"null", "null is not a condition at character 1"},
      {"tolower(status)", "tolower() is not a condition at character 1"},
      {"totalValue eq 5x", "5x is not a number at character 15"},
      {"totalValue eq .5", "unexpected . at character 15"},
      {"totalValue eq 5.", "5. is not a number at character 15"},
      {"ü eq 'a'", "unexpected ü at character 1"},
  });
}

TEST(Filter, LiteralsMustBeOfTheFieldsType) {
  expect_error({
      {"totalValue eq '5'", "'5' is text, but totalValue is a number at character 15"},
      {"status eq 5", "5 is a number, but status is text at character 11"},
      {"status eq true", "true is true or false, but status is text at character 11"},
      {"status eq 2026-01-01", "2026-01-01 is a timestamp, but status is text at character 11"},
      {"5 eq status", "5 is a number, but status is text at character 1"},
      {"createdAt gt 5", "5 is a number, but createdAt is a timestamp at character 14"},
      {"createdAt gt 'yesterday'", "yesterday is not a timestamp or date at character 14"},
      {"createdAt gt 2026-02-30", "2026-02-30 is not a timestamp or date at character 14"},
      {"guid eq 'x'", "x is not a uuid at character 9"},
      {"guid in ('x')", "x is not a uuid at character 10"},
      {"totalValue in (1,'2')", "'2' is text, but totalValue is a number at character 18"},
      {"'x' in (deadbeef-1111-2222-3333-444444444444)",
       "deadbeef-1111-2222-3333-444444444444 is a uuid, but 'x' is text at character 9"},
      {"status eq totalValue", "totalValue is a number, but status is text at character 11"},
      {"contains(totalValue,'5')", "totalValue is a number, but contains needs text at character 10"},
      {"contains(status,5)", "5 is a number, but contains needs text at character 17"},
      {"contains(status,tolower(5))", "5 is a number, but tolower needs text at character 25"},
      {"tolower(totalValue) eq 'a'", "totalValue is a number, but tolower needs text at character 9"},
      {"(status eq 'a') eq 'b'", "'b' is text, but the condition is true or false at character 20"},
  });
}

TEST(Filter, ValuesBeyondPostgresAreRefused) {
  const std::string digits(400, '9');
  EXPECT_FALSE(compiles("totalValue eq " + digits));
  EXPECT_TRUE(compiles("totalValue eq " + digits.substr(0, 40)));
  EXPECT_FALSE(compiles("totalValue eq " + digits.substr(0, 41)));
  EXPECT_TRUE(compiles("totalValue eq 0." + digits.substr(0, 39)));
  EXPECT_FALSE(compiles("totalValue eq 0." + digits.substr(0, 40)));
  expect_error({
      {"totalValue eq 1e400", "1e400 is out of range at character 15"},
      {"totalValue eq 1e-400", "1e-400 is out of range at character 15"},
      {"totalValue eq 1e99999999999999999999", "1e99999999999999999999 is out of range at character 15"},
      {"createdAt gt 0001-01-01T00:00:00+14:00",
       "0001-01-01T00:00:00+14:00 is not a timestamp or date at character 14"},
      {"createdAt gt 9999-12-31T23:59:59-14:00",
       "9999-12-31T23:59:59-14:00 is not a timestamp or date at character 14"},
      {std::string("status eq 'a\0'", 14), "a NUL character is not allowed at character 13"},
      {"status eq '\xc3\xa9\xff'", "invalid UTF-8 at character 13"},
      {"status eq '\xed\xa0\x80'", "invalid UTF-8 at character 12"},
  });
}

TEST(Filter, IsAtMost4KiBLong) {
  const std::string start = "status eq '";
  EXPECT_TRUE(compiles(start + std::string(4096 - start.size() - 1, 'a') + "'"));
  EXPECT_FALSE(compiles(start + std::string(4096 - start.size(), 'a') + "'"));
}

TEST(Filter, IsAtMost32LevelsDeep) {
  const auto repeated = [](std::string_view part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  const auto nested = [&](std::string_view open, std::string_view inner, std::string_view close, int levels) {
    return repeated(open, levels).append(inner).append(repeated(close, levels));
  };
  for (const auto& [open, close] : {std::pair<std::string, std::string>{"(", ")"}, {"not ", ""}}) {
    EXPECT_TRUE(compiles(nested(open, "true", close, 32))) << open;
    EXPECT_FALSE(compiles(nested(open, "true", close, 33))) << open;
  }
  EXPECT_TRUE(compiles(nested("tolower(", "notes", ")", 32) + " eq 'a'"));
  EXPECT_FALSE(compiles(nested("tolower(", "notes", ")", 33) + " eq 'a'"));
  EXPECT_TRUE(compiles(nested("", "true", " eq true", 32)));
  EXPECT_FALSE(compiles(nested("", "true", " eq true", 33)));
}

TEST(Filter, MessagesQuoteAtMost40Characters) {
  const std::string name(1000, 'x');
  expect_error({{name, "unknown field " + name.substr(0, 40) + "… at character 1"}});
}

}  // namespace
}  // namespace waybill::domain
