#include "domain/purchases/money.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

TEST(Amounts, AreDigitsWithAtMostOnePoint) {
  for (const char* const good : {"0", "12", "12.5", "0.005", "007.10"}) EXPECT_TRUE(is_amount(good)) << good;
  for (const char* const bad : {"", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", "NaN", "1.2.3", " 1"})
    EXPECT_FALSE(is_amount(bad)) << bad;
  EXPECT_TRUE(is_amount(std::string(30, '1')));
  EXPECT_FALSE(is_amount(std::string(31, '1')));
}

TEST(Prices, AreBelowATrillion) {
  for (const char* const good : {"0", "007.34", "999999999999.999", "000000000000012.5"})
    EXPECT_TRUE(is_price(good)) << good;
  for (const char* const bad : {"1000000000000", "1000000000000.00", "-1", ""})
    EXPECT_FALSE(is_price(bad)) << bad;
}

TEST(Amounts, AreComparedExactly) {
  EXPECT_EQ(compare_amounts("12.5", "12.50"), std::strong_ordering::equal);
  EXPECT_EQ(compare_amounts("007", "7.0"), std::strong_ordering::equal);
  EXPECT_EQ(compare_amounts("0.1", "0.09"), std::strong_ordering::greater);
  EXPECT_EQ(compare_amounts("9.99", "10"), std::strong_ordering::less);
  EXPECT_EQ(compare_amounts("12345678901234567.01", "12345678901234567.02"), std::strong_ordering::less);
  EXPECT_EQ(compare_amounts("x", "1"), std::nullopt);
}

TEST(Amounts, AreComparedAsTheIntegersOfTheirLeastUnit) {
  std::mt19937 random(80);
  for (int round = 0; round < 2'000; ++round) {
    const unsigned a = random() % 100'000, b = random() % 3 == 0 ? a : random() % 100'000;
    const auto text = [](unsigned mills) {
      const std::string fraction = std::to_string(1'000 + mills % 1'000).substr(1);
      return std::to_string(mills / 1'000) + "." + fraction;
    };
    EXPECT_EQ(compare_amounts(text(a), text(b)), a <=> b) << a << " " << b;
  }
}

TEST(PriceRefusals, NeedALimit) {
  EXPECT_EQ(price_refusal({"1000000", "XXX"}, std::nullopt), "");
  EXPECT_EQ(price_refusal({}, std::nullopt), "");
  const Money limit{"10.00", "EUR"};
  EXPECT_EQ(price_refusal({"10", "EUR"}, limit), "");
  EXPECT_EQ(price_refusal({"10.01", "EUR"}, limit), "TOO_EXPENSIVE");
  EXPECT_EQ(price_refusal({"1", "USD"}, limit), "OTHER_CURRENCY");
  EXPECT_EQ(price_refusal({"", "EUR"}, limit), "NO_PRICE");
}

TEST(ChargedPrices, AreDearerThanTheirQuoteAlsoInAnotherCurrency) {
  EXPECT_FALSE(is_dearer({"5.0", "EUR"}, {"5", "EUR"}));
  EXPECT_FALSE(is_dearer({"4.99", "EUR"}, {"5", "EUR"}));
  EXPECT_TRUE(is_dearer({"5.01", "EUR"}, {"5", "EUR"}));
  EXPECT_TRUE(is_dearer({"1", "USD"}, {"5", "EUR"}));
  EXPECT_TRUE(is_dearer({"", ""}, {"5", "EUR"}));
}

TEST(Money, HasTheDecimalsOfItsCurrency) {
  EXPECT_EQ(formatted_amount("19.9", "EUR"), "19.90");
  EXPECT_EQ(formatted_amount("120", "USD"), "120.00");
  EXPECT_EQ(formatted_amount("1990", "JPY"), "1990");
  EXPECT_EQ(formatted_amount("1990.00", "JPY"), "1990");
  EXPECT_EQ(formatted_amount("1.5", "KWD"), "1.500");
  EXPECT_EQ(formatted_amount("0", ""), "0.00");
}

TEST(Money, KeepsDecimalsThatItsCurrencyLacks) {
  EXPECT_EQ(formatted_amount("19.5", "JPY"), "19.5");
  EXPECT_EQ(formatted_amount("0.1234", "EUR"), "0.1234");
  EXPECT_EQ(formatted_amount("about 3", "EUR"), "about 3");
}

}  // namespace
}  // namespace waybill::domain
