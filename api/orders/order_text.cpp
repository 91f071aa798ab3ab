#include "api/orders/order_text.hpp"

#include <string_view>

#include "api/records/entry_text.hpp"
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

}  // namespace waybill::api
