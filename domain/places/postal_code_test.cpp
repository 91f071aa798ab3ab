#include "domain/places/postal_code.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "domain/places/countries.hpp"

namespace waybill::domain {
namespace {

TEST(PostalCode, SomeFormsBelongToOneCountry) {
  EXPECT_EQ(country_of_postal_code("1100-148"), "PT");
  EXPECT_EQ(country_of_postal_code("SW1A 1AA"), "GB");
  EXPECT_EQ(country_of_postal_code("1012 AB"), "NL");
  for (const auto* const british : {"SW1A1AA", "sw1a  1aa", "SW1A\u00a01AA", "M1 1AE", "M11AE", "M601NW",
                                    "CR26XH", "DN551PT", "W1A1HQ", " EC1A1BB "})
    EXPECT_EQ(country_of_postal_code(british), "GB") << british;
  for (const auto* const canadian : {"K1A 0B1", "k1a0b1", "K1A  0B1"})
    EXPECT_EQ(country_of_postal_code(canadian), "CA") << canadian;
  EXPECT_EQ(country_of_postal_code("1012ab"), "NL");
  EXPECT_EQ(country_of_postal_code("111 51"), std::nullopt) << "Swedish, Czech and others";
  EXPECT_EQ(country_of_postal_code("10115"), std::nullopt);
  EXPECT_EQ(country_of_postal_code(""), std::nullopt);
}

TEST(PostalCode, MayBeginWithItsCountry) {
  for (const auto& [code, country] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"F-97400", "FR"},
                                                                  {"D-10115", "DE"},
                                                                  {"A-1010", "AT"},
                                                                  {"CH-8001", "CH"},
                                                                  {"L-1234", "LU"},
                                                                  {"SE-111 22", "SE"},
                                                                  {"S-111 22", "SE"},
                                                                  {"NL-1012 AB", "NL"},
                                                                  {"d – 10115", "DE"},
                                                                  {"LV-1010", "LV"},
                                                                  {"B-1000", "BE"},
                                                                  {"PL-00-950", "PL"},
                                                                  {"P-1100-148", "PT"},
                                                                  {"RE-97400", "RE"},
                                                                  {"FL-9490", "LI"},
                                                                  {"US-10001", "US"}})
    EXPECT_EQ(country_of_postal_code(code), country) << code;
  for (const auto* const other :
       {"B1640", "C1425", "X-10115", "D-1011", "A-10115", "ABCD-10115", "-10115", "D-"})
    EXPECT_EQ(country_of_postal_code(other), std::nullopt) << other;
}

TEST(PostalCode, InsideTheCountryLacksItsLetters) {
  const auto inside = [](std::string_view country, std::string_view code) {
    return domestic_postal_code(code, country);
  };
  EXPECT_EQ(inside("FR", "F-97400"), "97400");
  EXPECT_EQ(inside("RE", "F-97400"), "97400");
  EXPECT_EQ(inside("FR", "RE-97400"), "97400");
  EXPECT_EQ(inside("FR", "F97400"), "97400");
  EXPECT_EQ(inside("DE", "D 10115"), "10115");
  EXPECT_EQ(inside("DE", "d–10115"), "10115");
  EXPECT_EQ(inside("SE", " SE-111 22 "), "111 22");
  EXPECT_EQ(inside("AT", "A-1010"), "1010");
  EXPECT_EQ(inside("NL", "NL-1012 AB"), "1012 AB");
  EXPECT_EQ(inside("FI", "AX-22100"), "22100");
  for (const auto& [country, code] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"LV", "LV-1010"},
                                                                  {"LT", "LT-01103"},
                                                                  {"MD", "MD-2012"},
                                                                  {"AR", "B1640"},
                                                                  {"AR", "B-1640"},
                                                                  {"GB", "SW1A 1AA"},
                                                                  {"CA", "K1A 0B1"},
                                                                  {"DE", "A-1010"},
                                                                  {"", "D-10115"},
                                                                  {"AD", "AD500"},
                                                                  {"DE", "10115"},
                                                                  {"NL", "1012 AB"},
                                                                  {"DE", ""},
                                                                  {"IE", "D02 AF30"},
                                                                  {"MT", "VLT 1117"}})
    EXPECT_EQ(inside(country, code), code) << country;
}

TEST(PostalCode, IsReadInTheDigitsAndHyphensOfJapan) {
  for (const auto* const code :
       {"〒100-0001", "１００−０００１", "〒 １００－０００１", "100ー0001", "100‐0001"}) {
    EXPECT_EQ(country_of_postal_code(code), "JP") << code;
    EXPECT_EQ(domestic_postal_code(code, "JP"), "100-0001") << code;
  }
  EXPECT_EQ(domestic_postal_code("９７４００", "FR"), "97400");
  EXPECT_EQ(domestic_postal_code("1100–148", "PT"), "1100-148");
}

TEST(PostalCode, OfAnyCountryLosesNothingElse) {
  for (const Country& country : all_countries()) {
    for (const auto* const code : {"10115", "111 22", "1100-148", "AB1 2CD", "1012 AB", "C1425ABC"})
      EXPECT_EQ(domestic_postal_code(code, country.code), code) << country.code;
  }
}

TEST(PostalCode, ZipCodesIdentifyTheState) {
  EXPECT_EQ(state_of_zip_code("10001"), "NY");
  EXPECT_EQ(state_of_zip_code("94105-1234"), "CA");
  EXPECT_EQ(state_of_zip_code("00000"), std::nullopt);
  EXPECT_EQ(state_of_zip_code("9410"), std::nullopt);
  EXPECT_EQ(state_of_zip_code("1100-148"), std::nullopt);
}

}  // namespace
}  // namespace waybill::domain
