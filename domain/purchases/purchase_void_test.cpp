#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "domain/purchases/purchase.hpp"
#include "domain/purchases/purchase_examples.hpp"

namespace waybill::domain {
namespace {

using namespace std::chrono_literals;
using enum PurchaseStatus;

VoidedFacts voided_label(bool is_pending = false) {
  return {.label = label_of("g1", false), .is_pending = is_pending};
}

/// A draft that was cancelled in the gateway.
VoidedFacts cancelled_draft() {
  VoidedFacts found = voided_label();
  found.label.tracking_numbers.clear();
  return found;
}

TEST(LabelsOfLostFacts, ThatWereVoidedAreRecordedAndTheNextAttemptIsRequested) {
  for (const VoidedFacts& found : {voided_label(), cancelled_draft()}) {
    const Purchase before = requested_at_start();
    Purchase purchase = before;
    EXPECT_EQ(looked_up(purchase, found, start), Effect::moved);
    EXPECT_EQ(purchase.status, voided);
    EXPECT_EQ(purchase.tracking_numbers, found.label.tracking_numbers);
    EXPECT_EQ(purchase.price, found.label.price);
    EXPECT_EQ(purchase.voided_at, start);
    EXPECT_EQ(purchase.next_at, std::nullopt);
    ASSERT_TRUE(needs_next_attempt(before, purchase));
    EXPECT_TRUE(was_passed_over(purchase));
    const Purchase next = next_attempt(before, start + 1s);
    EXPECT_EQ(next_step(next, start + 1s), PurchaseStep::look_up);
    EXPECT_EQ(next.connector, before.connector);
    EXPECT_TRUE(next.gateway_id.empty());
  }
}

TEST(LabelsOfLostFacts, ThatAreAdoptedAndThenVoidedAreNotPassedOver) {
  Purchase purchase = requested_at_start();
  looked_up(purchase, label_of("g0"), start);
  void_requested(purchase, start + 1s);
  begin_voiding(purchase, start + 1s);
  EXPECT_EQ(void_answered(purchase, VoidAnswerKind::voided, {}, start + 1s), Effect::moved);
  EXPECT_EQ(purchase.buy_begun_at, std::nullopt);
  EXPECT_FALSE(was_passed_over(purchase));
  Purchase unknown_first = unknown_purchase();
  looked_up(unknown_first, voided_label(), start + 1s);
  EXPECT_EQ(unknown_first.status, voided);
  EXPECT_FALSE(was_passed_over(unknown_first));
}

TEST(LabelsOfLostFacts, WhoseRefundIsNotDecidedKeepTheShipment) {
  const Purchase before = requested_at_start();
  Purchase purchase = before;
  EXPECT_EQ(looked_up(purchase, voided_label(true), start), Effect::moved);
  EXPECT_EQ(purchase.status, voiding);
  EXPECT_FALSE(needs_next_attempt(before, purchase));
  EXPECT_EQ(next_step(purchase, start + 5s), PurchaseStep::look_up_void);
  EXPECT_EQ(void_answered(purchase, VoidAnswerKind::refused, {}, start + 5s), Effect::moved);
  EXPECT_EQ(purchase.status, bought);
  EXPECT_EQ(next_step(purchase, start + 5s), PurchaseStep::fetch_label);
}

TEST(LabelsOfLostFacts, AreUnknownIfTooManyWereVoided) {
  Purchase purchase = requested_at_start();
  for (int i = 0; i < most_passed_over; ++i) {
    const Purchase before = purchase;
    EXPECT_EQ(looked_up(purchase, voided_label(), start), Effect::moved);
    EXPECT_TRUE(needs_next_attempt(before, purchase));
    purchase = next_attempt(before, start);
  }
  const Purchase before = purchase;
  EXPECT_EQ(looked_up(purchase, voided_label(), start), Effect::moved);
  EXPECT_EQ(purchase.status, unknown);
  EXPECT_FALSE(needs_next_attempt(before, purchase));
  EXPECT_EQ(looked_up(purchase, voided_label(), start + 5s), Effect::moved);
  EXPECT_EQ(purchase.status, voided) << "another request begins with the next attempt";
}

TEST(UnknownPurchases, AreVoidedIfTheGatewayHasTakenTheLabelBack) {
  Purchase refunded = unknown_purchase();
  EXPECT_EQ(looked_up(refunded, voided_label(), start), Effect::moved);
  EXPECT_EQ(refunded.status, voided);
  EXPECT_EQ(refunded.tracking_numbers, std::vector<std::string>{"1Z1"});
  Purchase submitted = unknown_purchase();
  EXPECT_EQ(looked_up(submitted, voided_label(true), start), Effect::moved);
  EXPECT_EQ(submitted.status, voiding);
  EXPECT_EQ(submitted.void_state, VoidState::pending);
  Purchase cancelled = unknown_purchase();
  EXPECT_EQ(looked_up(cancelled, cancelled_draft(), start), Effect::noted);
  EXPECT_EQ(cancelled.status, unknown) << "the carrier may have sold the label of a cancelled draft";
  Purchase given_up = unknown_purchase();
  resolved(given_up, Resolution::not_bought, "", start);
  EXPECT_EQ(looked_up(given_up, voided_label(), start + 1h), Effect::noted) << "nothing is paid";
  EXPECT_EQ(looked_up(given_up, voided_label(true), start + 2h), Effect::stray) << "it may still be paid";
}

TEST(PurchasesResolvedAsBought, KeepTheGivenNumberIfTheGatewayHasVoidedTheLabel) {
  Purchase purchase = unknown_purchase();
  resolved(purchase, Resolution::bought, "1Z9", start);
  Purchase pending = purchase;
  EXPECT_EQ(looked_up(purchase, voided_label(), start), Effect::moved);
  EXPECT_EQ(purchase.status, voided);
  EXPECT_EQ(purchase.tracking_numbers, std::vector<std::string>{"1Z9"}) << "the shipment has it";
  EXPECT_EQ(looked_up(pending, voided_label(true), start), Effect::moved);
  EXPECT_EQ(pending.status, voiding);
  EXPECT_EQ(pending.tracking_numbers, std::vector<std::string>{"1Z1"}) << "the shipment takes it";
  Purchase without = unknown_purchase();
  resolved(without, Resolution::bought, "", start);
  EXPECT_EQ(looked_up(without, voided_label(), start), Effect::moved);
  EXPECT_EQ(without.tracking_numbers, std::vector<std::string>{"1Z1"});
}

TEST(Purchases, WhoseVoidWasRefusedAreVoidedAgainOrByAPerson) {
  Purchase refused = bought_purchase();
  void_requested(refused, start);
  begin_voiding(refused, start);
  void_answered(refused, VoidAnswerKind::refused, {"scanned", "It moves."}, start);
  Purchase again = refused;
  EXPECT_EQ(void_requested(again, start + 1h), Effect::moved);
  EXPECT_EQ(next_step(again, start + 1h), PurchaseStep::void_label);
  EXPECT_EQ(resolved(refused, Resolution::bought, "1Z", start), Effect::ignored);
  EXPECT_EQ(resolved(refused, Resolution::not_bought, "", start), Effect::moved);
  EXPECT_EQ(refused.status, voided);
}

TEST(Voids, AreLookedUpWhileTheirAnswerIsMissing) {
  Purchase purchase = voiding_purchase();
  auto times = lookups_of(purchase, start, [](Purchase& p, Time now) {
    EXPECT_EQ(next_step(p, now), PurchaseStep::look_up_void);
    EXPECT_EQ(void_answered(p, VoidAnswerKind::pending, {}, now), Effect::noted);
  });
  EXPECT_EQ(std::vector(times.begin(), times.begin() + 7),
            (std::vector<Duration>{5s, 30s, 2min, 10min, 1h, 6h, 12h}));
  EXPECT_EQ(times.back(), Duration(longest_void));
  EXPECT_EQ(purchase.status, voiding);
  EXPECT_EQ(resolved(purchase, Resolution::bought, "", start), Effect::moved);
  EXPECT_EQ(purchase.status, bought);
  EXPECT_EQ(purchase.error.code, "RESOLVED");
}

TEST(Voids, ThatAreRefusedLeaveTheLabelBoughtAndCanBeRepeated) {
  Purchase purchase = voiding_purchase();
  EXPECT_EQ(void_answered(purchase, VoidAnswerKind::refused, {"USED", "Used."}, start), Effect::moved);
  EXPECT_EQ(purchase.status, bought);
  EXPECT_EQ(purchase.void_state, VoidState::refused);
  EXPECT_EQ(purchase.error.code, "USED");
  EXPECT_TRUE(purchase.has_label);
  EXPECT_EQ(void_requested(purchase, start), Effect::moved);
  EXPECT_EQ(next_step(purchase, start), PurchaseStep::void_label);
  begin_voiding(purchase, start);
  EXPECT_EQ(void_answered(purchase, VoidAnswerKind::voided, {}, start), Effect::moved);
  EXPECT_EQ(purchase.status, voided);
  EXPECT_EQ(void_requested(purchase, start), Effect::ignored);
  EXPECT_EQ(void_answered(purchase, VoidAnswerKind::refused, {}, start), Effect::ignored);
}

}  // namespace
}  // namespace waybill::domain
