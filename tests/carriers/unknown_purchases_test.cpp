// Purchases whose outcome is not known: looked up, never repeated, and decided by a person if nothing is
// found.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using CarrierCall = KarrioCarrier::Call;

constexpr Deadline first_lookup = std::chrono::seconds(30);  // due 5 s after the answer

/// All answers that prove nothing.
std::vector<Fault> lost_answers() {
  return {lost_answer(),
          cut_answer(),
          with_effect(failing_with(500)),
          with_effect(failing_with(502)),
          with_effect(failing_with(503)),
          with_effect(firewall_page(200)),
          with_effect(firewall_page(403)),
          with_effect(too_many_requests("1"))};
}

class UnknownPurchases : public EachGatewayTest {
 protected:
  struct Made {
    std::string shipment, purchase;
  };

  /// Requests a purchase whose buy call has the fault, and waits until the call has come.
  Made buy_with(Fault fault) {
    const std::size_t before = gateway().count(PurchaseCall::buy);
    gateway().fail(PurchaseCall::buy, std::move(fault));
    const std::string shipment = buyer().shipment();
    Made made{shipment, buyer().request(shipment)};
    EXPECT_TRUE(gateway().wait_for_calls(PurchaseCall::buy, before + 1));
    return made;
  }
  /// A purchase that is unknown, and not bought.
  Made unknown_purchase() {
    Made made = buy_with(without_effect(failing_with(503)));
    buyer().with_status(made.shipment, made.purchase, "unknown");
    EXPECT_TRUE(buyer().is_looked_up(made.purchase));
    return made;
  }
};

INSTANTIATE_TEST_SUITE_P(Connectors, UnknownPurchases, testing::Values("easypost", "karrio"),
                         [](const auto& test) { return test.param; });

TEST_P(UnknownPurchases, AreLookedUpIfTheAnswerIsLost) {
  std::vector<Made> all;
  for (const Fault& fault : lost_answers()) all.push_back(buy_with(fault));
  for (const auto& [shipment, purchase] : all) {
    buyer().with_status(shipment, purchase, "bought", first_lookup);
    const auto labels = gateway().labels(purchase);
    ASSERT_THAT(labels, SizeIs(1)) << "it is not repeated";
    ASSERT_TRUE(eventually([&] { return buyer().label(shipment).status == 200; }));
    EXPECT_EQ(buyer().label(shipment).text, PurchaseGateway::file(labels[0].numbers.at(0), "pdf"));
    EXPECT_EQ(text_at(buyer().shown(shipment), "carrierTrackingNumber"), labels[0].numbers[0]);
  }
}

TEST_P(UnknownPurchases, StayUnknownWhileNothingIsFound) {
  const Made made = unknown_purchase();
  const json::value purchase = buyer().with_status(made.shipment, made.purchase, "unknown");
  EXPECT_FALSE(text_at(purchase, "error.message").empty());
  EXPECT_EQ(buyer().label_status(made.shipment), "unknown");
  const Response label = buyer().label(made.shipment);
  EXPECT_EQ(label.status, 409);
  EXPECT_THAT(label.text, testing::HasSubstr("unknown"));
  EXPECT_TRUE(buyer().refuses_second(made.shipment, made.purchase));
  EXPECT_THAT(gateway().labels(made.purchase), IsEmpty()) << "a draft is not bought by itself";
}

TEST_P(UnknownPurchases, AreAlertedWhenTheyAreUnknown) {
  Receiver receiver;
  ASSERT_EQ(buyer()
                .tenant.http.put("/api/business/alerts", {{"webhook", {{"url", receiver.url("/alerts")}}}})
                .status,
            200);
  unknown_purchase();
  const auto alerts = receiver.wait_for("/alerts", 1);
  ASSERT_THAT(alerts, SizeIs(1));
  EXPECT_EQ(text_at(alerts[0].json_body(), "data.cause"), "label_unknown");
}

TEST_P(UnknownPurchases, AreResolvedByAPerson) {
  const Made bought = unknown_purchase();
  ASSERT_EQ(buyer()
                .resolve(bought.shipment, bought.purchase,
                         {{"outcome", "bought"}, {"carrierTrackingNumber", "N-1"}})
                .status,
            200);
  buyer().with_status(bought.shipment, bought.purchase, "bought");
  EXPECT_EQ(text_at(buyer().shown(bought.shipment), "carrierTrackingNumber"), "N-1");
  EXPECT_TRUE(buyer().refuses_second(bought.shipment, bought.purchase));

  const Made not_bought = unknown_purchase();
  ASSERT_EQ(buyer().resolve(not_bought.shipment, not_bought.purchase, {{"outcome", "not_bought"}}).status,
            200);
  buyer().with_status(not_bought.shipment, not_bought.purchase, "refused");
  EXPECT_EQ(buyer().resolve(not_bought.shipment, not_bought.purchase, {{"outcome", "bought"}}).status, 409)
      << "it is decided";
  const std::string second = text_at(buyer().bought(not_bought.shipment), "guid");
  EXPECT_NE(second, not_bought.purchase);
  EXPECT_THAT(gateway().labels(second), SizeIs(1));
  EXPECT_GE(buyer().tenant.sql.number(
                "select count(*) from audit_log where business_id = $1 and changes::text like '%not_bought%'",
                {buyer().tenant.id}),
            1)
      << "the audit log has the decision";
}

TEST_P(UnknownPurchases, ThatTurnUpAfterAllAreRecordedAlertedAndVoided) {
  Receiver receiver;
  const Made first = unknown_purchase();
  ASSERT_EQ(buyer()
                .tenant.http
                .put("/api/business/alerts",
                     {{"webhook", {{"url", receiver.url("/alerts")}}}, {"on", {"label_doubled"}}})
                .status,
            200);
  ASSERT_EQ(buyer().resolve(first.shipment, first.purchase, {{"outcome", "not_bought"}}).status, 200);
  const std::string second = text_at(buyer().bought(first.shipment), "guid");
  gateway().buy_by_hand(buyer().account,
                        text_at(buyer().purchase(first.shipment, first.purchase), "gatewayId"));
  const auto stray = gateway().labels(first.purchase);
  ASSERT_THAT(stray, SizeIs(1));
  buyer().make_due(first.purchase);
  ASSERT_TRUE(eventually([&] { return std::ranges::count(gateway().voided(), stray[0].numbers.at(0)) == 1; },
                         std::chrono::minutes(2)));
  EXPECT_THAT(receiver.wait_for("/alerts", 1), SizeIs(1));
  const auto all = buyer().purchases(first.shipment);
  ASSERT_THAT(all, SizeIs(3)) << "the stray label has a record of its own";
  const auto record = std::ranges::find_if(all, [&](const json::value& purchase) {
    return text_at(purchase, "guid") != first.purchase && text_at(purchase, "guid") != second;
  });
  ASSERT_NE(record, all.end());
  EXPECT_EQ(error_of(*record), "SECOND_LABEL");
  EXPECT_EQ(buyer().label_status(first.shipment), "bought") << "the shipment keeps its label";
  EXPECT_THAT(gateway().labels(second), SizeIs(1));
  EXPECT_EQ(buyer().label(first.shipment).text,
            PurchaseGateway::file(gateway().labels(second)[0].numbers.at(0), "pdf"));
}

// A backup of waybill is restored that is older than the purchase.
TEST_P(UnknownPurchases, AreAdoptedIfWaybillHasForgottenThem) {
  const std::string shipment = buyer().shipment();
  const std::string purchase = text_at(buyer().bought(shipment), "guid");
  buyer().tenant.sql.rows("delete from purchases where shipment_id = $1", {shipment});
  buyer().tenant.sql.rows(
      "update shipments set label_status = null, shipping_price = null, currency = null, "
      "carrier_tracking_number = null where guid = $1",
      {shipment});
  EXPECT_EQ(text_at(buyer().bought(shipment), "guid"), purchase) << "it follows from shipment and attempt";
  const auto labels = gateway().labels(purchase);
  ASSERT_THAT(labels, SizeIs(1));
  EXPECT_EQ(text_at(buyer().shown(shipment), "carrierTrackingNumber"), labels[0].numbers.at(0));
}

/// Purchases of which a restored backup of waybill knows nothing.
class ForgottenPurchases : public UnknownPurchases {
 protected:
  void SetUp() override {
    UnknownPurchases::SetUp();
    // The other state of a refund, `submitted`, is EasyPost's usual one.
    world().easypost.easypost().set_refund_answer("refunded");
  }
  /// Buys a label; returns the guid of its purchase.
  std::string buy(const std::string& shipment) {
    const json::value bought = buyer().bought(shipment);
    gateway_id = text_at(bought, "gatewayId");
    return text_at(bought, "guid");
  }
  std::string voided(const std::string& shipment) {
    std::string purchase = buy(shipment);
    EXPECT_EQ(buyer().void_label(shipment).status, 202);
    buyer().with_status(shipment, purchase, "voided", first_lookup);
    return purchase;
  }
  void forget(const std::string& shipment) {
    buyer().tenant.sql.rows("delete from purchases where shipment_id = $1", {shipment});
    buyer().tenant.sql.rows(
        "update shipments set label_status = null, shipping_price = null, currency = null, "
        "carrier_tracking_number = null where guid = $1",
        {shipment});
  }

  std::string gateway_id;  // of the last label
};

INSTANTIATE_TEST_SUITE_P(Connectors, ForgottenPurchases, testing::Values("easypost", "karrio"),
                         [](const auto& test) { return test.param; });

TEST_P(ForgottenPurchases, AreAdoptedBehindThoseThatWereVoided) {
  const std::string shipment = buyer().shipment();
  const std::string first = voided(shipment), second = voided(shipment), third = buy(shipment);
  const std::size_t labels = gateway().labels().size();
  forget(shipment);
  EXPECT_EQ(buyer().request(shipment), first);
  ASSERT_TRUE(eventually([&] { return buyer().label_status(shipment) == "bought"; }, first_lookup));
  EXPECT_EQ(text_at(buyer().shown(shipment), "purchase.guid"), third);
  for (const auto& purchase : {first, second}) {
    const json::value shown = buyer().with_status(shipment, purchase, "voided");
    EXPECT_EQ(at(shown, "carrierTrackingNumbers.0"), json::value(gateway().labels(purchase)[0].numbers[0]));
    EXPECT_TRUE(at(shown, "price").is_number());
  }
  EXPECT_THAT(buyer().purchases(shipment), SizeIs(3));
  EXPECT_EQ(gateway().labels().size(), labels) << "nothing is bought";
  EXPECT_EQ(text_at(buyer().shown(shipment), "carrierTrackingNumber"), gateway().labels(third)[0].numbers[0]);
  EXPECT_EQ(buyer().label_status(shipment), "bought");
  EXPECT_EQ(
      buyer().tenant.sql.number("select count(*) from alerts where business_id = $1", {buyer().tenant.id}),
      0);
}

TEST_P(ForgottenPurchases, ThatWereAllVoidedAreFollowedByANewOne) {
  const std::string shipment = buyer().shipment();
  const std::string first = voided(shipment);
  forget(shipment);
  const auto voids = [&] {
    return buyer().tenant.sql.number(
        "select count(*) from events where entity_id = $1 and (shipment_after).label_status = 'voided'",
        {shipment});
  };
  const auto before = voids();
  EXPECT_EQ(buyer().request(shipment), first);
  ASSERT_TRUE(eventually([&] { return buyer().label_status(shipment) == "bought"; }, first_lookup));
  const std::string second = text_at(buyer().shown(shipment), "purchase.guid");
  EXPECT_NE(second, first);
  EXPECT_THAT(gateway().labels(first), SizeIs(1));
  EXPECT_THAT(gateway().labels(second), SizeIs(1));
  EXPECT_EQ(voids(), before) << "the label of the shipment is being bought all the time";
}

TEST_P(UnknownPurchases, AreVoidedIfTheirLabelWasTakenBackInTheGateway) {
  world().easypost.easypost().set_refund_answer("refunded");
  const Made made = unknown_purchase();
  const std::string gateway_id = text_at(buyer().purchase(made.shipment, made.purchase), "gatewayId");
  gateway().buy_by_hand(buyer().account, gateway_id);
  gateway().void_by_hand(buyer().account, gateway_id);
  buyer().make_due(made.purchase);
  const json::value voided = buyer().with_status(made.shipment, made.purchase, "voided", first_lookup);
  EXPECT_EQ(at(voided, "carrierTrackingNumbers.0"),
            json::value(gateway().labels(made.purchase).at(0).numbers.at(0)));
  EXPECT_EQ(buyer().label_status(made.shipment), "voided");
}

TEST_F(PurchaseDetails, AnUnknownPurchaseWhoseRefundIsNotDecidedIsVoiding) {
  auto& easypost = world().easypost.easypost();
  easypost.set_refund_answer("submitted");
  Buyer buyer(*world().waybill, world().easypost, test_name());
  world().easypost.fail(PurchaseCall::buy, without_effect(failing_with(503)));
  const std::string shipment = buyer.shipment(), purchase = buyer.request(shipment);
  ASSERT_TRUE(buyer.is_looked_up(purchase));
  const std::string gateway_id = text_at(buyer.purchase(shipment, purchase), "gatewayId");
  buyer.gateway.buy_by_hand(buyer.account, gateway_id);
  buyer.gateway.void_by_hand(buyer.account, gateway_id);
  buyer.make_due(purchase);
  buyer.with_status(shipment, purchase, "voiding", first_lookup);
  EXPECT_TRUE(buyer.refuses_second(shipment, purchase)) << "the refund may be rejected";
  easypost.set_refund_status(gateway_id, "rejected");
  buyer.make_due(purchase);
  const json::value bought = buyer.with_status(shipment, purchase, "void_refused", first_lookup);
  EXPECT_EQ(at(bought, "carrierTrackingNumbers.0"),
            json::value(buyer.gateway.labels(purchase).at(0).numbers.at(0)));
}

TEST_P(UnknownPurchases, ResolvedAsBoughtTakeTheNumberOfTheGatewayAndCanThenBeVoided) {
  world().easypost.easypost().set_refund_answer("refunded");
  const Made made = unknown_purchase();
  const json::object typed{{"outcome", "bought"}, {"carrierTrackingNumber", "1ZTYPO"}};
  ASSERT_EQ(buyer().resolve(made.shipment, made.purchase, typed).status, 200);
  EXPECT_EQ(buyer().void_label(made.shipment).status, 409) << "the gateway has a draft";
  gateway().buy_by_hand(buyer().account,
                        text_at(buyer().purchase(made.shipment, made.purchase), "gatewayId"));
  const std::string number = gateway().labels(made.purchase).at(0).numbers.at(0);
  // The first look-up may still be under way.
  ASSERT_TRUE(eventually(
      [&] {
        buyer().make_due(made.purchase);
        return text_at(buyer().shown(made.shipment), "carrierTrackingNumber") == number;
      },
      first_lookup));
  const json::value purchase = buyer().purchase(made.shipment, made.purchase);
  EXPECT_EQ(error_of(purchase), "OTHER_NUMBER");
  EXPECT_THAT(text_at(purchase, "error.message"), testing::HasSubstr("1ZTYPO"));
  ASSERT_TRUE(eventually([&] { return buyer().label(made.shipment).status == 200; }, first_lookup));
  EXPECT_EQ(buyer().void_label(made.shipment).status, 202);
  buyer().with_status(made.shipment, made.purchase, "voided", first_lookup);
  EXPECT_THAT(gateway().voided(), testing::Contains(number));
}

TEST_P(UnknownPurchases, AreNotBoughtAgainIfOnlyTheDraftIsForgotten) {
  const Made made = unknown_purchase();
  buyer().tenant.sql.rows("delete from purchases where shipment_id = $1", {made.shipment});
  buyer().tenant.sql.rows("update shipments set label_status = null where guid = $1", {made.shipment});
  EXPECT_EQ(buyer().request(made.shipment), made.purchase);
  buyer().with_status(made.shipment, made.purchase, "unknown", first_lookup);
  EXPECT_THAT(gateway().labels(made.purchase), IsEmpty()) << "the draft may have been bought";
}

TEST_P(UnknownPurchases, AreBoughtBeforeTheirFileIsThere) {
  gateway().fail(PurchaseCall::file, firewall_page(403), 2);
  const std::string shipment = buyer().shipment();
  const std::string purchase = buyer().request(shipment);
  buyer().with_status(shipment, purchase, "bought");
  ASSERT_TRUE(eventually([&] { return buyer().label(shipment).status == 200; }, std::chrono::minutes(1)));
  const auto labels = gateway().labels(purchase);
  ASSERT_THAT(labels, SizeIs(1));
  EXPECT_EQ(buyer().label(shipment).text, PurchaseGateway::file(labels[0].numbers.at(0), "pdf"));
}

// The carrier behind Karrio books labels of which Karrio keeps no record if the answer is lost.

TEST_F(PurchaseDetails, ADraftOfKarrioStaysUnknownWhetherTheCarrierHasBookedOrNot) {
  if (!world().karrio) GTEST_SKIP() << no_karrio;
  Buyer buyer(*world().waybill, *world().karrio, test_name());
  auto& carrier = world().karrio->carrier();
  std::vector<Fault> faults = lost_answers();
  for (const Fault& fault : lost_answers()) faults.push_back(without_effect(fault));
  faults.push_back(dropped_call());
  faults.push_back(carrier_refusal(503, "service_unavailable", "Try again."));
  faults.push_back(carrier_refusal(500, "E-17", "Something went wrong."));
  struct Made {
    std::string shipment, purchase;
  };
  std::vector<Made> all;
  for (const Fault& fault : faults) {
    const std::size_t before = carrier.count(CarrierCall::buy);
    carrier.fail(CarrierCall::buy, fault);
    const std::string shipment = buyer.shipment();
    all.push_back({shipment, buyer.request(shipment)});
    ASSERT_TRUE(carrier.wait_for_calls(CarrierCall::buy, before + 1));
  }
  std::size_t booked = 0;
  for (const auto& [shipment, purchase] : all) {
    ASSERT_TRUE(buyer.is_looked_up(purchase));
    buyer.with_status(shipment, purchase, "unknown");
    EXPECT_LE(buyer.gateway.labels(purchase).size(), 1U);
    booked += buyer.gateway.labels(purchase).size();
    EXPECT_TRUE(buyer.refuses_second(shipment, purchase));
  }
  EXPECT_EQ(booked, lost_answers().size());
}

TEST_F(PurchaseDetails, AnotherRequestJoinsASlowPurchase) {
  if (!world().karrio) GTEST_SKIP() << no_karrio;
  Buyer buyer(*world().waybill, *world().karrio, test_name());
  auto& carrier = world().karrio->carrier();
  const auto gate = std::make_shared<Gate>();
  buyer.gateway.hold_next_purchase(gate);
  const std::size_t before = carrier.count(CarrierCall::buy);
  const std::string shipment = buyer.shipment();
  const std::string purchase = buyer.request(shipment);
  ASSERT_TRUE(carrier.wait_for_calls(CarrierCall::buy, before + 1));
  EXPECT_EQ(buyer.label_status(shipment), "buying");
  EXPECT_TRUE(buyer.refuses_second(shipment, purchase));
  gate->open();
  buyer.with_status(shipment, purchase, "bought");
  EXPECT_THAT(buyer.gateway.labels(purchase), SizeIs(1));
}

TEST_F(PurchaseDetails, APurchaseThatKarrioHasForgottenStaysUnknown) {
  if (!world().karrio) GTEST_SKIP() << no_karrio;
  Buyer buyer(*world().waybill, *world().karrio, test_name());
  auto& gateway = *world().karrio;
  const std::string dump = gateway.karrio().dump();
  const auto gate = std::make_shared<Gate>();
  gateway.fail(PurchaseCall::buy, lost_after(gate));
  const std::string shipment = buyer.shipment();
  const std::string purchase = buyer.request(shipment);
  ASSERT_TRUE(eventually([&] { return gateway.labels(purchase).size() == 1; }));
  constexpr std::size_t many = 1000;
  gateway.fail(PurchaseCall::find, failing_with(503), many);  // until the older database is back
  gate->open();
  buyer.with_status(shipment, purchase, "unknown");
  gateway.karrio().restore(dump);
  gateway.stop_failing();
  const std::size_t before = gateway.count(PurchaseCall::find);
  buyer.make_due(purchase);
  ASSERT_TRUE(gateway.wait_for_calls(PurchaseCall::find, before + 1, std::chrono::minutes(1)));
  buyer.with_status(shipment, purchase, "unknown");
  EXPECT_THAT(gateway.labels(purchase), SizeIs(1)) << "it is not bought again";
  EXPECT_TRUE(buyer.refuses_second(shipment, purchase));
}

}  // namespace
}  // namespace waybill::tests
