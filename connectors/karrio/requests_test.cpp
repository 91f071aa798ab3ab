#include "connectors/karrio/requests.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors::karrio {
namespace {

Consignment plain_consignment() {
  Consignment consignment;
  consignment.sender = {.name = "Tea Shop", .street = "Dock 1", .city = "Lund", .country = "SE"};
  consignment.recipient = {.name = "Jana",
                           .company = "ACME",
                           .phone = "+49 1",
                           .email = "jana@example.com",
                           .street = "Hafen 2",
                           .city = "Kiel",
                           .state = "SH",
                           .postal_code = "24103",
                           .country = "DE"};
  consignment.parcels = {{.weight = "2.50"}};
  return consignment;
}

TEST(KarrioRateRequest, NamesOnlyTheAccountsConnectionAndLeavesOutUnknownValues) {
  EXPECT_EQ(to_json(rate_request(plain_consignment(), "ups-main")),
            R"({"shipper":{"person_name":"Tea Shop","address_line1":"Dock 1","city":"Lund",)"
            R"("country_code":"SE"},"recipient":{"person_name":"Jana","company_name":"ACME",)"
            R"("phone_number":"+49 1","email":"jana@example.com","address_line1":"Hafen 2","city":"Kiel",)"
            R"("state_code":"SH","postal_code":"24103","country_code":"DE"},)"
            R"("parcels":[{"weight":2.5,"weight_unit":"KG"}],"carrier_ids":["ups-main"]})");
}

TEST(KarrioRateRequest, HasTheFurtherLinesOfAStreetInTheSecondOne) {
  auto consignment = plain_consignment();
  const auto lines = [&](const char* street) {
    consignment.recipient.street = street;
    const auto body = rate_request(consignment, "a");
    const auto& recipient = body.at("recipient").as_object();
    const auto* const second = recipient.if_contains("address_line2");
    return to_json(recipient.at("address_line1")) + (second == nullptr ? "" : to_json(*second));
  };
  EXPECT_EQ(lines("Rua 1\nApt 4"), R"("Rua 1""Apt 4")");
  EXPECT_EQ(lines("\nRua 1 \r\n\nHof 2\nApt 4\n"), R"("Rua 1""Hof 2, Apt 4")");
  EXPECT_EQ(lines("Rua 1, Apt 4\n "), R"("Rua 1, Apt 4")");
}

TEST(KarrioRateRequest, HasDimensionsOnlyIfAllAreKnown) {
  auto consignment = plain_consignment();
  consignment.parcels = {{.weight = "1", .length = "30", .width = "20", .height = "10.5"},
                         {.weight = "", .length = "30", .width = "20"}};
  EXPECT_EQ(to_json(rate_request(consignment, "a").at("parcels")),
            R"([{"weight":1,"weight_unit":"KG","length":30,"width":20,"height":10.5,"dimension_unit":"CM"},)"
            R"({"weight_unit":"KG"}])");
}

TEST(KarrioRateRequest, HasReferenceAndReturnIfGiven) {
  auto consignment = plain_consignment();
  consignment.reference = "guid";
  consignment.is_return = true;
  const auto body = rate_request(consignment, "a");
  EXPECT_EQ(body.at("reference"), "guid");
  EXPECT_EQ(body.at("is_return"), true);
  EXPECT_FALSE(body.contains("service")) << "Karrio would buy at once";
}

TEST(KarrioRateRequest, HasCustomsData) {
  auto consignment = plain_consignment();
  consignment.customs = CustomsData{.contents = "merchandise",
                                    .incoterm = "DDP",
                                    .items = {{.description = "Green tea",
                                               .weight = "0.1",
                                               .value = "9.95",
                                               .currency = "EUR",
                                               .hs_code = "0902.10",
                                               .origin_country = "JP",
                                               .quantity = 3}}};
  EXPECT_EQ(to_json(rate_request(consignment, "a").at("customs")),
            R"({"commodities":[{"title":"Green tea","description":"Green tea","quantity":3,"weight":0.1,)"
            R"("weight_unit":"KG","value_amount":9.95,"value_currency":"EUR","hs_code":"0902.10",)"
            R"("origin_country":"JP"}],"content_type":"merchandise","incoterm":"DDP",)"
            R"("duty":{"paid_by":"sender","currency":"EUR","declared_value":29.85}})");
}

TEST(KarrioRateRequest, DeclaresNoSumOfSeveralCurrencies) {
  auto consignment = plain_consignment();
  consignment.customs =
      CustomsData{.contents = "gift",
                  .incoterm = {},
                  .items = {{.value = "1", .currency = "EUR"}, {.value = "1", .currency = "USD"}}};
  EXPECT_EQ(to_json(rate_request(consignment, "a").at("customs").at("duty")), R"({"paid_by":"recipient"})");
}

TEST(KarrioRateRequest, LeavesOutTheIncotermThatKarrioLacks) {
  auto consignment = plain_consignment();
  const auto incoterm = [&](const char* term) {
    consignment.customs = CustomsData{.contents = "gift", .incoterm = term, .items = {{.value = "1"}}};
    const auto body = rate_request(consignment, "a");
    const auto* const found = body.at("customs").as_object().if_contains("incoterm");
    return found == nullptr ? std::string() : std::string(found->as_string());
  };
  EXPECT_EQ(incoterm("DAP"), "DAP");
  EXPECT_EQ(incoterm("DPU"), "");
  EXPECT_EQ(incoterm(""), "");
}

TEST(KarrioRateRequest, ShortensDescriptionsByCharacters) {
  auto consignment = plain_consignment();
  std::string umlauts;
  for (int i = 0; i < 120; ++i) umlauts += "ü";
  consignment.customs = CustomsData{.contents = "gift", .incoterm = {}, .items = {{.description = umlauts}}};
  const auto body = rate_request(consignment, "a");
  const auto& commodity = body.at("customs").at("commodities").at(0).as_object();
  EXPECT_EQ(commodity.at("title").as_string().size(), 70);
  EXPECT_EQ(commodity.at("description").as_string().size(), 200);
}

TEST(KarrioRequests, NameRateFormatNumberAndCarrier) {
  EXPECT_EQ(to_json(purchase_request("rat_1", LabelFormat::zpl)),
            R"({"selected_rate_id":"rat_1","label_type":"ZPL"})");
  EXPECT_EQ(label_type(LabelFormat::pdf), "PDF");
  EXPECT_EQ(label_type(LabelFormat::png), "PNG");
  EXPECT_EQ(to_json(tracking_request("1Z", "ups")), R"({"tracking_number":"1Z","carrier_name":"ups"})");
}

}  // namespace
}  // namespace waybill::connectors::karrio
