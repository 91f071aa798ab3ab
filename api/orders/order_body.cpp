#include "api/orders/order_body.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "api/records/fields.hpp"
#include "api/records/own_data.hpp"
#include "api/records/properties.hpp"
#include "base/blanks.hpp"
#include "domain/records/state_machines.hpp"
#include "domain/values/currency.hpp"
#include "domain/values/limits.hpp"

namespace waybill::api {
namespace {

constexpr double largest_quantity = 1e9;
constexpr double largest_amount = 999'999'999'999.99;

constexpr std::string_view first_statuses[] = {"draft", "pending"};

constexpr Property dimensions_properties[] = {
    {.name = "length", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
    {.name = "width", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
    {.name = "height", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
    {.name = "weight", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
};
constexpr Schema dimensions_schema{"ItemDimensions", dimensions_properties};

constexpr std::string_view hs_code_text = "The number in the customs tariff. Dots and blanks are removed.";
constexpr std::string_view origin_text = "The country of origin, as ISO 3166-1 alpha-2.";
constexpr std::string_view customs_value_text =
    "The value of one for customs, in the currency of the order. Default: that of the product, or the price.";

/// `create` requires all that an item needs; items of a new order have no guid yet.
constexpr std::array<Property, 10> item_properties(bool create) {
  // An amount with more decimals, which SQL wrote, may come back unchanged: ItemList compares it.
  const auto amount = [create](std::string_view name, std::string_view description) {
    if (create) return Property{.name = name, .kind = Kind::money, .description = description};
    return Property{.name = name,
                    .kind = Kind::number,
                    .minimum = 0,
                    .maximum = largest_amount,
                    .description = description};
  };
  return {{
      {.name = "guid", .kind = Kind::uuid, .nullable = false, .read_only = create},
      {.name = "description", .kind = Kind::text, .description = "Default: the name of the product."},
      {.name = "sku", .kind = Kind::code},
      {.name = "productId", .kind = Kind::uuid},
      {.name = "quantity",
       .kind = Kind::integer,
       .required = create,
       .nullable = false,
       .minimum = 1,
       .maximum = largest_quantity},
      amount("price", "The price of one. Default: the price of the product."),
      {.name = "dimensions", .kind = Kind::object, .schema = &dimensions_schema},
      {.name = "hsCode", .kind = Kind::hs_code, .description = hs_code_text},
      {.name = "originCountry", .kind = Kind::country, .description = origin_text},
      amount("customsValue", customs_value_text),
  }};
}
constexpr auto new_item_properties = item_properties(true);
constexpr auto item_change_properties = item_properties(false);
constexpr Schema new_item_schema{"OrderItemCreate", new_item_properties};
constexpr Schema item_schema{"OrderItemUpdate", item_change_properties};

constexpr Property customer_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string},
    {.name = "email", .kind = Kind::email, .max_length = 254},
    {.name = "phone", .kind = Kind::string},
};
constexpr Schema customer_schema{"OrderCustomer", customer_properties};

constexpr Property carrier_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string, .read_only = true},
};
constexpr Schema carrier_schema{"OrderCarrierChoice", carrier_properties};

const auto delivery_properties = object_properties(domain::EntityType::order, Use::change, "deliveryAddress");
const Schema delivery_schema{"DeliveryAddress", delivery_properties};

constexpr Property integration_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false, .description = "The address of the store."},
    {.name = "provider", .kind = Kind::string, .nullable = false},
};
constexpr Schema integration_schema{"OrderIntegration", integration_properties};

constexpr std::string_view source_types[] = {"api", "import", "sql"};
constexpr Property source_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = source_types},
    {.name = "integration", .kind = Kind::object, .schema = &integration_schema},
    {.name = "externalId", .kind = Kind::string, .description = "The order's id in the store."},
    {.name = "url", .kind = Kind::string, .description = "The order in the store's administration."},
};
constexpr Schema source_schema{"OrderSource", source_properties};

constexpr Property source_property{.name = "source",
                                   .kind = Kind::object,
                                   .nullable = false,
                                   .read_only = true,
                                   .schema = &source_schema,
                                   .description = "Where the order comes from."};
const Property shipment_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "trackingNumber", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states},
};
constexpr Schema shipment_schema{"OrderShipment", shipment_properties};

constexpr auto window_properties_of(bool whole) {
  return std::to_array<Property>({
      {.name = "start", .kind = Kind::time_of_day, .required = whole, .nullable = false},
      {.name = "end", .kind = Kind::time_of_day, .required = whole, .nullable = false},
  });
}
constexpr auto window_properties = window_properties_of(true);
constexpr auto window_change_properties = window_properties_of(false);
constexpr Schema window_change_schema{"TimeWindowChange", window_change_properties};

/// The properties with rules of their own, and those without a column.
constexpr auto own_request_properties(bool create) {
  return std::to_array<Property>({
      {.name = "orderNumber",
       .kind = Kind::code,
       .nullable = create,
       .description = "Default: the next number."},
      {.name = "status",
       .kind = Kind::one_of,
       .nullable = create,
       .values =
           create ? std::span<const std::string_view>(first_statuses) : std::span<const std::string_view>(),
       .description = create ? "Default: pending." : "The present status. PATCH …/status changes it."},
      {.name = "customerId", .kind = Kind::uuid},
      {.name = "customer",
       .kind = Kind::object,
       .schema = &customer_schema,
       .description =
           "A customer by guid; or by name and e-mail address, who is created if the address is not known."},
      {.name = "items",
       .kind = Kind::array,
       .required = create,
       .nullable = false,
       .max_length = domain::most_items,
       .min_length = create ? 1U : 0U,  // an imported order that is cancelled may have none
       .schema = create ? &new_item_schema : &item_schema},
      {.name = "deliveryAddress", .kind = Kind::object, .schema = &delivery_schema},
      {.name = "carrierId",
       .kind = Kind::uuid,
       .description = create ? "Default: the default carrier of the business." : ""},
      {.name = "carrier", .kind = Kind::object, .schema = &carrier_schema},
      {.name = "serviceLevel",
       .kind = Kind::string,
       .description =
           create ? "A code of the carrier. Default: the default service level of the business, if the "
                    "carrier has it."
                  : "A code of the carrier."},
      {.name = "shipments", .kind = Kind::array, .read_only = true, .schema = &shipment_schema},
      {.name = "totalValue", .kind = Kind::number, .read_only = true},
      {.name = "currency",
       .kind = Kind::string,
       .nullable = create,
       .description = "An ISO 4217 code. Default: the currency of the business."},
      {.name = "timeWindow",
       .kind = Kind::object,
       .schema = create ? &time_window_schema : &window_change_schema},
      source_property,
  });
}
const auto create_properties =
    record_properties(domain::EntityType::order, Use::create, own_request_properties(true));
const auto update_properties =
    record_properties(domain::EntityType::order, Use::change, own_request_properties(false));

constexpr Property customer_answer_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string},
    {.name = "email", .kind = Kind::email},
    {.name = "phone", .kind = Kind::string},
};
constexpr Schema customer_answer_schema{"CustomerOfOrder", customer_answer_properties};
constexpr Schema customer_entry_schema{"CustomerOfOrderEntry",
                                       std::span(customer_answer_properties).first(2)};

constexpr Property item_answer_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "description", .kind = Kind::text, .nullable = false},
    {.name = "sku", .kind = Kind::string},
    {.name = "productId", .kind = Kind::uuid},
    {.name = "quantity", .kind = Kind::integer, .nullable = false},
    {.name = "price", .kind = Kind::money, .nullable = false, .description = "The price of one."},
    {.name = "dimensions", .kind = Kind::object, .schema = &dimensions_schema},
    // Missing if the item was not given them.
    {.name = "hsCode", .kind = Kind::hs_code, .optional = true, .description = hs_code_text},
    {.name = "originCountry", .kind = Kind::country, .optional = true, .description = origin_text},
    {.name = "customsValue", .kind = Kind::money, .optional = true, .description = customs_value_text},
};
constexpr Schema item_answer_schema{"OrderItem", item_answer_properties};

constexpr Property item_entry_properties[] = {
    {.name = "description", .kind = Kind::text, .nullable = false},
    {.name = "quantity", .kind = Kind::integer, .nullable = false},
    {.name = "price", .kind = Kind::money, .nullable = false, .description = "The price of one."},
};
constexpr Schema item_entry_schema{"OrderEntryItem", item_entry_properties};

const auto address_entry_properties =
    object_properties(domain::EntityType::order, Use::entry, "deliveryAddress");
const Schema address_entry_schema{"OrderEntryAddress", address_entry_properties};

constexpr Property carrier_answer_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string},
};
constexpr Schema carrier_answer_schema{"OrderCarrier", carrier_answer_properties};
constexpr Schema carrier_entry_schema{"OrderEntryCarrier", std::span(carrier_answer_properties).first(1)};

const Property status_answer_property{
    .name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::order_states().states};

const Property own_answer_properties[] = {
    status_answer_property,
    {.name = "customer", .kind = Kind::object, .schema = &customer_answer_schema},
    {.name = "items",
     .kind = Kind::array,
     .nullable = false,
     .max_length = domain::most_items,
     .schema = &item_answer_schema},
    {.name = "deliveryAddress", .kind = Kind::object, .schema = &delivery_schema},
    {.name = "carrier", .kind = Kind::object, .schema = &carrier_answer_schema},
    {.name = "shipments", .kind = Kind::array, .nullable = false, .schema = &shipment_schema},
    {.name = "totalValue", .kind = Kind::number, .nullable = false},
    {.name = "timeWindow", .kind = Kind::object, .schema = &time_window_schema},
    source_property,
};
const auto answer_properties =
    record_properties(domain::EntityType::order, Use::answer, own_answer_properties);

const Property own_entry_properties[] = {
    status_answer_property,
    {.name = "customer", .kind = Kind::object, .schema = &customer_entry_schema},
    {.name = "items",
     .kind = Kind::array,
     .nullable = false,
     .max_length = domain::most_items,
     .schema = &item_entry_schema},
    {.name = "deliveryAddress", .kind = Kind::object, .schema = &address_entry_schema},
    {.name = "carrier", .kind = Kind::object, .schema = &carrier_entry_schema},
    source_property,
};
const auto entry_properties = record_properties(domain::EntityType::order, Use::entry, own_entry_properties);

constexpr Schema order_list_schema{.name = "OrdersToCreate",
                                   .json = R"({"type": "array", "minItems": 1, "maxItems": 1000,
                "items": {"$ref": "#/components/schemas/OrderCreate"}})"};

constexpr Property bulk_properties[] = {
    {.name = "orders",
     .kind = Kind::any,
     .required = true,
     .schema = &order_list_schema,
     .has_records = true,
     .description = "Each entry is the body of a request for one order."},
    {.name = "atomic",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "True: all orders are created, or none. Default: false, each order that can be."},
};

constexpr Schema bulk_error_schema{.name = "OrderBulkError",
                                   .json = R"({"type": "object", "required": ["code", "message"],
                "properties": {"code": {"type": "string"}, "message": {"type": "string"},
                               "details": {"type": "object", "additionalProperties": {"type": "string"}}}})"};

constexpr Property bulk_result_properties[] = {
    {.name = "index", .kind = Kind::integer, .nullable = false, .description = "The position, from 0."},
    {.name = "status",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The HTTP status of a request for this order alone: 201 if it was created."},
    {.name = "guid", .kind = Kind::uuid, .nullable = false, .optional = true},
    {.name = "orderNumber", .kind = Kind::string, .nullable = false, .optional = true},
    {.name = "error",
     .kind = Kind::any,
     .nullable = false,
     .optional = true,
     .schema = &bulk_error_schema,
     .description = "The error of a request for this order alone. Missing if it was created."},
};

void check_customer(const json::object& body, bool required, FieldErrors& errors) {
  const auto* const customer = find_value(body, "customer");
  const bool is_nested = customer != nullptr && customer->is_object();
  if (find_value(body, "customerId") != nullptr) {
    if (is_nested && find_value(body, "customer.guid") == nullptr) {
      errors.push_back({"customer", "must not be given together with customerId"});
    }
    return check_related_guid(body, "customerId", "customer.guid", errors);
  }
  if (customer == nullptr) {
    if (required) errors.push_back({"customerId", "is required unless customer.name is given"});
  } else if (is_nested && find_value(body, "customer.guid") == nullptr) {
    const auto name = text_at(body, "customer.name");
    if (find_value(body, "customer.name") == nullptr || (name && is_blank(*name))) {
      errors.push_back({"customer.name", "is required"});
    }
  }
}

bool has_text(const json::object& object, std::string_view name) {
  const auto* const value = find_value(object, name);
  return value != nullptr && !(value->is_string() && is_blank(value->get_string()));
}

/// Adds an error for each required member that an item without guid (a new item) lacks.
void check_new_items(const json::object& body, FieldErrors& errors) {
  const auto* const items = find_value(body, "items");
  if (items == nullptr || !items->is_array()) return;
  const auto& entries = items->get_array();
  for (std::size_t index = 0; index < entries.size(); ++index) {
    const auto* const item = entries[index].if_object();
    if (item == nullptr || find_value(*item, "guid") != nullptr) continue;
    const auto path = "items[" + std::to_string(index) + "].";
    const auto require = [&](std::string_view name) {
      if (!has_text(*item, name)) errors.push_back({path + std::string(name), "is required"});
    };
    require("quantity");
    if (find_value(*item, "productId") != nullptr) continue;
    require("description");
    require("price");
  }
}

/// Adds an error for each amount of a new item with more than two decimals. A known item may have one that
/// SQL wrote (ItemList compares them), so its amounts have errors here only if the request has others.
void check_amounts(const json::object& body, FieldErrors& errors) {
  const auto* const items = find_value(body, "items");
  if (items == nullptr || !items->is_array()) return;
  const bool is_refused = !errors.empty();
  const auto& entries = items->get_array();
  for (std::size_t index = 0; index < entries.size(); ++index) {
    const auto* const item = entries[index].if_object();
    if (item == nullptr || (find_value(*item, "guid") != nullptr && !is_refused)) continue;
    for (const std::string_view name : {"price", "customsValue"}) {
      const auto* const amount = find_value(*item, name);
      const auto decimal = amount == nullptr ? std::nullopt : decimal_text(*amount);
      if (!decimal || decimal_places(*decimal) <= 2) continue;
      const auto field = "items[" + std::to_string(index) + "]." + std::string(name);
      if (std::ranges::find(errors, field, &FieldError::field) == errors.end())
        errors.push_back({field, "must have at most two decimals"});
    }
  }
}

void check_common(const json::object& body, FieldErrors& errors) {
  check_has_text(body, "orderNumber", errors);
  check_related_guid(body, "carrierId", "carrier.guid", errors);
  check_new_items(body, errors);
  check_time_window(body, errors);
  check_own_data(body, errors);
}

}  // namespace

const Schema time_window_schema{"TimeWindow", window_properties};
const Schema order_schema{"Order", answer_properties};
const Schema order_entry_schema{"OrderEntry", entry_properties};
const Schema order_create_schema{"OrderCreate", create_properties};
const Schema order_update_schema{"OrderUpdate", update_properties};
const Schema order_bulk_schema{"OrderBulk", bulk_properties};
const Schema order_bulk_result_schema{"OrderBulkResult", bulk_result_properties};

void check_currency(const json::object& body, FieldErrors& errors) {
  const auto currency = text_at(body, "currency");
  if (currency && !domain::is_currency(*currency))
    errors.push_back({"currency", "must be a code of ISO 4217 such as EUR"});
}

void check_order_create(const json::object& body, FieldErrors& errors) {
  check_customer(body, true, errors);
  check_currency(body, errors);
  check_common(body, errors);
  if (text_at(body, "status") == "draft") return;
  const auto* const address = find_value(body, "deliveryAddress");
  if (address != nullptr && !address->is_object()) return;
  for (const auto* const name : {"deliveryAddress.street", "deliveryAddress.city"}) {
    if (!has_text(body, name)) errors.push_back({name, "is required"});
  }
}

void check_order_update(const json::object& body, FieldErrors& errors) {
  check_customer(body, false, errors);
  check_common(body, errors);
  check_amounts(body, errors);
}

void check_order_bulk(const json::object& body, FieldErrors& errors) {
  const auto* const orders = find_value(body, "orders");
  if (orders == nullptr) return;  // the schema reports it
  if (!orders->is_array()) {
    errors.push_back({"orders", "must be an array"});
  } else if (orders->get_array().empty() || orders->get_array().size() > default_array_length) {
    errors.push_back({"orders", "must have 1 to " + std::to_string(default_array_length) + " entries"});
  }
}

void check_time_window(const json::object& body, FieldErrors& errors) {
  const auto start = text_at(body, "timeWindow.start");
  const auto end = text_at(body, "timeWindow.end");
  const bool are_times =
      start && end && !text_problem(Kind::time_of_day, *start) && !text_problem(Kind::time_of_day, *end);
  if (are_times && *start >= *end) errors.push_back({"timeWindow.end", "must be after timeWindow.start"});
}

}  // namespace waybill::api
