// Carriers that are being tried, next to live ones.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class TestModes : public PurchaseTest {
 protected:
  /// Connects another carrier in test mode, whose rate is 5.00 EUR. Returns its guid.
  static std::string try_fedex(Buyer& buyer) {
    const auto account = buyer.gateway.new_account(test_name() + "-tried", true);
    buyer.gateway.set_offers(account, {{.service = "standard", .price = "5.00"}});
    std::string fedex = buyer.tenant.sql.value(
        "select guid from carriers where code = 'fedex' and business_id = catalogue_business()");
    json::object body = account.configure;
    body["carrierId"] = fedex;
    const Response configured = buyer.tenant.http.post("/api/carriers/configure", body);
    EXPECT_EQ(configured.status, 200) << configured.text;
    return fedex;
  }
  static Response rates(Buyer& buyer, const std::string& shipment, const json::object& body = {}) {
    return buyer.tenant.http.post("/api/v1/shipments/" + shipment + "/rates", body);
  }
  static std::vector<std::string> carriers_of(const Response& rates) {
    EXPECT_EQ(rates.status, 200) << rates.text;
    std::vector<std::string> carriers;
    for (const json::value& rate : at(rates.data(), "rates").as_array()) {
      const std::string carrier = text_at(rate, "carrier.guid");
      if (std::ranges::find(carriers, carrier) == carriers.end()) carriers.push_back(carrier);
    }
    return carriers;
  }
};

TEST_F(TestModes, AreLeftOutOfAComparisonWithALiveCarrier) {
  Buyer buyer(*world().waybill, world().easypost, test_name());
  try_fedex(buyer);
  const std::string real = buyer.shipment();
  EXPECT_THAT(carriers_of(rates(buyer, real)), ElementsAre(buyer.carrier));
  const json::value live = buyer.bought(real, {{"choose", "cheapest"}});
  EXPECT_EQ(text_at(live, "carrier.guid"), buyer.carrier);
  EXPECT_EQ(at(live, "testMode"), false);
  const json::value free = buyer.bought(buyer.shipment({{"carrierId", nullptr}}));
  EXPECT_EQ(text_at(free, "carrier.guid"), buyer.carrier) << "of a shipment without a carrier";
}

TEST_F(TestModes, AreComparedIfTheyAreNamedOrAlone) {
  Buyer buyer(*world().waybill, world().easypost, test_name());
  const std::string fedex = try_fedex(buyer);
  const json::array both{buyer.carrier, fedex};
  const std::string parcel = buyer.shipment();
  EXPECT_THAT(carriers_of(rates(buyer, parcel, {{"carrierIds", both}})),
              UnorderedElementsAre(buyer.carrier, fedex));
  const json::value named = buyer.bought(parcel, {{"choose", "cheapest"}, {"carrierIds", both}});
  EXPECT_EQ(text_at(named, "carrier.guid"), fedex);
  EXPECT_EQ(at(named, "testMode"), true);
  const json::value own = buyer.bought(buyer.shipment({{"carrierId", fedex}}));
  EXPECT_EQ(text_at(own, "carrier.guid"), fedex) << "the carrier of the shipment";
  buyer.tenant.sql.rows(
      "update carrier_configurations set is_active = false where carrier_id = $1 and business_id = $2",
      {buyer.carrier, buyer.tenant.id});
  const json::value alone = buyer.bought(buyer.shipment({{"carrierId", nullptr}}), {{"choose", "cheapest"}});
  EXPECT_EQ(text_at(alone, "carrier.guid"), fedex);
}

TEST_F(TestModes, ARateIsNotBoughtInAnotherMode) {
  Buyer buyer(*world().waybill, world().easypost, test_name(), true);
  const std::string parcel = buyer.shipment();
  const std::string rate = text_at(rates(buyer, parcel).data(), "rates.0.rateId");
  const auto set_mode = [&](const std::string& test_mode) {
    buyer.tenant.sql.rows("update carrier_configurations set test_mode = $2 where business_id = $1",
                          {buyer.tenant.id, test_mode});
  };
  set_mode("false");
  const Response refused = buyer.buy(parcel, {{"rateId", rate}});
  EXPECT_EQ(refused.status, 400) << refused.text;
  EXPECT_THAT(text_at(refused.body, "error.details.rateId"), HasSubstr("older than the testMode"));
  set_mode("true");
  EXPECT_EQ(at(buyer.bought(parcel, {{"rateId", rate}}), "testMode"), true);
}

TEST_F(TestModes, ALabelIsVoidedInTheModeInWhichItWasBought) {
  world().easypost.easypost().set_refund_answer("refunded");
  Buyer buyer(*world().waybill, world().easypost, test_name(), true);
  const std::string parcel = buyer.shipment();
  const std::string purchase = text_at(buyer.bought(parcel), "guid");
  const auto live = buyer.gateway.new_account(test_name() + "-live", false);
  const auto configure = [&](const PurchaseGateway::Account& account) {
    json::object body = account.configure;
    body["carrierId"] = buyer.carrier;
    return buyer.tenant.http.post("/api/carriers/configure", body).status;
  };
  ASSERT_EQ(configure(live), 200);
  const std::size_t voids = buyer.gateway.count(PurchaseCall::void_label);
  const Response refused = buyer.void_label(parcel);
  EXPECT_EQ(refused.status, 409) << refused.text;
  EXPECT_EQ(text_at(refused.body, "error.details.testMode"), "must be true");
  EXPECT_EQ(buyer.label_status(parcel), "bought");
  // Earlier versions stored such a void.
  buyer.tenant.sql.rows(
      "update purchases set status = 'voiding', voiding_since = now(), next_at = now(), claim_at = now() "
      "where guid = $1",
      {purchase});
  buyer.tenant.sql.rows("update shipments set label_status = 'voiding' where guid = $1", {parcel});
  EXPECT_EQ(error_of(buyer.with_status(parcel, purchase, "void_unknown")), "MODE");
  EXPECT_EQ(buyer.gateway.count(PurchaseCall::void_label), voids) << "no call goes out";
  ASSERT_EQ(configure(buyer.account), 200) << "the way back is open";
  buyer.make_due(purchase);
  buyer.with_status(parcel, purchase, "voided", std::chrono::seconds(30));
}

}  // namespace
}  // namespace waybill::tests
