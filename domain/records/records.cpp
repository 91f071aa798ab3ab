#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {
namespace {

using enum FieldType;
using Role = FieldRole;

constexpr Field own(std::string_view path, std::string_view column, FieldType type, Role role = Role::plain) {
  return {.path = path, .column = column, .type = type, .role = role, .list_filter = true};
}

constexpr Field searched(std::string_view path, std::string_view column,
                         std::string_view text = "search_text") {
  return {.path = path,
          .column = column,
          .type = string,
          .searchable = true,
          .search_text = text,
          .list_filter = true};
}

// A field of the record itself that lists and answers read with a function of the row.
constexpr Field derived(std::string_view path, std::string_view column, std::string_view function,
                        FieldType type) {
  return {.path = path, .column = column, .type = type, .list_filter = true, .list_function = function};
}

// A field of the record itself that gets its value from relatives, in entities, if its column is null.
constexpr Field completed(std::string_view path, std::string_view column, FieldType type) {
  return {.path = path, .column = column, .type = type, .list_filter = true, .completed_by_relatives = true};
}

// A field of the record itself that answers show, but by which lists cannot be filtered or sorted.
constexpr Field shown(std::string_view path, std::string_view column, FieldType type,
                      Role role = Role::plain) {
  return {.path = path, .column = column, .type = type, .role = role};
}

constexpr Field relative(std::string_view path, std::string_view table, std::string_view column,
                         std::string_view key, bool searchable = false) {
  return {.path = path,
          .column = {},
          .type = string,
          .role = Role::relative,
          .searchable = searchable,
          .list_filter = true,
          .relative_table = table,
          .relative_column = column,
          .relative_key = key};
}

constexpr Field computed(std::string_view path, std::string_view function, FieldType type) {
  return {.path = path,
          .column = {},
          .type = type,
          .role = Role::computed,
          .list_filter = true,
          .relative_column = function};
}

constexpr Field related_list(std::string_view path) {
  return {.path = path, .column = {}, .type = array, .role = Role::relative};
}

constexpr Field of_event(std::string_view path, FieldType type) {
  return {.path = path, .column = {}, .type = type, .role = Role::event};
}

constexpr std::string_view recipient_text = "recipient_text";
constexpr std::string_view reference_text = "reference_text";

constexpr auto order_fields = std::to_array<Field>({
    own("guid", "guid", uuid),
    searched("orderNumber", "order_number"),
    own("status", "status", string, Role::status),
    own("customer.guid", "customer_id", uuid),
    shown("items", "items", array),
    searched("deliveryAddress.street", "delivery_street"),
    searched("deliveryAddress.city", "delivery_city"),
    own("deliveryAddress.state", "delivery_state", string),
    searched("deliveryAddress.postalCode", "delivery_postal_code"),
    own("deliveryAddress.country", "delivery_country", string),
    searched("deliveryAddress.name", "delivery_name", recipient_text),
    searched("deliveryAddress.company", "delivery_company", recipient_text),
    searched("deliveryAddress.phone", "delivery_phone", recipient_text),
    searched("deliveryAddress.email", "delivery_email", recipient_text),
    own("carrier.guid", "carrier_id", uuid),
    own("serviceLevel", "service_level", string),
    own("shippingMethod", "shipping_method", string),
    own("shippingCost", "shipping_cost", decimal),
    own("totalValue", "total_value", decimal),
    own("currency", "currency", string),
    own("collectionDate", "collection_date", timestamp),
    shown("timeWindow.start", "collection_start", string),
    shown("timeWindow.end", "collection_end", string),
    searched("notes", "notes"),
    searched("externalReference", "external_reference", reference_text),
    own("tags", "tags", array),
    own("metadata", "metadata", object),
    derived("source.type", "source_type", "source_kind", string),
    own("source.integration.guid", "integration_id", uuid),
    own("source.externalId", "external_id", string),
    own("source.url", "source_url", string),
    own("statusChangedAt", "status_changed_at", timestamp, Role::bookkeeping),
    own("createdAt", "created_at", timestamp, Role::bookkeeping),
    own("updatedAt", "updated_at", timestamp, Role::bookkeeping),
    relative("customer.name", "customers", "name", "customer_id", true),
    relative("customer.email", "customers", "email", "customer_id", true),
    relative("customer.phone", "customers", "phone", "customer_id"),
    relative("carrier.name", "carriers", "name", "carrier_id"),
    relative("source.integration.name", "integrations", "store_name", "integration_id"),
    relative("source.integration.provider", "integrations", "provider", "integration_id"),
    related_list("shipments"),
});

constexpr auto shipment_fields = std::to_array<Field>({
    own("guid", "guid", uuid),
    searched("trackingNumber", "tracking_number"),
    own("status", "status", string, Role::status),
    own("orderId", "order_id", uuid),
    own("customer.guid", "customer_id", uuid),
    searched("sender.name", "sender_name"),
    own("sender.company", "sender_company", string),
    own("sender.address.street", "sender_street", string),
    own("sender.address.city", "sender_city", string),
    own("sender.address.state", "sender_state", string),
    own("sender.address.postalCode", "sender_postal_code", string),
    own("sender.address.country", "sender_country", string),
    own("sender.phone", "sender_phone", string),
    searched("recipient.name", "recipient_name"),
    own("recipient.company", "recipient_company", string),
    searched("recipient.address.street", "recipient_street"),
    searched("recipient.address.city", "recipient_city"),
    own("recipient.address.state", "recipient_state", string),
    own("recipient.address.postalCode", "recipient_postal_code", string),
    own("recipient.address.country", "recipient_country", string),
    own("recipient.phone", "recipient_phone", string),
    own("recipient.email", "recipient_email", string),
    shown("packages", "packages", array),
    own("carrier.guid", "carrier_id", uuid),
    own("serviceLevel", "service_level", string),
    own("instructions", "instructions", string),
    own("carrierTrackingNumber", "carrier_tracking_number", string),
    completed("carrierTrackingUrl", "carrier_tracking_url", string),
    own("externalReference", "external_reference", string),
    own("tags", "tags", array),
    own("metadata", "metadata", object),
    own("collectionDate", "collection_date", timestamp),
    own("estimatedDelivery", "estimated_delivery", timestamp),
    own("deliveredAt", "delivered_at", timestamp, Role::bookkeeping),
    own("statusChangedAt", "status_changed_at", timestamp, Role::bookkeeping),
    own("lastTraceAt", "last_trace_at", timestamp, Role::bookkeeping),
    shown("dispatchId", "dispatch_id", uuid, Role::dispatch),
    own("createdAt", "created_at", timestamp, Role::bookkeeping),
    own("updatedAt", "updated_at", timestamp, Role::bookkeeping),
    relative("customer.name", "customers", "name", "customer_id", true),
    relative("customer.email", "customers", "email", "customer_id", true),
    relative("customer.phone", "customers", "phone", "customer_id"),
    relative("carrier.name", "carriers", "name", "carrier_id"),
    of_event("trace.status", string),
    of_event("trace.description", string),
    of_event("trace.location", string),
    of_event("trace.timestamp", timestamp),
    of_event("trace.externalId", string),
});

constexpr auto customer_fields = std::to_array<Field>({
    own("guid", "guid", uuid),
    searched("name", "name"),
    searched("email", "email"),
    searched("phone", "phone"),
    searched("company", "company"),
    searched("address.street", "street"),
    searched("address.city", "city"),
    own("address.state", "state", string),
    searched("address.postalCode", "postal_code"),
    own("address.country", "country", string),
    searched("externalReference", "external_reference", reference_text),
    own("tags", "tags", array),
    own("metadata", "metadata", object),
    shown("contacts", "contacts", array),
    shown("references", "reference_list", array),
    own("createdAt", "created_at", timestamp, Role::bookkeeping),
    own("updatedAt", "updated_at", timestamp, Role::bookkeeping),
});

constexpr auto product_fields = std::to_array<Field>({
    own("guid", "guid", uuid),
    searched("name", "name"),
    searched("sku", "sku"),
    searched("description", "description"),
    own("price", "price", decimal),
    own("cost", "cost", decimal),
    own("weight", "weight", decimal),
    own("dimensions.length", "length", decimal),
    own("dimensions.width", "width", decimal),
    own("dimensions.height", "height", decimal),
    searched("barcode", "barcode"),
    searched("externalReference", "external_reference", reference_text),
    own("tags", "tags", array),
    own("metadata", "metadata", object),
    shown("variants", "variants", array),
    own("createdAt", "created_at", timestamp, Role::bookkeeping),
    own("updatedAt", "updated_at", timestamp, Role::bookkeeping),
    computed("variantCount", "variant_count", integer),
});

constexpr auto types = std::to_array<RecordType>({
    {EntityType::order, "Order", "order", "orders", order_fields},
    {EntityType::shipment, "Shipment", "shipment", "shipments", shipment_fields},
    {EntityType::customer, "Customer", "customer", "customers", customer_fields},
    {EntityType::product, "Product", "product", "products", product_fields},
});

static_assert(order_fields.size() <= FieldSet{}.size() && shipment_fields.size() <= FieldSet{}.size());

}  // namespace

const Field* RecordType::find(std::string_view path) const {
  const auto found = std::ranges::find(fields, path, &Field::path);
  return found == fields.end() ? nullptr : &*found;
}

const RecordType& record_type(EntityType type) { return types.at(static_cast<std::size_t>(type)); }

std::span<const RecordType> record_types() { return types; }

std::optional<EntityType> parse_entity_type(std::string_view name) {
  const auto found = std::ranges::find_if(
      types, [&](const RecordType& type) { return equal_ignoring_case(type.name, name); });
  if (found == types.end()) return std::nullopt;
  return found->type;
}

}  // namespace waybill::domain
