#include <string>

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

constexpr const char* carrier = "11111111-1111-4111-8111-111111111111";
constexpr const char* record = "22222222-2222-4222-8222-222222222222";

Checked check(std::string_view type, std::string_view definition,
              EntityType entity_type = EntityType::shipment) {
  const net::DestinationPolicy destinations;
  Checked result;
  result.stored = find_action(type)->check(parse(definition), {entity_type, destinations, {}}, result.errors);
  return result;
}

Checked buy(std::string_view definition, EntityType type = EntityType::shipment) {
  return check("buy_label", definition, type);
}

Plan plan(std::string_view type, const json::object& action, EntityType entity_type) {
  const json::object entity, previous;
  return find_action(type)->plan(
      {.guid = {}, .name = "w", .business_id = {}, .business_name = "b", .action = action},
      {.entity = entity,
       .previous = previous,
       .entity_type = entity_type,
       .entity_id = Guid::parse(record).value(),
       .event_id = 1,
       .at = {},
       .trigger = "shipment_created"});
}

TEST(BuyLabelCheck, EverythingIsOptional) {
  for (const EntityType type : {EntityType::shipment, EntityType::order}) {
    const Checked checked = buy(R"({"type": "buy_label"})", type);
    EXPECT_THAT(checked.errors, IsEmpty());
    EXPECT_EQ(checked.stored,
              parse(R"({"type": "buy_label", "serviceLevel": null, "choose": null, "serviceCodes": null,
                        "carrierIds": null, "maxPrice": null, "format": null})"));
    EXPECT_THAT(buy(to_json(checked.stored), type).errors, IsEmpty()) << "the stored form can be sent back";
  }
}

TEST(BuyLabelCheck, EachErrorNamesItsField) {
  EXPECT_THAT(
      buy(R"({"serviceLevel": 1, "format": "gif", "maxPrice": 0, "colour": "red"})").fields(),
      UnorderedElementsAre("action.serviceLevel", "action.format", "action.maxPrice", "action.colour"));
  EXPECT_THAT(buy(R"({"choose": "best"})").fields(), ElementsAre("action.choose"));
  EXPECT_THAT(buy(R"({"choose": "cheapest", "serviceCodes": [], "carrierIds": "all"})").fields(),
              UnorderedElementsAre("action.serviceCodes", "action.carrierIds"));
  EXPECT_THAT(buy(R"({"choose": "cheapest", "serviceCodes": ["a", ""], "carrierIds": ["x"]})").fields(),
              UnorderedElementsAre("action.serviceCodes[1]", "action.carrierIds[0]"));
  EXPECT_THAT(buy("{}", EntityType::customer).fields(), ElementsAre("action.type"));
  EXPECT_THAT(check("void_label", R"({"type": "void_label", "format": "pdf"})").fields(),
              ElementsAre("action.format"));
  EXPECT_THAT(check("void_label", "{}", EntityType::product).fields(), ElementsAre("action.type"));
}

TEST(BuyLabelCheck, CarriersAndCodesMayBeNamedWithEither) {
  const std::string names = R"("serviceCodes": ["a"], "carrierIds": [")" + std::string(carrier) + R"("]})";
  for (const char* with : {"{", R"({"serviceLevel": "express", )", R"({"choose": "fastest", )"})
    EXPECT_THAT(buy(with + names).errors, IsEmpty()) << with;
  EXPECT_THAT(buy(R"({"choose": "fastest", "serviceLevel": "express"})").fields(),
              ElementsAre("action.serviceLevel"));
}

TEST(BuyLabelCheck, APriceHasTwoDecimalsAtMost) {
  for (const char* price : {"20", "0.01", "19.99", "999999999999"})
    EXPECT_THAT(buy(R"({"maxPrice": )" + std::string(price) + "}").errors, IsEmpty()) << price;
  for (const char* price : {"-1", "0", "9.999", "1000000000000", "\"20\"", "true"})
    EXPECT_THAT(buy(R"({"maxPrice": )" + std::string(price) + "}").fields(), ElementsAre("action.maxPrice"))
        << price;
}

TEST(BuyLabelPlan, NamesTheRecordAndTheWish) {
  const auto stored = buy(R"({"choose": "cheapest", "maxPrice": 20})").stored;
  EXPECT_EQ(plan("buy_label", stored, EntityType::order).request, (json::object{{"entityType", "Order"},
                                                                                {"entityId", record},
                                                                                {"serviceLevel", nullptr},
                                                                                {"choose", "cheapest"},
                                                                                {"serviceCodes", nullptr},
                                                                                {"carrierIds", nullptr},
                                                                                {"maxPrice", 20},
                                                                                {"format", nullptr}}));
  EXPECT_EQ(plan("void_label", {{"type", "void_label"}}, EntityType::shipment).request,
            (json::object{{"entityType", "Shipment"}, {"entityId", record}, {"void", true}}));
}

}  // namespace
}  // namespace waybill::actions
