#include "domain/places/customs_territories.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/places/countries.hpp"

namespace waybill::domain {
namespace {

bool declared(CustomsPlace from, CustomsPlace to) { return needs_customs_declaration(from, to); }
std::string territory(std::string_view country, std::string_view postal_code = {}) {
  return customs_territory({country, postal_code});
}

TEST(CustomsTerritories, AnotherCountryIsAnotherTerritoryUnlessBothAreMembersOfTheUnion) {
  EXPECT_FALSE(declared({"DE", "10115"}, {"DE", "80331"}));
  EXPECT_FALSE(declared({"DE", "10115"}, {"PT", "4050-262"}));
  EXPECT_TRUE(declared({"DE", "10115"}, {"CH", "8001"}));
  EXPECT_TRUE(declared({"CH", "8001"}, {"DE", "10115"}));
  EXPECT_TRUE(declared({"US", "10001"}, {"CA", "K1A 0B1"}));
  EXPECT_TRUE(declared({"NO", "0150"}, {"SE", "111 20"}));
}

TEST(CustomsTerritories, PostalCodesMayBeginWithLettersOfTheirCountry) {
  EXPECT_EQ(territory("FR", "F-97400"), "RE");
  EXPECT_EQ(territory("RE", "F-97400"), "RE");
  EXPECT_EQ(territory("FI", "AX-22100"), "AX");
  EXPECT_EQ(territory("ES", "E-35001"), "IC");
  EXPECT_EQ(territory("DE", "D 78266"), "CH");
  EXPECT_EQ(territory("GR", "GR-630 86"), "Athos");
}

TEST(CustomsTerritories, TheUnionHasTwentySevenMembers) {
  int members = 0;
  for (const Country& country : all_countries()) members += territory(country.code) == "EU" ? 1 : 0;
  EXPECT_EQ(members, 28) << "Monaco is in the territory of France";
}

TEST(CustomsTerritories, APlaceNeedsNoDeclarationToItself) {
  for (const Country& country : all_countries()) {
    for (const std::string_view code : {"", "35001", "BT1 1AA", "97400", "96910"})
      EXPECT_FALSE(declared({country.code, code}, {country.code, code})) << country.code << code;
  }
}

TEST(CustomsTerritories, CountriesInUnionWithAnotherAreInItsTerritory) {
  EXPECT_EQ(territory("MC", "98000"), "EU");
  EXPECT_EQ(territory("FR", "98000"), "EU");
  EXPECT_EQ(territory("IM", "IM1 1AA"), "GB");
  EXPECT_EQ(territory("LI", "9490"), "CH");
  EXPECT_EQ(territory("PR", "00901"), "US");
  EXPECT_EQ(territory("US", "00901"), "US");
  for (const std::string_view own : {"SM", "VA", "AD", "FO", "GL", "JE", "GG", "GI", "XK"})
    EXPECT_EQ(territory(own), own);
}

TEST(CustomsTerritories, PartsOfMembersOutsideTheUnionsTerritoryAreTheirOwn) {
  const CustomsPlace berlin{"DE", "10115"};
  const std::vector<CustomsPlace> outside{
      {"DE", "27498"},  {"DE", "78266"}, {"ES", "51001"}, {"ES", "52001"},  {"IT", "23041"},
      {"ES", "35001"},  {"ES", "38001"}, {"FI", "22100"}, {"GR", "630 86"}, {"GR", "63087"},
      {"FR", "97110"},  {"FR", "97200"}, {"FR", "97300"}, {"FR", "97400"},  {"FR", "97600"},
      {"IT", "22061"},  {"FR", "98800"}, {"DK", "3900"},  {"IT", "00120"},  {"IT", "47890"},
      {"AX", "22100"},  {"RE", "97400"}, {"GP", ""},      {"NO", "9170"},   {"FI", "FI-22100"},
      {"DE", "D-78266"}};
  for (const CustomsPlace& place : outside) {
    EXPECT_TRUE(declared(berlin, place)) << place.country << " " << place.postal_code;
    EXPECT_TRUE(declared(place, berlin)) << place.country << " " << place.postal_code;
  }
  const std::vector<CustomsPlace> inside{{"DE", "27499"},    {"ES", "28001"},  {"ES", "07001"},
                                         {"FI", "00100"},    {"FR", "75001"},  {"PT", "9000-001"},
                                         {"IT", "23030"},    {"GR", "63081"},  {"DK", "4000"},
                                         {"IE", "D01 F5P2"}, {"NL", "1012 AB"}};
  for (const CustomsPlace& place : inside)
    EXPECT_FALSE(declared(berlin, place)) << place.country << " " << place.postal_code;
}

TEST(CustomsTerritories, MilitaryPostOfficesOfTheUnitedStatesAreATerritoryOfTheirOwn) {
  const CustomsPlace home{"US", "78701"};
  for (const std::string_view code : {"09012", "09898-1234", "34002", "96201", "96303", "96601"}) {
    EXPECT_TRUE(declared(home, {"US", code})) << code;
    EXPECT_TRUE(declared({"US", code}, home)) << code;
    EXPECT_FALSE(declared({"US", code}, {"US", "09012"})) << code;
  }
  for (const std::string_view code : {"00901", "07001", "10001", "33901", "34101", "96101", "96701"})
    EXPECT_FALSE(declared(home, {"US", code})) << code;
  EXPECT_TRUE(declared({"DE", "10115"}, {"US", "09012"}));
}

TEST(CustomsTerritories, APartIsTheSameByItsOwnCodeAndByPostalCode) {
  EXPECT_FALSE(declared({"FR", "97400"}, {"RE", "97400"}));
  EXPECT_FALSE(declared({"FI", "22100"}, {"AX", "22100"}));
  EXPECT_FALSE(declared({"FR", "97133"}, {"BL", "97700"}));
  EXPECT_FALSE(declared({"CH", "8200"}, {"DE", "78266"})) << "Büsingen";
  EXPECT_FALSE(declared({"GB", "gy1 1aa"}, {"GG", "GY1 1AA"}));
  EXPECT_FALSE(declared({"US", "96910"}, {"GU", "96910"}));
}

TEST(CustomsTerritories, NorthernIrelandIsOpenToTheUnionAndTowardsGreatBritain) {
  const CustomsPlace belfast{"GB", "BT1 1AA"}, london{"GB", "N8 8AT"}, dublin{"IE", "D01 F5P2"};
  EXPECT_FALSE(declared(belfast, dublin));
  EXPECT_FALSE(declared(dublin, belfast));
  EXPECT_TRUE(declared(london, belfast));
  EXPECT_FALSE(declared(belfast, london));
  EXPECT_TRUE(declared(london, dublin));
  EXPECT_TRUE(declared(belfast, {"ES", "35001"}));
  EXPECT_TRUE(declared(belfast, {"US", "10001"}));
}

}  // namespace
}  // namespace waybill::domain
