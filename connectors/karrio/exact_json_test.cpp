#include "connectors/karrio/exact_json.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors::karrio {
namespace {

std::string read(std::string_view text) {
  const auto value = exact_json(text);
  return value ? to_json(*value) : "none";
}

TEST(ExactJson, KeepsTheTextOfNumbers) {
  EXPECT_EQ(read(R"([12.50,-0,1e400,0.30000000000000004,18446744073709551616,"a",true,null,{"b":7}])"),
            R"(["12.50","-0","1e400","0.30000000000000004","18446744073709551616","a",true,null,{"b":"7"}])");
  EXPECT_EQ(read("123456789012345678901234567890.125"), "\"123456789012345678901234567890.125\"");
}

TEST(ExactJson, IsRefusedIfMalformedTooDeepOrTooLarge) {
  for (const auto* const text : {"", "{", "[1", "[1] 2", "<html>", R"({"a":})"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
  EXPECT_EQ(read(std::string(40, '[') + std::string(40, ']')), "none");
  std::string many = "[0";
  for (int i = 0; i < 200'000; ++i) many += ",0";
  EXPECT_EQ(read(many + "]"), "none");
}

TEST(ExactJson, MayHaveEqualKeysAndBrokenCharacters) {
  EXPECT_EQ(read(R"({"a":1,"a":2})"), R"({"a":"2"})");
  EXPECT_TRUE(exact_json("\"\xff\""));
  EXPECT_TRUE(exact_json(R"("\u0000")"));
}

TEST(PlainDecimal, HasTheSameValueWithoutExponent) {
  EXPECT_EQ(plain_decimal("12.50"), "12.50");
  EXPECT_EQ(plain_decimal("0"), "0");
  EXPECT_EQ(plain_decimal("-0.00"), "0.00");
  EXPECT_EQ(plain_decimal("-3.1"), "-3.1");
  EXPECT_EQ(plain_decimal("007.5"), "7.5");
  EXPECT_EQ(plain_decimal("1.5E+2"), "150");
  EXPECT_EQ(plain_decimal("1.234e1"), "12.34");
  EXPECT_EQ(plain_decimal("5e-05"), "0.00005");
  EXPECT_EQ(plain_decimal("1e+16"), "10000000000000000");
}

TEST(PlainDecimal, IsEmptyForOtherTexts) {
  for (const auto* const text : {"", "-", ".", "1.", ".5", "1,5", "+1", "1e", "1e400", "1e99999999999", "--1",
                                 "0x1", "1 ", "NaN", "abc", "1234567890123456789012345678901", "1e30"}) {
    EXPECT_EQ(plain_decimal(text), "") << text;
  }
}

}  // namespace
}  // namespace waybill::connectors::karrio
