#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/action.hpp"
#include "actions/checked_test.hpp"

namespace waybill::actions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Action& store_tracking() { return *find_action("push_tracking"); }

constexpr Guid business{{1}}, shipment{{2}};

Plan plan_of(std::string_view entity) {
  const json::object record = parse(entity), previous, action = parse(R"({"type": "push_tracking"})");
  return store_tracking().plan(
      {.guid = Guid{}, .name = "", .business_id = business, .business_name = "", .action = action},
      {.entity = record,
       .previous = previous,
       .entity_type = domain::EntityType::shipment,
       .entity_id = shipment,
       .event_id = 1,
       .at = parse_timestamp("2026-11-20T05:45:12.345Z").value(),
       .trigger = "shipment_status_changed"});
}

TEST(StoreTrackingCheck, IsForShipmentsAndHasNoFields) {
  const net::DestinationPolicy destinations;
  const auto check = [&](std::string_view definition, domain::EntityType type) {
    Checked result;
    result.stored = store_tracking().check(parse(definition), {type, destinations, {}}, result.errors);
    return result;
  };
  const auto good = check(R"({"type": "push_tracking"})", domain::EntityType::shipment);
  EXPECT_THAT(good.errors, IsEmpty());
  EXPECT_EQ(good.stored, parse(R"({"type": "push_tracking"})"));
  EXPECT_THAT(check(R"({"type": "push_tracking", "to": 1})", domain::EntityType::order).fields(),
              ElementsAre("action.to", "action.type"));
}

TEST(StoreTrackingCheck, IsNotOfferedByTheApi) {
  std::vector<std::string_view> offered;
  for (const Action* action : all_actions()) {
    if (!action->managed_only()) offered.push_back(action->type());
  }
  EXPECT_THAT(offered, ElementsAre("buy_label", "create_shipment", "send_email", "send_push", "update_record",
                                   "update_status", "void_label", "webhook"));
}

TEST(StoreTrackingPlan, ShowsTheTrackingAndQueuesByBusiness) {
  const Plan plan = plan_of(
      R"({"orderId": "o", "trackingNumber": "WB1", "carrierTrackingNumber": "1Z9",
          "carrier": {"guid": "c", "name": "UPS"}})");
  EXPECT_EQ(plan.request, (json::object{{"orderId", "o"},
                                        {"trackingNumber", "1Z9"},
                                        {"carrier", "UPS"},
                                        {"shippedAt", "2026-11-20T05:45:12.345Z"},
                                        {"destination", "store:" + business.to_string()}}));
  EXPECT_EQ(store_tracking().destination(plan.request, business), "store:" + business.to_string());
  const Plan ours = plan_of(
      R"({"orderId": "o", "trackingNumber": "WB1", "carrierTrackingNumber": null, "carrier": {"name": "UPS"}})");
  EXPECT_EQ(ours.request.at("trackingNumber"), "WB1");
  EXPECT_TRUE(ours.request.at("carrier").is_null()) << "the carrier does not know our number";
}

}  // namespace
}  // namespace waybill::actions
