#include "domain/places/gazetteer.hpp"

#include <array>
#include <set>
#include <utility>

#include <gmock/gmock.h>
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

struct Coded {
  const char* country;
  const char* postal_code;
  const char* name;
  const char* expected;
};

TEST(Gazetteer, PostalCodeDecidesBetweenCitiesOfOneName) {
  for (const auto& [country, postal_code, name, expected] : std::to_array<Coded>({
           {"DE", "15230", "Frankfurt", "Frankfurt (Oder), DE"},
           {"DE", "D-15230", "Frankfurt", "Frankfurt (Oder), DE"},
           {"DE", "60311", "Frankfurt", "Frankfurt am Main, DE"},
           {"DE", "67433", "Neustadt", "Neustadt an der Weinstraße, DE"},
           {"DE", "31535", "Neustadt", "Neustadt am Rübenberge, DE"},
           {"DE", "23730", "Neustadt", "Neustadt in Holstein, DE"},
           {"DE", "96465", "Neustadt", "Neustadt bei Coburg, DE"},
           {"DE", "91413", "Neustadt", "Neustadt an der Aisch, DE"},
           {"DE", "91541", "Rothenburg", "Rothenburg ob der Tauber, DE"},
           {"DE", "02929", "Rothenburg", "Rothenburg, DE"},
           {"DE", "21729", "Freiburg", "Freiburg (Elbe) Flecken, DE"},
           {"DE", "79098", "Freiburg", "Freiburg, DE"},
           {"DE", "06108", "Halle", "Halle (Saale), DE"},
           {"DE", "33790", "Halle", "Halle, DE"},
           {"DE", "18528", "Bergen", "Bergen auf Rügen, DE"},
           {"DE", "29303", "Bergen", "Bergen, DE"},
           {"GB", "DL10 4AA", "Richmond", "Richmond, GB"},
           {"CA", "A1A 1A1", "Saint John's", "St. John's, CA"},
       })) {
    EXPECT_EQ(found(city(name, country, "", postal_code)), expected) << postal_code;
    EXPECT_EQ(found(city(name, "", "", postal_code), country), expected) << postal_code << " at home";
  }
  const auto south_of = [](std::string name, std::string country, std::string code, std::string other) {
    const auto south = places().locate(city(name, country, "", std::move(code)));
    const auto north = places().locate(city(name, country, "", std::move(other)));
    return south && north && haversine_km(*south, *north) > 50 && south->latitude < north->latitude;
  };
  EXPECT_TRUE(south_of("Münster", "DE", "64839", "48143"));
  EXPECT_TRUE(south_of("Buchs", "CH", "9470", "5033"));
  EXPECT_TRUE(south_of("Newport", "GB", "PO30 1AA", "np20 1aa"));
  EXPECT_TRUE(south_of("Newport", "GB", "NP20 1AA", "TF10 7AA"));
  EXPECT_TRUE(south_of("Richmond", "GB", "TW9 1AA", "DL10 4AA"));
}

TEST(Gazetteer, APostalCodeThatFitsNoCityOrIsUnknownLeavesTheLargest) {
  EXPECT_EQ(found(city("Frankfurt", "DE", "", "99999")), "Frankfurt am Main, DE");
  EXPECT_EQ(found(city("Frankfurt", "DE", "", "1523")), "Frankfurt (Oder), DE") << "an area is enough";
  EXPECT_EQ(found(city("Frankfurt", "DE", "", "05123")), "Frankfurt am Main, DE") << "no such area";
  EXPECT_EQ(found(city("Frankfurt", "DE", "Hessen", "15230")), "Frankfurt am Main, DE")
      << "the state says more";
  EXPECT_EQ(found(city("Wien, Österreich", "", "", "1010"), "DE"), "Vienna, AT")
      << "a code is one of the city's country";
  for (const auto* const code : {"10115", "13581", "14193"})
    EXPECT_EQ(found(city("Berlin", "DE", "", code)), "Berlin, DE") << code;
}

TEST(Gazetteer, ADistrictMayFollowItsCity) {
  for (const auto& [country, postal_code, name, expected] : std::to_array<Coded>({
           {"DE", "", "Köln-Ehrenfeld", "Köln, DE"},
           {"DE", "", "Köln Ehrenfeld", "Köln, DE"},
           {"DE", "", "Köln – Ehrenfeld", "Köln, DE"},
           {"DE", "", "50823 Köln-Ehrenfeld", "Köln, DE"},
           {"DE", "", "Köln-Ehrenfeld, Deutschland", "Köln, DE"},
           {"DE", "", "München-Pasing", "Pasing, DE"},
           {"DE", "", "Frankfurt-Höchst", "Frankfurt am Main, DE"},
           {"DE", "", "Frankfurt am Main-Höchst", "Frankfurt am Main, DE"},
           {"DE", "", "Stuttgart-Vaihingen", "Stuttgart, DE"},
           {"DE", "", "Bonn-Bad Godesberg", "Bonn, DE"},
           {"DE", "", "Dresden-Neustadt", "Dresden, DE"},
           {"DE", "", "Düsseldorf-Bilk", "Düsseldorf, DE"},
           {"DE", "", "Essen-Werden", "Essen, DE"},
           {"DE", "15234", "Frankfurt-Booßen", "Frankfurt (Oder), DE"},
           {"DE", "67433", "Neustadt-Nowhere", "Neustadt an der Weinstraße, DE"},
           {"FR", "", "Lyon-Villeurbanne", "Villeurbanne, FR"},
           {"AT", "", "Wien Favoriten", "Favoriten, AT"},
           {"JP", "", "Osaka-Nowhere", "Osaka, JP"},
       })) {
    EXPECT_EQ(found(city(name, country, "", postal_code)), expected) << name << " " << postal_code;
  }
}

TEST(Gazetteer, AWholeNameWithAHyphenIsNoCityWithADistrict) {
  for (const auto& [country, name] : std::to_array<std::pair<const char*, const char*>>({
           {"DE", "Castrop-Rauxel"},
           {"DE", "Garmisch-Partenkirchen"},
           {"DE", "Baden-Baden"},
           {"DE", "Idar-Oberstein"},
           {"FR", "Aix-en-Provence"},
           {"FR", "Boulogne-Billancourt"},
           {"GB", "Stratford-upon-Avon"},
           {"GB", "London Colney"},
           {"US", "Winston-Salem"},
       })) {
    EXPECT_EQ(found(city(name, country)), std::string(name) + ", " + country);
  }
}

TEST(Gazetteer, ACityBeforeAnUnknownNameIsNotTakenIfAnotherMayBeMeant) {
  for (const auto& [country, postal_code, name] : std::to_array<std::array<const char*, 3>>({
           {"DE", "", "Neustadt-Nowhere"},
           {"DE", "01067", "Köln-Ehrenfeld"},
           {"DE", "", "Köln-Neuss"},
           {"DE", "", "Frankfurt an der Xyz"},
           {"FR", "", "Paris-Marseille"},
           {"DE", "", "Paris-Ehrenfeld"},
           {"US", "", "Washington Crossing"},
           {"US", "18977", "Washington-Crossing"},
       })) {
    EXPECT_EQ(found(city(name, country, "", postal_code)), "") << name;
  }
}

TEST(Gazetteer, UnknownPlacesHaveNoPosition) {
  EXPECT_FALSE(places().locate(city("Nowhere at all", "PT")));
  EXPECT_FALSE(places().locate(city("")));
  EXPECT_FALSE(places().locate(city("!?")));
  EXPECT_FALSE(places().locate(city("Xqzzyvilleburgh", "DE")));
  EXPECT_FALSE(places().locate(city("", "DE", "", "10115"))) << "postal codes are not in the table";
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

TEST(Gazetteer, EverydayNamesOfALongerNameAreKnown) {
  for (const auto* const name :
       {"Frankfurt am Main", "Frankfurt", "Frankfurt/Main", "Frankfurt (Main)", "Frankfurt a. M.",
        "Frankfurt a.M.", "Frankfurt a/M", "Frankfurt Main", "FRANKFURT", "Francfort", "Frankfurt/M."}) {
    EXPECT_EQ(found(city(name, "DE")), "Frankfurt am Main, DE") << name;
  }
  for (const auto* const name : {"Frankfurt (Oder)", "Frankfurt/Oder", "Frankfurt an der Oder",
                                 "Frankfurt a.d.O.", "Frankfurt/O.", "Frankfurt Oder"}) {
    EXPECT_EQ(found(city(name, "DE")), "Frankfurt (Oder), DE") << name;
  }
  EXPECT_EQ(found(city("Frankfurt an der Xyz", "DE")), "") << "neither of the two";
  EXPECT_EQ(found(city("Halle", "DE")), found(city("Halle (Saale)", "DE")));
  EXPECT_EQ(found(city("Halle an der Saale", "DE")), found(city("Halle (Saale)", "DE")));
  EXPECT_EQ(found(city("Newcastle", "GB")), found(city("Newcastle upon Tyne", "GB")));
  EXPECT_EQ(found(city("Newcastle on Tyne", "GB")), found(city("Newcastle-upon-Tyne", "GB")));
  EXPECT_EQ(found(city("Stratford on Avon", "GB")), found(city("Stratford-upon-Avon", "GB")));
  EXPECT_EQ(found(city("Rothenburg o. d. T.", "DE")), found(city("Rothenburg ob der Tauber", "DE")));
  EXPECT_EQ(found(city("Freiburg i. Br.", "DE")), found(city("Freiburg im Breisgau", "DE")));
  EXPECT_EQ(found(city("Neustadt a.d. Aisch", "DE")), found(city("Neustadt an der Aisch", "DE")));
  EXPECT_EQ(found(city("Rostov", "RU")), found(city("Ростов-на-Дону", "RU")));
  EXPECT_EQ(found(city("Bozen/Bolzano", "IT")), found(city("Bolzano", "IT")));
  EXPECT_EQ(found(city("Biel/Bienne", "CH")), found(city("Biel", "CH")));
}

struct Pair {
  const char* one;
  const char* other;
  const char* country;
  const char* state = "";
};

TEST(Gazetteer, TheNamesOfACityMeanOnePlace) {
  for (const auto& [one, other, country, state] : std::to_array<Pair>({
           {"Sankt Gallen", "St. Gallen", "CH"},
           {"Sankt Gallen", "St Gallen", "CH"},
           {"St. Louis", "Saint Louis", "US", "MO"},
           {"Saint Charles", "St. Charles", "US", "MO"},
           {"Saint Paul", "St. Paul", "US", "MN"},
           {"Saint Petersburg", "St Petersburg", "US", "FL"},
           {"Fort Worth", "Ft. Worth", "US", "TX"},
           {"Fort Lauderdale", "Ft Lauderdale", "US"},
           {"Mount Pleasant", "Mt. Pleasant", "US"},
           {"Mount Vernon", "MT VERNON", "US", "NY"},
           {"Sault Sainte Marie", "Sault Ste. Marie", "CA"},
           {"Saint-Denis", "St Denis", "FR"},
           {"Saint-Étienne", "ST ETIENNE", "FR"},
           {"Sint-Niklaas", "St.-Niklaas", "BE"},
           {"Sankt Pölten", "St. Poelten", "AT"},
           {"North Charleston", "N. Charleston", "US"},
           {"East Lansing", "E Lansing", "US", "MI"},
           {"West Palm Beach", "W. Palm Bch", "US"},
           {"South Bend", "S. Bend", "US", "IN"},
           {"Point Pleasant", "Pt. Pleasant", "US", "NJ"},
           {"Port Arthur", "Pt. Arthur", "US", "TX"},
           {"Colorado Springs", "Colo Spgs", "US"},
           {"Ciudad Juárez", "Cd. Juárez", "MX"},
           {"São Paulo", "S. Paulo", "BR"},
           {"General Roca", "Gral. Roca", "AR"},
           {"Great Yarmouth", "Gt. Yarmouth", "GB"},
           {"Bad Homburg vor der Höhe", "Bad Homburg v.d.H.", "DE"},
           {"Kyiv", "Kiev", "UA"},
           {"Kyiv", "Київ", "UA"},
           {"Mumbai", "Bombay", "IN"},
           {"Chennai", "Madras", "IN"},
           {"Kolkata", "Calcutta", "IN"},
           {"Bengaluru", "Bangalore", "IN"},
           {"Ho Chi Minh City", "Saigon", "VN"},
           {"Ho Chi Minh City", "Thành phố Hồ Chí Minh", "VN"},
           {"Yangon", "Rangoon", "MM"},
           {"Saint Petersburg", "Leningrad", "RU"},
           {"Saint Petersburg", "Санкт-Петербург", "RU"},
           {"Saint Petersburg", "С.-Петербург", "RU"},
           {"Nizhniy Novgorod", "Н. Новгород", "RU"},
           {"Moscow", "Москва", "RU"},
           {"Moscow", "г. Москва", "RU"},
           {"Moscow", "МОСКВА", "Россия"},
           {"Orël", "Орел", "RU"},
           {"Orël", "Орёл", "RU"},
           {"Istanbul", "İSTANBUL", "TR"},
           {"Diyarbakır", "DIYARBAKIR", "TR"},
           {"Tokyo", "東京", "JP"},
           {"Tokyo", "東京都", "日本"},
           {"Osaka", "大阪市", "JP"},
           {"Osaka", "大阪府大阪市北区1-2-3", "JP"},
           {"Kyoto", "京都市", "JP"},
           {"Kyoto", "京都", "JP"},
           {"Beijing", "北京", "CN"},
           {"Beijing", "北京市朝阳区", "中国"},
           {"Shanghai", "上海市", "CN"},
           {"Guangzhou", "广州", "CN"},
           {"Guangzhou", "廣州", "CN"},
           {"Taipei", "台北市", "TW"},
           {"Seoul", "서울", "KR"},
           {"Seoul", "서울특별시 강남구", "KR"},
           {"Busan", "부산광역시", "대한민국"},
           {"Bangkok", "กรุงเทพมหานคร", "TH"},
           {"Delhi", "दिल्ली", "IN"},
           {"Cairo", "القاهرة", "EG"},
           {"Dubai", "دبي", "AE"},
           {"Tehran", "تهران", "IR"},
           {"Tel Aviv", "תל אביב", "IL"},
           {"Jerusalem", "ירושלים", "IL"},
           {"Athens", "Αθήνα", "GR"},
           {"Athens", "ΑΘΗΝΑ", "Ελλάδα"},
           {"Thessaloniki", "Θεσσαλονίκη", "GR"},
           {"Sofia", "гр. София", "BG"},
           {"Belgrade", "Београд", "RS"},
           {"Tbilisi", "თბილისი", "GE"},
           {"Yerevan", "Երևան", "AM"},
           {"The Hague", "'s-Gravenhage", "NL"},
           {"The Hague", "’s-Gravenhage", "NL"},
           {"The Hague", "Den Haag", "NL"},
           {"'s-Hertogenbosch", "Den Bosch", "NL"},
           {"New York City", "NYC", "US"},
           {"New York City", "New York", "US"},
           {"Copenhagen", "København", "DK"},
           {"Copenhagen", "Kobenhavn", "DK"},
           {"Copenhagen", "København K", "DK"},
           {"Copenhagen", "2400 KØBENHAVN NV", "Danmark"},
           {"Copenhagen", "Copenhagen S", "DK"},
           {"Odense", "5230 Odense M", "DK"},
           {"Aarhus", "Aarhus C", "DK"},
           {"Aalborg", "9200 Aalborg SV", "DK"},
           {"Aarhus", "Århus", "DK"},
           {"Gothenburg", "Göteborg", "SE"},
           {"Prague", "Praha 1", "CZ"},
           {"Budapest", "Budapest VII.", "HU"},
           {"Vienna", "1010 Wien", "AT"},
           {"Paris", "75001 Paris", "FR"},
           {"Paris", "Paris 1er", "FR"},
           {"Paris", "Paris 12e arrondissement", "FR"},
           {"Paris", "PARIS CEDEX 05", "FR"},
           {"Paris", "Paris, France", ""},
           {"Paris", "75001, Paris", "FR"},
           {"Lyon", "Lyon 3", "FR"},
           {"London", "LONDON SW1A 1AA", "GB"},
           {"London", "London, UK", ""},
           {"London", "London UK", "GB"},
           {"London", "City of London", "GB"},
           {"Amsterdam", "1012 AB Amsterdam", "NL"},
           {"Berlin", "D-10115 Berlin", "DE"},
           {"Berlin", "Berlin (Mitte)", "DE"},
           {"Toronto", "Toronto, ON M5V 2T6", "CA"},
           {"Bengaluru", "Bengaluru 560001", "IN"},
           {"Coeur d'Alene", "Coeur d Alene", "US", "ID"},
           {"O'Fallon", "O Fallon", "US", "MO"},
           {"DeKalb", "De Kalb", "US", "IL"},
           {"Sankt Gallen", "StGallen", "CH"},
           {"Sankt Gallen", "Skt. Gallen", "CH"},
           {"Cork", "Co. Cork", "IE"},
           {"Buenos Aires", "CABA", "AR"},
           {"Zürich", "Zuerich", "CH"},
           {"Malmö", "Malmo\xCC\x88", "SE"},
       })) {
    const auto expected = places().locate(city(one, country, state));
    const auto actual = places().locate(city(other, country, state));
    ASSERT_TRUE(expected) << one;
    ASSERT_TRUE(actual) << other;
    // A district of the city may be known too.
    EXPECT_LT(haversine_km(*actual, *expected), 12) << other;
  }
}

TEST(Gazetteer, APlaceInAnotherStateIsNotMeant) {
  const auto missouri = places().locate(city("Saint Charles", "US", "MO"));
  ASSERT_TRUE(missouri);
  EXPECT_NEAR(missouri->latitude, 38.78, 0.1);
  for (const auto* const state :
       {"Missouri", "missouri", "US-MO", "Missouri (MO)", "MO 63301", "Missouri, USA"}) {
    EXPECT_EQ(places().locate(city("St Charles", "US", state)), missouri) << state;
  }
  EXPECT_EQ(places().locate(city("Saint Charles MO", "US")), missouri);
  EXPECT_EQ(places().locate(city("Saint Charles, Missouri", "US")), missouri);
  EXPECT_EQ(found(city("Munich", "DE", "Sachsen")), "");
  EXPECT_EQ(found(city("Honolulu", "US", "ME")), "");
  for (const auto* const state : {"Bayern", "BY", "Bavaria", "DE-BY", "bayern"}) {
    EXPECT_EQ(found(city("Munich", "DE", state)), "Munich, DE") << state;
  }
  EXPECT_EQ(found(city("Munich", "DE", "somewhere nice")), "Munich, DE") << "an unknown state says nothing";
  EXPECT_EQ(found(city("Milano", "IT", "MI")), found(city("Milan", "IT", "Lombardia")));
  EXPECT_EQ(found(city("Barcelona", "ES", "B")), found(city("Barcelona", "ES", "Catalunya")));
  EXPECT_EQ(found(city("大阪市", "JP", "大阪府")), found(city("Osaka", "JP", "JP27")));
  EXPECT_EQ(found(city("Moscow", "RU", "Moscow Oblast")), found(city("Moscow", "RU")))
      << "the state that surrounds a city";
  EXPECT_EQ(found(city("Київ", "UA", "Київська область")), found(city("Kyiv", "UA")));
}

TEST(Gazetteer, DistrictLettersAreLeftOutInDenmarkAlone) {
  EXPECT_TRUE(places().locate(city("Esbjerg V", "", "", ""), "DK")) << "an address at home";
  EXPECT_FALSE(places().locate(city("Nowhere at all C", "DK")));
  EXPECT_FALSE(places().locate(city("C", "DK")));
  EXPECT_FALSE(places().locate(city("Saint Louis NV", "US"))) << "a state in which it is not";
}

TEST(Gazetteer, TerritoriesAreFoundUnderTheirCountry) {
  EXPECT_EQ(found(city("San Juan", "US", "PR")), "San Juan, PR");
  EXPECT_EQ(found(city("San Juan", "US", "Puerto Rico")), "San Juan, PR");
  EXPECT_EQ(found(city("San Juan", "US", "", "00901")), "San Juan, PR");
  EXPECT_EQ(found(city("St Denis", "FR", "", "97400")), "Saint-Denis, RE");
  EXPECT_EQ(found(city("Saint-Denis", "RE")), "Saint-Denis, RE");
  EXPECT_EQ(found(city("Papeete", "FR")), "Papeete, PF");
  EXPECT_EQ(found(city("Hong Kong", "CN")), "Hong Kong, HK");
  EXPECT_EQ(found(city("St. Helier", "GB", "", "JE2 3QA")), found(city("Saint Helier", "JE")));
  EXPECT_EQ(found(city("Nuuk", "DK")), "Nuuk, GL");
}

TEST(Gazetteer, ACityStateIsOnePlace) {
  EXPECT_EQ(found(city("Some new quarter", "SG")), "Singapore, SG");
  EXPECT_EQ(found(city("", "Monaco")), "Monaco, MC");
}

TEST(Gazetteer, AnAddressWithoutACountryIsAtHome) {
  EXPECT_EQ(found(city("Wien"), "DE"), "") << "not abroad";
  EXPECT_EQ(found(city("Wien, Österreich"), "DE"), "Vienna, AT") << "unless it says so";
  EXPECT_EQ(found(city("Wien"), "Austria"), "Vienna, AT");
}

TEST(Gazetteer, CountriesAreNamedInTheirLanguages) {
  for (const auto* const country :
       {"Россия", "RU", "rus", "Russia", "Russian Federation", "俄罗斯", "ロシア"}) {
    EXPECT_EQ(places().country_code_of(country), "RU") << country;
  }
  for (const auto* const country : {"GB", "UK", "England", "Vereinigtes Königreich", "英国"}) {
    EXPECT_EQ(places().country_code_of(country), "GB") << country;
  }
  EXPECT_EQ(places().country_code_of("Česká republika"), "CZ");
  EXPECT_EQ(found(city("Berlin", "Germany (DE)")), "Berlin, DE");
  EXPECT_EQ(found(city("London", "United Kingdom (UK)")), "London, GB");
}

TEST(Gazetteer, LongTextsAreNoNames) {
  std::string parts, words;
  for (int i = 0; i < 100; ++i) parts += "s,";
  for (int i = 0; i < 100; ++i) words += "s ";
  EXPECT_EQ(found(city(parts, "DE")), "");
  EXPECT_EQ(found(city(words, "DE")), "");
  EXPECT_EQ(found(city("Berlin" + std::string(395, ' '), "DE")), "");
  EXPECT_EQ(found(city("Berlin" + std::string(394, ' '), "DE")), "Berlin, DE");
}

TEST(Gazetteer, FoldsOtherScripts) {
  EXPECT_EQ(places().fold("МОСКВА"), places().fold("москва"));
  EXPECT_EQ(places().fold("Αθήνα"), places().fold("ΑΘΗΝΑ"));
  EXPECT_EQ(places().fold("서울"), places().fold("\u1109\u1165\u110B\u116E\u11AF")) << "decomposed";
  EXPECT_EQ(places().fold("（東京）１"), "東京 1");
  EXPECT_EQ(places().fold("a\u200Bb\u00ADc"), "abc") << "invisible characters";
  EXPECT_EQ(places().fold("a\u00A0\u2003b – c"), "a b c");
}

TEST(Gazetteer, PostalCodesDecideAlsoWithLettersOfTheirCountry) {
  const auto same = [](const PostalAddress& plain, const PostalAddress& written, std::string_view home = {}) {
    const auto point = places().locate(plain, home);
    EXPECT_TRUE(point) << plain.city;
    EXPECT_EQ(places().locate(written, home), point) << written.postal_code;
  };
  same(city("Saint-Denis", "FR", "", "97400"), city("Saint-Denis", "FR", "", "F-97400"));
  same(city("Saint-Denis", "RE"), city("Saint-Denis", "FR", "", "F-97400"));
  same(city("Saint-Denis", "RE"), city("Saint-Denis", "", "", "F-97400"), "DE");
  same(city("Saint-Denis", "RE"), city("Saint-Denis", "RE", "", "RE-97400"));
  same(city("Baden", "AT"), city("Baden", "", "", "A-2500"), "DE");
  same(city("Portland", "US", "ME"), city("Portland", "US", "", "US-04101"));
  same(city("Berlin", "DE"), city("D-10115 Berlin", "DE"));
  same(city("Malmö", "SE"), city("Malmö", "", "", "SE-211 22"), "DE");
}

TEST(PostalCode, StatesOfPostalCodesAreKnownToTheGazetteer) {
  for (const auto& [country, city_name, state] : std::to_array<std::array<const char*, 3>>(
           {{"CA", "Toronto", "ON"}, {"AU", "Sydney", "NSW"}, {"US", "Honolulu", "HI"}})) {
    const std::string expected = std::string(city_name) + ", " + country;
    std::set<std::string_view> states;
    for (char first = '0'; first <= 'Z'; ++first) {
      for (int rest = 0; rest < 100; ++rest) {
        const auto code = first + std::to_string(1000 + rest).substr(2) + "10";
        const auto of_code = states_of_postal_code(country, code);
        states.insert(of_code.begin(), of_code.end());
      }
    }
    EXPECT_GE(states.size(), 8U) << country;
    EXPECT_TRUE(states.contains(state)) << country;
    for (const auto each : states)
      EXPECT_EQ(found(city(city_name, country, std::string(each))) == expected, each == state) << each;
  }
  using testing::ElementsAre;
  EXPECT_THAT(states_of_postal_code("AU", "2600"), ElementsAre("NSW", "ACT"));
  EXPECT_THAT(states_of_postal_code("CA", "x0a 0h0"), ElementsAre("NT", "NU"));
  EXPECT_THAT(states_of_postal_code("DE", "10115"), ElementsAre());
}

}  // namespace
}  // namespace waybill::domain
