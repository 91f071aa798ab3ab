#include "api/tracking_page/countries.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

TEST(TrackingCountries, AreNamedByTheirCode) {
  EXPECT_EQ(country_name("DE", Language::fr), "Allemagne");
  EXPECT_EQ(country_name("gb", Language::de), "Vereinigtes Königreich");
  EXPECT_EQ(country_name("AD", Language::en), "Andorra");
  EXPECT_EQ(country_name("ZA", Language::pt), "África do Sul");
}

TEST(TrackingCountries, KeepOtherTexts) {
  for (const std::string_view text : {"", "D", "Germany", "XX", "DEU", "ZZ", "<>", "é"}) {
    EXPECT_EQ(country_name(text, Language::de), text);
  }
}

}  // namespace
}  // namespace waybill::api
