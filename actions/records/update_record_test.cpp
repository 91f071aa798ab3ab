#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/action.hpp"
#include "actions/checked_test.hpp"
#include "domain/values/email.hpp"

namespace waybill::actions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using enum domain::EntityType;

const Action& action() { return *find_action("update_record"); }

std::vector<std::string> bad_fields(domain::EntityType type, std::string_view set) {
  const net::DestinationPolicy destinations;
  Checked result;
  const json::object definition{{"type", "update_record"}, {"set", json::parse(set)}};
  result.stored = action().check(definition, {type, destinations, {}}, result.errors);
  return result.fields();
}

TEST(UpdateRecordCheck, KnowsTheFieldsOfEachEntityType) {
  EXPECT_THAT(
      bad_fields(order, R"({"carrierId": "018f0000-0000-7000-8000-000000000001", "serviceLevel": "express",
      "collectionDate": "2026-11-20T05:45:12Z", "notes": "{{customer.name}}", "externalReference": "E",
      "tags": {"add": ["a", "{{x}}"], "remove": ["b"]}, "metadata": {"k": "{{x}}", "n": 1, "b": true, "gone": null}})"),
      IsEmpty());
  EXPECT_THAT(bad_fields(shipment, R"({"instructions": "x", "collectionDate": null, "deliveryDate": null,
      "carrierTrackingNumber": "1Z", "carrierTrackingUrl": "https://example.com/1"})"),
              IsEmpty());
  EXPECT_THAT(
      bad_fields(customer, R"({"name": "A", "company": "", "email": "a@example.com", "phone": null})"),
      IsEmpty());
  EXPECT_THAT(
      bad_fields(product, R"({"name": "A", "description": "x", "price": 19.99, "cost": "{{price}}"})"),
      IsEmpty());
  EXPECT_THAT(bad_fields(product, R"({"notes": "x", "status": "x", "sku": "x"})"),
              ElementsAre("action.set.notes", "action.set.status", "action.set.sku"));
}

TEST(UpdateRecordCheck, EachBadValueIsNamed) {
  EXPECT_THAT(
      bad_fields(order, R"({"carrierId": "x", "collectionDate": "soon", "notes": 5, "serviceLevel": "{{x",
      "tags": {"add": ["", 5], "put": []}, "metadata": {"a b": 1, "k": []}})"),
      UnorderedElementsAre("action.set.carrierId", "action.set.collectionDate", "action.set.notes",
                           "action.set.serviceLevel", "action.set.tags.add[0]", "action.set.tags.add[1]",
                           "action.set.tags.put", "action.set.metadata.a b", "action.set.metadata.k"));
  EXPECT_THAT(bad_fields(customer, R"({"name": " ", "email": "nobody"})"),
              ElementsAre("action.set.name", "action.set.email"));
  EXPECT_THAT(bad_fields(product, R"({"name": null, "price": -1, "cost": 1.234})"),
              ElementsAre("action.set.name", "action.set.price", "action.set.cost"));
  EXPECT_THAT(bad_fields(shipment, R"({"carrierTrackingUrl": "javascript:x", "carrierTrackingNumber": " "})"),
              ElementsAre("action.set.carrierTrackingUrl", "action.set.carrierTrackingNumber"));
  EXPECT_THAT(bad_fields(order, "{}"), ElementsAre("action.set"));
  EXPECT_THAT(bad_fields(order, "5"), ElementsAre("action.set"));
  EXPECT_THAT(bad_fields(customer, R"({"company": ")" + std::string(201, 'x') + R"("})"),
              ElementsAre("action.set.company"));
}

TEST(UpdateRecordCheck, AnUnknownFieldGetsTheListOfAllFields) {
  const net::DestinationPolicy destinations;
  Checked result;
  const json::object definition{{"type", "update_record"}, {"set", {{"sku", "x"}}}};
  result.stored = action().check(definition, {product, destinations, {}}, result.errors);
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(
      result.errors.front().message,
      "is not a field that a workflow can set: name, description, price, cost, externalReference, tags, "
      "metadata");
}

TEST(UpdateRecordCheck, MailAddressesHaveTheBoundOfTheApi) {
  const std::string label(63, 'd');
  const auto bad = [&](std::size_t characters) {
    const std::string domain = label + "." + label + "." + std::string(61, 'd');
    const std::string local(characters - 1 - domain.size(), 'l');
    return bad_fields(customer, R"({"email": ")" + local + "@" + domain + R"("})");
  };
  EXPECT_THAT(bad(201), IsEmpty());
  EXPECT_THAT(bad(domain::longest_email), IsEmpty());
  EXPECT_THAT(bad(domain::longest_email + 1), ElementsAre("action.set.email"));
}

json::object plan(domain::EntityType type, std::string_view set, const json::object& entity) {
  const json::object previous;
  const json::object definition{{"type", "update_record"}, {"set", json::parse(set)}};
  return action()
      .plan({.guid = {}, .name = "W", .business_id = {}, .business_name = "B", .action = definition},
            {.entity = entity,
             .previous = previous,
             .entity_type = type,
             .entity_id = {},
             .event_id = 1,
             .at = {},
             .trigger = "order_created"})
      .request;
}

TEST(UpdateRecordPlan, RendersValuesByColumn) {
  const json::object request = plan(order,
                                    R"({"notes": "For {{customer.name}}", "externalReference": "{{missing}}",
                                        "collectionDate": "{{day}}", "metadata": {"k": "{{customer.name}}", "n": 1},
                                        "tags": {"add": ["{{country}}", "{{missing}}"], "remove": ["new"]}})",
                                    parse(R"({"customer": {"name": "A & B"}, "country": "GB",
                                              "day": "2026-11-20T05:45:12Z"})"));
  EXPECT_EQ(request.at("changes"), parse(R"({"notes": "For A & B", "external_reference": null,
      "collection_date": "2026-11-20T05:45:12.000Z", "metadata": {"k": "A & B", "n": 1}})"));
  EXPECT_EQ(request.at("addedTags"), json::parse(R"(["GB"])"));
  EXPECT_EQ(request.at("removedTags"), json::parse(R"(["new"])"));
  EXPECT_EQ(plan(product, R"({"price": "{{cost}}", "cost": 5})", parse(R"({"cost": 12.50})")).at("changes"),
            parse(R"({"price": "12.5", "cost": "5"})"));
}

TEST(UpdateRecordPlan, AnInvalidRenderedValueNamesItsField) {
  const json::object entity = parse(R"({"long": ")" + std::string(51, 'x') + R"("})");
  const auto error = [&](domain::EntityType type, std::string_view set) -> std::string {
    try {
      plan(type, set, entity);
    } catch (const InvalidValue& invalid) {
      return invalid.what();
    }
    return {};
  };
  EXPECT_EQ(error(order, R"({"notes": "x", "collectionDate": "{{long}}"})"),
            "collectionDate must be a timestamp such as 2026-11-20T05:45:12Z.");
  EXPECT_EQ(error(customer, R"({"name": "{{missing}}"})"), "name must not be blank.");
  EXPECT_EQ(error(product, R"({"price": "{{long}}"})"), "price must be a number.");
  EXPECT_EQ(error(order, R"({"tags": {"add": ["{{long}}"]}})"), "tags must have at most 50 characters.");
  EXPECT_EQ(
      error(
          order,
          R"({"metadata": {"k": "{{long}}{{long}}{{long}}{{long}}{{long}}{{long}}{{long}}{{long}}{{long}}{{long}}"}})"),
      "metadata.k must have at most 500 characters.");
}

TEST(UpdateRecordPlan, AllValuesShareTheLimitOfWork) {
  // Each rendering of the nested list takes about 41 000 of the 100 000 units.
  const std::string nested = "{{#l}}{{#l}}{{/l}}{{/l}}";
  const json::object entity{{"l", json::array(200, json::value(true))}};
  const std::string two =
      R"({"tags": {"add": [")" + nested + R"(a"]}, "metadata": {"k": ")" + nested + R"(b"})";
  EXPECT_EQ(plan(order, two + "}", entity).at("addedTags").as_array().size(), 1U);
  EXPECT_THROW(plan(order, two + R"(, "notes": ")" + nested + R"("})", entity), std::length_error);
}

std::vector<std::string> bad_shipment(std::string_view definition, domain::EntityType type = order) {
  const net::DestinationPolicy destinations;
  Checked result;
  find_action("create_shipment")->check(parse(definition), {type, destinations, {}}, result.errors);
  return result.fields();
}

TEST(CreateShipmentCheck, IsForOrdersAndChecksItsFields) {
  EXPECT_THAT(bad_shipment(R"({"type": "create_shipment"})"), IsEmpty());
  EXPECT_THAT(bad_shipment(R"({"type": "create_shipment", "itemIds": ["018f0000-0000-7000-8000-000000000001"],
      "carrierId": "018f0000-0000-7000-8000-000000000001", "serviceLevel": "express", "generateLabel": true})"),
              IsEmpty());
  EXPECT_THAT(bad_shipment(R"({"type": "create_shipment"})", shipment), ElementsAre("action.type"));
  EXPECT_THAT(
      bad_shipment(R"({"type": "create_shipment", "itemIds": ["x"], "carrierId": 1, "serviceLevel": "",
      "generateLabel": "yes", "packages": []})"),
      UnorderedElementsAre("action.itemIds[0]", "action.carrierId", "action.serviceLevel",
                           "action.generateLabel", "action.packages"));
  EXPECT_THAT(bad_shipment(R"({"type": "create_shipment", "itemIds": []})"), ElementsAre("action.itemIds"));
}

}  // namespace
}  // namespace waybill::actions
