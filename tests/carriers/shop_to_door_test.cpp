// The way of a parcel from the order in a shop to the mail about its delivery, by workflows of
// docs/recipes.md; and what a person sees if the answer to the purchase is lost on the way.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"
#include "tests/carriers/tracking_turn.hpp"
#include "tests/connectors/connected_store.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/smtp.hpp"
#include "tests/workflows/fixtures/recipe.hpp"

namespace waybill::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A shop with one order, a carrier behind a gateway, a waybill, and the mail server of its operator.
class ShopToDoor : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    smtp = std::make_unique<SmtpServer>(json::object{{"starttls", false}});
    world = std::make_unique<PurchaseWorld>(std::vector{std::string("--smtp-url"), smtp->url()});
  }
  static void TearDownTestSuite() {
    world.reset();
    smtp.reset();
  }

  void SetUp() override {
    if (is_karrio() && !world->karrio) GTEST_SKIP() << no_karrio;
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(name, '/', '-');
    buyer = std::make_unique<Buyer>(*world->waybill, gateway(), name);
    connect_shop();
    buyer->tenant.configure(recipe("Cheapest label", desk.url("/shop")));
    buyer->tenant.configure(recipe("Mail on delivery", desk.url("/shop")));
  }
  void TearDown() override { gateway().stop_failing(); }

  static bool is_karrio() { return GetParam() == "karrio"; }
  static PurchaseGateway& gateway() {
    return is_karrio() ? static_cast<PurchaseGateway&>(*world->karrio) : world->easypost;
  }
  Tenant& tenant() { return buyer->tenant; }

  void connect_shop() {
    const Response connected =
        tenant().http.post("/api/integrations/provider/configure",
                           configuration(shop, {{"autoImportOrders", true}, {"pushTracking", true}}));
    ASSERT_EQ(connected.status, 201) << connected.text;
    integration = text_at(connected.data(), "guid");
  }

  /// A customer buys in the shop. Returns the order in waybill once it is imported.
  std::string imported_order() {
    in_shop = shop.add_order({{"billing", {{"email", customer()}}}});
    const Response begun = tenant().http.post("/api/integrations/" + integration + "/sync");
    EXPECT_EQ(begun.status, 200) << begun.text;
    json::value orders;
    EXPECT_TRUE(eventually([&] {
      orders = tenant().http.get("/api/v1/Orders").data();
      return orders.is_array() && orders.get_array().size() == 1;
    }));
    return text_at(orders, "0.guid");
  }
  /// A person packs the order: each of its parcels is weighed.
  void pack(const std::string& order) {
    json::array items = at(tenant().http.get("/api/v1/Orders/" + order).data(), "items").as_array();
    for (json::value& item : items) {
      item.as_object()["dimensions"] = {{"length", 30}, {"width", 20}, {"height", 10}, {"weight", 0.4}};
      item.as_object()["quantity"] = 1;
    }
    tenant().put_order(order, {{"items", items}});
    tenant().move_order(order, "ready");
  }
  /// The shipment of an order, once its label has this status.
  std::string shipment_of(const std::string& order, const std::string& label_status) {
    std::string shipment;
    EXPECT_TRUE(eventually([&] {
      const auto rows = tenant().sql.rows(
          "select guid from shipments where order_id = $1 and label_status = $2", {order, label_status});
      if (!rows.empty()) shipment = rows[0][0].value();
      return !rows.empty();
    })) << tenant().sql.value("select coalesce(json_agg(s)::text, '') from shipments s where order_id = $1",
                              {order});
    return shipment;
  }
  std::string customer() const { return "jana@" + buyer->tenant.id + ".example"; }

  bool is_in_shop(const std::string& number) const {
    return std::ranges::any_of(shop.trackings(in_shop), [&](const json::object& tracking) {
      return text_at(tracking, "tracking_number") == number;
    });
  }

  void scan(const std::string& number, const std::string& status, const std::string& text) {
    if (is_karrio())
      world->karrio->carrier().add_scan(number, {.status = status, .description = text});
    else
      world->easypost.easypost().add_scan(number, {.status = status, .message = text});
  }
  /// The time of the shipment's next pull comes.
  void let_time_pass(const std::string& shipment) {
    begin_turn();
    ASSERT_TRUE(eventually([&] {
      return !tenant()
                  .sql
                  .rows(
                      "update tracking_pulls set due_at = now() - interval '3 hours' where shipment_id = $1 "
                      "returning 1",
                      {shipment})
                  .empty();
    }));
    begin_turn();
  }
  /// The worker looks for parcels now, new ones included.
  void begin_turn() { ASSERT_TRUE(give_tracking_turn(tenant().sql, tenant().id, "swept_at = null")); }
  /// The gateway calls waybill about a parcel.
  void hint(const std::string& number) {
    if (is_karrio()) {
      const std::string secret = "whsec_of_karrio";
      ASSERT_EQ(tenant().http.patch("/api/carriers/" + buyer->carrier, {{"apiSecret", secret}}).status, 200);
      call(to_json(json::object{{"event", "tracker_updated"}, {"data", {{"tracking_number", number}}}}),
           {{"X-Event-Id", secret}});
      return;
    }
    const std::string secret =
        text_at(tenant().http.post("/api/carriers/" + buyer->carrier + "/rotate-inbound-secret").data(),
                "inboundSecret");
    const auto made = world->easypost.easypost().tracker_updated(number, secret);
    call(made.body, made.headers);
  }
  void call(const std::string& body, const Headers& headers) {
    const Response response = world->waybill->http().request_text(
        "POST", "/api/carriers/" + buyer->carrier + "/inbound?business=" + tenant().id, body, headers);
    EXPECT_EQ(response.status, 200) << response.text;
  }
  bool becomes(const std::string& shipment, std::string_view status) {
    return eventually([&] { return tenant().status_of(shipment) == status; });
  }
  /// The mail to an address, of all that the server has and will have received. Throws at the deadline.
  static std::string mail_to(const std::string& address) {
    for (int number = 1;; ++number) {
      const json::object mail = smtp->message(number);
      if (to_json(mail.at("to")).find(address) != std::string::npos) return text_at(mail, "raw");
    }
  }

  static inline std::unique_ptr<SmtpServer> smtp;
  static inline std::unique_ptr<PurchaseWorld> world;
  WooCommerceSimulator shop{{.shipment_tracking = true}};
  Receiver desk;
  std::unique_ptr<Buyer> buyer;
  std::string integration;
  std::int64_t in_shop = 0;
};

INSTANTIATE_TEST_SUITE_P(Connectors, ShopToDoor, testing::Values("easypost", "karrio"),
                         [](const auto& test) { return test.param; });

TEST_P(ShopToDoor, TheCheapestLabelIsBoughtPushedScannedAndTheCustomerHearsOfTheDelivery) {
  const std::string order = imported_order();
  pack(order);
  const std::string shipment = shipment_of(order, "bought");
  const auto labels = gateway().labels(text_at(buyer->purchases(shipment).at(0), "guid"));
  ASSERT_THAT(labels, SizeIs(1));
  const std::string number = labels[0].numbers.at(0);
  const json::value shown = buyer->shown(shipment);
  EXPECT_EQ(text_at(shown, "carrierTrackingNumber"), number);
  EXPECT_EQ(at(shown, "shippingPrice"), 7.34) << "standard, not express for 12.40";
  ASSERT_TRUE(eventually([&] { return buyer->label(shipment).status == 200; }));
  EXPECT_EQ(buyer->label(shipment).text, PurchaseGateway::file(number, "pdf"));
  EXPECT_FALSE(is_in_shop(number)) << "the parcel is still here";

  scan(number, "in_transit", "Departed");
  let_time_pass(shipment);
  ASSERT_TRUE(becomes(shipment, "in_transit")) << "by a pull";
  EXPECT_TRUE(eventually([&] { return is_in_shop(number); }));

  scan(number, "delivered", "Left with a neighbour");
  tenant().sql.rows("update tracking_pulls set asked_at = now() - interval '1 hour' where shipment_id = $1",
                    {shipment});
  hint(number);
  ASSERT_TRUE(becomes(shipment, "delivered")) << "by a call of the gateway";
  EXPECT_THAT(mail_to(customer()), AllOf(HasSubstr("Your parcel has arrived"), HasSubstr(number)));
  EXPECT_EQ(desk.count("/shop/desk"), 0U);
}

TEST_P(ShopToDoor, AnOrderWhoseLabelsAreAllDearerGoesToTheDesk) {
  gateway().set_offers(buyer->account, {{.service = "standard", .price = "12.01"}});
  const std::string order = imported_order();
  pack(order);
  const std::string shipment = shipment_of(order, "refused");
  EXPECT_EQ(error_of(buyer->purchases(shipment).at(0)), "TOO_EXPENSIVE");
  const auto calls = desk.wait_for("/shop/desk", 1);
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(text_at(calls[0].json_body(), "data.entity.guid"), order);
  EXPECT_THAT(gateway().labels(text_at(buyer->purchases(shipment).at(0), "guid")), IsEmpty());
}

// With Karrio a lost answer leaves a draft, so a person decides.
TEST_P(ShopToDoor, ALostAnswerIsShownMailedAndDecidedByAPersonWithoutASecondLabel) {
  const std::string owner = "owner@" + tenant().id + ".example";
  ASSERT_EQ(tenant().http.put("/api/business/alerts", {{"emails", {owner}}}).status, 200);
  gateway().fail(PurchaseCall::buy, without_effect(failing_with(503)));
  const std::string order = imported_order();
  pack(order);
  const std::string shipment = shipment_of(order, "unknown");

  // The shipment says it.
  const json::value shown = buyer->shown(shipment);
  EXPECT_EQ(text_at(shown, "labelStatus"), "unknown");
  EXPECT_EQ(text_at(shown, "purchase.status"), "unknown");
  EXPECT_FALSE(text_at(shown, "purchase.error.message").empty());
  EXPECT_TRUE(at(shown, "shippingPrice").is_null());
  EXPECT_TRUE(at(shown, "carrierTrackingNumber").is_null());
  EXPECT_THAT(buyer->label(shipment).text, HasSubstr("unknown"));
  // So do the lists, with what the carrier can be asked for.
  const std::string purchase = text_at(buyer->purchases(shipment).at(0), "guid");
  const json::value listed = tenant().http.get("/api/v1/purchases?status=unknown").data();
  ASSERT_EQ(listed.as_array().size(), 1U);
  EXPECT_EQ(text_at(listed, "0.guid"), purchase);
  EXPECT_FALSE(text_at(listed, "0.gatewayId").empty());
  EXPECT_EQ(at(listed, "0.quote"), 7.34);
  // A mail says it, too.
  EXPECT_THAT(mail_to(owner), HasSubstr(tenant().sql.value(
                                  "select tracking_number from shipments where guid = $1", {shipment})));
  // Nothing can buy, change or cancel it while its outcome is unknown, and the run of the workflow waits.
  EXPECT_TRUE(buyer->refuses_second(shipment, purchase));
  EXPECT_EQ(tenant().http.del("/api/v1/shipments/" + shipment).status, 409);
  EXPECT_TRUE(eventually([&] { return tenant().runs("status=waiting").size() == 1; }));

  // The person has asked the carrier, which has the label under this number.
  const std::string number = "1Z 999 AA1 01";
  const Response decided =
      buyer->resolve(shipment, purchase, {{"outcome", "bought"}, {"carrierTrackingNumber", number}});
  ASSERT_EQ(decided.status, 200) << decided.text;
  EXPECT_EQ(text_at(buyer->shown(shipment), "labelStatus"), "bought");
  EXPECT_EQ(text_at(buyer->shown(shipment), "carrierTrackingNumber"), "1Z999AA101");
  EXPECT_TRUE(eventually([&] { return tenant().runs("status=waiting").empty(); }));
  EXPECT_THAT(buyer->purchases(shipment), SizeIs(1));
  const Response audit = tenant().http.get("/api/business/audit?entityId=" + purchase);
  EXPECT_THAT(audit.text, AllOf(HasSubstr("resolution"), HasSubstr("1Z999AA101")));
}

}  // namespace
}  // namespace waybill::tests
