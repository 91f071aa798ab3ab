#include "connectors/gateways/consignment.hpp"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::storage {

/// A row of texts by column; other columns are null.
template <>
struct RowOf<std::map<std::string, std::string>> {
  const std::map<std::string, std::string>& texts;

  bool is_null(int column) const { return !texts.contains(name(column)); }
  std::string_view get(int column) const { return texts.at(name(column)); }
  static std::string name(int column) {
    return std::string(sql::shipments::Consignment::statement.columns[static_cast<std::size_t>(column)].name);
  }
  static bool is_binary() { return false; }
};

}  // namespace waybill::storage

namespace waybill::connectors {
namespace {

using testing::ElementsAre;
std::vector<std::string> wrong_fields(std::string_view packages, std::string_view weight_unit = "kg") {
  FieldErrors errors;
  parcels_of(packages, weight_unit, "cm", errors);
  std::vector<std::string> fields;
  for (const auto& error : errors) fields.push_back(error.field);
  return fields;
}

TEST(Parcels, HasKilogramsAndCentimetres) {
  FieldErrors errors;
  const auto in = [&](std::string_view weight_unit, std::string_view size_unit) {
    const auto parcel = parcels_of(R"([{"weight": 2, "length": 3, "width": 0.5, "height": 1}])", weight_unit,
                                   size_unit, errors)
                            .at(0);
    return std::vector{parcel.weight, parcel.length, parcel.width, parcel.height};
  };
  EXPECT_THAT(in("kg", "cm"), ElementsAre("2", "3", "0.5", "1"));
  EXPECT_THAT(in("lb", "in"), ElementsAre("0.907", "7.62", "1.27", "2.54"));
  EXPECT_THAT(in("oz", "m"), ElementsAre("0.057", "300", "50", "100"));
  EXPECT_THAT(in("g", "cm"), ElementsAre("0.002", "3", "0.5", "1"));
  EXPECT_TRUE(errors.empty());
}

TEST(Parcels, NeedsAWeightThatACarrierCanRead) {
  EXPECT_THAT(wrong_fields(R"([{"weight": 0.4}, {"weight": 0}, {}, 7, {"weight": "1"}])", "g"),
              ElementsAre("packages[0].weight", "packages[1].weight", "packages[2].weight",
                          "packages[3].weight", "packages[4].weight"));
  EXPECT_THAT(wrong_fields("[]"), ElementsAre("packages"));
}

TEST(Parcels, HasAllSizesOrNone) {
  FieldErrors errors;
  EXPECT_EQ(parcels_of(R"([{"weight": 1, "length": 3, "width": 2}])", "kg", "cm", errors).at(0).length, "");
  EXPECT_TRUE(errors.empty());
}

using Texts = std::map<std::string, std::string>;

/// A shipment of a business in Lisbon.
struct Read {
  explicit Read(const Texts& more) {
    Texts texts{{"status", "created"},          {"packages", R"([{"weight": 2}])"},
                {"weight_unit", "kg"},          {"size_unit", "cm"},
                {"sender_street", "Rua 1"},     {"sender_city", "Lisbon"},
                {"recipient_street", "Road 2"}, {"recipient_city", "Town"},
                {"home", "Portugal"},           {"is_return", "f"},
                {"home_currency", "EUR"}};
    for (const auto& [column, text] : more) texts[column] = text;
    const storage::RowOf<Texts> row{texts};
    consignment = consignment_of(storage::sql::shipments::Consignment::Row(row), errors);
  }
  std::vector<std::string> fields() const {
    std::vector<std::string> names;
    for (const auto& error : errors) names.push_back(error.field);
    return names;
  }

  FieldErrors errors;
  Consignment consignment;
};

const std::string gift =
    R"({"contents": "gift", "items": [{"description": "Mug", "quantity": 1, "value": 7, "weight": 0.3}]})";

TEST(Consignments, APartyWithoutCountryIsInThatOfTheBusiness) {
  const Read read({});
  EXPECT_THAT(read.fields(), ElementsAre());
  EXPECT_EQ(read.consignment.sender.country, "PT");
  EXPECT_EQ(read.consignment.recipient.country, "PT");
  EXPECT_FALSE(read.consignment.customs);
}

TEST(Consignments, CountriesAreCodesOrRefused) {
  EXPECT_EQ(Read({{"recipient_country", "Deutschland"}}).consignment.recipient.country, "DE");
  EXPECT_EQ(Read({{"recipient_country", "ESP"}}).consignment.recipient.country, "ES");
  EXPECT_EQ(Read({{"recipient_country", "U.S.A."}, {"customs", gift}}).consignment.recipient.country, "US");
  EXPECT_THAT(Read({{"recipient_country", "Atlantis"}}).fields(), ElementsAre("recipient.country"));
}

TEST(Consignments, PostalCodesHaveNoLettersOfTheirCountry) {
  const auto code = [](const std::string& country, const std::string& written) {
    return Read({{"recipient_country", country}, {"recipient_postal_code", written}, {"customs", gift}})
        .consignment.recipient.postal_code;
  };
  EXPECT_EQ(code("Deutschland", "D-10115"), "10115");
  EXPECT_EQ(code("FR", "F-97400"), "97400");
  EXPECT_EQ(code("SE", "SE-111 22"), "111 22");
  EXPECT_EQ(code("LV", "LV-1010"), "LV-1010") << "there they are part of the code";
  EXPECT_THAT(Read({{"recipient_country", "FR"}, {"recipient_postal_code", "F-97400"}}).fields(),
              ElementsAre("customs"));
}

TEST(Consignments, AcrossACustomsBorderHaveDataForCustoms) {
  EXPECT_THAT(Read({{"recipient_country", "CH"}}).fields(), ElementsAre("customs"));
  EXPECT_THAT(Read({{"recipient_country", "ES"}, {"recipient_postal_code", "35001"}}).fields(),
              ElementsAre("customs"));
  const Read declared({{"recipient_country", "CH"}, {"customs", gift}});
  EXPECT_THAT(declared.fields(), ElementsAre());
  EXPECT_EQ(declared.consignment.customs.value().items.at(0).currency, "EUR");
}

TEST(Consignments, WithinATerritoryHaveTheDataForCustomsThatAreGivenAndComplete) {
  const Read given({{"recipient_country", "ES"}, {"customs", gift}});
  EXPECT_THAT(given.fields(), ElementsAre());
  EXPECT_EQ(given.consignment.customs.value().items.at(0).description, "Mug");
  for (const std::string text : {R"({"contents": "gift"})", R"({"items": [{"description": "Mug"}]})"}) {
    const Read incomplete({{"recipient_country", "ES"}, {"customs", text}});
    EXPECT_THAT(incomplete.fields(), ElementsAre()) << "nobody needs them";
    EXPECT_FALSE(incomplete.consignment.customs);
  }
}

TEST(Consignments, OfAReturnTravelFromTheRecipient) {
  const Texts belfast{{"recipient_country", "GB"},
                      {"recipient_postal_code", "BT1 1AA"},
                      {"sender_country", "GB"},
                      {"sender_postal_code", "N8 8AT"}};
  EXPECT_THAT(Read(belfast).fields(), ElementsAre("customs"));
  Texts back = belfast;
  back["is_return"] = "t";
  EXPECT_THAT(Read(back).fields(), ElementsAre());
  EXPECT_TRUE(Read(back).consignment.is_return);
}

}  // namespace
}  // namespace waybill::connectors
