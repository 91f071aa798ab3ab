#include "base/exact_number.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace waybill {
namespace {

json::value read(std::string_view text) {
  auto parsed = parse_exact_json(text);
  const auto* const error = std::get_if<JsonError>(&parsed);
  EXPECT_EQ(error, nullptr) << text << ": " << (error == nullptr ? "" : error->message);
  return error == nullptr ? std::get<json::value>(std::move(parsed)) : json::value();
}

TEST(ExactNumber, IsWrittenWithAllItsDigits) {
  for (const auto* const text :
       {"12345678901234567890123", "-12345678901234567890123", "0.12345678901234567891",
        "12345678901234567.89", "9007199254740993.5", "1e400", "-1E+400", "1e-400", "18446744073709551617"}) {
    const auto value = read(text);
    EXPECT_EQ(exact_number(value), text);
    EXPECT_EQ(to_json(value), text);
    EXPECT_EQ(to_json(json::object{{"a", json::array{value, "x"}}}),
              "{\"a\":[" + std::string(text) + ",\"x\"]}");
  }
}

TEST(ExactNumber, IsNoneThatADoubleKeeps) {
  for (const auto* const text :
       {"0", "19.99", "1e300", "0.1", "123456789012.34", "9007199254740993", "18446744073709551615",
        "100000000000000000000000", "1.50000000000000000000"})
    EXPECT_EQ(exact_number(read(text)), std::nullopt) << text;
  EXPECT_EQ(exact_number(json::value("12345678901234567890123")), std::nullopt) << "a text";
  EXPECT_EQ(exact_number(json::value("")), std::nullopt);
}

TEST(ExactNumber, HasADoubleNextToIt) {
  EXPECT_EQ(nearest_double("12345678901234567890123"), 12345678901234567890123.0);
  EXPECT_EQ(nearest_double("0.12345678901234567891"), 0.12345678901234567891);
  EXPECT_EQ(nearest_double("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(nearest_double("-" + std::string(400, '9')), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(nearest_double("1e-400"), 0);
  EXPECT_EQ(nearest_double("-0." + std::string(400, '0') + "1"), 0);
}

TEST(ExactNumber, IsADoubleLikeOtherNumbers) {
  EXPECT_EQ(as_double(read("12345678901234567890123")), 12345678901234567890123.0);
  EXPECT_EQ(as_double(read("19.99")), 19.99);
  EXPECT_EQ(as_double(read("7")), 7);
  EXPECT_EQ(as_double(read("\"12345678901234567890123\"")), std::nullopt);
  EXPECT_EQ(as_double(json::value()), std::nullopt);
}

TEST(ExactNumber, ListsAreReadWhateverTheirNumbers) {
  EXPECT_EQ(to_json(exact_list("[1,0.12345678901234567891,1e400]")), "[1,0.12345678901234567891,1e400]");
  for (const auto* const text : {"", "{}", "[1", "null"}) EXPECT_EQ(exact_list(text), json::array()) << text;
}

TEST(ExactNumber, AnyNumberKeepsItsDigits) {
  std::mt19937_64 random(52);  // NOLINT: repeatable
  for (int i = 0; i < 20'000; ++i) {
    std::string text(1, static_cast<char>('1' + random() % 9));
    for (auto more = random() % 30; more > 0; --more) text += static_cast<char>('0' + random() % 10);
    if (random() % 2 == 0) text += "." + std::to_string(random() % 1'000'000'000'000) + "7";
    if (random() % 2 == 0) text.insert(0, "-");
    EXPECT_EQ(to_json(read(text)), text);
  }
}

TEST(ExactNumber, TheOtherRulesOfJsonHold) {
  for (const auto* const text : {"{\"a\":1,\"a\":2}", "\"\xff\"",
                                 "\"\xff"
                                 "12345678901234567890123\"",
                                 "\"\\u0000\"", "1 2", "[", "--1"})
    EXPECT_TRUE(std::holds_alternative<JsonError>(parse_exact_json(text))) << text;
  EXPECT_TRUE(std::holds_alternative<JsonError>(parse_exact_json("[[1]]", 1)));
}

/// A value of any kind with lists and objects inside each other.
json::value any_value(std::mt19937_64& random, int depth) {
  switch (random() % (depth > 0 ? 7 : 5)) {
    case 0:
      return static_cast<std::int64_t>(random() % 2'000) - 1'000;
    case 1:
      return static_cast<double>(random() % 1'000) / 8;
    case 2:
      return nullptr;
    case 3:
      return random() % 2 == 0;
    case 4:
      return json::value("1.0");
    case 5: {
      json::array list;
      for (auto more = random() % 4; more > 0; --more) list.push_back(any_value(random, depth - 1));
      return list;
    }
    default: {
      json::object object;
      for (auto more = random() % 4; more > 0; --more)
        object["m" + std::to_string(random() % 10)] = any_value(random, depth - 1);
      return object;
    }
  }
}

/// A text of the same number.
std::string other_form(const json::value& number, std::mt19937_64& random) {
  const std::string plain = to_json(number);
  const bool is_whole = plain.find('.') == std::string::npos;
  switch (random() % 5) {
    case 0:
      return plain == "0" ? "-0.0" : plain;
    case 1:
      return plain + (is_whole ? ".0" : "00");
    case 2:
      return plain + "e0";
    case 3:
      return plain + "E+00";
    default:
      return plain == "0" ? "0e-2" : is_whole ? plain + "00e-2" : plain;
  }
}

/// A text of the same value: other forms of numbers, and members in another order.
std::string rewritten(const json::value& value, std::mt19937_64& random) {
  if (value.is_number()) return other_form(value, random);
  std::vector<std::string> parts;
  if (const auto* const list = value.if_array()) {
    for (const auto& entry : *list) parts.push_back(rewritten(entry, random));
  } else if (const auto* const object = value.if_object()) {
    for (const auto& member : *object)
      parts.push_back("\"" + std::string(member.key()) + "\":" + rewritten(member.value(), random));
    std::ranges::shuffle(parts, random);
  } else {
    return to_json(value);
  }
  std::string text(1, value.is_array() ? '[' : '{');
  for (const std::string& part : parts) text.append(text.size() > 1 ? "," : "").append(part);
  return text + (value.is_array() ? ']' : '}');
}

TEST(SameJson, NumbersInOtherFormsAndMembersInAnotherOrderChangeNothing) {
  std::mt19937_64 random(53);  // NOLINT: repeatable
  for (int i = 0; i < 5'000; ++i) {
    const auto value = any_value(random, 4);
    const auto text = rewritten(value, random);
    const auto other = std::get<json::value>(parse_json(text));
    EXPECT_TRUE(is_same_json(value, other)) << to_json(value) << ' ' << text;
    EXPECT_TRUE(is_same_json(other, value)) << to_json(value) << ' ' << text;
    const auto next = any_value(random, 4);
    EXPECT_EQ(is_same_json(value, next), is_same_json(next, value)) << to_json(value) << to_json(next);
    const auto stored = [](const json::value& each) {
      return std::get<json::value>(parse_json(to_json(each)));
    };
    EXPECT_EQ(is_same_json(value, next), stored(value) == stored(next)) << to_json(value) << to_json(next);
  }
}

TEST(SameJson, OtherNumbersKindsAndMissingMembersAreChanges) {
  const std::vector<std::string> values{"1",
                                        "\"1\"",
                                        "1.5",
                                        "-1",
                                        "true",
                                        "null",
                                        "0",
                                        "[1]",
                                        "[]",
                                        "{}",
                                        R"({"a": null})",
                                        R"({"b": null})",
                                        "9007199254740992",
                                        "9007199254740993",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "1e300"};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      const auto one = std::get<json::value>(parse_json(values[i]));
      const auto other = std::get<json::value>(parse_json(values[j]));
      EXPECT_EQ(is_same_json(one, other), i == j) << values[i] << ' ' << values[j];
    }
  }
  EXPECT_TRUE(is_same_json(json::value(9007199254740992), json::value(9007199254740992.0)));
  EXPECT_FALSE(is_same_json(json::value(9007199254740993), json::value(9007199254740992.0)));
  EXPECT_FALSE(is_same_json(json::value(-1), json::value(18446744073709551615.0)));
}

TEST(SameValue, IsWrittenInAnyOrderWithAnyZerosAndWithOrWithoutNulls) {
  const std::string item = R"({"price": 1, "sku": "a", "dimensions": {"length": 2}})";
  for (const std::string other :
       {R"({"sku": "a", "dimensions": {"length": 2.00}, "price": 1.0})",
        R"({"price": 1e0, "sku": "a", "guid": null, "dimensions": {"length": 2, "width": null}})"}) {
    EXPECT_TRUE(is_same_value(read(item), read(other))) << other;
    EXPECT_TRUE(is_same_value(read(other), read(item))) << other;
  }
  for (const std::string other :
       {R"({"price": 1, "sku": "a"})", R"({"price": 1, "sku": "A", "dimensions": {"length": 2}})",
        R"({"price": "1", "sku": "a", "dimensions": {"length": 2}})",
        R"({"price": 1.01, "sku": "a", "dimensions": {"length": 2}})",
        R"({"price": 1, "sku": "a", "dimensions": {"length": 2}, "guid": ""})"}) {
    EXPECT_FALSE(is_same_value(read(item), read(other))) << other;
    EXPECT_FALSE(is_same_value(read(other), read(item))) << other;
  }
}

TEST(SameValue, ANumberIsThatOfAllItsDigitsOnceItIsRounded) {
  const auto exact = read("0.12345678901234567891");
  EXPECT_TRUE(is_same_value(exact, json::value(0.12345678901234568)));
  EXPECT_FALSE(is_same_value(exact, read("0.12345678901234567892")));
  EXPECT_FALSE(is_same_value(read("9007199254740993"), read("9007199254740992")));
}

TEST(SameValue, AnEmptyListOrObjectIsNotNullNorEachOther) {
  const std::vector<std::string> values{"null", "[]",     "{}",   "0",           "false",
                                        "\"\"", "[null]", "[[]]", R"({"a": {}})"};
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < values.size(); ++j)
      EXPECT_EQ(is_same_value(read(values[i]), read(values[j])), i == j) << values[i] << values[j];
  EXPECT_TRUE(is_same_value(read("{}"), read(R"({"a": null})"))) << "a missing member is null";
}

}  // namespace
}  // namespace waybill
