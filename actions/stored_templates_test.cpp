#include "actions/stored_templates.hpp"

#include <gtest/gtest.h>

#include "actions/checked_test.hpp"

namespace waybill::actions {
namespace {

// Pacific/Auckland in the southern summer.
constexpr std::string_view auckland = "1790431200 46800";

json::object context_of(std::string_view entity, bool has_record = true,
                        domain::EntityType type = domain::EntityType::order) {
  const json::object record = parse(entity), nothing;
  return template_context({.guid = {},
                           .name = "W",
                           .business_id = {},
                           .business_name = "B",
                           .action = nothing,
                           .zone_offsets = auckland},
                          {.entity = record,
                           .previous = nothing,
                           .entity_type = type,
                           .entity_id = has_record ? Guid::from_name(namespace_url, "record") : Guid(),
                           .event_id = 1,
                           .at = Time(),
                           .trigger = "order_created"});
}

TEST(TemplateContext, HasAmountsAndLocalDatesAsPeopleReadThem) {
  const auto context = context_of(R"({"totalValue": 19.9, "shippingCost": 5, "currency": "EUR", "notes": "n",
      "collectionDate": "2026-12-05T20:30:00.000Z", "statusChangedAt": null})");
  EXPECT_EQ(
      context.at("formatted"),
      json::parse(R"({"totalValue": "19.90", "shippingCost": "5.00", "collectionDate": "2026-12-06"})"));
  EXPECT_EQ(context.at("totalValue"), json::value(19.9)) << "the record stays as it is";
  EXPECT_EQ(context.at("collectionDate"), "2026-12-05T20:30:00.000Z");
}

TEST(TemplateContext, AmountsHaveTheDecimalsOfTheirCurrency) {
  EXPECT_EQ(context_of(R"({"totalValue": 1990, "currency": "JPY"})").at("formatted").at("totalValue"),
            "1990");
  EXPECT_EQ(context_of(R"({"price": 7.5, "weight": 2.5})", true, domain::EntityType::product).at("formatted"),
            json::parse(R"({"price": "7.50"})"))
      << "of a product its price, not its weight";
}

TEST(TemplateContext, ListsTheShipmentsThatAreNeitherCancelledNorReturned) {
  const auto context = context_of(R"({"shipments": [{"trackingNumber": "A", "status": "cancelled"},
      {"trackingNumber": "B", "status": "delivered"}, {"trackingNumber": "C", "status": "returned"}]})");
  EXPECT_EQ(context.at("liveShipments"), json::parse(R"([{"trackingNumber": "B", "status": "delivered"}])"));
  EXPECT_EQ(context.at("shipments").as_array().size(), 3U) << "the record stays as it is";
}

TEST(TemplateContext, OfAListHasNoFormattedValues) {
  const auto context = context_of(R"({"count": 1, "items": [{"totalValue": 1}]})", false);
  EXPECT_FALSE(context.contains("formatted"));
  EXPECT_FALSE(context.contains("liveShipments"));
}

}  // namespace
}  // namespace waybill::actions
