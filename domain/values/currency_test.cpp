#include "domain/values/currency.hpp"

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

TEST(Currency, KnowsTheCodesOfIso4217AndNothingElse) {
  for (const auto* code : {"EUR", "USD", "JPY", "AED", "ZWG", "XAF"}) EXPECT_TRUE(is_currency(code)) << code;
  for (const auto* code : {"", "eur", "EU", "EURO", "XXX", "XAU", "ABC", "DEM"})
    EXPECT_FALSE(is_currency(code)) << code;
}

}  // namespace
}  // namespace waybill::domain
