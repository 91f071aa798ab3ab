#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/action.hpp"
#include "actions/checked_test.hpp"

namespace waybill::actions {
namespace {

using domain::EntityType;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const Action& update_status() { return *find_action("update_status"); }

Checked check(std::string_view definition, EntityType type = EntityType::order) {
  const net::DestinationPolicy destinations;
  Checked result;
  result.stored = update_status().check(parse(definition), {type, destinations, {}}, result.errors);
  return result;
}

TEST(UpdateStatusCheck, StatusIsGivenAsTemplateOrStatus) {
  for (const char* definition :
       {R"({"type": "update_status", "template": "shipped"})",
        R"({"type": "update_status", "status": "shipped"})",
        R"({"type": "update_status", "recipient": "", "template": "shipped", "status": "shipped"})"}) {
    const Checked checked = check(definition);
    EXPECT_THAT(checked.errors, IsEmpty()) << definition;
    EXPECT_EQ(checked.stored, parse(R"({"type": "update_status", "recipient": "", "template": "shipped",
                                        "status": "shipped", "whenAllShipments": null})"));
    EXPECT_THAT(check(to_json(checked.stored)).errors, IsEmpty()) << "the stored form can be sent back";
  }
}

TEST(UpdateStatusCheck, StatusIsValidForTheMovedRecords) {
  EXPECT_THAT(check(R"({"recipient": "shipments", "status": "in_transit"})").errors, IsEmpty());
  EXPECT_THAT(check(R"({"recipient": "order", "status": "shipped"})", EntityType::shipment).errors,
              IsEmpty());
  EXPECT_THAT(check(R"({"status": "in_transit"})").fields(), ElementsAre("action.status"));
  EXPECT_THAT(check(R"({"template": "in_transit"})").fields(), ElementsAre("action.template"));
  EXPECT_THAT(check(R"({"recipient": "shipments", "status": "shipped"})").fields(),
              ElementsAre("action.status"));
  EXPECT_THAT(check(R"({"recipient": "order", "template": "in_transit"})", EntityType::shipment).fields(),
              ElementsAre("action.template"));
}

TEST(UpdateStatusCheck, RelativesMustExistForTheEntityType) {
  const auto fields = [](std::string_view recipient, EntityType type) {
    return check(R"({"status": "cancelled", "recipient": ")" + std::string(recipient) + "\"}", type).fields();
  };
  EXPECT_THAT(fields("", EntityType::order), IsEmpty());
  EXPECT_THAT(fields("", EntityType::shipment), IsEmpty());
  EXPECT_THAT(fields("order", EntityType::order), ElementsAre("action.recipient"));
  EXPECT_THAT(fields("shipments", EntityType::shipment), ElementsAre("action.recipient"));
  EXPECT_THAT(fields("customer", EntityType::order), ElementsAre("action.recipient"));
  for (const EntityType type : {EntityType::customer, EntityType::product}) {
    for (const char* recipient : {"", "order", "shipments"}) {
      EXPECT_THAT(fields(recipient, type), ElementsAre("action.recipient"));
    }
  }
}

TEST(UpdateStatusCheck, AllBadFieldsAreReported) {
  EXPECT_THAT(check("{}").fields(), ElementsAre("action.status"));
  EXPECT_THAT(check(R"({"status": "shipped", "template": "ready"})").fields(),
              ElementsAre("action.template"));
  EXPECT_THAT(
      check(R"({"status": 1, "recipient": ["order"], "stauts": "x", "whenAllShipments": "lost"})").fields(),
      UnorderedElementsAre("action.status", "action.recipient", "action.stauts", "action.whenAllShipments"));
  EXPECT_THAT(
      check(R"({"recipient": "shipments", "status": "delivered", "whenAllShipments": "delivered"})").fields(),
      ElementsAre("action.whenAllShipments"));
}

class UpdateStatusRun : public testing::Test {
 protected:
  Plan plan(std::string_view action, EntityType type, const json::object& entity) {
    const json::object definition = check(action, type).stored;
    const json::object previous;
    return update_status().plan(
        {.guid = {}, .name = "w", .business_id = {}, .business_name = "b", .action = definition},
        {.entity = entity,
         .previous = previous,
         .entity_type = type,
         .entity_id = record,
         .event_id = 1,
         .at = {},
         .trigger = "order_updated"});
  }
  const Guid record = Guid::from_name(namespace_url, "record");
  const std::string other = Guid::from_name(namespace_url, "other").to_string();
};

TEST_F(UpdateStatusRun, PlansTheRecordItself) {
  EXPECT_EQ(
      plan(R"({"status": "ready"})", EntityType::order, {}).request,
      (json::object{{"entityType", "Order"}, {"entityIds", {record.to_string()}}, {"status", "ready"}}));
}

TEST_F(UpdateStatusRun, PlansItsRelatives) {
  const json::array shipments{json::object{{"guid", other}}, json::object{{"guid", record.to_string()}}};
  EXPECT_EQ(
      plan(R"({"recipient": "shipments", "status": "cancelled"})", EntityType::order,
           {{"shipments", shipments}})
          .request,
      (json::object{
          {"entityType", "Shipment"}, {"entityIds", {other, record.to_string()}}, {"status", "cancelled"}}));
  EXPECT_EQ(plan(R"({"recipient": "order", "status": "delivered", "whenAllShipments": "delivered"})",
                 EntityType::shipment, {{"orderId", other}})
                .request,
            (json::object{{"entityType", "Order"},
                          {"entityIds", {other}},
                          {"status", "delivered"},
                          {"whenAllShipments", "delivered"}}));
  EXPECT_EQ(
      plan(R"({"recipient": "order", "status": "shipped"})", EntityType::shipment, {{"orderId", nullptr}})
          .request.at("entityIds"),
      json::array());
}

}  // namespace
}  // namespace waybill::actions
