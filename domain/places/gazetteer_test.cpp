#include "domain/places/gazetteer.hpp"

#include <array>

#include <gtest/gtest.h>

#include "domain/places/postal_code.hpp"

namespace waybill::domain {
namespace {

const Gazetteer& places() { return Gazetteer::builtin(); }

/// The name of the city that is found at the position.
std::string found(const PostalAddress& address, std::string_view home = {}) {
  const auto point = places().locate(address, home);
  return point ? places().describe(*point) : "";
}

PostalAddress city(std::string name, std::string country = {}, std::string state = {},
                   std::string postal_code = {}) {
  return {.street = {},
          .city = std::move(name),
          .state = std::move(state),
          .postal_code = std::move(postal_code),
          .country = std::move(country)};
}

TEST(Gazetteer, KnowsWhereCitiesAre) {
  const auto lisbon = places().locate(city("Lisbon", "PT"));
  ASSERT_TRUE(lisbon);
  EXPECT_NEAR(lisbon->latitude, 38.72, 0.05);
  EXPECT_NEAR(lisbon->longitude, -9.14, 0.05);
}

TEST(Gazetteer, CaseAccentsAndPunctuationDoNotMatter) {
  for (const auto* const name : {"Köln", "koln", "KÖLN", "Ko\xCC\x88ln", " köln ", "Cologne", "Koeln"}) {
    EXPECT_EQ(found(city(name, "DE")), "Köln, DE") << name;
  }
  EXPECT_EQ(found(city("sao paulo", "BR")), "São Paulo, BR");
  EXPECT_EQ(found(city("São-Paulo", "BR")), "São Paulo, BR");
  EXPECT_EQ(found(city("l'aquila", "IT")), found(city("L’Aquila", "IT")));
}

TEST(Gazetteer, KnowsLocalNamesOfCities) {
  EXPECT_EQ(found(city("Lisboa", "PT")), "Lisbon, PT");
  EXPECT_EQ(found(city("MÜNCHEN", "DE")), "Munich, DE");
  EXPECT_EQ(found(city("Muenchen", "DE")), "Munich, DE");
  EXPECT_EQ(found(city("Wien")), "Vienna, AT");
  EXPECT_EQ(found(city("New York", "US")), "New York City, US");
}

TEST(Gazetteer, CountriesAreCodesOrNames) {
  for (const auto* const country : {"DE", "de", "DEU", "Germany", "Deutschland", "ALLEMAGNE", "Niemcy"}) {
    EXPECT_EQ(found(city("Berlin", country)), "Berlin, DE") << country;
  }
  EXPECT_EQ(found(city("London", "CA")), "London, CA");
  EXPECT_EQ(found(city("London", "United Kingdom")), "London, GB");
  EXPECT_EQ(found(city("Lisbon", "JP")), "") << "not anywhere else than the address says";
  EXPECT_EQ(found(city("Lisbon", "Atlantis")), "Lisbon, PT") << "an unknown country says nothing";
}

TEST(Gazetteer, TheLargestOfSeveralCitiesIsTaken) {
  EXPECT_EQ(found(city("London")), "London, GB");
  EXPECT_EQ(found(city("Paris")), "Paris, FR");
}

TEST(Gazetteer, StatePostalCodeAndHomeDecideBeforeSize) {
  const auto maine = places().locate(city("Portland", "US", "ME"));
  const auto oregon = places().locate(city("Portland", "US"));
  ASSERT_TRUE(maine && oregon);
  EXPECT_NEAR(maine->longitude, -70.3, 0.2);
  EXPECT_NEAR(oregon->longitude, -122.7, 0.2);
  EXPECT_EQ(places().locate(city("Portland", "US", "maine")), maine);
  EXPECT_EQ(places().locate(city("Portland", "US", "", "04101")), maine);
  EXPECT_EQ(places().locate(city("Portland", "US", "", "97201-1234")), oregon);
  EXPECT_EQ(places().locate(city("Portland", "US", "ME", "97201")), maine) << "the state says more";
  EXPECT_EQ(found(city("London"), "CA"), "London, CA") << "addresses without a country are at home";
  EXPECT_EQ(found(city("London", "GB"), "CA"), "London, GB");
  EXPECT_EQ(found(city("London", "", "", "N6A 3K7")), "London, CA")
      << "only Canada writes postal codes like this";
}

TEST(Gazetteer, UnknownPlacesHaveNoPosition) {
  EXPECT_FALSE(places().locate(city("Nowhere at all", "PT")));
  EXPECT_FALSE(places().locate(city("")));
  EXPECT_FALSE(places().locate(city("!?")));
  EXPECT_FALSE(places().locate(city("東京", "JP"))) << "other scripts are not in the table";
}

TEST(Gazetteer, DescribesAPointByTheNearestCity) {
  EXPECT_EQ(places().describe({38.7167, -9.1333}), "Lisbon, PT");
  EXPECT_EQ(places().describe({0, -30}), "0.00000, -30.00000") << "the open sea";
  EXPECT_EQ(places().describe({90, 0}), "90.00000, 0.00000");
  EXPECT_EQ(places().describe({-16.4332, 179.3645 - 360}), "Labasa, FJ") << "longitudes go round";
}

TEST(Gazetteer, ADamagedTableIsRefused) {
  const std::array<char, 4> damaged{};
  EXPECT_THROW(Gazetteer(std::span<const char>(damaged)), std::runtime_error);
}

TEST(PostalCode, SomeFormsBelongToOneCountry) {
  EXPECT_EQ(country_of_postal_code("1100-148"), "PT");
  EXPECT_EQ(country_of_postal_code("SW1A 1AA"), "GB");
  EXPECT_EQ(country_of_postal_code("1012 AB"), "NL");
  EXPECT_EQ(country_of_postal_code("10115"), std::nullopt);
  EXPECT_EQ(country_of_postal_code(""), std::nullopt);
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
