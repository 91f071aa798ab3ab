#include "api/orders/order_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "api/records/columns.hpp"
#include "api/records/entry_text.hpp"
#include "api/records/own_data.hpp"
#include "base/blanks.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"

namespace waybill::api {
namespace {

/// Adds the values that a new and a changed order have.
EntryText& add_values(EntryText& order, const OrderValues& values) {
  const auto& [street, city, state, postal_code, country, name, company, phone, email] = values.address;
  return order.text("number", values.number)
      .guid("customer", values.customer)
      .text("customer_name", values.customer_name)
      .text("customer_email", values.customer_email)
      .text("customer_phone", values.customer_phone)
      .text("street", street)
      .text("city", city)
      .text("state", state)
      .text("postal_code", postal_code)
      .text("country", country)
      .guid("carrier", values.carrier)
      .text("service_level", values.service_level)
      .text("currency", values.currency)
      .time("collection_date", values.collection_date)
      .text("window_start", values.window_start)
      .text("window_end", values.window_end)
      .text("notes", values.notes)
      .text("delivery_name", name)
      .text("delivery_company", company)
      .text("delivery_phone", phone)
      .text("delivery_email", email)
      .text("shipping_method", values.shipping_method)
      .json("shipping_cost", values.shipping_cost)
      .text("external_reference", values.own.external_reference)
      .json("tags", values.own.tags)
      .json("metadata", values.own.metadata);
}

constexpr auto plain_columns = std::to_array<BodyColumn>({
    {"notes", "notes"},
    {"shippingMethod", "shipping_method"},
    {"shippingCost", "shipping_cost"},
    {"collectionDate", "collection_date"},
    {"deliveryAddress.street", "delivery_street"},
    {"deliveryAddress.city", "delivery_city"},
    {"deliveryAddress.state", "delivery_state"},
    {"deliveryAddress.postalCode", "delivery_postal_code"},
    {"deliveryAddress.country", "delivery_country"},
    {"deliveryAddress.name", "delivery_name"},
    {"deliveryAddress.company", "delivery_company"},
    {"deliveryAddress.phone", "delivery_phone"},
    {"deliveryAddress.email", "delivery_email"},
});

/// Returns true if a member of a body is the user's own data or has plain columns.
bool is_plain(const json::key_value_pair& member) {
  const std::string_view name = member.key();
  return name == external_reference_property.name || name == tags_property.name ||
         name == metadata_property.name || std::ranges::any_of(plain_columns, [&](const BodyColumn& column) {
           return column.path.substr(0, column.path.find('.')) == name;
         });
}

/// Returns true if a change clears a part of the address that only a draft may lack.
bool clears_address(const json::object& changes) {
  return std::ranges::any_of(std::array{"delivery_street", "delivery_city"}, [&](const char* column) {
    const auto* const value = changes.if_contains(column);
    return value != nullptr && (value->is_null() || is_blank(value->get_string()));
  });
}

}  // namespace

std::string order_text(const Guid& order, const OrderValues& values, const ItemList& items) {
  EntryText text;
  text.guid("guid", order).text("status", values.status).json("items", to_json(items.items()));
  return add_values(text, values).take();
}

std::string order_change_text(const Guid& order, std::string_view version, const OrderValues& values,
                              const ItemList* items) {
  EntryText text;
  text.guid("guid", order).text("version", std::string(version));
  if (items != nullptr) text.json("items", to_json(items->items()));
  return add_values(text, values).take();
}

std::optional<std::string> plain_change_text(const Guid& order, const json::object& body) {
  if (!std::ranges::all_of(body, is_plain)) return std::nullopt;
  auto changes = changed_columns(body, plain_columns);
  if (clears_address(changes)) return std::nullopt;
  add_own_data(body, changes);
  if (auto* const date = changes.if_contains("collection_date"); date != nullptr && date->is_string()) {
    *date = format_sql_timestamp(parse_timestamp(date->get_string()).value());
  }
  return EntryText().guid("guid", order).json("changes", to_json(changes)).take();
}

}  // namespace waybill::api
