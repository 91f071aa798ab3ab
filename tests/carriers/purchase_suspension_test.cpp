// A business that is suspended while its labels are bought.
#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Deadline a_while = 2s;  // several looks of the worker

class PurchaseSuspension : public PurchaseTest {
 protected:
  struct Made {
    std::string shipment, purchase;
  };

  Made request() {
    const std::string shipment = buyer.shipment();
    return {shipment, buyer.request(shipment)};
  }
  void set_suspended(bool suspended) {
    const Finished done = run({waybill_binary(), "business", suspended ? "suspend" : "resume",
                               "--database-url", world().database.url(), "--business", buyer.tenant.name});
    ASSERT_EQ(done.status, 0) << done.standard_error;
    ASSERT_TRUE(
        eventually([&] { return (buyer.tenant.http.get("/api/v1/Orders").status == 403) == suspended; }));
  }
  std::string stored(const Made& made, const std::string& column) {
    return buyer.tenant.sql.value("select " + column + " from purchases where guid = $1", {made.purchase});
  }
  bool is_released(const Made& made) {
    return eventually([&] { return stored(made, "lease_owner").empty(); });
  }
  /// The gateway hears nothing of the business, although the purchase is due.
  void expect_silence(const Made& made, PurchaseCall call) {
    const std::size_t before = gateway().count(call);
    buyer.make_due(made.purchase);
    EXPECT_TRUE(throughout([&] { return gateway().count(call) == before; }, a_while));
  }
  void expect_bought_once(const Made& made) {
    buyer.make_due(made.purchase);
    buyer.with_status(made.shipment, made.purchase, "bought");
    EXPECT_THAT(gateway().labels(made.purchase), SizeIs(1));
    EXPECT_TRUE(eventually([&] { return buyer.label(made.shipment).status == 200; }));
    EXPECT_THAT(buyer.purchases(made.shipment), SizeIs(1));
  }
  PurchaseGateway& gateway() { return buyer.gateway; }

  Buyer buyer{*world().waybill, world().easypost, test_name()};
};

TEST_F(PurchaseSuspension, APurchaseThatHasNotBegunWaits) {
  gateway().fail(PurchaseCall::draft, without_effect(failing_with(503)));
  const Made made = request();
  ASSERT_TRUE(eventually([&] { return stored(made, "attempts") == "1"; }));
  set_suspended(true);
  expect_silence(made, PurchaseCall::find);
  EXPECT_EQ(stored(made, "status"), "requested");
  set_suspended(false);
  expect_bought_once(made);
}

TEST_F(PurchaseSuspension, NothingIsBoughtAfterADraftThatWasInFlight) {
  const auto gate = std::make_shared<Gate>();
  const std::size_t drafts = gateway().count(PurchaseCall::draft),
                    bought = gateway().count(PurchaseCall::buy);
  gateway().fail(PurchaseCall::draft, slow_answer(gate));
  const Made made = request();
  ASSERT_TRUE(gateway().wait_for_calls(PurchaseCall::draft, drafts + 1));
  set_suspended(true);
  gate->open();
  EXPECT_TRUE(is_released(made));
  EXPECT_EQ(stored(made, "status"), "requested");
  expect_silence(made, PurchaseCall::buy);
  EXPECT_EQ(gateway().count(PurchaseCall::buy), bought);
  EXPECT_THAT(gateway().labels(made.purchase), IsEmpty());
  set_suspended(false);
  expect_bought_once(made);
}

TEST_F(PurchaseSuspension, ALabelThatWasBeingBoughtIsStored) {
  const auto gate = std::make_shared<Gate>();
  gateway().fail(PurchaseCall::buy, slow_answer(gate));
  const Made made = request();
  ASSERT_TRUE(eventually([&] { return gateway().labels(made.purchase).size() == 1; }));
  set_suspended(true);
  gate->open();
  EXPECT_TRUE(eventually([&] { return stored(made, "status") == "bought"; })) << "it is paid";
  EXPECT_TRUE(is_released(made));
  set_suspended(false);
  expect_bought_once(made);
}

TEST_F(PurchaseSuspension, AnUnknownPurchaseIsLookedUpAfterResume) {
  const std::size_t bought = gateway().count(PurchaseCall::buy);
  const auto gate = std::make_shared<Gate>();
  gateway().fail(PurchaseCall::buy, lost_after(gate));
  const Made made = request();
  ASSERT_TRUE(gateway().wait_for_calls(PurchaseCall::buy, bought + 1));
  set_suspended(true);
  gate->open();
  ASSERT_TRUE(eventually([&] { return stored(made, "status") == "unknown"; }))
      << "the call in flight has an end";
  EXPECT_TRUE(is_released(made));
  expect_silence(made, PurchaseCall::find);
  set_suspended(false);
  expect_bought_once(made);
  EXPECT_EQ(gateway().count(PurchaseCall::buy), bought + 1);
}

TEST_F(PurchaseSuspension, AVoidThatHasNotBegunWaits) {
  const Made made = request();
  expect_bought_once(made);
  const std::size_t voids = gateway().count(PurchaseCall::void_label);
  // The worker cannot look before the suspension.
  Session lock(world().database.url());
  lock.exec("begin; select from businesses where guid = '" + buyer.tenant.id + "' for no key update");
  ASSERT_EQ(buyer.void_label(made.shipment).status, 202);
  lock.exec("update businesses set suspended_at = now() where guid = '" + buyer.tenant.id + "'; commit");
  expect_silence(made, PurchaseCall::void_label);
  EXPECT_EQ(stored(made, "status"), "voiding");
  set_suspended(false);
  buyer.make_due(made.purchase);
  EXPECT_TRUE(gateway().wait_for_calls(PurchaseCall::void_label, voids + 1));
}

}  // namespace
}  // namespace waybill::tests
