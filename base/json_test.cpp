#include "base/json.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace waybill {
namespace {

using namespace std::string_view_literals;

json::value must_parse(std::string_view text) {
  auto parsed = parse_json(text);
  if (const auto* error = std::get_if<JsonError>(&parsed)) {
    ADD_FAILURE() << text << ": " << error->message;
    return {};
  }
  return std::get<json::value>(parsed);
}

std::string error_of(std::string_view text, std::size_t max_depth = 32) {
  const auto parsed = parse_json(text, max_depth);
  const auto* error = std::get_if<JsonError>(&parsed);
  return error == nullptr ? "" : error->message;
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string object_with_keys(int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += "\"key" + std::to_string(i) + "\":1,";
  return text;
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  const auto value = must_parse(R"( {"a":[1,-2,2.5,true,false,null,"x"],"b":{"a":"\u00e9\ud83d\ude00\n"}} )");
  EXPECT_EQ(to_json(value), "{\"a\":[1,-2,2.5,true,false,null,\"x\"],\"b\":{\"a\":\"é😀\\n\"}}");
  EXPECT_EQ(must_parse("18446744073709551615").as_uint64(), 18446744073709551615U);
  EXPECT_EQ(must_parse("-9223372036854775808").as_int64(), std::numeric_limits<std::int64_t>::min());
}

TEST(ParseJson, RefusesTheSameKeyTwiceInOneObject) {
  EXPECT_EQ(error_of(R"({"name":1,"name":2})"), "duplicate key \"name\"");
  EXPECT_EQ(error_of(R"({"na\u006de":1,"name":2})"), "duplicate key \"name\"");
  EXPECT_EQ(error_of(R"({"":1,"":2})"), "duplicate key \"\"");
  EXPECT_EQ(error_of(R"([{"x":{"a":1,"b":{"a":2},"a":3}}])"), "duplicate key \"a\"");
  EXPECT_EQ(error_of(R"({"a":{"a":{"a":1},"b":1},"b":[{"a":1},{"a":1}]})"), "");
  for (const int count : {5, 12, 13, 1000}) {
    EXPECT_EQ(error_of(object_with_keys(count) + "\"other\":1}"), "") << count;
    EXPECT_EQ(error_of(object_with_keys(count) + "\"key0\":1}"), "duplicate key \"key0\"") << count;
  }
}

TEST(ParseJson, ADuplicateKeyIsQuotedInPart) {
  const std::string key = std::string(99, 'k') + "\xc3\xa9";
  EXPECT_EQ(error_of("{\"" + key + "\":1,\"" + key + "\":1}"),
            "duplicate key \"" + std::string(99, 'k') + "\"");
}

TEST(ParseJson, RefusesInvalidUtf8) {
  for (const std::string_view text :
       {"\"\xff\""sv, "\"\xc0\xaf\""sv, "\"ab\xe2\x82\""sv, "\"\xed\xa0\x80\""sv, "{\"\xff\":1}"sv,
        "\"\xf4\x90\x80\x80\""sv, "[1,\xff]"sv}) {
    EXPECT_EQ(error_of(text), "invalid UTF-8") << text;
  }
  EXPECT_EQ(error_of("[1,,\"" + std::string(100, 'x') + "\xff\"]"), "syntax error");
}

TEST(ParseJson, RefusesNulInStringsAndKeys) {
  for (const std::string_view text : {R"("\u0000")"sv, R"("long enough to come in parts \u0000 and more")"sv,
                                      R"({"\u0000":1})"sv, R"({"a\u0000b":1})"sv}) {
    EXPECT_EQ(error_of(text), "NUL character in a string") << text;
  }
  EXPECT_EQ(error_of("\"a\0b\""sv), "syntax error");
}

TEST(ParseJson, RefusesNestingBeyondTheLimit) {
  EXPECT_EQ(error_of(nested(32)), "");
  EXPECT_EQ(error_of(nested(33)), "nested deeper than 32");
  EXPECT_EQ(error_of(nested(3), 2), "nested deeper than 2");
  EXPECT_EQ(error_of(std::string(100'000, '[')), "nested deeper than 32");
}

TEST(ParseJson, RefusesTextsThatAreNotOneValue) {
  for (const std::string_view text : {"{} {}", "1 2", "[1]]", "nullx"}) {
    EXPECT_EQ(error_of(text), "more than one value") << text;
  }
  for (const std::string_view text : {"", " ", "{", "[1,", "\"abc", "tru"}) {
    EXPECT_EQ(error_of(text), "unexpected end") << text;
  }
  for (const std::string_view text : {"[1,]", "{\"a\":1,}", "{a:1}", "'a'", "01", "+1", ".5", "NaN", "/**/1",
                                      "\"\x01\"", "\xef\xbb\xbf{}", "\"\\ud800\"", "\"\\x\""}) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

TEST(ParseJson, RefusesNumbersThatADoubleCannotHold) {
  for (const std::string_view text : {"1e400", "-1e400", "1e-400", "1e99999999999999999999"}) {
    EXPECT_EQ(error_of(text), "number out of range") << text;
  }
  EXPECT_EQ(error_of("1.7976931348623157e308"), "");
}

TEST(ParseJson, KeepsBadValuesIfAsked) {
  const auto parsed = parse_json(R"({"a":"x\u0000y","b":[1e400],"c":1})", 32, {}, BadValues::keep);
  const json::object& object = std::get<json::value>(parsed).as_object();
  EXPECT_EQ(object.at("a").as_string(), "x\0y"sv);
  EXPECT_TRUE(std::isinf(object.at("b").as_array()[0].as_double()));
  EXPECT_EQ(object.at("c"), 1);
  EXPECT_TRUE(std::holds_alternative<JsonError>(parse_json(R"({"a\u0000b":1})", 32, {}, BadValues::keep)));
}

// Every digit of an identifier counts; the digits of a measured value do not.
TEST(ParseJson, ALargeNumberThatADoubleWouldChangeIsABadValue) {
  const auto read = [](std::string_view text) {
    return std::get<json::value>(parse_json(text, 32, {}, BadValues::keep));
  };
  for (const auto* const changed :
       {"34012345000000001812", "-9223372036854775809", "12345678901234567890.12"})
    EXPECT_TRUE(std::isinf(read(changed).as_double())) << changed;
  EXPECT_EQ(read("18446744073709551615"), std::uint64_t{18446744073709551615U});
  EXPECT_EQ(read("100000000000000000000"), 1e20) << "a double has this one";
  EXPECT_EQ(read("52.520006599999997123"), 52.520006599999997123);
}

TEST(ParseJson, ReportsThePositionOfAnError) {
  const auto parsed = parse_json("[1,2,x]");
  EXPECT_EQ(std::get<JsonError>(parsed).position, 5U);
}

TEST(ParseJson, RoundsNumbersCorrectly) {
  for (const double number : {0.1, 19.99, 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324,
                              123456789.12345678, 9007199254740993.0, 8.41e21, 2.0919495182368195e19}) {
    const auto value = must_parse(to_json(number));
    EXPECT_EQ(value.to_number<double>(), number);
  }
}

TEST(ParseJson, UsesTheGivenMemory) {
  json::monotonic_resource memory;
  const auto parsed = parse_json(R"({"a":["a string that does not fit inside"]})", 32, &memory);
  const auto& value = std::get<json::value>(parsed);
  EXPECT_EQ(value.storage().get(), &memory);
  EXPECT_EQ(value.at("a").at(0).storage().get(), &memory);
}

TEST(ToJson, WritesPlainDecimals) {
  for (const auto& [number, text] : std::initializer_list<std::pair<double, std::string_view>>{
           {19.99, "19.99"},
           {100.0, "100"},
           {-0.5, "-0.5"},
           {0.0, "0"},
           {1e20, "100000000000000000000"},
           {0.000001, "0.000001"},
           {0.30000000000000004, "0.30000000000000004"},
           {1e21, "1e+21"},
           {1e-7, "1e-07"},
           {std::numeric_limits<double>::infinity(), "null"},
           {std::nan(""), "null"},
       }) {
    EXPECT_EQ(to_json(number), text);
  }
}

TEST(ToJson, EscapesSpecialCharacters) {
  EXPECT_EQ(to_json("\"\\/\b\f\n\r\t\x01\x1f\x7f é"), "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f é\"");
  EXPECT_EQ(to_json(json::object{{"a\"", json::array{}}}), R"({"a\"":[]})");
}

TEST(ToJson, IsReadBackAsTheSameValue) {
  const auto value = must_parse(R"({"a":[{"b":[[],{}]},"\u0001",-1,1.5,18446744073709551615]})");
  EXPECT_EQ(must_parse(to_json(value)), value);
}

TEST(Paths, AreFoundAndPut) {
  json::object object;
  put_path(object, "customer.address.city", "Oslo");
  put_path(object, "customer.name", "Ann");
  put_path(object, "guid", 1);
  EXPECT_EQ(to_json(object), R"({"customer":{"address":{"city":"Oslo"},"name":"Ann"},"guid":1})");
  ASSERT_NE(find_path(object, "customer.address.city"), nullptr);
  EXPECT_EQ(*find_path(object, "customer.address.city"), "Oslo");
  for (const std::string_view path : {"", "customer.phone", "customer.name.first", "nobody.name", "guid."}) {
    EXPECT_EQ(find_path(object, path), nullptr) << path;
  }
  put_path(object, "guid.part", nullptr);
  EXPECT_EQ(to_json(object.at("guid")), R"({"part":null})");
}

TEST(JsonDepth, IsThatWhichAReaderRefuses) {
  for (const std::string_view text :
       {"1", "{}", "[]", R"({"a": 1})", "[[]]", R"([1, {"a": [2]}, []])", R"({"a": {}, "b": [{"c": {}}]})"}) {
    const json::value value = must_parse(text);
    for (std::size_t depth = 0; depth < 6; ++depth) {
      EXPECT_EQ(is_nested_deeper(value, depth), std::holds_alternative<JsonError>(parse_json(text, depth)))
          << text << " beyond " << depth;
    }
  }
}

TEST(DecimalText, IsShortestWithoutExponent) {
  for (const auto& [text, decimal] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"19.99", "19.99"},
           {"1999e-2", "19.99"},
           {"100", "100"},
           {"100.0", "100"},
           {"1e22", "10000000000000000000000"},
           {"1.5e-10", "0.00000000015"},
           {"-3", "-3"},
           {"18446744073709551615", "18446744073709551615"},
           {"999999999999.99", "999999999999.99"},
       }) {
    EXPECT_EQ(decimal_text(must_parse(text)), decimal);
  }
  EXPECT_EQ(decimal_text(5e-324)->size(), 326U);
  EXPECT_EQ(decimal_text(std::numeric_limits<double>::max())->size(), 309U);
  EXPECT_FALSE(decimal_text("1"));
  EXPECT_FALSE(decimal_text(nullptr));
}

TEST(DecimalText, CountsItsPlaces) {
  EXPECT_EQ(decimal_places("100"), 0U);
  EXPECT_EQ(decimal_places("19.99"), 2U);
  EXPECT_EQ(decimal_places("-0.125"), 3U);
}

}  // namespace
}  // namespace waybill
