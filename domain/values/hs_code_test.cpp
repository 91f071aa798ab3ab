#include "domain/values/hs_code.hpp"

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

TEST(HsCodes, LoseDotsAndBlanks) {
  EXPECT_EQ(hs_code("9405.21"), "940521");
  EXPECT_EQ(hs_code(" 9405 21 00.90 "), "9405210090");
  EXPECT_EQ(hs_code("010121"), "010121");
}

TEST(HsCodes, HaveSixToTenDigits) {
  for (const char* const text : {"", "12345", "12345678901", "9405a1", "9405-21", "...", "-940521"})
    EXPECT_FALSE(hs_code(text)) << text;
}

}  // namespace
}  // namespace waybill::domain
