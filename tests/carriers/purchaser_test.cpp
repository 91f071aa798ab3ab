// The worker's purchases on a real database with a simulator of EasyPost.
#include "worker/purchases/purchaser.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/secret_box.hpp"
#include "connectors/gateways/connected_carriers.hpp"
#include "storage/carriers/purchases.hpp"
#include "storage/session/session.hpp"
#include "tests/carriers/easypost_simulator.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/simulators/store_simulator.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using Call = EasyPostSimulator::Call;

class Purchases : public testing::Test {
 protected:
  Purchases() {
    sql->rows(
        "insert into businesses (guid, name, street, city, postal_code, country) "
        "values ($1, 'Acme', '1 Quay', 'Bonn', '53111', 'Germany')",
        {business.to_string()});
    carrier =
        sql->value("select guid from carriers where code = 'ups' and business_id = catalogue_business()");
    const Bytes sealed =
        secrets.seal(easypost.user().live_key,
                     connectors::carrier_secret_purpose(business, Guid::parse(carrier).value(), "apiKey"));
    sql->rows(
        "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, "
        "sealed_api_key, connector, api_url, service_codes) values ($1, $2, $3, false, decode($4, 'hex'), "
        "'easypost', $5, '{\"standard\": \"GroundAdvantage\"}')",
        {business.to_string(), carrier, easypost.carrier_account(), hex(sealed), easypost.url()});
  }

  std::unique_ptr<worker::Purchaser> start() {
    auto made = std::make_unique<worker::Purchaser>(
        worker::Purchaser::Options{
            .database_url = database.url(),
            .worker = Guid::random(),
            .gateways = {.policy = {.allow_private = true}, .ca_file = {}, .own = {easypost.url()}}},
        secrets);
    made->start();
    return made;
  }

  /// Requests a purchase of a new shipment. Returns its guid.
  std::string request(std::string wanted = R"({"choose": "cheapest"})") {
    const std::string shipment = sql->value(
        "insert into shipments (business_id, tracking_number, recipient_name, recipient_street, "
        "recipient_city, recipient_postal_code, packages, status) values ($1, $2, 'Ada', '2 Street', "
        "'Koeln', '50667', '[{\"weight\": 2}]', 'created') returning guid",
        {business.to_string(), "WB" + std::to_string(++numbers)});
    storage::Session session(database.url(), "test");
    storage::Work work(session);
    storage::NewPurchase wish;
    wish.business_id = business;
    wish.shipment_id = Guid::parse(shipment).value();
    wish.wanted = std::move(wanted);
    const auto requested = storage::request_purchase(session, wish);
    work.commit();
    return requested.value().purchase.key.guid.to_string();
  }

  std::string status(const std::string& purchase) {
    return sql->value("select status from purchases where guid = $1", {purchase});
  }
  bool becomes(const std::string& purchase, const std::string& wanted, Deadline deadline = 30s) {
    const bool is_so = eventually([&] { return status(purchase) == wanted; }, deadline);
    EXPECT_TRUE(is_so) << status(purchase) << " "
                       << sql->value("select error_code || ' ' || error_text from purchases where guid = $1",
                                     {purchase});
    return is_so;
  }

  const Guid business = Guid::random();
  TestDatabase database;
  EasyPostSimulator easypost;
  SecretBox secrets{SecretBox::Key{}};
  std::optional<Session> sql{std::in_place, database.url()};
  std::string carrier;
  int numbers = 0;
};

TEST_F(Purchases, BuyTheChosenRateWithItsLabelWithinASecond) {
  const auto purchaser = start();
  const std::string first = request();
  ASSERT_TRUE(becomes(first, "bought"));
  // Notified, so that no look has to be waited for.
  const auto began = std::chrono::steady_clock::now();
  const std::string purchase = request(R"({"serviceLevel": "standard"})");
  ASSERT_TRUE(becomes(purchase, "bought"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 900ms);
  EXPECT_TRUE(eventually([&] {
    return sql->number("select count(*) from purchase_labels where purchase_id = $1", {purchase}) == 1;
  }));
  const auto row = sql->rows(
      "select p.connector, p.service_code, p.service_level, p.test_mode, p.carrier_id, r.label_status, "
      "r.carrier_tracking_number = p.tracking_numbers[1], p.price = p.quote "
      "from purchases p join shipments r on r.guid = p.shipment_id where p.guid = $1",
      {purchase});
  const Session::Row expected{"easypost", "GroundAdvantage", "standard", "f", carrier, "bought", "t", "t"};
  EXPECT_EQ(row.at(0), expected);
  EXPECT_TRUE(eventually([&] {
    return sql->number("select count(*) from purchases where guid = $1 and lease_owner is null",
                       {purchase}) == 1;
  })) << "the lease is released";
  EXPECT_EQ(easypost.purchases(purchase).size(), 1U);
}

TEST_F(Purchases, OfManyWorkersOneBuysEach) {
  std::vector<std::unique_ptr<worker::Purchaser>> purchasers;
  for (int i = 0; i < 3; ++i) purchasers.push_back(start());
  std::vector<std::string> purchases;
  for (int i = 0; i < 30; ++i) purchases.push_back(request());
  for (const std::string& purchase : purchases) {
    ASSERT_TRUE(becomes(purchase, "bought"));
    EXPECT_EQ(easypost.purchases(purchase).size(), 1U);
  }
  EXPECT_EQ(easypost.journal().size(), purchases.size());
}

TEST_F(Purchases, AGatewayThatIsBusyIsAskedAgain) {
  easypost.fail(Call::create_shipment, easypost_refusal(503, "SERVICE.UNAVAILABLE"));
  const auto purchaser = start();
  const std::string purchase = request();
  ASSERT_TRUE(becomes(purchase, "bought"));
}

TEST_F(Purchases, OfAShipmentThatIsOverSinceTheRequestAreRefused) {
  for (const std::string status_of_shipment : {"delivered", "returned", "cancelled"}) {
    const std::string purchase = request();
    sql->rows(
        "update shipments set status = $2 where guid = (select shipment_id from purchases where guid = $1)",
        {purchase, status_of_shipment});
    const auto purchaser = start();
    ASSERT_TRUE(becomes(purchase, "refused")) << status_of_shipment;
    EXPECT_EQ(sql->value("select error_code from purchases where guid = $1", {purchase}), "SHIPMENT_OVER");
    EXPECT_TRUE(easypost.purchases(purchase).empty());
  }
}

TEST_F(Purchases, ACallInFlightAtAStopIsUnknownAndFoundByTheNextWorker) {
  const auto gate = std::make_shared<Gate>();
  easypost.hold_next_purchase(gate);
  auto first = start();
  const std::string purchase = request();
  ASSERT_TRUE(easypost.wait_for_calls(Call::buy, 1));
  EXPECT_EQ(status(purchase), "buying") << "written before the call";
  first->stop(std::chrono::steady_clock::now());
  EXPECT_EQ(status(purchase), "unknown");
  EXPECT_EQ(sql->value("select lease_owner from purchases where guid = $1", {purchase}), "");
  gate->open();
  const auto second = start();
  ASSERT_TRUE(becomes(purchase, "bought", 60s));
  EXPECT_EQ(easypost.purchases(purchase).size(), 1U);
}

TEST_F(Purchases, GoOnAfterAnOutageOfTheDatabaseHoweverManyWaitForIt) {
  constexpr int held = 4;
  const auto gate = std::make_shared<Gate>();
  std::vector<std::string> purchases;
  for (int i = 0; i < held; ++i) {
    easypost.hold_next_purchase(gate);
    purchases.push_back(request());
  }
  const auto purchaser = start();
  ASSERT_TRUE(easypost.wait_for_calls(Call::buy, held));
  Session admin = postgres().admin();
  admin.exec("alter database " + database.name() + " allow_connections false");
  database.terminate_connections();
  gate->open();
  for (const std::string& purchase : purchases)
    EXPECT_TRUE(eventually([&] { return easypost.purchases(purchase).size() == 1; }));
  admin.exec("alter database " + database.name() + " allow_connections true");
  sql.emplace(database.url());
  for (const std::string& purchase : purchases) {
    ASSERT_TRUE(becomes(purchase, "bought", 10s)) << "the answer was kept";
    EXPECT_EQ(easypost.purchases(purchase).size(), 1U);
  }
}

TEST_F(Purchases, AVoidIsAskedForAndLookedUp) {
  const auto purchaser = start();
  const std::string purchase = request();
  ASSERT_TRUE(becomes(purchase, "bought"));
  easypost.set_refund_answer("refunded");
  const auto key = sql->rows("select shipment_id from purchases where guid = $1", {purchase}).at(0).at(0);
  storage::Session session(database.url(), "test");
  storage::Work work(session);
  storage::PurchaseChange change;
  change.key = {business, Guid::parse(*key).value(), Guid::parse(purchase).value()};
  change.make = [](storage::StoredPurchase& at, Time now) { return domain::void_requested(at.facts, now); };
  ASSERT_TRUE(storage::change_purchase(session, change));
  work.commit();
  ASSERT_TRUE(becomes(purchase, "voided"));
}

}  // namespace
}  // namespace waybill::tests
