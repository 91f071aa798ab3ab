#include "connectors/woocommerce/products.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "base/number.hpp"
#include "connectors/store_text.hpp"
#include "connectors/woocommerce/orders.hpp"

namespace waybill::connectors::woo {
namespace {

using Text = std::optional<std::string>;
using Factor = std::pair<std::string_view, double>;

constexpr auto weights =
    std::to_array<Factor>({{"kg", 1}, {"g", 0.001}, {"lbs", 0.45359237}, {"oz", 0.028349523125}});
constexpr auto lengths =
    std::to_array<Factor>({{"cm", 1}, {"m", 100}, {"mm", 0.1}, {"in", 2.54}, {"yd", 91.44}});

std::optional<double> factor(std::span<const Factor> factors, std::string_view unit) {
  for (const auto& [name, value] : factors) {
    if (name == unit) return value;
  }
  return std::nullopt;
}

// A measure in our unit, rounded to a millionth; the store's text if it cannot be read.
Text measure(const json::value* value, std::optional<double> unit) {
  const auto text = amount(value);
  if (!text) return amount_text(value);
  if (!unit) return std::nullopt;
  constexpr double millionths = 1e6;
  const double number = std::round(parse_number<double>(*text).value_or(0) * *unit * millionths) / millionths;
  if (number <= 0) return std::nullopt;
  return decimal_text(json::value(number));
}

// Sets the lengths of a product or variant.
template <typename Measured>
void set_lengths(Measured& measured, const json::value& row, const Units& units) {
  const auto* const dimensions = member(&row, "dimensions");
  measured.length = measure(member(dimensions, "length"), units.centimetres);
  measured.width = measure(member(dimensions, "width"), units.centimetres);
  measured.height = measure(member(dimensions, "height"), units.centimetres);
}

// An empty price is the regular price. One that cannot be read is the store's text and not the regular price,
// which may be another one.
Text product_price(const json::value& row) {
  for (const char* const name : {"price", "regular_price"}) {
    if (auto price = amount_text(member(&row, name))) return price;
  }
  return std::nullopt;
}

// The options of a variation, such as "Blue, XL".
Text options_of(const json::value& row) {
  std::string names;
  for (const auto* const attribute : elements_of(member(&row, "attributes"))) {
    const auto option = plain_line(member(attribute, "option"));
    if (option) names += (names.empty() ? "" : ", ") + *option;
  }
  return clean_line(names);
}

bool is_hidden(const json::value& row) {
  const auto status = clean_text(member(&row, "status")).value_or("");
  const auto type = clean_text(member(&row, "type")).value_or("");
  return is_draft(status) || status == "pending" || status == "trash" || type == "grouped" ||
         type == "external";
}

}  // namespace

Units units_of(const json::value& settings) {
  Units units;
  for (const auto* const setting : elements_of(&settings)) {
    const auto id = clean_text(member(setting, "id")).value_or("");
    const auto value = clean_text(member(setting, "value")).value_or("");
    if (id == "woocommerce_weight_unit") units.kilograms = factor(weights, value);
    if (id == "woocommerce_dimension_unit") units.centimetres = factor(lengths, value);
  }
  return units;
}

void read_product(const json::value& row, const Units& units, StorePage<StoreProduct>& page) {
  // The id of a product that became a variation shows the variation.
  if (is_hidden(row) || clean_text(member(&row, "type")) == "variation") return;
  StoreProduct product;
  product.external_id = clean_identifier(member(&row, "id")).value_or("");
  const auto name = plain_line(member(&row, "name"));
  const auto changed = time_of(member(&row, "date_modified_gmt"));
  const auto created = time_of(member(&row, "date_created_gmt"));
  const bool is_unclear = !changed && has_time(member(&row, "date_modified_gmt"));
  if (product.external_id.empty() || !name || (!changed && !created) || is_unclear) {
    const auto* const reason = product.external_id.empty() ? "It has no id."
                               : !name                     ? "It has no name."
                               : is_unclear                ? "Its time of change cannot be read."
                                                           : "It has no times of creation and change.";
    page.unreadable.push_back({.external_id = product.external_id, .number = {}, .reason = reason});
    return;
  }
  product.name = *name;
  product.changed_at = changed ? *changed : *created;
  product.sku = clean_identifier(member(&row, "sku"));
  product.barcode = clean_identifier(member(&row, "global_unique_id"));
  product.price = product_price(row);
  for (const char* const member_name : {"description", "short_description"}) {
    if (product.description) break;
    product.description = plain_text(member(&row, member_name));
  }
  product.weight = measure(member(&row, "weight"), units.kilograms);
  set_lengths(product, row, units);
  const auto* const variations = member(&row, "variations");
  product.has_all_variants = variations != nullptr && (variations->is_array() || variations->is_object());
  page.records.push_back(std::move(product));
}

void set_aside_product(const json::value& row, std::string reason, StorePage<StoreProduct>& page) {
  if (is_hidden(row)) return;
  const auto name = plain_line(member(&row, "name"));
  if (name) reason = "The product " + *name + ": " + reason;
  page.unreadable.push_back({.external_id = clean_identifier(member(&row, "id")).value_or(""),
                             .number = {},
                             .reason = std::move(reason)});
}

bool has_variations(const json::value& row) { return !elements_of(member(&row, "variations")).empty(); }

void add_variant(const json::value& row, const Units& units, StoreProduct& product) {
  if (!row.is_object()) product.has_all_variants = false;
  if (!row.is_object() || is_hidden(row)) return;
  StoreVariant variant;
  variant.external_id = clean_identifier(member(&row, "id")).value_or("");
  const auto options = options_of(row);
  variant.name = options ? *options : plain_line(member(&row, "name")).value_or(product.name);
  // A variation without its own sku shows its product's.
  variant.sku = clean_identifier(member(&row, "sku"));
  if (variant.sku == product.sku) variant.sku.reset();
  variant.price = product_price(row);
  variant.weight = measure(member(&row, "weight"), units.kilograms);
  if (!variant.weight) variant.weight = product.weight;
  set_lengths(variant, row, units);
  product.variants.push_back(std::move(variant));
}

}  // namespace waybill::connectors::woo
