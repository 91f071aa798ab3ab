// GatewayPurchases of labels through a gateway: files, numbers, prices, limits and refusals.
#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class GatewayPurchases : public EachGatewayTest {};

INSTANTIATE_TEST_SUITE_P(Connectors, GatewayPurchases, testing::Values("easypost", "karrio"),
                         [](const auto& test) { return test.param; });

TEST_P(GatewayPurchases, GiveTheCarriersFileNumberAndExactPrice) {
  buyer().gateway.set_offers(buyer().account, {{.service = "standard", .price = "1234567.89"}});
  for (const std::string format : {"pdf", "zpl", "png"}) {
    const std::string shipment = buyer().shipment();
    const Response request = buyer().buy(shipment, {{"format", format}});
    ASSERT_EQ(request.status, 202) << request.text;
    const std::string guid = text_at(request.data(), "guid");
    const json::value purchase = buyer().with_status(shipment, guid, "bought");
    const auto labels = gateway().labels(guid);
    ASSERT_THAT(labels, SizeIs(1));
    EXPECT_EQ(text_at(purchase, "connector"), GetParam());
    EXPECT_EQ(text_at(purchase, "carrier.guid"), buyer().carrier);
    EXPECT_EQ(text_at(purchase, "serviceCode"), gateway().service_code("standard"));
    EXPECT_EQ(text_at(purchase, "currency"), "EUR");
    EXPECT_TRUE(at(purchase, "boughtAt").is_string());
    EXPECT_TRUE(at(purchase, "voidedAt").is_null());
    EXPECT_TRUE(at(purchase, "error").is_null());

    ASSERT_TRUE(eventually([&] { return buyer().label(shipment).status == 200; }));
    const Response label = buyer().label(shipment, "?format=" + format);
    EXPECT_EQ(label.text, PurchaseGateway::file(labels[0].numbers.at(0), format)) << format;
    const Response list = buyer().tenant.http.get("/api/v1/shipments/" + shipment + "/purchases");
    EXPECT_THAT(list.text, HasSubstr(R"("price":1234567.89)"));
    EXPECT_THAT(list.text, Not(HasSubstr(text_at(buyer().account.configure, "apiKey"))));

    const json::value shown = buyer().shown(shipment);
    EXPECT_EQ(text_at(shown, "labelStatus"), "bought");
    EXPECT_EQ(text_at(shown, "carrierTrackingNumber"), labels[0].numbers[0]);
    EXPECT_EQ(text_at(shown, "packages.0.carrierTrackingNumber"), labels[0].numbers[0]);
    EXPECT_EQ(text_at(shown, "currency"), "EUR");
    EXPECT_THAT(buyer().tenant.http.get("/api/v1/shipments/" + shipment).text,
                HasSubstr(R"("shippingPrice":1234567.89)"));
  }
}

TEST_P(GatewayPurchases, NeverHandOutAnotherLabelAsTheCarriers) {
  const std::string shipment = buyer().shipment();
  EXPECT_EQ(buyer().label(shipment).status, 409) << "nothing is bought";
  buyer().bought(shipment);
  const std::string carriers = buyer().label(shipment).text;
  EXPECT_EQ(buyer().label(shipment, "?format=zpl").status, 409) << "only the format that was bought";
  const Response own = buyer().label(shipment, "?kind=waybill");
  EXPECT_EQ(own.status, 200) << own.text;
  EXPECT_NE(own.text, carriers);
}

TEST_P(GatewayPurchases, OfFiftyCallersAtOnceAreOne) {
  const std::string shipment = buyer().shipment();
  constexpr std::size_t callers = 50;
  std::vector<Response> answers(callers);
  {
    std::vector<std::jthread> threads;
    for (auto& answer : answers) {
      threads.emplace_back(
          [&answer, &shipment, http = buyer().tenant.http.with_token(buyer().tenant.http.token())]() mutable {
            answer = http.post("/api/v1/shipments/" + shipment + "/label", {{"serviceLevel", "standard"}});
          });
    }
  }
  std::set<std::string> guids;
  for (const auto& answer : answers) {
    EXPECT_TRUE(answer.status == 202 || answer.status == 200) << answer.status << answer.text;
    guids.insert(text_at(answer.data(), "guid"));
  }
  ASSERT_THAT(guids, SizeIs(1));
  buyer().with_status(shipment, *guids.begin(), "bought");
  EXPECT_THAT(gateway().labels(*guids.begin()), SizeIs(1));
  EXPECT_THAT(buyer().purchases(shipment), SizeIs(1));
  const Response again = buyer().buy(shipment);
  EXPECT_EQ(again.status, 200) << "it is final";
  EXPECT_EQ(text_at(again.data(), "guid"), *guids.begin());
  EXPECT_THAT(gateway().labels(*guids.begin()), SizeIs(1));
}

TEST_P(GatewayPurchases, ThatAreRefusedLeaveRoomForAnother) {
  const std::string shipment = buyer().shipment();
  std::set<std::string> guids;
  for (const auto refusal : {PurchaseGateway::Refusal::address, PurchaseGateway::Refusal::funds}) {
    gateway().refuse_next(refusal);
    const std::string guid = buyer().request(shipment);
    const json::value refused = buyer().with_status(shipment, guid, "refused");
    EXPECT_FALSE(error_of(refused).empty());
    EXPECT_FALSE(text_at(refused, "error.message").empty());
    EXPECT_EQ(buyer().label_status(shipment), "refused");
    EXPECT_EQ(buyer().label(shipment).status, 409);
    EXPECT_THAT(gateway().labels(guid), IsEmpty());
    guids.insert(guid);
  }
  const std::string third = text_at(buyer().bought(shipment), "guid");
  guids.insert(third);
  EXPECT_THAT(guids, SizeIs(3)) << "each is a purchase of its own";
  EXPECT_THAT(buyer().purchases(shipment), SizeIs(3));
  EXPECT_THAT(gateway().labels(third), SizeIs(1));
  EXPECT_EQ(buyer().label_status(shipment), "bought");
}

TEST_P(GatewayPurchases, AreOfTheRateThatWasShown) {
  const std::string shipment = buyer().shipment();
  const Response rates = buyer().tenant.http.post("/api/v1/shipments/" + shipment + "/rates", json::object());
  ASSERT_EQ(rates.status, 200) << rates.text;
  const json::value express = at(rates.data(), "rates.1");
  ASSERT_EQ(text_at(express, "serviceLevel"), "express") << rates.text;
  EXPECT_EQ(buyer().buy(shipment, {{"rateId", "no rate"}}).status, 400);
  const json::value purchase = buyer().bought(shipment, {{"rateId", at(express, "rateId")}});
  EXPECT_EQ(text_at(purchase, "serviceCode"), gateway().service_code("express"));
  EXPECT_EQ(text_at(buyer().shown(shipment), "serviceLevel"), "express") << "that of the label";
}

TEST_P(GatewayPurchases, ThatCostMoreThanTheirQuoteAreKeptWithTheirPrice) {
  Receiver receiver;
  ASSERT_EQ(buyer()
                .tenant.http.put("/api/business/alerts", {{"webhook", {{"url", receiver.url("/alerts")}}}})
                .status,
            200);
  const std::string shipment = buyer().shipment();
  gateway().charge_next("9.99");
  const json::value purchase = buyer().bought(shipment, {{"maxPrice", 8}});
  EXPECT_EQ(at(purchase, "price"), 9.99);
  EXPECT_EQ(buyer().label_status(shipment), "bought") << "maxPrice is compared with the quote";
  const auto alerts = receiver.wait_for("/alerts", 1);
  ASSERT_THAT(alerts, SizeIs(1)) << "it is alerted, not undone";
  EXPECT_EQ(text_at(alerts[0].json_body(), "data.cause"), "label_dearer");
}

TEST_P(GatewayPurchases, AboveMaxPriceAreNotMade) {
  const std::string shipment = buyer().shipment();
  const std::string dear = buyer().request(shipment, {{"maxPrice", 7.33}});
  EXPECT_EQ(error_of(buyer().with_status(shipment, dear, "refused")), "TOO_EXPENSIVE");
  buyer().gateway.set_offers(buyer().account, {{.service = "standard", .price = "1.00", .currency = "USD"}});
  const std::string foreign = buyer().request(shipment, {{"maxPrice", 100}});
  EXPECT_EQ(error_of(buyer().with_status(shipment, foreign, "refused")), "OTHER_CURRENCY");
  const Response rates = buyer().tenant.http.post("/api/v1/shipments/" + shipment + "/rates", json::object());
  const Response known =
      buyer().buy(shipment, {{"rateId", at(rates.data(), "rates.0.rateId")}, {"maxPrice", 100}});
  EXPECT_EQ(known.status, 409) << known.text;
  EXPECT_THAT(gateway().labels(dear), IsEmpty());
  EXPECT_THAT(gateway().labels(foreign), IsEmpty());
  const std::string exact = text_at(buyer().bought(shipment, {}), "guid");
  EXPECT_THAT(gateway().labels(exact), SizeIs(1)) << "without maxPrice each currency is bought";
}

TEST_P(GatewayPurchases, OfTestCarriersAreTests) {
  Buyer tester(*world().waybill, gateway(), test_name() + "-test", true);
  const std::string shipment = tester.shipment();
  const auto labels = gateway().labels(text_at(tester.bought(shipment), "guid"));
  ASSERT_THAT(labels, SizeIs(1));
  EXPECT_TRUE(labels[0].is_test);
  const auto live = gateway().labels(text_at(buyer().bought(buyer().shipment()), "guid"));
  ASSERT_THAT(live, SizeIs(1));
  EXPECT_FALSE(live[0].is_test);
}

TEST_P(GatewayPurchases, KeepTheirShipmentAsItWasBought) {
  const std::string shipment = buyer().shipment();
  buyer().bought(shipment);
  auto& http = buyer().tenant.http;
  const Response moved = http.put("/api/v1/shipments/" + shipment, {{"recipient", {{"city", "Kiel"}}}});
  EXPECT_EQ(moved.status, 409) << moved.text;
  EXPECT_EQ(http.del("/api/v1/shipments/" + shipment).status, 409);
  EXPECT_EQ(buyer().void_label(shipment).status, 202);
}

TEST_F(PurchaseDetails, ARateLimitOfEasyPostProvesThatNothingWasBought) {
  Buyer buyer(*world().waybill, world().easypost, test_name());
  buyer.gateway.fail(PurchaseCall::buy, easypost_busy("1"));
  const std::string shipment = buyer.shipment(), purchase = buyer.request(shipment);
  EXPECT_EQ(error_of(buyer.with_status(shipment, purchase, "refused")), "RATE_LIMITED");
  EXPECT_TRUE(buyer.gateway.labels(purchase).empty());
  const std::string second = text_at(buyer.bought(shipment), "guid");
  EXPECT_NE(second, purchase);
  EXPECT_EQ(buyer.gateway.labels(second).size(), 1U);
}

TEST_F(PurchaseDetails, APurchaseWhoseDraftCannotBeMadeIsWithdrawn) {
  constexpr std::size_t many = 1000;
  Buyer buyer(*world().waybill, world().easypost, test_name());
  const std::size_t before = buyer.gateway.count(PurchaseCall::draft);
  buyer.gateway.fail(PurchaseCall::draft, failing_with(503), many);
  const std::string shipment = buyer.shipment(), purchase = buyer.request(shipment);
  ASSERT_TRUE(buyer.gateway.wait_for_calls(PurchaseCall::draft, before + 1));
  const Response withdrawn = buyer.void_label(shipment);
  ASSERT_EQ(withdrawn.status, 200) << withdrawn.text;
  EXPECT_EQ(error_of(withdrawn.data()), "WITHDRAWN");
  buyer.gateway.stop_failing();
  const std::string second = text_at(buyer.bought(shipment), "guid");
  EXPECT_NE(second, purchase);
  EXPECT_EQ(buyer.gateway.labels(second).size(), 1U);
  EXPECT_TRUE(buyer.gateway.labels(purchase).empty());
}

TEST_F(PurchaseDetails, SeveralParcelsHaveANumberEach) {
  if (!world().karrio) GTEST_SKIP() << no_karrio;
  Buyer buyer(*world().waybill, *world().karrio, test_name());
  const json::object two{{"packages", {{{"weight", 1.5}}, {{"weight", 0.5}}}}};
  const std::string shipment = buyer.shipment(two);
  const auto labels = buyer.gateway.labels(text_at(buyer.bought(shipment, {{"format", "zpl"}}), "guid"));
  ASSERT_THAT(labels, SizeIs(1));
  ASSERT_THAT(labels[0].numbers, SizeIs(2));
  const json::value shown = buyer.shown(shipment);
  EXPECT_EQ(text_at(shown, "packages.0.carrierTrackingNumber"), labels[0].numbers[0]);
  EXPECT_EQ(text_at(shown, "packages.1.carrierTrackingNumber"), labels[0].numbers[1]);
  for (const auto& number : labels[0].numbers) {
    EXPECT_THAT(buyer.label(shipment).text, HasSubstr(number));
    const Response found = buyer.tenant.http.get("/api/v1/shipments?trackingNumber=" + number);
    EXPECT_EQ(text_at(found.data(), "0.guid"), shipment) << "either number finds it";
  }
  Buyer single(*world().waybill, world().easypost, test_name() + "-single");
  const Response refused = single.buy(single.shipment(two));
  EXPECT_GE(refused.status, 400) << "EasyPost buys one parcel: " << refused.text;
  EXPECT_LT(refused.status, 500) << refused.text;
}

TEST_F(PurchaseDetails, WithoutACurrencyArePaidInThatOfTheirQuote) {
  EasyPostGateway& gateway = world().easypost;
  Buyer buyer(*world().waybill, gateway, test_name());
  for (const json::value& currency : {json::value(), json::value(""), json::value("XX")}) {
    gateway.easypost().sell_next({{"currency", currency}});
    const std::string shipment = buyer.shipment();
    const json::value purchase = buyer.bought(shipment);
    EXPECT_EQ(at(purchase, "price"), 7.34);
    EXPECT_EQ(text_at(purchase, "currency"), "EUR");
    EXPECT_EQ(at(purchase, "isDearer"), false);
    EXPECT_EQ(text_at(buyer.shown(shipment), "currency"), "EUR");
  }
  EXPECT_THAT(buyer.tenant.http.get("/api/v1/purchases").text,
              HasSubstr(R"("sums":[{"currency":"EUR","purchases":3,"paid":22.02,)"));
}

TEST_F(PurchaseDetails, WithoutAPriceAreReportedButNotCalledDearer) {
  Receiver receiver;
  EasyPostGateway& gateway = world().easypost;
  Buyer buyer(*world().waybill, gateway, test_name());
  ASSERT_EQ(
      buyer.tenant.http.put("/api/business/alerts", {{"webhook", {{"url", receiver.url("/alerts")}}}}).status,
      200);
  gateway.easypost().sell_next({{"rate", "12,5"}});
  const json::value purchase = buyer.bought(buyer.shipment());
  EXPECT_TRUE(at(purchase, "price").is_null());
  EXPECT_TRUE(at(purchase, "currency").is_null());
  EXPECT_EQ(at(purchase, "isDearer"), false);
  const auto alerts = receiver.wait_for("/alerts", 1);
  ASSERT_THAT(alerts, SizeIs(1));
  EXPECT_EQ(text_at(alerts[0].json_body(), "data.cause"), "label_dearer");
  EXPECT_TRUE(at(alerts[0].json_body(), "data.purchase.price").is_null());
}

TEST_F(PurchaseDetails, HaveTheServiceLevelThatTheGatewayHasSold) {
  EasyPostGateway& gateway = world().easypost;
  Buyer buyer(*world().waybill, gateway, test_name());
  gateway.easypost().sell_next({{"service", gateway.service_code("express")}});
  const std::string shipment = buyer.shipment();
  const json::value purchase = buyer.bought(shipment, {{"serviceLevel", "standard"}});
  EXPECT_EQ(text_at(purchase, "serviceCode"), gateway.service_code("express"));
  EXPECT_EQ(text_at(purchase, "serviceLevel"), "express");
  EXPECT_EQ(text_at(buyer.shown(shipment), "serviceLevel"), "express");
}

TEST_F(PurchaseDetails, OfAServiceWithSeveralRatesAreOfTheOneThatWasChosen) {
  EasyPostGateway& gateway = world().easypost;
  Buyer buyer(*world().waybill, gateway, test_name());
  gateway.set_offers(buyer.account, {{.service = "standard", .price = "5.25", .days = 5},
                                     {.service = "standard", .price = "7.25", .days = 1}});
  const std::string shipment = buyer.shipment();
  const Response rates = buyer.tenant.http.post("/api/v1/shipments/" + shipment + "/rates", json::object());
  ASSERT_EQ(rates.status, 200) << rates.text;
  ASSERT_EQ(at(rates.data(), "rates.1.transitDays"), 1) << rates.text;
  const json::value purchase = buyer.bought(shipment, {{"rateId", at(rates.data(), "rates.1.rateId")}});
  EXPECT_EQ(at(purchase, "quote"), 7.25);
  EXPECT_EQ(at(purchase, "price"), 7.25);
}

TEST_F(PurchaseDetails, AChoiceComparesAllCarriers) {
  Buyer buyer(*world().waybill, world().easypost, test_name());
  const auto dear = buyer.gateway.new_account(test_name() + "-dear", false);
  buyer.gateway.set_offers(dear, {{.service = "standard", .price = "9.00", .days = 1}});
  json::object second = dear.configure;
  second["carrierId"] = buyer.tenant.sql.value(
      "select guid from carriers where code = 'fedex' and business_id = catalogue_business()");
  ASSERT_EQ(buyer.tenant.http.post("/api/carriers/configure", second).status, 200);
  const std::string cheap = buyer.shipment();
  EXPECT_EQ(text_at(buyer.bought(cheap, {{"choose", "cheapest"}}), "carrier.guid"), buyer.carrier);
  const std::string fast = buyer.shipment();
  const json::value purchase =
      buyer.bought(fast, {{"choose", "fastest"}, {"carrierIds", {second.at("carrierId")}}});
  EXPECT_EQ(at(purchase, "carrier.guid"), second.at("carrierId"));
  EXPECT_EQ(at(buyer.shown(fast), "carrier.guid"), second.at("carrierId")) << "that of the label";
}

TEST_F(PurchaseDetails, OfAChosenCarrierHaveItsUsualFormatUnlessOneIsNamed) {
  Buyer buyer(*world().waybill, world().easypost, test_name());
  ASSERT_EQ(buyer.tenant.http.patch("/api/carriers/" + buyer.carrier, {{"labelFormat", "zpl"}}).status, 200);
  const auto type = [&](const json::object& body) {
    const std::string parcel = buyer.shipment();
    buyer.bought(parcel, body);
    return buyer.label(parcel).header("Content-Type");
  };
  EXPECT_EQ(type({{"choose", "cheapest"}}), "application/zpl");
  EXPECT_EQ(type({{"choose", "cheapest"}, {"format", "png"}}), "image/png");
  EXPECT_EQ(type({}), "application/zpl");
}

TEST_F(PurchaseDetails, AnnounceTheDeliveryUntilTheirLabelIsVoided) {
  EasyPostGateway& gateway = world().easypost;
  Buyer buyer(*world().waybill, gateway, test_name());
  const Time noon = std::chrono::floor<std::chrono::days>(system_clock().now()) + std::chrono::hours(12);
  const std::string announced = format_timestamp(noon + std::chrono::days(9));
  gateway.easypost().set_offers(
      buyer.account.name,
      {{.service = "Ground", .price = "7.34", .currency = "EUR", .days = 9, .delivery_date = announced}});
  const std::string shipment = buyer.shipment();
  const auto estimated = [&] { return text_at(buyer.shown(shipment), "estimatedDelivery"); };
  const std::string computed = estimated();
  const json::value purchase = buyer.bought(shipment);
  EXPECT_EQ(estimated(), announced);
  gateway.easypost().set_refund_answer("refunded");
  EXPECT_EQ(buyer.void_label(shipment).status, 202);
  buyer.with_status(shipment, text_at(purchase, "guid"), "voided");
  EXPECT_EQ(estimated(), computed);

  const std::string promised = buyer.shipment();
  const std::string own = format_timestamp(noon + std::chrono::days(20));
  ASSERT_EQ(
      buyer.tenant.http.patch("/api/v1/shipments", {{"shipmentId", promised}, {"deliveryDate", own}}).status,
      200);
  buyer.bought(promised);
  EXPECT_EQ(text_at(buyer.shown(promised), "estimatedDelivery"), own) << "a request has set it";
}

}  // namespace
}  // namespace waybill::tests
