// Purchases on nodes whose clock is wrong, by libfaketime. The database's clock is right.
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/shipments/quoted_rate.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "tests/carriers/purchase_world.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/faked_clock.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::SizeIs;

class PurchaseClock : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (faketime_library().empty()) GTEST_SKIP() << "the package faketime is not installed";
    Waybill::Options options;
    options.arguments = {"--carrier-gateway", gateway.url()};
    options.environment = shifted_clock(GetParam());
    wrong = std::make_unique<Waybill>(database.url(), options);
    buyer.emplace(*wrong, gateway, "clock");
  }

  static void expect_near(const std::string& time, Duration from_now) {
    const auto found = parse_timestamp(time);
    ASSERT_TRUE(found) << time;
    EXPECT_LT(std::chrono::abs(*found - (system_clock().now() + from_now)), Duration(60s)) << time;
  }
  /// The id of a rate of the shipment that ends at another time.
  std::string rate_until(const std::string& shipment, const std::string& shown, Time expires_at) {
    const SecretBox box(SecretBox::read_key(wrong->secret_key_file()));
    const Guid business = Guid::parse(buyer->tenant.id).value();
    const Guid of = Guid::parse(shipment).value();
    api::QuotedRate rate = api::open_rate(box, business, of, shown).value();
    rate.expires_at = expires_at;
    return api::seal_rate(box, business, of, rate);
  }

  TestDatabase database;
  EasyPostGateway gateway;
  std::unique_ptr<Waybill> wrong;
  std::optional<Buyer> buyer;
};

INSTANTIATE_TEST_SUITE_P(Shifts, PurchaseClock, testing::Values("+1h", "-1h"),
                         [](const auto& shift) { return shift.param == "+1h" ? "Ahead" : "Behind"; });

TEST_P(PurchaseClock, ARateIsValidForAnHourOfTheDatabase) {
  const std::string shipment = buyer->shipment();
  const Response rates = buyer->tenant.http.post("/api/v1/shipments/" + shipment + "/rates", json::object());
  ASSERT_EQ(rates.status, 200) << rates.text;
  expect_near(text_at(rates.data(), "rates.0.expiresAt"), 1h);
  const std::string shown = text_at(rates.data(), "rates.0.rateId");
  const Response late =
      buyer->buy(shipment, {{"rateId", rate_until(shipment, shown, system_clock().now() - 1min)}});
  EXPECT_EQ(late.status, 400) << late.text;
  EXPECT_TRUE(late.details().contains("rateId")) << late.text;
  EXPECT_TRUE(buyer->purchases(shipment).empty());
  buyer->bought(shipment, {{"rateId", rate_until(shipment, shown, system_clock().now() + 1min)}});
}

TEST_P(PurchaseClock, AnUnknownPurchaseIsLookedUpAtTheTimesOfTheDatabase) {
  gateway.fail(PurchaseCall::buy, lost_answer());
  const std::string shipment = buyer->shipment();
  const std::string purchase = buyer->request(shipment);
  ASSERT_TRUE(eventually([&] { return gateway.labels(purchase).size() == 1; }));
  const auto began = std::chrono::steady_clock::now();
  ASSERT_TRUE(eventually([&] {
    return database.number(
               "select count(*) from purchases where status = 'unknown' and next_at between "
               "unknown_since and unknown_since + interval '5 seconds' and abs(extract(epoch from "
               "now() - unknown_since)) < 30") == 1;
  }));
  const json::value bought = buyer->with_status(shipment, purchase, "bought", 30s);
  EXPECT_GT(std::chrono::steady_clock::now() - began, 3s) << "after five seconds, not at once";
  expect_near(text_at(bought, "boughtAt"), 0s);
  EXPECT_THAT(gateway.labels(purchase), SizeIs(1));
  EXPECT_EQ(gateway.count(PurchaseCall::buy), 1U);
}

TEST_P(PurchaseClock, ALeaseOfAWrongWorkerHoldsAgainstARightOne) {
  const auto gate = std::make_shared<Gate>();
  gateway.fail(PurchaseCall::buy, slow_answer(gate));
  const std::string shipment = buyer->shipment();
  const std::string purchase = buyer->request(shipment);
  ASSERT_TRUE(gateway.wait_for_calls(PurchaseCall::buy, 1));
  Waybill::Options options;
  options.command = "worker";
  options.arguments = {"--carrier-gateway", gateway.url()};
  options.secret_key_file = wrong->secret_key_file();
  const Waybill right(database.url(), options);
  EXPECT_TRUE(throughout(
      [&] { return database.value("select status from purchases where guid = $1", {purchase}) == "buying"; },
      3s))
      << "it would be unknown";
  gate->open();
  buyer->with_status(shipment, purchase, "bought");
  EXPECT_THAT(gateway.labels(purchase), SizeIs(1));
}

}  // namespace
}  // namespace waybill::tests
