#include "connectors/woocommerce/orders.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "base/ascii.hpp"
#include "connectors/store_buyer.hpp"
#include "connectors/store_items.hpp"
#include "connectors/store_text.hpp"
#include "domain/places/countries.hpp"

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

Text joined(const Text& first, const Text& second, std::string_view between) {
  if (!first) return second;
  return second ? *first + std::string(between) + *second : first;
}

// WordPress replaces the data of an erased buyer by a text in brackets, in the site's language ("[deleted]"),
// and the e-mail address by this one (wp_privacy_anonymize_data, WC_Privacy_Erasers).
bool is_erased(const json::value& row) {
  const auto email = clean_text(member(member(&row, "billing"), "email"));
  return email && equal_ignoring_case(*email, "deleted@site.invalid");
}

// The parts of an address, without the texts that stand for erased ones.
struct Address {
  const json::value* fields;
  bool is_erased;

  Text part(std::string_view name) const {
    auto text = plain_line(member(fields, name));
    if (is_erased && text && text->starts_with('[') && text->ends_with(']')) text.reset();
    return text;
  }
};

StorePerson person_of(const Address& address) {
  const auto email = address.part("email");
  return {.name = joined(address.part("first_name"), address.part("last_name"), " "),
          .company = address.part("company"),
          .phone = address.part("phone"),
          .email = email ? clean_email(*email) : std::nullopt};
}

// The code of the country, which plugins write as a name or with three letters too; the store's text if it is
// unknown. An address abroad without a country would be one at home.
Text country_of(const Address& address) {
  auto text = address.part("country");
  const auto* const known = text ? domain::country_of(*text) : nullptr;
  return known == nullptr ? text : Text(known->code);
}

StoreAddress address_of(const Address& address) {
  return {.street = joined(address.part("address_1"), address.part("address_2"), ", "),
          .city = address.part("city"),
          .state = address.part("state"),
          .postal_code = address.part("postcode"),
          .country = country_of(address)};
}

// If the order goes to the billing address, the shipping address is empty or has only the shop's default
// country.
Address delivery_address(const json::value& row) {
  const Address shipping{member(&row, "shipping"), is_erased(row)};
  const auto address = address_of(shipping);
  return address.street || address.city ? shipping : Address{member(&row, "billing"), shipping.is_erased};
}

Text shipping_method_of(const json::value& row) {
  Text methods;
  for (const auto* const line : elements_of(member(&row, "shipping_lines"))) {
    methods = joined(methods, plain_line(member(line, "method_title")), ", ");
  }
  return methods;
}

std::string sku_of(const json::value& line) {
  if (auto sku = clean_identifier(member(&line, "sku"))) return *sku;
  for (const char* const name : {"variation_id", "product_id"}) {
    const auto id = clean_text(member(&line, name));
    if (id && *id != "0") return "WC-" + *id;
  }
  return {};
}

// The price of one piece: WooCommerce's, or else computed from the total. nullopt if neither can be read.
Text price_of(const json::value& line, double quantity) {
  if (auto price = amount(member(&line, "price"))) return price;
  auto total = number_of(member(&line, "total"));
  if (!total) {
    const auto price = number_of(member(&line, "price"));
    if (price && *price < 0) total = price;
  }
  if (!total) return std::nullopt;
  return free_if_negative(decimal_text(json::value(*total / quantity)));
}

// The price of a fraction of a line, sold as one piece. nullopt if it cannot be read.
Text price_of_fraction(const json::value& line, double ordered, double left) {
  const auto total = number_of(member(&line, "total"));
  if (total && *total < 0) return "0";
  auto text = amount(member(&line, "total"));
  return text && left < ordered ? decimal_text(json::value(*total * left / ordered)) : text;
}

// True if the name of a variation has this value already: WooCommerce appends "Blue, XL" to it.
bool names_value(std::string_view name, std::string_view value) {
  for (const std::string_view dash : {" - ", " – "}) {
    for (auto at = name.find(dash); at != std::string_view::npos; at = name.find(dash, at + 1)) {
      auto values = name.substr(at + dash.size());
      while (true) {
        const auto end = std::min(values.find(", "), values.size());
        if (equal_ignoring_case(values.substr(0, end), value)) return true;
        if (end == values.size()) break;
        values.remove_prefix(end + 2);
      }
    }
  }
  return false;
}

// The meta data of a line that describes the piece: the options of a variation, an engraving, the parts of a
// bundle. WooCommerce hides the keys with an underscore from buyers, too.
Text details_of(const json::value& line, std::string_view name) {
  constexpr std::size_t enough =
      4 * domain::longest_text;  // bytes, of which at least a quarter are characters
  Text details;
  for (const auto* const entry : elements_of(member(&line, "meta_data"))) {
    const auto key = clean_text(member(entry, "key"));
    auto label = plain_line(member(entry, "display_key"));
    if (!label) label = key;
    auto value = plain_line(member(entry, "display_value"));
    if (!value) value = plain_line(member(entry, "value"));
    const bool is_hidden = !label || label->starts_with('_') || (key && key->starts_with('_'));
    if (is_hidden || !value || names_value(name, *value)) continue;
    details = joined(details, *label + ": " + *value, ", ");
    if (details->size() > enough) break;
  }
  return details ? clean_line(*details) : details;
}

constexpr double most_pieces = 1e9;

double refunded_of(const json::value& line, const RefundedLines& refunded) {
  const auto id = clean_text(member(&line, "id"));
  const auto found = id ? refunded.find(*id) : refunded.end();
  return found == refunded.end() ? 0 : found->second;
}

std::string name_in_sentence(const json::value& line) {
  return plain_line(member(&line, "name"), domain::longest_string).value_or("an item");
}

// The reason why the quantity of a line cannot be read; empty if all can. A missing quantity is never
// replaced by another, because the wrong number of pieces would be packed.
std::string unreadable_quantity(const json::value& row) {
  for (const auto* const line : elements_of(member(&row, "line_items"))) {
    const auto quantity = number_of(member(line, "quantity"));
    if (!quantity || *quantity > most_pieces)
      return "The quantity of " + name_in_sentence(*line) + " is not a number below 10^9.";
  }
  return {};
}

std::optional<StoreItem> item_of(const json::value& line, const RefundedLines& refunded) {
  const double ordered = number_of(member(&line, "quantity")).value_or(0);
  const double quantity = ordered - refunded_of(line, refunded);
  if (quantity < smallest_quantity) return std::nullopt;
  StoreItem item;
  item.description = plain_line(member(&line, "name")).value_or("Item");
  item.details = details_of(line, item.description);
  if (auto sku = sku_of(line); !sku.empty()) item.sku = std::move(sku);
  if (ordered == std::floor(ordered) && quantity == std::floor(quantity)) {
    item.quantity = static_cast<std::int64_t>(quantity);
    item.price = price_of(line, ordered);
  } else {
    const double shown = make_one_piece(item, quantity);
    item.price = price_of_fraction(line, ordered, shown);
  }
  return item;
}

std::vector<StoreItem> items_of(const json::value& row, const RefundedLines& refunded = {}) {
  std::vector<StoreItem> items;
  for (auto& line : item_lines(row, refunded)) items.push_back(std::move(line.item));
  return items;
}

// Sets the items that are left. An order with nothing left keeps the ordered ones, and nobody may pack it.
void read_items(const json::value& row, const RefundedLines& refunded, StoreOrder& order) {
  order.items = items_of(row, refunded);
  if (!order.items.empty() || refunded.empty()) return;
  order.items = items_of(row);
  if (!order.items.empty() && order.status != "shipped") order.status = "cancelled";
}

Text currency_of(const json::value& row) {
  auto code = clean_text(member(&row, "currency"));
  constexpr std::size_t length = 3;
  if (!code || code->size() != length) return std::nullopt;
  for (char& c : *code) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return std::ranges::all_of(*code, is_upper) ? code : std::nullopt;
}

// Reads the times of creation and change. One that is absent is the other; one that cannot be read is never
// replaced by the other. Returns the reason why they cannot be read; empty if they can.
std::string read_times(const json::value& row, StoreOrder& order) {
  const auto created = time_of(member(&row, "date_created_gmt"));
  const auto changed = time_of(member(&row, "date_modified_gmt"));
  if (created || changed) {
    order.created_at = created.value_or(changed.value_or(Time()));
    order.changed_at = changed.value_or(order.created_at);
  }
  if (!created && has_time(member(&row, "date_created_gmt"))) return "Its time of creation cannot be read.";
  if (!changed && has_time(member(&row, "date_modified_gmt"))) return "Its time of change cannot be read.";
  return created || changed ? "" : "It has no times of creation and change.";
}

// Reads the number, times and status. Returns the reason why they cannot be read; empty if they can.
std::string read_state(const json::value& row, StoreOrder& order) {
  const auto id = clean_identifier(member(&row, "id"));
  const auto number = clean_identifier(member(&row, "number"));
  order.external_id = id.value_or("");
  order.number = number.value_or(order.external_id);
  auto unreadable_time = read_times(row, order);
  const auto status = clean_identifier(member(&row, "status"));
  const bool is_paid = clean_text(member(&row, "date_paid_gmt")).has_value();
  if (status) order.status = order_status(*status, is_paid);
  if (!id) return "It has no id.";
  if (!unreadable_time.empty()) return unreadable_time;
  return status ? "" : "It has no status.";
}

// Fills the rest of the order. Returns the reason why it cannot be read; empty if it can.
std::string fill(const json::value& row, const RefundedLines& refunded, StoreOrder& order) {
  const auto total = amount(member(&row, "total"));
  if (!total) return "Its total is not an amount.";
  order.total = *total;
  const auto currency = currency_of(row);
  if (!currency) return "Its currency is not an ISO 4217 code.";
  order.currency = *currency;
  if (auto reason = unreadable_quantity(row); !reason.empty()) return reason;
  read_items(row, refunded, order);
  const auto delivery = delivery_address(row);
  order.delivery = address_of(delivery);
  order.recipient = person_of(delivery);
  set_buyer(order, person_of({member(&row, "billing"), delivery.is_erased}));
  order.shipping_method = shipping_method_of(row);
  if (order.shipping_method) order.shipping_cost = amount_text(member(&row, "shipping_total"));
  order.notes = plain_text(member(&row, "customer_note"));
  return {};
}

Unreadable unreadable(const StoreOrder& order, std::string reason) {
  const bool has_time = order.created_at != Time();
  return {.external_id = order.external_id,
          .number = order.number.empty() ? std::nullopt : Text(order.number),
          .reason = std::move(reason),
          .created_at = has_time ? std::optional(order.created_at) : std::nullopt,
          .status = order.status};
}

bool is_draft_row(const json::value& row) {
  return is_draft(clean_identifier(member(&row, "status")).value_or(""));
}

}  // namespace

const json::value* member(const json::value* value, std::string_view name) {
  const auto* const object = value == nullptr ? nullptr : value->if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

std::optional<std::string> amount(const json::value* value) {
  auto text = clean_text(value);
  if (text && text->starts_with('-') && number_of(value) == 0) text->erase(0, 1);  // "-0.00", from rounding
  return text && is_amount(*text) ? text : std::nullopt;
}

std::optional<std::string> amount_text(const json::value* value) {
  auto read = amount(value);
  return read ? read : clean_line(value);
}

bool has_time(const json::value* value) {
  constexpr std::string_view none = "0000-00-00";  // MySQL's zero date
  const auto text = clean_text(value);
  return text ? !text->starts_with(none) : value != nullptr && value->is_object();
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
  constexpr std::string_view prefix = "wc-";
  const std::string name = ascii_lower(status.starts_with(prefix) ? status.substr(prefix.size()) : status);
  const auto found = std::ranges::find(statuses, name, [](const auto& known) { return known.first; });
  if (found != statuses.end()) return std::string(found->second);
  return paid ? "processing" : "pending";
}

std::vector<ItemLine> item_lines(const json::value& row, const RefundedLines& refunded) {
  std::vector<ItemLine> lines;
  for (const auto* const line : elements_of(member(&row, "line_items"))) {
    if (auto item = item_of(*line, refunded)) lines.push_back({.line = line, .item = std::move(*item)});
  }
  return lines;
}

bool has_refunds(const json::value& row) {
  const auto status = clean_identifier(member(&row, "status")).value_or("");
  return !elements_of(member(&row, "refunds")).empty() && order_status(status, false) != "cancelled";
}

std::string add_refund(const json::value& refund, RefundedLines& lines) {
  for (const auto* const line : elements_of(member(&refund, "line_items"))) {
    const auto quantity = number_of(member(line, "quantity"));
    for (const auto* const entry : elements_of(member(line, "meta_data"))) {
      if (clean_text(member(entry, "key")) != "_refunded_item_id") continue;
      const auto id = clean_text(member(entry, "value"));
      if (!id || !quantity || std::abs(*quantity) > most_pieces)
        return "The refunded quantity of " + name_in_sentence(*line) + " cannot be read.";
      lines[*id] += std::abs(*quantity);
    }
  }
  return {};
}

void read_order(const json::value& row, StorePage<StoreOrder>& page, const RefundedLines& refunded) {
  if (is_draft_row(row)) return;
  StoreOrder order;
  std::string reason = read_state(row, order);
  if (reason.empty()) reason = fill(row, refunded, order);
  if (reason.empty()) {
    page.records.push_back(std::move(order));
  } else {
    page.unreadable.push_back(unreadable(order, std::move(reason)));
  }
}

void set_aside_order(const json::value& row, std::string reason, StorePage<StoreOrder>& page) {
  if (is_draft_row(row)) return;
  StoreOrder order;
  read_state(row, order);
  page.unreadable.push_back(unreadable(order, std::move(reason)));
}

}  // namespace waybill::connectors::woo
