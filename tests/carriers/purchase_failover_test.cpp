// Purchases and pulls of scans whose primary fails while a gateway is asked. The standby follows
// asynchronously, so that it can lack the last commits.
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"
#include "tests/carriers/tracking_turn.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/standby.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::SizeIs;

/// An API and a worker on a primary and its standby, and a business that buys through EasyPost.
class PurchaseFailOver : public testing::Test {
 protected:
  struct Made {
    std::string shipment, purchase;
  };

  PurchaseFailOver() {
    migrate_with_binary(servers.url());
    api = std::make_unique<Waybill>(servers.url(), options_of("api"));
    worker = std::make_unique<Waybill>(servers.url(), options_of("worker"));
    buyer.emplace(*api, gateway, "failover");
  }

  Waybill::Options options_of(std::string command) {
    Waybill::Options options;
    options.command = std::move(command);
    options.arguments = {"--carrier-gateway", gateway.url()};
    if (api) options.secret_key_file = api->secret_key_file();
    return options;
  }

  /// Requests a purchase whose draft waits for the gate, and waits for the call.
  Made request_with_draft_at(const std::shared_ptr<Gate>& gate) {
    const std::size_t before = gateway.count(PurchaseCall::draft);  // configuring made one, too
    gateway.fail(PurchaseCall::draft, slow_answer(gate));
    Made made = request();
    EXPECT_TRUE(gateway.wait_for_calls(PurchaseCall::draft, before + 1));
    return made;
  }
  Made request() {
    const std::string shipment = buyer->shipment();
    return {shipment, buyer->request(shipment)};
  }
  /// The primary dies, and the standby takes over. Returns once the API writes to it.
  void fail_over() {
    servers.kill_primary();
    servers.promote();
    ASSERT_TRUE(eventually([&] { return buyer->tenant.http.get("/readyz").status == 200; }));
  }
  std::string stored(const Made& made, const std::string& column) const {
    return Session(servers.url())
        .value("select " + column + " from purchases where guid = $1", {made.purchase});
  }
  void expect_bought_once(const Made& made) {
    buyer->with_status(made.shipment, made.purchase, "bought", 60s);
    const auto labels = gateway.labels(made.purchase);
    ASSERT_THAT(labels, SizeIs(1)) << "paid once";
    EXPECT_EQ(gateway.count(PurchaseCall::buy), 1U);
    ASSERT_TRUE(eventually([&] { return buyer->label(made.shipment).status == 200; }));
    EXPECT_EQ(buyer->label(made.shipment).text, PurchaseGateway::file(labels[0].numbers.at(0), "pdf"));
    EXPECT_EQ(text_at(buyer->shown(made.shipment), "carrierTrackingNumber"), labels[0].numbers[0]);
    EXPECT_THAT(buyer->purchases(made.shipment), SizeIs(1));
  }

  /// A purchase whose buy call is in flight with the fault, which waits for a gate. The standby knows the
  /// draft, but not that the call has begun.
  Made buying_unknown_to_the_standby(Fault fault) {
    const auto drafted = std::make_shared<Gate>();
    Made made = request_with_draft_at(drafted);
    gateway.fail(PurchaseCall::buy, std::move(fault));
    // The worker stores the draft, and then needs the carrier's connection.
    Session lock(servers.primary_url());
    lock.exec("begin; lock table carriers in access exclusive mode");
    drafted->open();
    EXPECT_TRUE(eventually([&] { return !stored(made, "gateway_id").empty(); }));
    servers.catch_up();
    servers.stop_replication();
    lock.exec("commit");
    EXPECT_TRUE(gateway.wait_for_calls(PurchaseCall::buy, 1));
    EXPECT_EQ(stored(made, "status"), "buying") << "on the primary";
    fail_over();
    EXPECT_EQ(stored(made, "status"), "requested") << "the commit is lost";
    return made;
  }

  PrimaryAndStandby servers;
  EasyPostGateway gateway;
  std::unique_ptr<Waybill> api, worker;
  std::optional<Buyer> buyer;
};

TEST_F(PurchaseFailOver, ADraftInFlightIsBoughtOnceOnTheNewPrimary) {
  const auto gate = std::make_shared<Gate>();
  const Made made = request_with_draft_at(gate);
  servers.catch_up();
  fail_over();
  gate->open();
  expect_bought_once(made);
}

TEST_F(PurchaseFailOver, ALabelThatIsBoughtButNotRecordedIsRecordedOnTheNewPrimary) {
  const auto gate = std::make_shared<Gate>();
  gateway.fail(PurchaseCall::buy, slow_answer(gate));
  const Made made = request();
  ASSERT_TRUE(eventually([&] { return gateway.labels(made.purchase).size() == 1; }));
  servers.catch_up();
  fail_over();
  EXPECT_EQ(stored(made, "status"), "buying");
  // Nobody looks the purchase up, and its worker has no lease any more: only the answer can tell.
  Session(servers.url())
      .rows("update purchases set lease_owner = null, lease_until = null, claim_at = null where guid = $1",
            {made.purchase});
  const std::size_t looked_up = gateway.count(PurchaseCall::find);
  gate->open();
  expect_bought_once(made);
  EXPECT_EQ(gateway.count(PurchaseCall::find), looked_up);
}

TEST_F(PurchaseFailOver, AnAnswerWhoseCallTheNewPrimaryDoesNotKnowIsRecorded) {
  const auto gate = std::make_shared<Gate>();
  const Made made = buying_unknown_to_the_standby(slow_answer(gate));
  gate->open();
  expect_bought_once(made);
}

TEST_F(PurchaseFailOver, ACallThatTheNewPrimaryDoesNotKnowIsNotRepeatedWithoutAnAnswer) {
  const auto gate = std::make_shared<Gate>();
  const Made made = buying_unknown_to_the_standby(without_effect(lost_after(gate)));
  gate->open();
  buyer->with_status(made.shipment, made.purchase, "unknown");
  ASSERT_TRUE(eventually([&] { return stored(made, "lookups") == "1"; }, 30s));
  EXPECT_EQ(stored(made, "status"), "unknown");
  EXPECT_EQ(gateway.count(PurchaseCall::buy), 1U) << "the first call may have bought it";
}

TEST_F(PurchaseFailOver, AScanInFlightIsStoredOnceOnTheNewPrimary) {
  const std::string number = "EZ4711";
  Session sql(servers.primary_url());
  ASSERT_TRUE(has_had_tracking_turn(sql, buyer->tenant.id));
  const std::string shipment = sql.value(
      "insert into shipments (business_id, tracking_number, carrier_id, carrier_tracking_number, packages) "
      "values ($1, 'WB-1', $2, $3, '[{\"weight\": 2}]') returning guid",
      {buyer->tenant.id, buyer->carrier, number});
  gateway.easypost().add_scan(number, {.status = "in_transit", .message = "Departed", .city = "Bonn"});
  const auto gate = std::make_shared<Gate>();
  gateway.easypost().fail(EasyPostSimulator::Call::list_trackers, slow_answer(gate));
  sql.rows(
      "insert into tracking_pulls (business_id, shipment_id, number, carrier_id, due_at) "
      "values ($1, $2, $3, $4, now())",
      {buyer->tenant.id, shipment, number, buyer->carrier});
  ASSERT_TRUE(give_tracking_turn(sql, buyer->tenant.id));
  ASSERT_TRUE(gateway.easypost().wait_for_calls(EasyPostSimulator::Call::list_trackers, 1, 30s));
  servers.catch_up();
  fail_over();
  gate->open();
  Session moved(servers.url());
  const auto arrives = [&](Deadline deadline) {
    return eventually(
        [&] {
          return moved.value("select status from shipments where guid = $1", {shipment}) == "in_transit";
        },
        deadline);
  };
  // A turn that the fail-over ended leaves its lane leased for two minutes.
  if (!arrives(5s)) moved.exec("update tracking_lanes set lease_until = now(), look_at = now()");
  EXPECT_TRUE(arrives(default_deadline));
  EXPECT_EQ(
      moved.number("select count(*) from shipment_traces where shipment_id = $1 and external_id is not null",
                   {shipment}),
      1);
  EXPECT_TRUE(eventually([&] {
    return moved.number("select count(*) from tracking_pulls where due_at > now() + interval '1 hour'") == 1;
  })) << "it is asked for again in two hours";
}

}  // namespace
}  // namespace waybill::tests
