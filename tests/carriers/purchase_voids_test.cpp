// Bought labels that are voided.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"

namespace waybill::tests {
namespace {

using testing::SizeIs;

constexpr Deadline first_lookup = std::chrono::seconds(30);  // due 5 s after the answer

class PurchaseVoids : public EachGatewayTest {
 protected:
  void SetUp() override {
    EachGatewayTest::SetUp();
    if (IsSkipped()) return;
    // The other state of a refund, `submitted`, is EasyPost's usual one.
    world().easypost.easypost().set_refund_answer("refunded");
    shipment = buyer().shipment();
    const json::value bought = buyer().bought(shipment);
    purchase = text_at(bought, "guid");
    gateway_id = text_at(bought, "gatewayId");
    number = gateway().labels(purchase).at(0).numbers.at(0);
  }
  std::ptrdiff_t voids() { return std::ranges::count(gateway().voided(), number); }
  json::value becomes(std::string_view status) {
    return buyer().with_status(shipment, purchase, status, first_lookup);
  }

  std::string shipment, purchase, gateway_id, number;
};

INSTANTIATE_TEST_SUITE_P(Connectors, PurchaseVoids, testing::Values("easypost", "karrio"),
                         [](const auto& test) { return test.param; });

TEST_P(PurchaseVoids, FreeTheShipment) {
  const Response request = buyer().void_label(shipment);
  ASSERT_EQ(request.status, 202) << request.text;
  EXPECT_TRUE(at(becomes("voided"), "voidedAt").is_string());
  EXPECT_EQ(voids(), 1);
  EXPECT_EQ(buyer().label_status(shipment), "voided");
  EXPECT_EQ(buyer().label(shipment).status, 409);
  EXPECT_EQ(buyer().void_label(shipment).status, 200) << "it is final";
  EXPECT_EQ(voids(), 1);
  const std::string second = text_at(buyer().bought(shipment), "guid");
  EXPECT_NE(second, purchase);
  EXPECT_THAT(gateway().labels(second), SizeIs(1));
}

TEST_P(PurchaseVoids, ThatAreRefusedKeepTheLabel) {
  gateway().scan(number);
  ASSERT_EQ(buyer().void_label(shipment).status, 202);
  const json::value refused = becomes("void_refused");
  EXPECT_FALSE(text_at(refused, "error.message").empty());
  EXPECT_EQ(buyer().label_status(shipment), "bought");
  EXPECT_EQ(buyer().label(shipment).text, PurchaseGateway::file(number, "pdf"));
  EXPECT_EQ(voids(), 0);
}

TEST_P(PurchaseVoids, AreLookedUpIfTheAnswerIsLost) {
  gateway().fail(PurchaseCall::void_label, lost_answer());
  ASSERT_EQ(buyer().void_label(shipment).status, 202);
  becomes("voided");
  EXPECT_EQ(voids(), 1);
  EXPECT_EQ(buyer().label_status(shipment), "voided");
}

TEST_P(PurchaseVoids, AreRepeatedIfTheGatewayHasFailed) {
  gateway().fail(PurchaseCall::void_label, without_effect(failing_with(503)));
  ASSERT_EQ(buyer().void_label(shipment).status, 202);
  becomes("voided");
  EXPECT_EQ(voids(), 1);
}

TEST_P(PurchaseVoids, MayHaveHappenedInTheGateway) {
  gateway().void_by_hand(buyer().account, gateway_id);
  ASSERT_EQ(voids(), 1);
  ASSERT_EQ(buyer().void_label(shipment).status, 202);
  becomes("voided");
  EXPECT_EQ(voids(), 1);
}

TEST_P(PurchaseVoids, NeedABoughtLabel) { EXPECT_EQ(buyer().void_label(buyer().shipment()).status, 409); }

TEST_F(PurchaseDetails, ARefundOfEasyPostTakesWeeks) {
  auto& easypost = world().easypost.easypost();
  for (const std::string end : {"refunded", "rejected"}) {
    easypost.set_refund_answer("submitted");
    Buyer buyer(*world().waybill, world().easypost, test_name() + "-" + end);
    const std::string shipment = buyer.shipment();
    const json::value bought = buyer.bought(shipment);
    const std::string purchase = text_at(bought, "guid");
    ASSERT_EQ(buyer.void_label(shipment).status, 202);
    ASSERT_TRUE(buyer.is_looked_up(purchase));
    buyer.with_status(shipment, purchase, "voiding");
    EXPECT_EQ(buyer.label_status(shipment), "voiding");
    EXPECT_TRUE(buyer.refuses_second(shipment, purchase)) << "the label may be kept";
    easypost.set_refund_status(text_at(bought, "gatewayId"), end);
    buyer.make_due(purchase);
    buyer.with_status(shipment, purchase, end == "refunded" ? "voided" : "void_refused",
                      std::chrono::minutes(1));
  }
}

}  // namespace
}  // namespace waybill::tests
