#include "connectors/shopify/records.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "connectors/shopify/json.hpp"
#include "connectors/store_buyer.hpp"
#include "connectors/store_call.hpp"
#include "connectors/store_items.hpp"

namespace waybill::connectors {
namespace {

using shopify::code;
using shopify::email;
using shopify::identifier;
using shopify::list;
using shopify::plain;
using shopify::text;

constexpr std::string_view only_variant = "Default Title";

// A number of pieces; nullopt if it cannot be read or nobody can pack so many.
std::optional<double> count(const json::object& object, std::string_view path) {
  const auto number = number_of(find_path(object, path));
  constexpr double most = 1e9;
  return number && std::abs(*number) <= most ? number : std::nullopt;
}

bool is_decimal(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  const auto point = number.find('.');
  if (point == std::string_view::npos) return all_digits(number);
  return all_digits(number.substr(0, point)) && all_digits(number.substr(point + 1));
}

std::optional<std::string> amount(const json::object& object, std::string_view path) {
  auto number = text(object, path);
  return number && is_decimal(*number) ? number : std::nullopt;
}

// Throws the reason why a record is unreadable, as a sentence.
template <typename Value>
Value required(std::optional<Value> value, std::string_view name) {
  if (!value) throw std::invalid_argument("It has no readable " + std::string(name) + ".");
  return std::move(*value);
}

std::optional<Time> time(const json::object& object, std::string_view path) {
  const auto found = text(object, path);
  return found ? parse_timestamp(*found) : std::nullopt;
}

std::optional<std::string> joined(const std::optional<std::string>& first,
                                  const std::optional<std::string>& second, std::string_view between) {
  if (!first || !second) return first ? first : second;
  return *first + std::string(between) + *second;
}

std::optional<std::string> first_of(std::initializer_list<std::optional<std::string>> texts) {
  for (const auto& text : texts) {
    if (text) return text;
  }
  return std::nullopt;
}

bool is_delivered(const json::object& order) {
  const auto& fulfillments = list(order, "fulfillments");
  constexpr std::size_t requested = 10;
  std::size_t delivered = 0;
  for (const auto& node : fulfillments) {
    const auto* const fulfillment = node.if_object();
    if (fulfillment == nullptr || code(*fulfillment, "status") == "CANCELLED") continue;
    if (code(*fulfillment, "displayStatus") != "DELIVERED") return false;
    ++delivered;
  }
  return delivered > 0 && fulfillments.size() < requested;
}

// The texts that the buyer entered for the line, such as an engraving. Keys of apps begin with an underscore.
std::optional<std::string> read_details(const json::object& line) {
  std::optional<std::string> details;
  for (const auto& node : list(line, "customAttributes")) {
    const auto* const attribute = node.if_object();
    if (attribute == nullptr) continue;
    const auto key = plain(*attribute, "key");
    const auto value = plain(*attribute, "value");
    if (key && value && !key->starts_with('_')) details = joined(details, *key + ": " + *value, ", ");
  }
  return details ? clean_line(*details) : details;
}

bool has_any(const json::array& lines, std::string_view quantity) {
  return std::ranges::any_of(lines, [&](const json::value& line) {
    return line.is_object() && count(line.get_object(), quantity).value_or(0) > 0;
  });
}

// True if every line says that nothing is left of it.
bool has_nothing_left(const json::array& lines) {
  return std::ranges::all_of(lines, [](const json::value& line) {
    const auto left = line.is_object() ? count(line.get_object(), "currentQuantity") : std::nullopt;
    return left && *left <= 0;
  });
}

// True if refunds and edits removed everything from an order.
bool is_undone(const json::object& order) {
  const auto& lines = list(order, "lineItems.nodes");
  return has_any(lines, "quantity") && has_nothing_left(lines);
}

std::vector<StoreItem> read_items(const json::object& order) {
  std::vector<StoreItem> items;
  for (auto& line : shopify_lines(list(order, "lineItems.nodes"))) items.push_back(std::move(line.item));
  return items;
}

StoreAddress read_address(const json::object& order) {
  StoreAddress address;
  address.street =
      joined(text(order, "shippingAddress.address1"), text(order, "shippingAddress.address2"), ", ");
  address.city = text(order, "shippingAddress.city");
  address.state =
      first_of({text(order, "shippingAddress.provinceCode"), text(order, "shippingAddress.province")});
  address.postal_code = text(order, "shippingAddress.zip");
  address.country = text(order, "shippingAddress.countryCodeV2");
  return address;
}

void read_people(const json::object& node, StoreOrder& order) {
  order.recipient = {.name = text(node, "shippingAddress.name"),
                     .company = text(node, "shippingAddress.company"),
                     .phone = text(node, "shippingAddress.phone"),
                     .email = {}};
  const StorePerson billing{.name = text(node, "billingAddress.name"),
                            .company = text(node, "billingAddress.company"),
                            .phone = first_of({text(node, "phone"), text(node, "billingAddress.phone")}),
                            .email = email(node, "email")};
  const StorePerson account{
      .name = joined(text(node, "customer.firstName"), text(node, "customer.lastName"), " "),
      .company = {},
      .phone = text(node, "customer.defaultPhoneNumber.phoneNumber"),
      .email = email(node, "customer.defaultEmailAddress.emailAddress")};
  set_buyer(order, billing, account);
}

// An order of which nothing is left, and nothing was sent, is not packed.
std::string status_of(const json::object& node) {
  std::string status = shopify_status(node);
  const bool is_sent = status == "shipped" || status == "delivered";
  return is_undone(node) && !is_sent ? "cancelled" : status;
}

StoreOrder read_order(const json::object& node) {
  StoreOrder order;
  order.external_id = required(shopify_id(node.if_contains("id")), "id");
  order.number = required(identifier(node, "name"), "number");
  order.status = status_of(node);
  read_people(node, order);
  order.delivery = read_address(node);
  order.items = read_items(node);
  order.total = required(amount(node, "currentTotalPriceSet.shopMoney.amount"), "total");
  order.currency = required(text(node, "currentTotalPriceSet.shopMoney.currencyCode"), "currency");
  order.shipping_method = plain(node, "shippingLine.title");
  order.shipping_cost = text(node, "shippingLine.discountedPriceSet.shopMoney.amount");
  order.notes = plain_text(find_path(node, "note"));
  order.created_at = required(time(node, "createdAt"), "time of creation");
  order.changed_at = required(time(node, "updatedAt"), "time of change");
  return order;
}

StoreVariant read_variant(const json::object& node) {
  StoreVariant variant;
  variant.name = required(plain(node, "title"), "title of a variant");
  variant.external_id = shopify_id(node.if_contains("id")).value_or(std::string());
  variant.sku = identifier(node, "sku");
  variant.price = text(node, "price");
  const auto* const weight = find_path(node, "inventoryItem.measurement.weight");
  if (weight != nullptr && weight->is_object()) variant.weight = shopify_kilograms(weight->get_object());
  variant.hs_code = identifier(node, "inventoryItem.harmonizedSystemCode");
  variant.origin_country = identifier(node, "inventoryItem.countryCodeOfOrigin");
  return variant;
}

StoreProduct read_product(const json::object& node) {
  StoreProduct product;
  product.external_id = required(shopify_id(node.if_contains("id")), "id");
  product.name = required(plain(node, "title"), "title");
  product.description = plain_text(find_path(node, "description"));
  product.changed_at = required(time(node, "updatedAt"), "time of change");
  const auto& variants = list(node, "variants.nodes");
  for (const auto& entry : variants) {
    if (entry.is_object()) product.variants.push_back(read_variant(entry.get_object()));
  }
  const auto* const more = find_path(node, "variants.pageInfo.hasNextPage");
  const bool is_cut = more != nullptr && more->is_bool() && more->get_bool();
  product.has_all_variants = !is_cut && !variants.empty() && product.variants.size() == variants.size();
  const auto* const plain = node.if_contains("hasOnlyDefaultVariant");
  const bool is_plain = plain != nullptr && plain->is_bool() && plain->get_bool();
  if (is_plain && product.variants.size() == 1) {
    product.sku = product.variants.front().sku;
    product.price = product.variants.front().price;
    product.weight = product.variants.front().weight;
    product.hs_code = product.variants.front().hs_code;
    product.origin_country = product.variants.front().origin_country;
    product.barcode = identifier(variants.front().get_object(), "barcode");
    product.variants.clear();
  }
  return product;
}

bool is_test(const json::object& order) {
  const auto* const test = order.if_contains("test");
  return test != nullptr && test->is_bool() && test->get_bool();
}

Unreadable unreadable(const json::object& node, std::string_view number_field, std::string reason,
                      std::string status) {
  return {.external_id = shopify_id(node.if_contains("id")).value_or(std::string()),
          .number = identifier(node, number_field),
          .reason = std::move(reason),
          .created_at = time(node, "createdAt"),
          .status = std::move(status)};
}

template <typename Record>
void add(const json::object& node, std::string_view number_field, StorePage<Record>& page,
         Record (*read)(const json::object&), const std::string& status) {
  try {
    page.records.push_back(read(node));
  } catch (const std::invalid_argument& reason) {
    page.unreadable.push_back(unreadable(node, number_field, reason.what(), status));
  }
}

}  // namespace

std::optional<std::string> shopify_id(const json::value* gid) {
  const auto found = clean_identifier(gid);
  if (!found || !found->starts_with("gid://shopify/")) return std::nullopt;
  std::string id = found->substr(found->rfind('/') + 1);
  id.resize(std::min(id.size(), id.find('?')));
  return all_digits(id) ? std::optional(std::move(id)) : std::nullopt;
}

std::string shopify_gid(std::string_view kind, std::string_view id) {
  return "gid://shopify/" + std::string(kind) + "/" + std::string(id);
}

std::vector<StoreLine> shopify_lines(const json::array& nodes) {
  const char* const quantity = has_nothing_left(nodes) ? "quantity" : "currentQuantity";
  std::vector<StoreLine> lines;
  for (const auto& node : nodes) {
    const auto* const line = node.if_object();
    StoreItem item;
    const double left =
        required(line == nullptr ? std::nullopt : count(*line, quantity), "quantity of an item");
    if (left < smallest_quantity) continue;
    auto variant = plain(*line, "variantTitle");
    if (variant == only_variant) variant.reset();
    item.description = joined(plain(*line, "title"), variant, " - ").value_or("Item");
    item.details = read_details(*line);
    item.sku = identifier(*line, "sku");
    set_pieces(item, left, amount(*line, "originalUnitPriceSet.shopMoney.amount"));
    lines.push_back({.id = code(*line, "id"), .item = std::move(item)});
  }
  return lines;
}

std::string shopify_status(const json::object& order) {
  const std::string paid = code(order, "displayFinancialStatus");
  const std::string sent = code(order, "displayFulfillmentStatus");
  if (text(order, "cancelledAt") || paid == "VOIDED" || paid == "REFUNDED") return "cancelled";
  if (sent == "FULFILLED") return is_delivered(order) ? "delivered" : "shipped";
  if (sent == "PARTIALLY_FULFILLED" || sent == "IN_PROGRESS" || sent == "PENDING_FULFILLMENT") return "ready";
  if (sent == "ON_HOLD") return "pending";
  return paid == "PAID" || paid == "PARTIALLY_REFUNDED" ? "processing" : "pending";
}

std::optional<std::string> shopify_kilograms(const json::object& weight) {
  struct Unit {
    std::string_view name;
    double kilograms;
  };
  constexpr std::array<Unit, 4> units = {
      {{"KILOGRAMS", 1}, {"GRAMS", 0.001}, {"POUNDS", 0.45359237}, {"OUNCES", 0.028349523125}}};
  const auto* const value = weight.if_contains("value");
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const std::string name = code(weight, "unit");
  const auto* const unit = std::ranges::find(units, name, &Unit::name);
  if (unit == units.end()) return std::nullopt;
  constexpr double milligrams = 1e6;
  const double kilograms = std::round(value->to_number<double>() * unit->kilograms * milligrams) / milligrams;
  return kilograms > 0 ? decimal_text(json::value(kilograms)) : std::nullopt;
}

void add_shopify_order(const json::object& order, StorePage<StoreOrder>& page) {
  if (is_test(order)) return;
  add<StoreOrder>(order, "name", page, read_order, status_of(order));
}

void add_shopify_product(const json::object& product, StorePage<StoreProduct>& page) {
  add<StoreProduct>(product, "title", page, read_product, {});
}

void set_aside_shopify_order(const json::object& order, std::string reason, StorePage<StoreOrder>& page) {
  if (is_test(order)) return;
  page.unreadable.push_back(unreadable(order, "name", std::move(reason), status_of(order)));
}

void set_aside_shopify_product(const json::object& product, std::string reason,
                               StorePage<StoreProduct>& page) {
  if (const auto name = plain(product, "title")) reason = "The product " + *name + ": " + reason;
  page.unreadable.push_back(unreadable(product, "title", std::move(reason), {}));
}

}  // namespace waybill::connectors
