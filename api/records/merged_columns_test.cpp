#include "api/records/merged_columns.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using domain::EntityType;

json::object parse(std::string_view text) { return json::parse(text).as_object(); }

ColumnValues merged(std::string_view body, ColumnValues values = ColumnValues(EntityType::order)) {
  FieldErrors errors;
  values.merge(parse(body), errors);
  EXPECT_EQ(errors, FieldErrors());
  return values;
}

json::object entry_of(const ColumnValues& values) {
  EntryText entry;
  entry.text("guid", "1");
  values.add_to(entry);
  return parse(entry.take());
}

TEST(MergedColumns, OnlyColumnsThatABodyNamesAreChanges) {
  EXPECT_EQ(record_changes(EntityType::order, parse(R"({"orderNumber": "1"})")), json::object());
  EXPECT_EQ(record_changes(EntityType::order, parse(R"({"deliveryAddress": {"city": "Cork"}, "notes": null,
                             "externalReference": "A", "tags": ["a", "A"], "metadata": {"k": null},
                             "collectionDate": "2026-11-20T05:45:12Z"})")),
            parse(R"({"delivery_city": "Cork", "notes": null, "external_reference": "A", "tags": ["a"],
                      "metadata": {"k": null}, "collection_date": "2026-11-20 05:45:12.000000+00"})"));
}

TEST(MergedColumns, ANullObjectClearsItsColumns) {
  const auto changes = record_changes(EntityType::order, parse(R"({"deliveryAddress": null})"));
  EXPECT_EQ(changes.size(), 9U);
  EXPECT_TRUE(changes.at("delivery_city").is_null());
  const auto before = merged(R"({"deliveryAddress": {"city": "Cork"}, "notes": "x"})");
  const auto after = merged(R"({"deliveryAddress": null})", before);
  EXPECT_EQ(after.at("deliveryAddress.city"), std::nullopt);
  EXPECT_EQ(after.at("notes"), "x");
}

TEST(MergedColumns, AnEntryHasEachValueInTheFormOfItsColumn) {
  EXPECT_EQ(
      entry_of(merged(R"({"notes": "a \"b\"", "shippingCost": 4.5, "tags": ["a", "A"], "metadata": {"k": 1},
                                "collectionDate": "2026-11-20T05:45:12Z", "externalReference": null})")),
      parse(R"({"guid": "1", "notes": "a \"b\"", "shipping_cost": 4.5, "tags": ["a"], "metadata": {"k": 1},
                      "collection_date": "2026-11-20 05:45:12.000000+00"})"));
}

TEST(MergedColumns, MetadataIsMergedAndTagsAreReplaced) {
  const auto before =
      merged(R"({"externalReference": "A-1", "tags": ["old"], "metadata": {"a": 1, "b": 2}})");
  EXPECT_EQ(entry_of(merged("{}", before)), entry_of(before));
  EXPECT_EQ(
      entry_of(merged(R"({"tags": ["new"], "metadata": {"b": null, "c": 3}})", before)),
      parse(R"({"guid": "1", "external_reference": "A-1", "tags": ["new"], "metadata": {"a": 1, "c": 3}})"));
}

}  // namespace
}  // namespace waybill::api
