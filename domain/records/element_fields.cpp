#include "domain/records/element_fields.hpp"

#include <algorithm>
#include <array>

namespace waybill::domain {
namespace {

using enum FieldType;

constexpr auto item_fields = std::to_array<ElementField>({
    {"guid", uuid},
    {"description", string},
    {"sku", string},
    {"productId", uuid},
    {"quantity", integer},
    {"price", decimal},
    {"dimensions.length", decimal},
    {"dimensions.width", decimal},
    {"dimensions.height", decimal},
    {"dimensions.weight", decimal},
    {"hsCode", string},
    {"originCountry", string},
    {"customsValue", decimal},
});

constexpr auto order_shipment_fields = std::to_array<ElementField>({
    {"guid", uuid},
    {"trackingNumber", string},
    {"status", string, EntityType::shipment},
    {.path = "labelStatus", .type = string, .is_nullable = true},
});

constexpr auto package_fields = std::to_array<ElementField>({
    {"length", decimal},
    {"width", decimal},
    {"height", decimal},
    {"weight", decimal},
    {"carrierTrackingNumber", string},
});

constexpr auto contact_fields = std::to_array<ElementField>({
    {"guid", uuid},
    {"name", string},
    {"email", string},
    {"phone", string},
    {"role", string},
});

constexpr auto reference_fields = std::to_array<ElementField>({
    {"guid", uuid},
    {"type", string},
    {"value", string},
});

constexpr auto variant_fields = std::to_array<ElementField>({
    {"guid", uuid},
    {"name", string},
    {"sku", string},
    {"priceDifference", decimal},
    {"weight", decimal},
    {"dimensions.length", decimal},
    {"dimensions.width", decimal},
    {"dimensions.height", decimal},
});

struct List {
  EntityType owner;
  std::string_view path;
  std::span<const ElementField> fields;
};

constexpr auto lists = std::to_array<List>({
    {EntityType::order, "items", item_fields},
    {EntityType::order, "shipments", order_shipment_fields},
    {EntityType::shipment, "packages", package_fields},
    {EntityType::customer, "contacts", contact_fields},
    {EntityType::customer, "references", reference_fields},
    {EntityType::product, "variants", variant_fields},
});

}  // namespace

std::span<const ElementField> element_fields(EntityType type, std::string_view path) {
  const auto found =
      std::ranges::find_if(lists, [&](const List& list) { return list.owner == type && list.path == path; });
  return found == lists.end() ? std::span<const ElementField>{} : found->fields;
}

}  // namespace waybill::domain
