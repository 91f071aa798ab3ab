#include "connectors/karrio/addresses.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::connectors::karrio {
namespace {

/// The wrong parts, each followed by a blank.
std::string wrong(const Party& party) {
  std::string names;
  for (const auto& error : wrong_parts(party)) names += error.field + " ";
  return names;
}
std::string phone(std::string text) { return wrong({.phone = std::move(text), .country = "DE"}); }
std::string postal_code(std::string country, std::string code) {
  return wrong({.postal_code = std::move(code), .country = std::move(country)});
}

TEST(KarrioAddresses, HaveStreetsWhoseTwoLinesFit) {
  const auto street = [](const std::string& text) { return wrong({.street = text}); };
  std::string longest;
  for (int i = 0; i < 100; ++i) longest += "ß";
  EXPECT_EQ(street(longest + "\n" + longest), "");
  EXPECT_EQ(street("a" + longest), "street ");
  EXPECT_EQ(street("a\nb" + longest), "street ");
  EXPECT_EQ(street("a\n" + longest + "\nb"), "street ") << "the third line is part of the second";
}

TEST(KarrioAddresses, TakePhoneNumbersThatCanBeRead) {
  for (const auto* const good :
       {"", "+49 228 123456", "0228/123456", "(0)228 12-34", "+1 (212) 555-0100", "110", "12", "12 ",
        "+351210000000", "1-800-FLOWERS", "tel: +44 20 7946 0958", "030 1234 ext. 5", "+49 30 x5",
        "+383 38 123456", "00351 21000000", "\xd9\xa1\xd9\xa2\xd9\xa3\xd9\xa4", "+80012345678",
        "+4912345678901234567"})
    EXPECT_EQ(phone(good), "") << good;
}

TEST(KarrioAddresses, RefusePhoneNumbersThatKarrioCannotRead) {
  for (const auto* const bad : {"none", "1", "-", "+", "+1", "1 2", "+49", "+49 1", "+999 1234567",
                                "+0 30 1234", "+210 1234567", "+491234567890123456789012345"})
    EXPECT_EQ(phone(bad), "phone ") << bad;
  EXPECT_EQ(phone(std::string(27, '1')), "");
  EXPECT_EQ(phone(std::string(28, '1')), "phone ");
}

TEST(KarrioAddresses, HavePostalCodesOfTheFormsOfTheUnitedStatesAndCanada) {
  for (const auto* const good : {"", "12345", " 12345 ", "12345-6789", "123 45"})
    EXPECT_EQ(postal_code("US", good), "") << good;
  for (const auto* const bad : {"1234", "123456", "12345-", "12345-67890", "ABCDE"})
    EXPECT_EQ(postal_code("US", bad), "postalCode ") << bad;
  for (const auto* const good : {"", "K1A 0B1", "k1a0b1", "K1A-0B1", "K1A 0B1 X"})
    EXPECT_EQ(postal_code("CA", good), "") << good;
  for (const auto* const bad : {"K1A", "11A 0B1", "K1A 0B"})
    EXPECT_EQ(postal_code("CA", bad), "postalCode ") << bad;
  EXPECT_EQ(postal_code("DE", "x"), "");
}

}  // namespace
}  // namespace waybill::connectors::karrio
