// Two workers with the purchases and pulls of one business: what the business asks of a gateway at a time.
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::Pair;
using testing::SizeIs;
using Call = EasyPostSimulator::Call;

constexpr std::size_t at_a_time = 4;
constexpr Deadline a_while = 3s;  // several looks of each worker
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
    EXPECT_TRUE(throughout([&] { return gateway.count(PurchaseCall::buy) == at_a_time; }, a_while))
        << gateway.count(PurchaseCall::buy) << " calls at a time";
    gate->open();
    for (const auto& [shipment, purchase] : all) {
      buyer.with_status(shipment, purchase, "bought", 60s);
      EXPECT_THAT(gateway.labels(purchase), SizeIs(1));
    }
    EXPECT_EQ(gateway.count(PurchaseCall::buy), static_cast<std::size_t>(parcels));
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

TEST_F(PurchaseWorkers, AskForFourNumbersAtATimeAndForEachOnceInItsPeriod) {
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
  buyer.tenant.sql.exec("update tracking_lanes set look_at = now(); notify waybill_pulls");
  ASSERT_TRUE(gateway.easypost().wait_for_calls(Call::list_trackers, at_a_time, 30s));
  const auto calls = [&] { return gateway.easypost().count(Call::list_trackers); };
  EXPECT_TRUE(throughout([&] { return calls() == at_a_time; }, a_while)) << calls() << " calls at a time";
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
      "update tracking_lanes set look_at = now(), lease_until = null; notify waybill_pulls");
  const std::size_t asked = calls();
  EXPECT_TRUE(throughout([&] { return calls() == asked; }, a_while));
  std::map<std::string, int> numbers;
  for (const Received& request : gateway.easypost().received(Call::list_trackers))
    ++numbers[query_parameters(request.target).at("tracking_code")];
  EXPECT_THAT(numbers, SizeIs(parcels));
  EXPECT_THAT(numbers, Each(Pair(testing::_, 1)));
}

}  // namespace
}  // namespace waybill::tests
