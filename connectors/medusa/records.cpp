#include "connectors/medusa/records.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "connectors/store_buyer.hpp"
#include "connectors/store_call.hpp"
#include "connectors/store_items.hpp"

namespace waybill::connectors {
namespace {

using Text = std::optional<std::string>;

const json::value* field(const json::value& record, std::string_view path) {
  const auto* const object = record.if_object();
  return object == nullptr ? nullptr : find_path(*object, path);
}

Text text(const json::value& record, std::string_view path) { return clean_line(field(record, path)); }

/// Names, which may contain HTML.
Text plain(const json::value& record, std::string_view path) { return plain_line(field(record, path)); }

Text email(const json::value& record, std::string_view path) {
  const auto found = text(record, path);
  return found ? clean_email(*found) : std::nullopt;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

bool is_decimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const auto point = text.find('.');
  return point == std::string_view::npos ? digits(text)
                                         : digits(text.substr(0, point)) && digits(text.substr(point + 1));
}

/// An amount, read from the exact raw_… {value, precision} that the store sends with the number, if possible.
Text amount(const json::value& record, const std::string& name) {
  auto exact = text(record, "raw_" + name + ".value");
  if (exact && is_decimal(*exact)) return exact;
  auto number = clean_text(field(record, name));
  return number && is_decimal(*number) ? number : std::nullopt;
}

/// The same; the store's text if it cannot be read.
Text amount_text(const json::value& record, const std::string& name) {
  auto read = amount(record, name);
  return read ? read : clean_line(field(record, name));
}

std::optional<std::int64_t> whole_number(const json::value& record, std::string_view path) {
  const auto number = number_of(field(record, path));
  constexpr double largest = 1e9;
  if (!number || std::abs(*number) > largest || std::floor(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<Time> time(const json::value& record, std::string_view path) {
  const auto written = text(record, path);
  return written ? parse_timestamp(*written) : std::nullopt;
}

Text joined(const Text& first, std::string_view separator, const Text& second) {
  if (!first) return second;
  return second ? *first + std::string(separator) + *second : first;
}

/// The record's id; empty if absent.
std::string id_of(const json::value& record) { return clean_identifier(field(record, "id")).value_or(""); }

/// The elements of an array in the order of their ids, which is the order of creation (ULID).
std::vector<const json::value*> by_id(const json::value& record, std::string_view path) {
  auto elements = elements_of(field(record, path));
  std::ranges::sort(elements, {}, [](const auto* element) { return text(*element, "id"); });
  return elements;
}

struct UnreadableRecord : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename Value>
Value required(std::optional<Value> value, const std::string& name) {
  if (!value) throw UnreadableRecord("The store's record has no readable " + name + ".");
  return *std::move(value);
}

std::string order_number_of(const json::value& order) {
  if (auto custom = clean_identifier(field(order, "custom_display_id"))) return *std::move(custom);
  return clean_identifier(field(order, "display_id")).value_or("");
}

/// The variant's title, unless it is the server's default for a product without variants.
Text variant_title(const json::value& item) {
  auto title = plain(item, "variant_title");
  if (title == "Default variant" || title == "Default Title") return std::nullopt;
  return title;
}

/// A value of the metadata: a text, a number, "yes" or "no", or a list of these.
Text detail_of(const json::value& value, bool in_list = false) {
  if (value.is_bool()) return value.get_bool() ? "yes" : "no";
  if (!value.is_array() || in_list) return plain_line(&value);
  Text list;
  for (const auto& element : value.get_array()) list = joined(list, ", ", detail_of(element, true));
  return list ? clean_line(*list) : list;
}

/// The values of the item's metadata, such as an engraving. Stores write their own keys with an underscore.
Text details_of(const json::value& item) {
  const auto* const metadata = field(item, "metadata");
  const auto* const entries = metadata == nullptr ? nullptr : metadata->if_object();
  if (entries == nullptr) return std::nullopt;
  std::map<std::string_view, Text> sorted;  // the store does not keep their order
  for (const auto& entry : *entries) {
    if (!entry.key().starts_with('_')) sorted.emplace(entry.key(), detail_of(entry.value()));
  }
  Text details;
  for (const auto& [key, value] : sorted) {
    const json::value written(key);
    const auto name = plain_line(&written);
    if (name && value) details = joined(details, ", ", *name + ": " + *value);
  }
  return details ? clean_line(*details) : details;
}

std::optional<double> pieces_of(const json::value& item) {
  const auto quantity = number_of(field(item, "quantity"));
  constexpr double most = 1e9;
  return quantity && std::abs(*quantity) <= most ? quantity : std::nullopt;
}

std::optional<StoreItem> item_of(const json::value& item) {
  StoreItem result;
  auto title = plain(item, "product_title");
  if (!title) title = plain(item, "title");
  result.description = joined(title, " - ", variant_title(item)).value_or("Item");
  result.details = details_of(item);
  const double quantity = required(pieces_of(item), "quantity of an item");
  if (quantity < smallest_quantity) return std::nullopt;  // removed by a later edit of the order
  result.sku = clean_identifier(field(item, "variant_sku"));
  set_pieces(result, quantity, amount(item, "unit_price"));
  return result;
}

/// The lines with something left. Throws UnreadableRecord.
std::vector<StoreLine> lines_of(const json::value& order) {
  std::vector<StoreLine> lines;
  for (const auto* const item : by_id(order, "items")) {
    if (auto read = item_of(*item))
      lines.push_back({.id = medusa_text(*item, "id"), .item = *std::move(read)});
  }
  return lines;
}

Text name_in(const json::value& record, const std::string& path) {
  return joined(text(record, path + ".first_name"), " ", text(record, path + ".last_name"));
}

void read_people(const json::value& order, StoreOrder& result) {
  result.recipient = {.name = name_in(order, "shipping_address"),
                      .company = text(order, "shipping_address.company"),
                      .phone = text(order, "shipping_address.phone"),
                      .email = {}};
  const StorePerson billing{.name = name_in(order, "billing_address"),
                            .company = text(order, "billing_address.company"),
                            .phone = text(order, "billing_address.phone"),
                            .email = email(order, "email")};
  const StorePerson account{.name = name_in(order, "customer"),
                            .company = text(order, "customer.company_name"),
                            .phone = text(order, "customer.phone"),
                            .email = email(order, "customer.email")};
  set_buyer(result, billing, account);
}

void read_shipping(const json::value& order, StoreOrder& result) {
  for (const auto* const method : by_id(order, "shipping_methods")) {
    result.shipping_method = joined(result.shipping_method, ", ", plain(*method, "name"));
  }
  if (result.shipping_method) result.shipping_cost = amount_text(order, "shipping_total");
}

StoreAddress address_of(const json::value& order) {
  const auto part = [&](const char* name) { return text(order, std::string("shipping_address.") + name); };
  StoreAddress address;
  address.street = joined(part("address_1"), ", ", part("address_2"));
  address.city = part("city");
  address.state = part("province");
  address.postal_code = part("postal_code");
  if (auto country = part("country_code")) address.country = upper(*std::move(country));
  return address;
}

StoreOrder order_of(const json::value& order, std::string_view status) {
  StoreOrder result;
  result.external_id = required(clean_identifier(field(order, "id")), "id");
  result.number = order_number_of(order);
  if (result.number.empty()) throw UnreadableRecord("The store's record has no number.");
  result.status = status;
  read_people(order, result);
  result.delivery = address_of(order);
  for (auto& line : lines_of(order)) result.items.push_back(std::move(line.item));
  read_shipping(order, result);
  result.total = required(amount(order, "total"), "total");
  result.currency = upper(required(text(order, "currency_code"), "currency"));
  result.created_at = required(time(order, "created_at"), "time of creation");
  result.changed_at = required(time(order, "updated_at"), "time of change");
  return result;
}

std::string_view by_fulfillment(std::string_view fulfillment) {
  if (fulfillment == "delivered") return "delivered";
  if (fulfillment == "partially_delivered" || fulfillment == "shipped" ||
      fulfillment == "partially_shipped") {
    return "shipped";
  }
  if (fulfillment == "fulfilled" || fulfillment == "partially_fulfilled") return "ready";
  return {};
}

/// True if the order is paid or there is nothing to pay.
bool is_paid(const json::value& order) {
  const auto payment = medusa_text(order, "payment_status");
  if (payment == "captured" || payment == "partially_refunded") return true;
  return payment == "not_paid" && number_of(field(order, "total")) == 0;
}

/// Grams as kilograms, exactly; the store's text if it cannot be read.
Text kilograms(const json::value& record, std::string_view path) {
  auto grams = clean_line(field(record, path));
  if (!grams || !is_decimal(*grams) || grams->starts_with('-')) return grams;
  auto point = grams->find('.');
  if (point == std::string::npos) point = grams->size();
  std::string digits = *grams;
  if (point < digits.size()) digits.erase(point, 1);
  while (point < 4) {
    digits.insert(0, 1, '0');
    ++point;
  }
  digits.insert(point - 3, 1, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return digits;
}

/// The general price of one piece: without rules, price lists or a minimum quantity.
Text price_of(const json::value& variant, std::string_view currency) {
  for (const auto* const price : by_id(variant, "prices")) {
    const auto rules = whole_number(*price, "rules_count").value_or(0);
    const auto* const rule_set = field(*price, "rules");
    const bool has_rules = rule_set != nullptr && rule_set->is_object() && !rule_set->get_object().empty();
    if (medusa_text(*price, "currency_code") != currency || rules > 0 || has_rules) continue;
    if (whole_number(*price, "min_quantity").value_or(0) > 1 || text(*price, "price_list_id")) continue;
    return amount_text(*price, "amount");
  }
  return std::nullopt;
}

StoreVariant variant_of(const json::value& variant, std::string_view currency) {
  StoreVariant result;
  result.name = required(plain(variant, "title"), "title of a variant");
  result.sku = clean_identifier(field(variant, "sku"));
  result.price = price_of(variant, currency);
  result.external_id = medusa_text(variant, "id");
  result.weight = kilograms(variant, "weight");
  result.length = text(variant, "length");
  result.width = text(variant, "width");
  result.height = text(variant, "height");
  result.hs_code = clean_identifier(field(variant, "hs_code"));
  result.origin_country = clean_identifier(field(variant, "origin_country"));
  return result;
}

StoreProduct product_of(const json::value& product, std::string_view currency) {
  StoreProduct result;
  result.external_id = required(text(product, "id"), "id");
  result.name = required(plain(product, "title"), "title");
  result.description = plain_text(field(product, "description"));
  result.weight = kilograms(product, "weight");
  result.length = text(product, "length");
  result.width = text(product, "width");
  result.height = text(product, "height");
  result.hs_code = clean_identifier(field(product, "hs_code"));
  result.origin_country = clean_identifier(field(product, "origin_country"));
  result.changed_at = required(time(product, "updated_at"), "time of change");
  const auto* const listed = field(product, "variants");
  result.has_all_variants = listed != nullptr && listed->is_array();
  auto variants = by_id(product, "variants");
  std::ranges::sort(variants, {}, [](const auto* variant) {
    return std::pair(whole_number(*variant, "variant_rank").value_or(0), text(*variant, "id"));
  });
  if (variants.size() == 1) {
    // Every product has at least one variant; a single one stands for the product.
    const auto only = variant_of(*variants.front(), currency);
    result.sku = only.sku;
    result.price = only.price;
    result.barcode = clean_identifier(field(*variants.front(), "barcode"));
    if (only.weight) result.weight = only.weight;
    if (only.length) result.length = only.length;
    if (only.width) result.width = only.width;
    if (only.height) result.height = only.height;
    if (only.hs_code) result.hs_code = only.hs_code;
    if (only.origin_country) result.origin_country = only.origin_country;
    return result;
  }
  for (const auto* const variant : variants) result.variants.push_back(variant_of(*variant, currency));
  return result;
}

template <typename Record, typename Read>
void add_read(const json::value& record, StorePage<Record>& page, Text number, std::string_view status,
              const Read& read) {
  try {
    page.records.push_back(read());
  } catch (const UnreadableRecord& unfit) {
    page.unreadable.push_back(
        {id_of(record), std::move(number), unfit.what(), time(record, "created_at"), std::string(status)});
  }
}

}  // namespace

std::string medusa_text(const json::value& record, std::string_view path) {
  return text(record, path).value_or("");
}

std::vector<StoreLine> medusa_lines(const json::value& order) {
  try {
    return lines_of(order);
  } catch (const UnreadableRecord& unreadable) {
    throw StoreError(StoreProblem::refused, unreadable.what());
  }
}

std::optional<Time> medusa_changed_at(const json::value& record) { return time(record, "updated_at"); }

std::string_view medusa_status(const json::value& order) {
  const auto status = medusa_text(order, "status");
  if (status == "draft") return {};
  if (status == "canceled" || text(order, "canceled_at")) return "cancelled";
  if (const auto known = by_fulfillment(medusa_text(order, "fulfillment_status")); !known.empty())
    return known;
  if (medusa_text(order, "payment_status") == "refunded") return "cancelled";
  // The merchant has finished the order, so it must not be packed again.
  if (status == "completed" || status == "archived") return "shipped";
  if (status == "requires_action") return "pending";
  return is_paid(order) ? "processing" : "pending";
}

void add_medusa_order(const json::value& order, StorePage<StoreOrder>& page) {
  const auto status = medusa_status(order);
  if (status.empty()) return;
  auto number = order_number_of(order);
  // Without its own field, the status is not known.
  const bool has_status = !medusa_text(order, "status").empty();
  add_read(order, page, number.empty() ? std::nullopt : Text(std::move(number)), has_status ? status : "",
           [&] { return order_of(order, status); });
}

void add_medusa_product(const json::value& product, std::string_view currency,
                        StorePage<StoreProduct>& page) {
  add_read(product, page, std::nullopt, {}, [&] { return product_of(product, currency); });
}

void set_aside_medusa_order(const json::value& order, std::string reason, StorePage<StoreOrder>& page) {
  const auto status = medusa_status(order);
  if (status.empty()) return;
  auto number = order_number_of(order);
  page.unreadable.push_back({.external_id = id_of(order),
                             .number = number.empty() ? std::nullopt : Text(std::move(number)),
                             .reason = std::move(reason),
                             .created_at = time(order, "created_at"),
                             .status = status == "cancelled" ? "cancelled" : ""});
}

void set_aside_medusa_product(const json::value& product, std::string reason, StorePage<StoreProduct>& page) {
  if (const auto name = plain(product, "title")) reason = "The product " + *name + ": " + reason;
  page.unreadable.push_back(
      {.external_id = medusa_text(product, "id"), .number = {}, .reason = std::move(reason)});
}

}  // namespace waybill::connectors
