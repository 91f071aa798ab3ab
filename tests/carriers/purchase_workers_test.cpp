// Two workers with the purchases and pulls of one business: what the business asks of a gateway at a time,
// and what becomes of the work of a killed worker.
#include <chrono>
#include <csignal>
#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"
#include "tests/carriers/tracking_turn.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::Pair;
using testing::SizeIs;
using Call = EasyPostSimulator::Call;

constexpr std::size_t at_a_time = 4;
constexpr Deadline several_looks = 3s;    // of each worker
constexpr Deadline take_over_limit = 5s;  // far below each lease
constexpr int parcels = 12;

class PurchaseWorkers : public testing::Test {
 protected:
  Waybill::Options options_of(std::string command) const {
    Waybill::Options options;
    options.command = std::move(command);
    options.arguments = {"--carrier-gateway", gateway.url()};
    return options;
  }
  Waybill::Options worker() const {
    Waybill::Options options = options_of("worker");
    options.secret_key_file = api.secret_key_file();
    return options;
  }

  /// Requests purchases whose buy calls wait for a gate, and expects that few of them are made at a time.
  void expect_few_at_a_time(const json::object& request) {
    const auto gate = std::make_shared<Gate>();
    gateway.fail(PurchaseCall::buy, slow_answer(gate), parcels);
    std::vector<std::pair<std::string, std::string>> all;
    for (int i = 0; i < parcels; ++i) {
      const std::string shipment = buyer.shipment();
      all.emplace_back(shipment, buyer.request(shipment, request));
    }
    ASSERT_TRUE(gateway.wait_for_calls(PurchaseCall::buy, at_a_time));
    EXPECT_TRUE(throughout([&] { return gateway.count(PurchaseCall::buy) == at_a_time; }, several_looks))
        << gateway.count(PurchaseCall::buy) << " calls at a time";
    gate->open();
    for (const auto& [shipment, purchase] : all) {
      buyer.with_status(shipment, purchase, "bought", 60s);
      EXPECT_THAT(gateway.labels(purchase), SizeIs(1));
    }
    EXPECT_EQ(gateway.count(PurchaseCall::buy), static_cast<std::size_t>(parcels));
  }

  /// Kills the worker whose guid the statement returns.
  void kill_worker(std::string_view owner_sql) {
    const std::string name =
        buyer.tenant.sql.value("select name from workers where guid = (" + std::string(owner_sql) + ")");
    for (Waybill* const worker : {&first, &second}) {
      if (!name.ends_with(":" + std::to_string(worker->process().pid()))) continue;
      worker->process().kill(SIGKILL);
      worker->process().wait_exit();
      return;
    }
    throw std::runtime_error("no worker is " + name);
  }
  void expect_one_label(const std::string& shipment, const std::string& purchase) {
    buyer.with_status(shipment, purchase, "bought", 30s);
    EXPECT_THAT(gateway.labels(purchase), SizeIs(1));
    EXPECT_EQ(gateway.count(PurchaseCall::buy), 1U);
  }

  TestDatabase database;
  EasyPostGateway gateway;
  Waybill api{database.url(), options_of("api")};
  Waybill first{database.url(), worker()}, second{database.url(), worker()};
  Buyer buyer{api, gateway, "two"};
};

TEST_F(PurchaseWorkers, BuyAtMostFourLabelsOfABusinessAtATime) {
  expect_few_at_a_time({{"serviceLevel", "standard"}});
}

TEST_F(PurchaseWorkers, BuyAtMostFourLabelsAtATimeWhoseCarrierTheyHaveChosen) {
  expect_few_at_a_time({{"choose", "cheapest"}});
}

TEST_F(PurchaseWorkers, LookUpTheLabelThatAKilledWorkerWasBuying) {
  const auto gate = std::make_shared<Gate>();
  gateway.fail(PurchaseCall::buy, slow_answer(gate));
  const std::string shipment = buyer.shipment(), purchase = buyer.request(shipment);
  ASSERT_TRUE(eventually([&] { return gateway.labels(purchase).size() == 1; }));
  kill_worker("select lease_owner from purchases where guid = '" + purchase + "'");
  const json::value left = buyer.with_status(shipment, purchase, "unknown", take_over_limit);
  EXPECT_EQ(error_of(left), "WORKER_LOST");
  gate->open();
  expect_one_label(shipment, purchase);
}

TEST_F(PurchaseWorkers, ContinueThePurchaseOfAKilledWorkerAtItsDraft) {
  const auto gate = std::make_shared<Gate>();
  const std::size_t before = gateway.count(PurchaseCall::draft);
  gateway.fail(PurchaseCall::draft, slow_answer(gate));
  const std::string shipment = buyer.shipment(), purchase = buyer.request(shipment);
  ASSERT_TRUE(gateway.wait_for_calls(PurchaseCall::draft, before + 1));
  kill_worker("select lease_owner from purchases where guid = '" + purchase + "'");
  EXPECT_TRUE(gateway.wait_for_calls(PurchaseCall::draft, before + 2, take_over_limit));
  gate->open();
  expect_one_label(shipment, purchase);
}

TEST_F(PurchaseWorkers, AskForTheNumbersOfAKilledWorker) {
  ASSERT_TRUE(has_had_tracking_turn(buyer.tenant.sql, buyer.tenant.id));
  const auto gate = std::make_shared<Gate>();
  gateway.easypost().fail(Call::list_trackers, slow_answer(gate));
  buyer.tenant.sql.rows(
      "with parcel as (insert into shipments (business_id, tracking_number, carrier_id, "
      "carrier_tracking_number, packages) values ($1, 'WB-1', $2, 'EZ1', '[{\"weight\": 2}]') returning "
      "guid) "
      "insert into tracking_pulls (business_id, shipment_id, number, carrier_id, due_at) "
      "select $1, guid, 'EZ1', $2, now() from parcel",
      {buyer.tenant.id, buyer.carrier});
  ASSERT_TRUE(give_tracking_turn(buyer.tenant.sql, buyer.tenant.id));
  ASSERT_TRUE(gateway.easypost().wait_for_calls(Call::list_trackers, 1, 30s));
  kill_worker("select lease_owner from tracking_lanes");
  EXPECT_TRUE(gateway.easypost().wait_for_calls(Call::list_trackers, 2, take_over_limit));
  gate->open();
}

TEST_F(PurchaseWorkers, AskForFourNumbersAtATimeAndForEachOnceInItsPeriod) {
  ASSERT_TRUE(has_had_tracking_turn(buyer.tenant.sql, buyer.tenant.id));
  const auto gate = std::make_shared<Gate>();
  gateway.easypost().fail(Call::list_trackers, slow_answer(gate), parcels);
  buyer.tenant.sql.rows(
      "insert into shipments (business_id, tracking_number, carrier_id, carrier_tracking_number, packages) "
      "select $1, 'WB-' || n, $2, 'EZ' || n, '[{\"weight\": 2}]' from generate_series(1, $3::integer) n",
      {buyer.tenant.id, buyer.carrier, std::to_string(parcels)});
  buyer.tenant.sql.rows(
      "insert into tracking_pulls (business_id, shipment_id, number, carrier_id, due_at) "
      "select business_id, guid, carrier_tracking_number, carrier_id, now() from shipments where business_id "
      "= $1",
      {buyer.tenant.id});
  ASSERT_TRUE(give_tracking_turn(buyer.tenant.sql, buyer.tenant.id));
  ASSERT_TRUE(gateway.easypost().wait_for_calls(Call::list_trackers, at_a_time, 30s));
  const auto calls = [&] { return gateway.easypost().count(Call::list_trackers); };
  EXPECT_TRUE(throughout([&] { return calls() == at_a_time; }, several_looks))
      << calls() << " calls at a time";
  gate->open();
  ASSERT_TRUE(eventually(
      [&] {
        return buyer.tenant.sql.number(
                   "select count(*) from tracking_pulls where asked_at is not null and due_at > now()") ==
               parcels;
      },
      60s));
  // A lane that is looked at again asks for nothing.
  buyer.tenant.sql.exec(
      "update tracking_lanes set look_at = now(), lease_owner = null, lease_until = null; notify "
      "waybill_pulls");
  const std::size_t asked = calls();
  EXPECT_TRUE(throughout([&] { return calls() == asked; }, several_looks));
  std::map<std::string, int> numbers;
  for (const Received& request : gateway.easypost().received(Call::list_trackers))
    ++numbers[query_parameters(request.target).at("tracking_code")];
  EXPECT_THAT(numbers, SizeIs(parcels));
  EXPECT_THAT(numbers, Each(Pair(testing::_, 1)));
}

}  // namespace
}  // namespace waybill::tests
