#include "actions/answer.hpp"

#include <gtest/gtest.h>

namespace waybill::actions {
namespace {

FieldErrors errors_of(std::string_view answer) {
  FieldErrors errors;
  check_answer(json::parse(answer), "answer", errors);
  return errors;
}

/// The declared values as JSON, or the reason that there are none.
std::string read(std::string_view declared, std::string_view body) {
  const auto values = read_answer(parse_answer(json::parse(declared)), body);
  const auto* const problem = std::get_if<std::string>(&values);
  return problem != nullptr ? *problem : to_json(std::get<json::object>(values));
}

TEST(Answer, KeepsTheDeclaredValuesAlone) {
  EXPECT_EQ(read(R"({"count": "number", "lines.1.id": "string"})",
                 R"({"count": 3, "more": true, "lines": [{"id": "a"}, {"id": "b", "x": 1}]})"),
            R"({"count":3,"lines":{"1":{"id":"b"}}})");
  EXPECT_EQ(read(R"({"0.id": "number"})", R"([{"id": 7}])"), R"({"0":{"id":7}})");
  EXPECT_EQ(read(R"({"a": "any"})", "\xef\xbb\xbf{\"a\": [1, null]}"), R"({"a":[1,null]})");
}

TEST(Answer, AFieldInsideAnotherIsPartOfIt) {
  EXPECT_EQ(read(R"({"lines": "array", "lines.0.id": "number"})", R"({"lines": [{"id": 1}, {"id": 2}]})"),
            R"({"lines":[{"id":1},{"id":2}]})");
}

TEST(Answer, NumbersStayExact) {
  EXPECT_EQ(read(R"({"a": "number", "b": "number", "c": "number"})",
                 R"({"a": 9007199254740993, "b": 18446744073709551615, "c": 19.99})"),
            R"({"a":9007199254740993,"b":18446744073709551615,"c":19.99})");
  for (const std::string number :
       {"12345678901234.56789", "123456789.123456789012345", "1.00000000000000000001",
        "3.14159265358979323846", "0.30000000000000004", "123456789012.345", "0.1", "12345678901234567890.12",
        "-18446744073709551617", "1.2345678901234567890e-7"}) {
    const std::string body = R"({"a": [{"b": )" + number + "}]}";
    EXPECT_EQ(read(R"({"a.0.b": "number"})", body), R"({"a":{"0":{"b":)" + number + "}}}");
    EXPECT_EQ(read(R"({"a": "any"})", body), R"({"a":[{"b":)" + number + "}]}");
    EXPECT_EQ(read(R"({"a": "array", "a.0.b": "number?"})", body), R"({"a":[{"b":)" + number + "}]}");
    EXPECT_EQ(read(R"({"a.0.b": "string?"})", body), "The answer has no string at a.0.b.");
    EXPECT_EQ(read(R"({"a.0.b": "timestamp"})", body), "The answer has no timestamp at a.0.b.");
  }
}

TEST(Answer, ANumberThatCannotBeKeptIsRefusedByItsPath) {
  for (const auto* const number : {"1e400", "-1E+400", "1.5e-400", "-0.1e-399"}) {
    const std::string body = std::string(R"({"a": )") + number + R"(, "b": 1})";
    const std::string nested = std::string(R"({"b": [1, {"c": )") + number + "}]}";
    const std::string reason = " cannot be kept exactly: " + std::string(number) + ".";
    EXPECT_EQ(read(R"({"a": "number"})", body), "The number at a" + reason);
    EXPECT_EQ(read(R"({"b": "any"})", nested), "The number at b" + reason);
    EXPECT_EQ(read(R"({"b.1.c": "number?"})", nested), "The number at b.1.c" + reason);
    EXPECT_EQ(read(R"({"b": "number"})", body), R"({"b":1})")
        << "a value that is not declared does not count";
  }
  EXPECT_EQ(read(R"({"a": "number"})", R"({"a": )" + std::string(100, '1') + "}"),
            R"({"a":)" + std::string(100, '1') + "}");
  EXPECT_EQ(read(R"({"a": "number"})", R"({"a": )" + std::string(101, '1') + "}"),
            "The number at a cannot be kept exactly: " + std::string(40, '1') + "….");
}

TEST(Answer, ANumberWrittenInAnotherWayIsTheSame) {
  for (const auto& [written, kept] :
       std::vector<std::pair<std::string, std::string>>{{"1.10", "1.1"},
                                                        {"0.000", "0"},
                                                        {"-0.0", "-0"},
                                                        {"1E2", "100"},
                                                        {"1.5e+3", "1500"},
                                                        {"100000000000000000000", "100000000000000000000"},
                                                        {"0.0000001", "1e-07"},
                                                        {"120e-1", "12"},
                                                        {"0.1", "0.1"},
                                                        {"1e0000000003", "1000"},
                                                        {"0e99", "0"}})
    EXPECT_EQ(read(R"({"a": "number"})", R"({"a": )" + written + "}"), R"({"a":)" + kept + "}") << written;
}

TEST(Answer, ANulCharacterIsRefusedByItsPath) {
  EXPECT_EQ(read(R"({"a": "string"})", R"({"a": "x\u0000"})"), "The text at a has a NUL character.");
  EXPECT_EQ(read(R"({"a": "string"})", R"({"a": "x", "b": "\u0000"})"), R"({"a":"x"})");
}

TEST(Answer, AnOptionalValueMayBeAbsentOrNull) {
  EXPECT_EQ(read(R"({"a": "string?", "b": "number?"})", R"({"b": null})"), R"({"a":null,"b":null})");
  EXPECT_EQ(read(R"({"a": "string?"})", R"({"a": 1})"), "The answer has no string at a.");
}

TEST(Answer, AnotherAnswerIsRefused) {
  EXPECT_EQ(read(R"({"a": "string"})", R"({"a": null})"), "The answer has no string at a.");
  EXPECT_EQ(read(R"({"a.b": "boolean"})", R"({"a": "b"})"), "The answer has no boolean at a.b.");
  EXPECT_EQ(read(R"({"a": "timestamp"})", R"({"a": "tomorrow"})"), "The answer has no timestamp at a.");
  EXPECT_EQ(read(R"({"a": "timestamp"})", R"({"a": "2026-11-20"})"), R"({"a":"2026-11-20"})");
  EXPECT_EQ(read(R"({"a": "any"})", "{}"), "The answer has no value at a.");
  EXPECT_EQ(read(R"({"a.7": "any"})", R"({"a": [1]})"), "The answer has no value at a.7.");
  EXPECT_EQ(read(R"({"a.00": "any"})", R"({"a": [1]})"), "The answer has no value at a.00.");
  EXPECT_TRUE(read(R"({"a": "any"})", "").starts_with("The answer is not JSON: "));
  EXPECT_TRUE(read(R"({"a": "any"})", "<html>").starts_with("The answer is not JSON: "));
}

/// `count` lists, each in the one before.
std::string lists(std::size_t count) { return std::string(count, '[') + std::string(count, ']'); }

/// A path of `count` names.
std::string names(std::size_t count) {
  std::string path = "a";
  for (std::size_t i = 1; i < count; ++i) path += ".a";
  return path;
}

TEST(Answer, ValuesAreNoDeeperThanTheResultsOfARunCanBeRead) {
  const auto result_of = [](const std::string& values) { return R"([{"answer": )" + values + "}]"; };
  const std::string deepest = read(R"({"x": "any"})", R"({"x": )" + lists(max_answer_depth - 1) + "}");
  EXPECT_NO_THROW((void)json::parse(result_of(deepest))) << deepest;
  const std::string too_deep = "The declared values are nested deeper than 30.";
  for (const char* const type : {"any", "array", "array?"}) {
    EXPECT_EQ(read(to_json(json::object{{"x", type}}), R"({"x": )" + lists(max_answer_depth) + "}"),
              too_deep);
  }
  EXPECT_EQ(read(R"({"y": "any?"})", R"({"x": )" + lists(max_answer_depth) + "}"), R"({"y":null})")
      << "the depth of what is not declared does not matter";

  EXPECT_NO_THROW((void)json::parse(result_of(read(to_json(json::object{{names(30), "any?"}}), "{}"))));
  EXPECT_EQ(read(to_json(json::object{{names(31), "any?"}}), "{}"), too_deep)
      << "a path that an earlier version has stored";
}

TEST(Answer, APathHasAtMostThirtyNames) {
  EXPECT_TRUE(errors_of(to_json(json::object{{names(30), "any"}})).empty());
  EXPECT_EQ(errors_of(to_json(json::object{{names(31), "any"}})).size(), 1U);
}

TEST(Answer, DeclarationsAreCheckedByPath) {
  EXPECT_TRUE(errors_of(R"({"lines.0.id": "number?", "x": "any", "x.y": "string"})").empty());
  EXPECT_EQ(errors_of("{}").front().field, "answer");
  EXPECT_EQ(errors_of("[]").front().field, "answer");
  for (const char* const path : {"", ".a", "a.", "a..b", "a b", "a{{b}}"}) {
    const auto errors = errors_of(to_json(json::object{{path, "string"}}));
    ASSERT_EQ(errors.size(), 1U) << path;
    EXPECT_EQ(errors.front().field, "answer." + std::string(path));
  }
  EXPECT_EQ(errors_of(R"({"a": "text"})").front().field, "answer.a");
  EXPECT_EQ(errors_of(R"({"a": 1})").front().field, "answer.a");
  EXPECT_EQ(errors_of(R"({"a": "string", "a.b": "string"})").front().message,
            "is inside a, which is a string");
  json::object many;
  for (int i = 0; i <= 30; ++i) many["p" + std::to_string(i)] = "any";
  EXPECT_EQ(errors_of(to_json(many)).size(), 1U);
}

}  // namespace
}  // namespace waybill::actions
