#include "domain/places/postal_areas.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/ascii.hpp"
#include "domain/places/gazetteer.hpp"

namespace waybill::domain {
namespace {

constexpr std::string_view known[] = {"AT", "BE", "CH", "DE", "DK", "ES", "FR", "GB", "IT", "NL", "PL", "SE"};

TEST(PostalAreas, EachTownIsOneOfItsCountry) {
  for (const auto country : known) {
    EXPECT_FALSE(postal_towns(country).empty()) << country;
    for (const PostalTown& town : postal_towns(country)) {
      const auto place = Gazetteer::builtin().describe({town.latitude, town.longitude});
      EXPECT_TRUE(place.ends_with(", " + std::string(country))) << town.area << " is at " << place;
    }
  }
}

TEST(PostalAreas, EachAreaHasThePostalCodesThatBeginWithIt) {
  for (const auto country : known) {
    for (const PostalTown& town : postal_towns(country)) {
      EXPECT_EQ(postal_area(country, town.area), town.area) << country;
      if (town.area.size() == 2 || country == "GB")
        EXPECT_EQ(postal_area(country, std::string(town.area) + "1 1AA"), town.area) << country;
    }
  }
}

TEST(PostalAreas, EachTownIsInItsOwnArea) {
  for (const auto country : known) {
    for (const PostalTown& town : postal_towns(country)) {
      EXPECT_EQ(km_outside(country, town.area, {town.latitude, town.longitude}), 0) << country << town.area;
    }
  }
}

TEST(PostalAreas, AreFoundByTheLongestBeginning) {
  EXPECT_EQ(postal_area("GB", "EC1A 1BB"), "EC");
  EXPECT_EQ(postal_area("GB", "e1 6an"), "E");
  EXPECT_EQ(postal_area("GB", "BX1 1LT"), std::nullopt) << "no area, nor that of Birmingham";
  EXPECT_EQ(postal_area("PL", "00-950"), "0");
  EXPECT_EQ(postal_area("PL", "05-800"), "05");
  EXPECT_EQ(postal_area("SE", "111 22"), "1");
  EXPECT_EQ(postal_area("DE", "05000"), std::nullopt);
  EXPECT_EQ(postal_area("DE", ""), std::nullopt);
  EXPECT_EQ(postal_area("PT", "1100-148"), std::nullopt);
}

TEST(PostalAreas, APointIsAsFarOutsideAsAnotherAreaIsNearer) {
  const Point munich{48.14, 11.58};
  EXPECT_EQ(km_outside("DE", "80", munich), 0);
  EXPECT_EQ(km_outside("DE", "81", munich), 0) << "two areas of one town";
  EXPECT_NEAR(km_outside("DE", "10", munich), 504, 10);
}

}  // namespace
}  // namespace waybill::domain
