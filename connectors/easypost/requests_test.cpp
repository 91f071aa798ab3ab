#include "connectors/easypost/requests.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace waybill::connectors::easypost {
namespace {

Consignment consignment() {
  Consignment made;
  made.reference = "3f1d";
  made.sender = {.name = "Ann Lee",
                 .company = "Tea & Co",
                 .phone = "5550100",
                 .email = "ann@tea.example",
                 .street = "1 Main St\nFloor 2",
                 .city = "Boston",
                 .state = "MA",
                 .postal_code = "02110",
                 .country = "US"};
  made.recipient = {.name = "Bo \"B\"",
                    .company = {},
                    .phone = {},
                    .email = {},
                    .street = "2 High St",
                    .city = "Leeds",
                    .state = {},
                    .postal_code = "LS1 1AA",
                    .country = "GB"};
  made.parcels = {{.weight = "0.45359237", .length = "25.4", .width = "20", .height = "5.08"}};
  return made;
}

json::object shipment_in(const std::string& body) {
  return std::get<json::value>(parse_json(body)).as_object().at("shipment").as_object();
}

TEST(EasyPostUnits, KilogramsAreOuncesWithADecimalPoint) {
  EXPECT_EQ(ounces("0.45359237", 1, 1, Rounding::nearest), "16.0");
  EXPECT_EQ(ounces("2.5", 1, 1, Rounding::nearest), "88.2");
  EXPECT_EQ(ounces("2", 1, 3, Rounding::nearest), "70.548");
  EXPECT_EQ(ounces("0.001", 1, 1, Rounding::nearest), "0.1");
}

TEST(EasyPostUnits, AnExactPoundIsNotRoundedUp) {
  EXPECT_EQ(ounces("0.45359237", 1, 1, Rounding::up), "16.0");
  EXPECT_EQ(ounces("0.454", 1, 1, Rounding::up), "16.1");
  EXPECT_EQ(ounces("0.45359237", 3, 3, Rounding::down), "48.0");
}

TEST(EasyPostUnits, OddWeightsAreNone) {
  for (const auto* const odd : {"", "0", "-1", "1e3", "1.", ".5", "nan", "inf", "1,5", " 1"}) {
    EXPECT_FALSE(ounces(odd, 1, 1, Rounding::nearest)) << odd;
  }
  EXPECT_FALSE(ounces("1", 0, 1, Rounding::nearest));
  EXPECT_FALSE(ounces("99999999999999999999", 1, 1, Rounding::nearest));
}

TEST(EasyPostUnits, CentimetresAreInches) {
  EXPECT_EQ(inches("25.4"), "10.0");
  EXPECT_EQ(inches("20"), "7.9");
  EXPECT_FALSE(inches("wide"));
}

TEST(EasyPostUnits, ProductsOfAmountsAreExact) {
  EXPECT_EQ(times("23.25", 2), "46.50");
  EXPECT_EQ(times("0.10", 3), "0.30");
  EXPECT_EQ(times("99.99", 1'000'000'000), "99990000000.00");
  EXPECT_EQ(times("007", 1), "7");
  EXPECT_EQ(times("12345678901234567.89", 9), "111111110111111111.01");
  EXPECT_FALSE(times("1.", 2));
  EXPECT_FALSE(times("1", -1));
}

TEST(EasyPostRequests, ADraftNamesReferenceAccountAndUnits) {
  const std::string body = shipment_body(consignment(), "ca_1");
  EXPECT_NE(body.find("\"weight\":16.0"), std::string::npos) << body;
  const auto shipment = shipment_in(body);
  EXPECT_EQ(shipment.at("reference"), "3f1d");
  EXPECT_EQ(shipment.at("carrier_accounts"), json::parse(R"([{"id":"ca_1"}])"));
  EXPECT_EQ(shipment.at("parcel"), json::parse(R"({"length":10.0,"width":7.9,"height":2.0,"weight":16.0})"));
  EXPECT_EQ(shipment.at("from_address").as_object().at("street2"), "Floor 2");
  EXPECT_EQ(shipment.at("to_address").as_object().at("name"), "Bo \"B\"");
  EXPECT_FALSE(shipment.at("to_address").as_object().contains("phone"));
  EXPECT_FALSE(shipment.contains("is_return"));
  EXPECT_FALSE(shipment.contains("customs_info"));
}

TEST(EasyPostRequests, ARateCallHasNoReference) {
  auto made = consignment();
  made.reference.clear();
  EXPECT_FALSE(shipment_in(shipment_body(made, "ca_1")).contains("reference"));
}

TEST(EasyPostRequests, DimensionsAreSentOnlyTogether) {
  auto made = consignment();
  made.parcels[0].height.clear();
  EXPECT_EQ(shipment_in(shipment_body(made, "ca_1")).at("parcel"), json::parse(R"({"weight":16.0})"));
}

TEST(EasyPostRequests, AReturnKeepsItsAddresses) {
  auto made = consignment();
  made.is_return = true;
  const auto shipment = shipment_in(shipment_body(made, "ca_1"));
  EXPECT_EQ(shipment.at("is_return"), true);
  EXPECT_EQ(shipment.at("from_address").as_object().at("name"), "Ann Lee");
}

TEST(EasyPostRequests, CustomsItemsCarryTotalsOfTheLine) {
  auto made = consignment();
  made.customs = CustomsData{.contents = "merchandise",
                             .incoterm = "DAP",
                             .items = {{.description = "Tea",
                                        .weight = "0.1",
                                        .value = "23.25",
                                        .currency = "USD",
                                        .hs_code = "0902.10",
                                        .origin_country = "LK",
                                        .quantity = 2}}};
  const auto shipment = shipment_in(shipment_body(made, "ca_1"));
  const auto& customs = shipment.at("customs_info").as_object();
  EXPECT_EQ(customs.at("customs_items"),
            json::parse(R"([{"description":"Tea","quantity":2,"weight":7.054,"value":46.50,"currency":"USD",
                            "hs_tariff_number":"0902.10","origin_country":"LK"}])"));
  EXPECT_EQ(customs.at("eel_pfc"), "NOEEI 30.37(a)");
  EXPECT_EQ(customs.at("customs_signer"), "Ann Lee");
  EXPECT_EQ(shipment.at("options").as_object().at("incoterm"), "DAP");
}

TEST(EasyPostRequests, AnExportFromTheUnitedStatesNamesItsExemption) {
  const auto exemption = [](std::string to, std::string value, std::string currency = "USD",
                            bool is_return = false) {
    auto made = consignment();
    made.sender.country = "US";
    made.recipient.country = std::move(to);
    made.is_return = is_return;
    if (is_return) std::swap(made.sender, made.recipient);
    made.customs = CustomsData{.contents = "merchandise",
                               .incoterm = {},
                               .items = {{.description = "Tea",
                                          .weight = "1",
                                          .value = std::move(value),
                                          .currency = std::move(currency),
                                          .quantity = 2}}};
    const auto customs = shipment_in(shipment_body(made, "ca_1")).at("customs_info").as_object();
    const auto* const named = customs.if_contains("eel_pfc");
    return named == nullptr ? std::string("none") : std::string(named->as_string());
  };
  for (const std::string value : {"1", "1300", "99999"}) {
    EXPECT_EQ(exemption("CA", value), "NOEEI 30.36");
    EXPECT_EQ(exemption("CA", value, "EUR"), "NOEEI 30.36");
    EXPECT_EQ(exemption("CA", value, "USD", true), "NOEEI 30.36") << "a return from the United States";
  }
  EXPECT_EQ(exemption("DE", "1249.99"), "NOEEI 30.37(a)");
  EXPECT_EQ(exemption("DE", "1250"), "none");
  EXPECT_EQ(exemption("DE", "1", "EUR"), "none");
}

TEST(EasyPostRequests, ContentsAreThoseOfEasyPost) {
  auto made = consignment();
  made.sender.country = "DE";
  made.customs = CustomsData{
      .contents = "return_merchandise",
      .incoterm = {},
      .items = {{.description = "Tea", .weight = "1", .value = "1", .currency = "USD", .quantity = 1}}};
  auto customs = shipment_in(shipment_body(made, "ca_1")).at("customs_info").as_object();
  EXPECT_EQ(customs.at("contents_type"), "returned_goods");
  EXPECT_FALSE(customs.contains("eel_pfc"));
  made.customs->contents = "other";
  customs = shipment_in(shipment_body(made, "ca_1")).at("customs_info").as_object();
  EXPECT_EQ(customs.at("contents_explanation"), "Tea");
}

TEST(EasyPostRequests, SeveralParcelsAreRefusedByName) {
  auto made = consignment();
  made.parcels.push_back(made.parcels[0]);
  try {
    shipment_body(made, "ca_1");
    FAIL();
  } catch (const GatewayError& error) {
    EXPECT_EQ(error.problem(), GatewayError::Problem::refused);
    EXPECT_EQ(error.message().code, "several_parcels");
  }
}

TEST(EasyPostRequests, AParcelWithoutWeightIsRefused) {
  auto made = consignment();
  made.parcels[0].weight = "0";
  EXPECT_THROW(shipment_body(made, "ca_1"), GatewayError);
}

}  // namespace
}  // namespace waybill::connectors::easypost
