#pragma once

#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "connectors/carrier_gateway.hpp"

namespace waybill::connectors {

/// The stored facts of the goods in a shipment. The JSON may have any shape, because programs write it with
/// SQL.
struct CustomsSource {
  std::string_view given;           // the shipment's `customs`, JSON; empty: none
  std::string_view goods;           // [{item, product}] of its order, JSON; empty: no order
  std::string_view order_currency;  // empty: no order
  std::string_view home_currency;   // of the business
  std::string_view weight_unit;     // of weights in both
  bool is_return = false;
};

/// True if the shipment has items of its own for customs.
bool has_customs_items(const CustomsSource& source);

/// The customs data of a shipment to another customs territory, with weights in kg. The items are the given
/// ones, or else those of the order, which take from their products what they lack; a product's value counts
/// if the order has the currency of the business, and without any the price counts. Each item needs
/// description, quantity, weight and a value above 0, as gateways do. Goods that are sold or come back need
/// HS code and country of origin, too, as commercial items do on the form CN 23 of the Universal Postal
/// Union. Adds an error for each missing or unusable part; nullopt if there are no items. Pure.
std::optional<CustomsData> customs_of(const CustomsSource& source, FieldErrors& errors);

}  // namespace waybill::connectors
