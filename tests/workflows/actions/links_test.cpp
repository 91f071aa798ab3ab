#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// The parts of entities that other tables hold: links, the customer's phone, the store.
class Links : public WorkflowTest {
 protected:
  std::string page_of(const std::string& shipment) {
    const std::string token = tenant.sql.value(
        "select replace(token::text, '-', '') from tracking_tokens where shipment_id = $1", {shipment});
    EXPECT_EQ(token.size(), 32U);
    return "http://127.0.0.1:" + std::to_string(world.waybill.port()) + "/track/" + token;
  }

  std::string insert_customer() {
    return tenant.sql.value(
        "insert into customers (business_id, name, email, phone) values ($1, 'Ada', "
        "'ada@example.com', '+47 1') returning guid",
        {tenant.id});
  }

  std::string insert_carrier(std::string_view pattern) {
    return tenant.sql.value(
        "insert into carriers (business_id, code, name, type, tracking_url_pattern) select $1::uuid, "
        "'OWN' || count(*), 'Own', 'courier', $2 from carriers returning guid",
        {tenant.id, std::string(pattern)});
  }

  json::value entity_of_next(std::string_view hook = "hook") {
    const auto received = wait_for(++received_, hook);
    EXPECT_EQ(received.size(), received_);
    return received.empty() ? json::value() : at(received.back().json_body(), "data.entity");
  }

  std::size_t changes_ = 0;

 private:
  std::size_t received_ = 0;
};

TEST_F(Links, AShipmentHasItsTrackingPageAndTheCarriersLink) {
  const std::string carrier = insert_carrier("https://own.example/?n={number}");
  const std::string customer = insert_customer();
  const std::string shipment = tenant.insert_shipment("");
  tenant.webhook(url(), "shipment_updated");
  const std::string where = " where guid = '" + shipment + "'";
  tenant.sql.exec("update shipments set carrier_tracking_number = '1Z/9', carrier_id = '" + carrier +
                  "', customer_id = '" + customer + "'" + where);
  json::value entity = entity_of_next();
  EXPECT_EQ(text_at(entity, "trackingUrl"), page_of(shipment));
  EXPECT_EQ(text_at(entity, "carrierTrackingNumber"), "1Z/9");
  EXPECT_EQ(text_at(entity, "carrierTrackingUrl"), "https://own.example/?n=1Z%2F9");
  EXPECT_EQ(text_at(entity, "customer.phone"), "+47 1");

  tenant.sql.exec("update shipments set carrier_tracking_url = 'https://given.example/1'" + where);
  entity = entity_of_next();
  EXPECT_EQ(text_at(entity, "carrierTrackingUrl"), "https://given.example/1");
}

TEST_F(Links, AnEventHasTheSameCarriersLinkAsTheApi) {
  const std::string carrier = insert_carrier("https://own.example/{number}?n={number}#x");
  const std::string shipment = tenant.insert_shipment("");
  tenant.webhook(url(), "shipment_updated");
  for (const char* number : {"1Z 9/&\u00e9", "A-1._~", "100%+", "{number}"}) {
    tenant.sql.rows("update shipments set carrier_tracking_number = $2, carrier_id = $3 where guid = $1",
                    {shipment, number, carrier});
    const Response read = tenant.http.get("/api/v1/shipments/" + shipment);
    EXPECT_EQ(text_at(entity_of_next(), "carrierTrackingUrl"), text_at(read.data(), "carrierTrackingUrl"));
  }
}

TEST_F(Links, ConditionsReadTheLinkThatThePatternMakes) {
  const std::string carrier = insert_carrier("https://own.example/{number}");
  const std::string shipment = tenant.insert_shipment("");
  tenant.webhook(url(), "shipment_updated",
                 {{"conditions", {{"carrierTrackingUrl", "https://own.example/7"}}}});
  tenant.sql.exec("update shipments set carrier_tracking_number = '7', carrier_id = '" + carrier +
                  "' where guid = '" + shipment + "'");
  EXPECT_EQ(text_at(entity_of_next(), "carrierTrackingUrl"), "https://own.example/7");
}

TEST_F(Links, AnEventHasTheOldCarriersLink) {
  const std::string first = insert_carrier("https://first.example/{number}");
  const std::string second = insert_carrier("https://second.example/{number}");
  const std::string shipment = tenant.insert_shipment("");
  tenant.webhook(url(), "shipment_updated");
  const std::string changed = tenant.webhook(
      url("changed"), "shipment_updated",
      {{"conditions", {{"carrierTrackingUrl", {{"changed", true}, {"from", "https://first.example/2"}}}}}});
  const auto link_before = [&](const std::string& set, const std::string& shown) {
    tenant.sql.exec("update shipments set " + set + " where guid = '" + shipment + "'");
    const auto received = wait_for(++changes_);
    ASSERT_EQ(received.size(), changes_);
    const json::value previous = at(received.back().json_body(), "data.previous");
    const auto* const link = previous.as_object().if_contains("carrierTrackingUrl");
    EXPECT_EQ(link == nullptr   ? "missing"
              : link->is_null() ? "null"
                                : std::string(link->as_string()),
              shown)
        << set;
  };
  link_before("carrier_id = '" + first + "'", "missing");
  link_before("carrier_tracking_number = '1'", "null");
  link_before("carrier_tracking_number = '2'", "https://first.example/1");
  link_before("carrier_id = '" + second + "'", "https://first.example/2");
  link_before("carrier_tracking_url = 'https://given.example/1'", "https://second.example/2");
  link_before("carrier_tracking_number = '3'", "missing");
  link_before("carrier_tracking_url = null", "https://given.example/1");
  EXPECT_EQ(wait_for(1, "changed").size(), 1U) << "the change of the carrier alone is from that link";

  const json::value tested =
      tenant.http
          .post("/api/workflows/test",
                {{"entityId", shipment},
                 {"definition",
                  {{"entityType", "Shipment"},
                   {"triggerId", trigger_guid("shipment_updated")},
                   {"conditions",
                    {{"carrierTrackingUrl",
                      {{"from", "https://given.example/1"}, {"to", "https://second.example/3"}}}}},
                   {"action", {{"type", "webhook"}, {"recipient", url()}}}}}})
          .data();
  EXPECT_TRUE(at(tested, "matches").as_bool());
  tenant.settle();
  const json::value explained = tenant.http.get("/api/workflows/explain?entityId=" + shipment).data();
  std::size_t fired = 0;
  for (const json::value& event : explained.as_array()) {
    for (const json::value& workflow : at(event, "workflows").as_array())
      fired += text_at(workflow, "guid") == changed && at(workflow, "fired").as_bool() ? 1 : 0;
  }
  EXPECT_EQ(fired, 1U);
}

TEST_F(Links, AnOrderHasThePagesOfItsShipments) {
  const std::string order = tenant.insert_order();
  const std::string first = tenant.insert_shipment(order);
  const std::string second = tenant.insert_shipment(order);
  tenant.webhook(url(), "order_updated");
  tenant.update_orders("notes = 'x' where guid = '" + order + "'");
  const json::value entity = entity_of_next();
  EXPECT_EQ(text_at(entity, "shipments.0.trackingUrl"), page_of(first));
  EXPECT_EQ(text_at(entity, "shipments.1.trackingUrl"), page_of(second));
  EXPECT_EQ(text_at(entity, "source.type"), "sql");
  EXPECT_TRUE(at(entity, "source.integration").is_null());
}

TEST_F(Links, BuiltInMailsLinkToThePage) {
  const std::string shipment = tenant.insert_shipment("", "in_transit");
  const Response tested =
      tenant.http.post("/api/workflows/test", {{"entityId", shipment},
                                               {"definition",
                                                {{"entityType", "Shipment"},
                                                 {"triggerId", trigger_guid("shipment_in_transit")},
                                                 {"action",
                                                  {{"type", "send_email"},
                                                   {"recipient", "ada@example.com"},
                                                   {"template", "shipment_in_transit"}}}}}});
  ASSERT_EQ(tested.status, 200) << tested.text;
  EXPECT_THAT(text_at(tested.data(), "wouldSend.body"), HasSubstr(page_of(shipment)));
}

TEST_F(Links, ATemplateThatNamesTheLinkGetsIt) {
  const std::string shipment = tenant.insert_shipment("");
  tenant.webhook(
      url(), "shipment_status_changed",
      {{"action",
        {{"type", "webhook"}, {"recipient", url()}, {"template", R"({"link": "{{trackingUrl}}"})"}}}});
  tenant.webhook(url("plain"), "shipment_status_changed",
                 {{"action",
                   {{"type", "webhook"},
                    {"recipient", url("plain")},
                    {"template", R"({"number": "{{trackingNumber}}"})"}}}});
  tenant.move_shipment(shipment, "collected");
  const auto received = wait_for(1);
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(text_at(received[0].json_body(), "link"), page_of(shipment));
  EXPECT_THAT(wait_for(1, "plain"), SizeIs(1));
}

}  // namespace
}  // namespace waybill::tests
