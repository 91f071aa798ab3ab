// The workflows of docs/recipes.md, each made from the text of the document.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/recipe.hpp"
#include "tests/workflows/fixtures/schedule_ticks.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

class Recipes : public WorkflowTest {
 protected:
  /// Configures the workflow under a heading and returns its guid.
  std::string cook(const std::string& heading) {
    return text_at(tenant.configure(recipe(heading, receiver.url("/" + tenant.name))), "guid");
  }

  /// Makes the timers of this number of records due.
  void let_time_pass(std::int64_t records) {
    tenant.settle();
    ASSERT_TRUE(eventually([&] {
      return tenant.sql.number("select count(*) from timers where business_id = $1", {tenant.id}) == records;
    }));
    tenant.sql.exec(
        "update timers set due_at = clock_timestamp(), check_at = clock_timestamp() where business_id = '" +
        tenant.id + "'");
  }

  /// Ends the delays and waits of this number of runs by their time.
  void let_waits_end(std::int64_t runs) {
    tenant.settle();
    ASSERT_TRUE(eventually([&] {
      return tenant.sql.number(
                 "select count(*) from run_queue where business_id = $1 and status = 'waiting' "
                 "and due_at > now() + interval '1 minute'",
                 {tenant.id}) == runs;
    }));
    tenant.sql.exec(
        "update run_queue set due_at = now(), steps = (steps::jsonb || '{\"until\": "
        "\"2020-01-01T00:00:00.000Z\"}')::text where business_id = '" +
        tenant.id + "'; notify waybill_queue");
  }

  /// Closes this number of open digests.
  void let_digests_close(std::int64_t digests) {
    tenant.settle();
    ASSERT_TRUE(eventually([&] {
      return tenant.sql.number("select count(*) from digests where business_id = $1", {tenant.id}) == digests;
    }));
    tenant.sql.exec(
        "update digests set due_at = clock_timestamp(), check_at = clock_timestamp() where business_id = '" +
        tenant.id + "'");
  }

  std::string record_of(const Received& request) { return text_at(request.json_body(), "data.entity.guid"); }
  json::value order(const std::string& guid) { return tenant.http.get("/api/v1/Orders/" + guid).data(); }
};

TEST_F(Recipes, LateShipment) {
  cook("Late shipment");
  const std::string late = tenant.insert_shipment({}, "in_transit");
  tenant.insert_shipment({}, "delivered");
  let_time_pass(2);
  EXPECT_EQ(record_of(wait_for(1, "late").at(0)), late);
}

TEST_F(Recipes, NoScanForADay) {
  cook("No scan for a day");
  const std::string silent = tenant.insert_shipment({}, "in_transit");
  const std::string arrived = tenant.insert_shipment({}, "in_transit");
  for (const std::string& shipment : {silent, arrived}) {
    ASSERT_EQ(
        tenant.http
            .post("/api/v1/shipments/" + shipment + "/traces",
                  {{"status", shipment == arrived ? "delivered" : "in_transit"}, {"description", "Scanned"}})
            .status,
        200);
  }
  let_time_pass(2);
  EXPECT_EQ(record_of(wait_for(1, "silent").at(0)), silent);
}

TEST_F(Recipes, GiftOrder) {
  const std::string workflow = cook("Gift order");
  const std::string gift = tenant.create_order({{"metadata", {{"gift", true}}}});
  const std::string other = tenant.create_order();
  tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(at(order(gift), "tags"), json::parse(R"(["gift"])"));
  EXPECT_EQ(at(order(gift), "notes"), "Gift: no invoice in the parcel.");
  EXPECT_NE(at(order(other), "tags"), json::parse(R"(["gift"])"));
}

TEST_F(Recipes, ApprovalOfHighValues) {
  const std::string workflow = cook("Approval of high values");
  const json::object items{{"items", {{{"description", "Ring"}, {"quantity", 1}, {"price", 1200}}}}};
  const std::string approved = tenant.create_order(items);
  const std::string forgotten = tenant.create_order(items);
  tenant.create_order();
  wait_for(2, "approve");
  EXPECT_EQ(at(order(forgotten), "tags"), json::parse(R"(["approval"])"));
  ASSERT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=waiting").size() == 2; }));
  tenant.move_order(approved, "processing");
  tenant.sql.exec("update run_queue set due_at = now() where business_id = '" + tenant.id +
                  "'; select pg_notify('waybill_queue', '')");
  ASSERT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=succeeded").size() == 2; }));
  EXPECT_EQ(record_of(wait_for(1, "approve-again").at(0)), forgotten);
  EXPECT_EQ(receiver.count(tenant.path("approve-again")), 1U);
}

TEST_F(Recipes, DailyReport) {
  const std::string workflow = cook("Daily report");
  tenant.create_order({{"orderNumber", "D-1"}});
  tenant.create_order({{"orderNumber", "D-2"}});
  make_tick_due(tenant, workflow);
  EXPECT_EQ(wait_for(1, "daily").at(0).json_body(), json::parse(R"({"text": "2 orders wait. D-1 D-2"})"));
}

TEST_F(Recipes, DailyDigestForTheWarehouse) {
  cook("Daily digest for the warehouse");
  const json::object home{{"street", "1 Quay"}, {"city", "X"}, {"country", "GB"}};
  for (const char* const number : {"W-1", "W-2"}) {
    const std::string order = tenant.create_order({{"orderNumber", number}, {"deliveryAddress", home}});
    tenant.move_order(order, "cancelled");
  }
  let_digests_close(1);
  EXPECT_EQ(wait_for(1, "warehouse").at(0).json_body(),
            json::parse(R"({"text": "2 orders to GB are cancelled: W-1 W-2 "})"));
}

TEST_F(Recipes, SmsOnDelivery) {
  const std::string workflow = cook("SMS on delivery");
  // The test also runs at night.
  ASSERT_EQ(tenant.http.post("/api/workflows/configure", {{"guid", workflow}, {"window", nullptr}}).status,
            200);
  const std::string shipment = tenant.insert_shipment({}, "out_for_delivery");
  tenant.sql.exec(
      "update shipments set tracking_number = 'WB1', recipient_phone = '+44 20 7946 0000' where guid = '" +
      shipment + "'");
  tenant.move_shipment(shipment, "delivered");
  // Twilio requires a form with To, From and Body, and basic authentication.
  const Received request = wait_for(1, "Accounts/AC123/Messages.json").at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_THAT(request.header("Content-Type"), HasSubstr("application/x-www-form-urlencoded"));
  EXPECT_EQ(request.header("Authorization"), "Basic a2V5OnNlY3JldA==");
  EXPECT_EQ(request.body, "To=%2B44+20+7946+0000&From=%2B15550100&Body=Your+parcel+WB1+has+arrived.");
}

TEST_F(Recipes, OneMessageForSeveralParcels) {
  cook("One message for several parcels");
  for (const char* const number : {"P-1", "P-2"}) {
    const std::string shipment = tenant.insert_shipment({}, "in_transit");
    tenant.sql.rows(
        "update shipments set tracking_number = $2, recipient_phone = '+442079460000' where guid = $1",
        {shipment, number});
    tenant.move_shipment(shipment, "out_for_delivery");
  }
  let_digests_close(1);
  EXPECT_EQ(wait_for(1, "today").at(0).json_body(),
            json::parse(R"({"to": "+442079460000", "text": "Coming today: P-1 P-2 "})"));
}

TEST_F(Recipes, ChatOnException) {
  cook("Chat on exception");
  const std::string shipment = tenant.insert_shipment({}, "in_transit");
  tenant.sql.exec("update shipments set tracking_number = 'WB1' where guid = '" + shipment + "'");
  tenant.move_shipment(shipment, "exception");
  // An incoming webhook requires JSON with a text.
  const Received request = wait_for(1, "chat").at(0);
  EXPECT_THAT(request.header("Content-Type"), HasSubstr("application/json"));
  EXPECT_EQ(request.json_body(), json::parse(R"({"text": "Parcel WB1 needs attention."})"));
}

TEST_F(Recipes, TagByCountry) {
  const std::string workflow = cook("Tag by country");
  const auto to = [&](const char* country) {
    return tenant.create_order(
        {{"deliveryAddress", {{"street", "1 Quay"}, {"city", "X"}, {"country", country}}}});
  };
  to("GB");
  const std::string abroad = to("IE");
  tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(at(order(abroad), "tags"), json::parse(R"(["export"])"));
}

TEST_F(Recipes, ShipImportedOrders) {
  const std::string workflow = cook("Ship imported orders");
  const std::string store = tenant.sql.value(
      "insert into integrations (business_id, provider, store_url, api_key, status, due_at)"
      " values ($1, 'woocommerce', 'http://127.0.0.1', '', 'disabled', 'infinity') returning guid",
      {tenant.id});
  const std::map<std::string, std::string> columns{{"delivery_street", "'1 Quay'"},
                                                   {"delivery_city", "'X'"},
                                                   {"items", R"('[{"description": "Lamp", "quantity": 1}]')"},
                                                   {"integration_id", "'" + store + "'"},
                                                   {"external_id", "'7'"}};
  const std::string imported = tenant.insert_order(columns);
  tenant.insert_order();
  tenant.update_orders("status = 'processing' where guid = '" + imported + "'");
  tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(tenant.sql.column("select order_id from shipments where business_id = '" + tenant.id + "'"),
            std::vector<std::string>{imported});
}

TEST_F(Recipes, RemindAfterTwoDays) {
  cook("Remind after two days");
  const std::string waits = tenant.create_order();
  const std::string moved = tenant.create_order();
  tenant.move_order(moved, "processing");
  let_time_pass(2);
  EXPECT_EQ(record_of(wait_for(1, "remind").at(0)), waits);
}

TEST_F(Recipes, AskAndDecide) {
  const std::string stock = "/" + tenant.name + "/stock";
  receiver.answer_next(stock, Reply::with_status(200, {}, R"({"left": 0})"));
  receiver.answer_next(stock, Reply::with_status(200, {}, R"({"left": 5})"));
  const std::string flow = cook("Ask and decide");
  const std::string first = tenant.create_order();
  EXPECT_EQ(text_at(wait_for(1, "buyers").at(0).json_body(), "order"), text_at(order(first), "orderNumber"));
  const std::string second = tenant.create_order();
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=succeeded&workflowId=" + flow).size() == 2; }));
  EXPECT_EQ(at(order(first), "tags"), json::array{"out of stock"});
  EXPECT_EQ(tenant.sql.value("select order_id from shipments where business_id = $1", {tenant.id}), second);
}

TEST_F(Recipes, RemindUnlessShipped) {
  const std::string flow = cook("Remind unless shipped");
  const std::string waits = tenant.create_order(), ships = tenant.create_order();
  tenant.move_order(ships, "shipped");
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=skipped&workflowId=" + flow).size() == 1; }));
  let_waits_end(1);
  EXPECT_EQ(record_of(wait_for(1, "remind").at(0)), waits);
}

TEST_F(Recipes, EscalateWhenNoScanComes) {
  cook("Escalate when no scan comes");
  const std::string silent = tenant.insert_shipment({}, "created");
  const std::string scanned = tenant.insert_shipment({}, "created");
  for (const std::string& shipment : {silent, scanned})
    tenant.sql.rows("update shipments set status = 'collected' where guid = $1", {shipment});
  const Response scan = tenant.http.post("/api/v1/shipments/" + scanned + "/traces",
                                         {{"status", "in_transit"}, {"description", "Scanned"}});
  ASSERT_LT(scan.status, 300) << scan.text;
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=succeeded").size() == 1; }));
  let_waits_end(1);
  EXPECT_EQ(record_of(wait_for(1, "desk").at(0)), silent);
}

TEST_F(Recipes, HoldUntilPayment) {
  cook("Hold until payment");
  const std::string paid = tenant.create_order(), unpaid = tenant.create_order();
  tenant.put_order(paid, {{"metadata", {{"paid", true}}}});
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=succeeded").size() == 1; }));
  let_waits_end(1);
  ASSERT_TRUE(eventually([&] { return tenant.status_of(unpaid) == "cancelled"; }));
  EXPECT_EQ(tenant.sql.value("select order_id from shipments where business_id = $1", {tenant.id}), paid);
}

TEST_F(Recipes, ReportTheLastChange) {
  cook("Report the last change");
  const std::string changed = tenant.create_order();
  for (const char* const notes : {"a", "b", "c"}) tenant.put_order(changed, {{"notes", notes}});
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=skipped").size() == 2; }));
  let_waits_end(1);
  EXPECT_EQ(at(wait_for(1, "changed").at(0).json_body(), "data.entity.notes"), "c");
}

TEST_F(Recipes, AskForAReview) {
  cook("Ask for a review");
  const std::string stays = tenant.insert_shipment({}, "in_transit"),
                    returns = tenant.insert_shipment({}, "in_transit");
  for (const std::string& shipment : {stays, returns})
    tenant.sql.rows("update shipments set status = 'delivered' where guid = $1", {shipment});
  tenant.sql.rows("update shipments set status = 'returned' where guid = $1", {returns});
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=skipped").size() == 1; }));
  let_waits_end(1);
  EXPECT_EQ(record_of(wait_for(1, "review").at(0)), stays);
}

TEST_F(Recipes, ExceptionInTwoStages) {
  cook("Exception in two stages");
  const std::string stuck = tenant.insert_shipment({}, "in_transit"),
                    moves = tenant.insert_shipment({}, "in_transit");
  for (const std::string& shipment : {stuck, moves})
    tenant.sql.rows("update shipments set status = 'exception' where guid = $1", {shipment});
  EXPECT_EQ(wait_for(2, "team").size(), 2U);
  tenant.sql.rows("update shipments set status = 'in_transit' where guid = $1", {moves});
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=succeeded").size() == 1; }));
  let_waits_end(1);
  EXPECT_EQ(record_of(wait_for(1, "lead").at(0)), stuck);
}

TEST_F(Recipes, SecondMessageOnAWorkingDay) {
  cook("Second message on a working day");
  const std::string ships = tenant.insert_order();
  tenant.move_order(ships, "shipped");
  EXPECT_EQ(record_of(wait_for(1, "shipped").at(0)), ships);
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from run_queue where business_id = $1 and status = 'waiting' "
               "and due_at between now() + interval '1 day' and now() + interval '5 days'",
               {tenant.id}) == 1;
  }));
  let_waits_end(1);
  EXPECT_EQ(record_of(wait_for(1, "second").at(0)), ships);
}

TEST_F(Recipes, CheapestLabel) {
  cook("Cheapest label");
  const std::string packed = tenant.create_order();
  tenant.move_order(packed, "ready");
  EXPECT_EQ(record_of(wait_for(1, "desk").at(0)), packed) << "no carrier can buy labels";
  tenant.sql.exec(
      "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, connector) "
      "select '" +
      tenant.id + "', guid, 'a', false, 'of a test' from carriers limit 1");
  const std::string next = tenant.create_order();
  tenant.move_order(next, "ready");
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from purchases p join shipments s on s.guid = p.shipment_id "
               "where s.order_id = $1 and p.max_price = 12 and p.wanted ->> 'choose' = 'cheapest'",
               {next}) == 1;
  }));
}

TEST_F(Recipes, MailOnDelivery) {
  const std::string flow = cook("Mail on delivery");
  const std::string told = tenant.insert_shipment({}), silent = tenant.insert_shipment({});
  tenant.sql.rows(
      "with customer as (insert into customers (business_id, name, email) values ($1, 'Ada', "
      "'ada@example.com') returning guid) update shipments s set customer_id = c.guid from customer c where "
      "s.guid = $2",
      {tenant.id, told});
  for (const std::string& shipment : {silent, told}) tenant.move_shipment(shipment, "delivered");
  tenant.settle();
  const auto runs = tenant.runs("workflowId=" + flow);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(text_at(runs.front(), "entityId"), told);
}

TEST_F(Recipes, DearLabel) {
  const std::string flow = cook("Dear label");
  const std::string cheap = tenant.insert_shipment({}), dear = tenant.insert_shipment({});
  for (const auto& [shipment, price] : {std::pair(cheap, "20"), std::pair(dear, "20.01")})
    tenant.sql.rows(
        "update shipments set label_status = 'bought', shipping_price = $2, currency = 'EUR' "
        "where guid = $1",
        {shipment, price});
  tenant.settle();
  ASSERT_TRUE(eventually([&] { return tenant.runs("workflowId=" + flow).size() == 1; }));
  EXPECT_EQ(text_at(tenant.runs("workflowId=" + flow).front(), "entityId"), dear);
}

}  // namespace
}  // namespace waybill::tests
