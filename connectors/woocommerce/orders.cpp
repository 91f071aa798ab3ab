#include "connectors/woocommerce/orders.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "base/ascii.hpp"
#include "base/number.hpp"
#include "connectors/store_buyer.hpp"
#include "connectors/store_call.hpp"
#include "connectors/woocommerce/html_entities.hpp"

namespace waybill::connectors::woo {
namespace {

using Text = std::optional<std::string>;

constexpr auto statuses = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"pending", "pending"},
    {"on-hold", "pending"},
    {"failed", "pending"},
    {"processing", "processing"},
    {"completed", "shipped"},
    {"cancelled", "cancelled"},
    {"refunded", "cancelled"},
    {"trash", "cancelled"},
    // Statuses of shipping plugins.
    {"ready", "ready"},
    {"ready-to-ship", "ready"},
    {"awaiting-shipment", "ready"},
    {"partial-shipped", "ready"},
    {"partially-shipped", "ready"},
    {"shipped", "shipped"},
    {"delivered", "shipped"},
});

// True for digits with or without a point.
bool is_amount(std::string_view text) {
  const auto point = std::min(text.find('.'), text.size());
  return all_digits(text.substr(0, point)) && (point == text.size() || all_digits(text.substr(point + 1)));
}

std::optional<double> as_number(const json::value* value) {
  const auto text = clean_text(value);
  if (!text) return std::nullopt;
  const auto number = parse_number<double>(*text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

Text joined(const Text& first, const Text& second, std::string_view between) {
  if (!first) return second;
  return second ? *first + std::string(between) + *second : first;
}

StorePerson person_of(const json::value* address) {
  return {.name = joined(decoded(member(address, "first_name")), decoded(member(address, "last_name")), " "),
          .company = decoded(member(address, "company")),
          .phone = clean_text(member(address, "phone")),
          .email = clean_text(member(address, "email"))};
}

Text country_of(const json::value* address) {
  auto code = clean_text(member(address, "country"));
  if (!code || code->size() != 2) return std::nullopt;
  for (char& c : *code) {
    if (!is_letter(c)) return std::nullopt;
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return code;
}

StoreAddress address_of(const json::value* address) {
  return {
      .street = joined(decoded(member(address, "address_1")), decoded(member(address, "address_2")), ", "),
      .city = decoded(member(address, "city")),
      .state = decoded(member(address, "state")),
      .postal_code = decoded(member(address, "postcode")),
      .country = country_of(address)};
}

// If the order goes to the billing address, the shipping address is empty or has only the shop's default
// country.
const json::value* delivery_address(const json::value& row) {
  const auto* const shipping = member(&row, "shipping");
  const auto address = address_of(shipping);
  return address.street || address.city ? shipping : member(&row, "billing");
}

Text shipping_method_of(const json::value& row) {
  Text methods;
  const auto* const lines = member(&row, "shipping_lines");
  if (lines == nullptr || !lines->is_array()) return methods;
  for (const json::value& line : lines->get_array()) {
    methods = joined(methods, decoded(member(&line, "method_title")), ", ");
  }
  return methods;
}

std::string sku_of(const json::value& line) {
  if (auto sku = clean_text(member(&line, "sku"))) return *sku;
  for (const char* const name : {"variation_id", "product_id"}) {
    const auto id = clean_text(member(&line, name));
    if (id && *id != "0") return "WC-" + *id;
  }
  return {};
}

// The price of one piece: WooCommerce's, or else computed from the total.
Text price_of(const json::value& line, double quantity) {
  if (auto price = amount(member(&line, "price"))) return price;
  const auto total = as_number(member(&line, "total"));
  if (!total || *total < 0 || quantity <= 0) return std::nullopt;
  return decimal_text(json::value(*total / quantity));
}

std::optional<StoreItem> item_of(const json::value& line) {
  const double quantity = as_number(member(&line, "quantity")).value_or(1);
  constexpr double most = 1e9;
  if (quantity <= 0 || quantity > most) return std::nullopt;
  StoreItem item;
  item.description = decoded(member(&line, "name")).value_or("Item");
  if (auto sku = sku_of(line); !sku.empty()) item.sku = std::move(sku);
  if (quantity == std::floor(quantity)) {
    item.quantity = static_cast<std::int64_t>(quantity);
    item.price = price_of(line, quantity);
  } else {
    // Plugins sell by length or weight: such a quantity becomes one piece.
    item.description += " × " + decimal_text(json::value(quantity)).value_or("");
    item.price = amount(member(&line, "total"));
  }
  return item;
}

std::vector<StoreItem> items_of(const json::value& row) {
  std::vector<StoreItem> items;
  const auto* const lines = member(&row, "line_items");
  if (lines == nullptr || !lines->is_array()) return items;
  for (const json::value& line : lines->get_array()) {
    if (auto item = item_of(line)) items.push_back(std::move(*item));
  }
  return items;
}

Text currency_of(const json::value& row) {
  auto code = clean_text(member(&row, "currency"));
  constexpr std::size_t length = 3;
  if (!code || code->size() != length) return std::nullopt;
  for (char& c : *code) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return std::ranges::all_of(*code, is_upper) ? code : std::nullopt;
}

// Reads the times of creation and change; the order has at least one of them.
bool read_times(const json::value& row, StoreOrder& order) {
  const auto created = time_of(member(&row, "date_created_gmt"));
  const auto changed = time_of(member(&row, "date_modified_gmt"));
  if (!created && !changed) return false;
  order.created_at = created.value_or(changed.value_or(Time()));
  order.changed_at = changed.value_or(order.created_at);
  return true;
}

// Fills the order. Returns the reason why it cannot be read; empty if it can.
std::string fill(const json::value& row, StoreOrder& order) {
  if (!read_times(row, order)) return "It has no times of creation and change.";
  const auto status = clean_text(member(&row, "status"));
  if (!status) return "It has no status.";
  const bool paid = clean_text(member(&row, "date_paid_gmt")).has_value();
  order.status = order_status(*status, paid);
  const auto total = amount(member(&row, "total"));
  if (!total) return "Its total is not an amount.";
  order.total = *total;
  const auto currency = currency_of(row);
  if (!currency) return "Its currency is not an ISO 4217 code.";
  order.currency = *currency;
  order.items = items_of(row);
  if (order.items.empty()) return "It has no items.";
  const auto* const delivery = delivery_address(row);
  order.delivery = address_of(delivery);
  if (!order.delivery.street || !order.delivery.city)
    return "It has no delivery address with street and city.";
  order.recipient = person_of(delivery);
  set_buyer(order, person_of(member(&row, "billing")));
  order.shipping_method = shipping_method_of(row);
  if (order.shipping_method) order.shipping_cost = amount(member(&row, "shipping_total"));
  order.notes = decoded(member(&row, "customer_note"), 5000);
  return {};
}

}  // namespace

const json::value* member(const json::value* value, std::string_view name) {
  const auto* const object = value == nullptr ? nullptr : value->if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

std::optional<std::string> decoded(const json::value* value, std::size_t limit) {
  if (value == nullptr || !value->is_string()) return clean_text(value, limit);
  return clean_text(decode_entities(std::string_view(value->get_string())), limit);
}

std::optional<std::string> amount(const json::value* value) {
  auto text = clean_text(value);
  return text && is_amount(*text) ? text : std::nullopt;
}

std::optional<Time> time_of(const json::value* value) {
  const auto text = clean_text(value);
  if (!text) return std::nullopt;
  const auto utc = parse_timestamp(*text + "Z");
  return utc ? utc : parse_timestamp(*text);
}

bool is_draft(std::string_view status) {
  return status == "checkout-draft" || status == "auto-draft" || status == "draft";
}

std::string order_status(std::string_view status, bool paid) {
  const auto found = std::ranges::find(statuses, status, [](const auto& known) { return known.first; });
  if (found != statuses.end()) return std::string(found->second);
  return paid ? "processing" : "pending";
}

void read_order(const json::value& row, StorePage<StoreOrder>& page) {
  if (is_draft(clean_text(member(&row, "status")).value_or(""))) return;
  StoreOrder order;
  const auto id = clean_text(member(&row, "id"));
  const auto number = clean_text(member(&row, "number"));
  order.external_id = id.value_or("");
  order.number = number.value_or(order.external_id);
  const std::string reason = id ? fill(row, order) : "It has no id.";
  if (reason.empty()) {
    page.records.push_back(std::move(order));
  } else {
    const bool has_time = order.created_at != Time();
    page.unreadable.push_back({.external_id = id.value_or(""),
                               .number = number,
                               .reason = reason,
                               .created_at = has_time ? std::optional(order.created_at) : std::nullopt});
  }
}

}  // namespace waybill::connectors::woo
