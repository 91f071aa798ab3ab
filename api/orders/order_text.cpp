#include "api/orders/order_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "api/orders/order_body.hpp"
#include "api/records/entry_text.hpp"
#include "api/records/merged_columns.hpp"
#include "base/blanks.hpp"
#include "base/json.hpp"

namespace waybill::api {
namespace {

/// Adds the values that a new and a changed order have.
EntryText& add_values(EntryText& order, const OrderValues& values) {
  order.text("number", values.number)
      .guid("customer", values.customer)
      .text("customer_name", values.customer_name)
      .text("customer_email", values.customer_email)
      .text("customer_phone", values.customer_phone)
      .guid("carrier", values.carrier)
      .text("service_level", values.service_level)
      .text("currency", values.currency)
      .text("window_start", values.window_start)
      .text("window_end", values.window_end);
  values.columns.add_to(order);
  return order;
}

/// Returns true if statements take over all columns of a member of a body.
bool is_plain(const json::key_value_pair& member) {
  const auto columns = merged_columns(domain::EntityType::order);
  return std::ranges::find(columns, std::string_view(member.key()), &MergedColumn::member) != columns.end();
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
  const auto changes = record_changes(domain::EntityType::order, body);
  FieldErrors errors;
  check_currency(body, errors);  // one that the order has already may stay
  if (!errors.empty() || clears_address(changes)) return std::nullopt;
  return EntryText().guid("guid", order).json("changes", to_json(changes)).take();
}

}  // namespace waybill::api
