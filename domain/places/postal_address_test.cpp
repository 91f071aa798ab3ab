#include "domain/places/postal_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/places/countries.hpp"

namespace waybill::domain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PostalAddress address(std::string street, std::string city, std::string state, std::string postal_code,
                      std::string country) {
  return {.street = std::move(street),
          .city = std::move(city),
          .state = std::move(state),
          .postal_code = std::move(postal_code),
          .country = std::move(country)};
}

std::vector<std::string> domestic(const PostalAddress& of) { return address_lines(of, of.country); }

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "|") + line;
  return text;
}

TEST(PostalAddress, LinesHaveTheOrderOfTheCountry) {
  struct Case {
    PostalAddress address;
    std::string lines;
  };
  const std::vector<Case> cases = {
      {address("12 Park Road", "London", "", "N8 8AT", "GB"), "12 Park Road|London N8 8AT"},
      {address("1 High Street", "Guildford", "Surrey", "GU1 3AA", "GB"),
       "1 High Street|Guildford, Surrey GU1 3AA"},
      {address("Mönckebergstraße 7", "Hamburg", "", "20095", "DE"), "Mönckebergstraße 7|20095 Hamburg"},
      {address("12 Elm St", "Springfield", "IL", "62704", "US"), "12 Elm St|Springfield, IL 62704"},
      {address("12 Broadway", "New York", "New York", "10001", "US"), "12 Broadway|New York, New York 10001"},
      {address("1 Main St", "Ottawa", "ON", "K1A 0B1", "CA"), "1 Main St|Ottawa ON K1A 0B1"},
      {address("1 George St", "Sydney", "NSW", "2000", "AU"), "1 George St|Sydney NSW 2000"},
      {address("1 Lambton Quay", "Wellington", "", "6011", "NZ"), "1 Lambton Quay|Wellington 6011"},
      {address("3 rue de Rome", "Paris", "", "75008", "FR"), "3 rue de Rome|75008 Paris"},
      {address("Damrak 1", "Amsterdam", "", "1012 AB", "NL"), "Damrak 1|1012 AB Amsterdam"},
      {address("Via Nazionale 1", "Roma", "RM", "00184", "IT"), "Via Nazionale 1|00184 Roma RM"},
      {address("Calle Mayor 1", "Madrid", "Madrid", "28013", "ES"), "Calle Mayor 1|28013 Madrid"},
      {address("Calle Real 2", "Getafe", "Madrid", "28901", "ES"), "Calle Real 2|28901 Getafe|Madrid"},
      {address("Rua Augusta 1", "Lisboa", "", "1100-148", "PT"), "Rua Augusta 1|1100-148 Lisboa"},
      {address("2 Dame St", "Dublin 2", "", "D02 X285", "IE"), "2 Dame St|Dublin 2|D02 X285"},
      {address("Av. Paulista 1", "São Paulo", "SP", "01310-100", "BR"),
       "Av. Paulista 1|01310-100 São Paulo - SP"},
      {address("1-2-3 Kasumigaseki", "Chiyoda-ku", "Tokyo", "100-0013", "JP"),
       "1-2-3 Kasumigaseki|Chiyoda-ku, Tokyo 100-0013"},
      {address("Av. Juárez 1", "Puebla", "Pue.", "72000", "MX"), "Av. Juárez 1|72000 Puebla, Pue."},
      {address("ul. Świętokrzyska 12", "Warszawa", "", "00-001", "PL"),
       "ul. Świętokrzyska 12|00-001 Warszawa"},
      {address("Drottninggatan 1", "Stockholm", "", "111 51", "SE"), "Drottninggatan 1|111 51 Stockholm"},
      {address("Andrássy út 1", "Budapest", "", "1061", "HU"), "Budapest|Andrássy út 1|1061"},
      {address("12 MG Road", "Pune", "Maharashtra", "411001", "IN"), "12 MG Road|Pune 411001|Maharashtra"},
      {address("1 Orchard Road", "Singapore", "", "238801", "SG"), "1 Orchard Road|Singapore 238801"},
      {address("vul. Khreshchatyk 1", "Kyiv", "", "01001", "UA"), "vul. Khreshchatyk 1|Kyiv|01001"},
      {address("Atatürk Cd. 1", "Fatih", "İstanbul", "34122", "TR"), "Atatürk Cd. 1|34122 Fatih/İstanbul"},
      {address("1 Sheikh Zayed Road", "Dubai", "Dubai", "", "AE"), "1 Sheikh Zayed Road|Dubai"},
  };
  for (const auto& [of, lines] : cases) EXPECT_EQ(joined(domestic(of)), lines) << of.country;
}

TEST(PostalAddress, AForeignAddressEndsWithTheCountry) {
  const auto hamburg = address("", "Hamburg", "", "20095", "DE");
  EXPECT_THAT(address_lines(hamburg, "PT"), ElementsAre("20095 Hamburg", "GERMANY"));
  EXPECT_THAT(address_lines(hamburg, "Deutschland"), ElementsAre("20095 Hamburg"));
  EXPECT_THAT(address_lines(hamburg, "deu"), ElementsAre("20095 Hamburg"));
  EXPECT_THAT(address_lines(hamburg, "Atlantis"), ElementsAre("20095 Hamburg", "GERMANY"));
  EXPECT_THAT(address_lines(hamburg, ""), ElementsAre("20095 Hamburg", "GERMANY"))
      << "the sender's country is unknown";
}

TEST(PostalAddress, CountriesAreCodesOrNames) {
  for (const std::string country : {"GB", "gb", "GBR", "UK", "U.K.", "United Kingdom", "Great Britain"}) {
    const auto of = address("", "London", "", "N8 8AT", country);
    EXPECT_EQ(joined(domestic(of)), "London N8 8AT") << country;
    EXPECT_EQ(joined(address_lines(of, "FR")), "London N8 8AT|UNITED KINGDOM") << country;
  }
  EXPECT_EQ(joined(address_lines(address("", "Boston", "MA", "02108", "U.S.A."), "FR")),
            "Boston, MA 02108|UNITED STATES OF AMERICA");
  EXPECT_EQ(joined(address_lines(address("", "Central", "", "", "Hong Kong"), "FR")), "Central|HONG KONG");
}

TEST(PostalAddress, AnUnknownCountryGetsTheCommonOrderAndKeepsItsName) {
  const auto of = address("Square 1", "Poseidonis", "West", "123", "Atlantis");
  EXPECT_EQ(joined(address_lines(of, "PT")), "Square 1|123 Poseidonis, West|ATLANTIS");
  EXPECT_EQ(joined(address_lines(of, " atlantis ")), "Square 1|123 Poseidonis, West");
  EXPECT_EQ(joined(address_lines(address("", "Ä", "", "", "Nördlich"), "PT")), "Ä|Nördlich");
}

TEST(PostalAddress, WithoutACountryThePostalCodeOrTheOtherAddressDecides) {
  EXPECT_EQ(joined(address_lines(address("", "London", "", "N8 8AT", ""), "DE")), "London N8 8AT");
  EXPECT_EQ(joined(address_lines(address("", "Springfield", "IL", "62704", ""), "US")),
            "Springfield, IL 62704");
  EXPECT_EQ(joined(address_lines(address("", "Hamburg", "", "20095", ""), "")), "20095 Hamburg");
}

TEST(PostalAddress, AbsentPartsLeaveNoSeparator) {
  for (const auto& country : all_countries()) {
    const std::string code(country.code);
    EXPECT_THAT(domestic(address("", "", "", "", code)), IsEmpty()) << code;
    EXPECT_THAT(domestic(address("Street 1", "", "", "", code)), ElementsAre("Street 1")) << code;
    EXPECT_THAT(domestic(address("", "Town", "", "", code)), ElementsAre("Town")) << code;
    EXPECT_THAT(domestic(address("", "", "Province", "", code)), ElementsAre("Province")) << code;
    EXPECT_THAT(domestic(address(" ", "\n", "", " 123 ", code)), ElementsAre("123")) << code;
  }
}

TEST(PostalAddress, NoPartIsLostInAnyCountry) {
  for (const auto& country : all_countries()) {
    const auto of = address("Street 1\r\nFloor 2\n", "Town", "Province", "123", std::string(country.code));
    const auto lines = address_lines(of, country.code == "DE" ? "FR" : "DE");
    const auto text = joined(lines);
    for (const auto* const part : {"Street 1", "Floor 2", "Town", "Province", "123"}) {
      EXPECT_THAT(text, HasSubstr(part)) << country.code;
    }
    EXPECT_EQ(lines.back(), country.name);
    EXPECT_EQ(domestic(of).size(), lines.size() - 1) << country.code;
    EXPECT_THAT(joined(domestic(address("", "Town", "TOWN", "", std::string(country.code)))),
                HasSubstr("Town"))
        << country.code;
  }
}

TEST(Countries, EachIsFoundByCodeAndName) {
  for (const auto& country : all_countries()) {
    EXPECT_EQ(country_of(country.code), &country) << country.code;
    EXPECT_EQ(country_of(country.name), &country) << country.name;
  }
  EXPECT_EQ(all_countries().size(), 250U) << "the 249 of ISO 3166-1 and Kosovo";
  EXPECT_EQ(country_of(""), nullptr);
  EXPECT_EQ(country_of("."), nullptr);
  EXPECT_EQ(country_of("ZZ"), nullptr);
}

}  // namespace
}  // namespace waybill::domain
