#pragma once

#include <optional>

#include "base/json.hpp"

namespace waybill::domain {

/// The packages of a shipment with these items of an order, in any shape: one {length, width, height, weight}
/// for each item, whose weight is that of all its pieces. An item without a quantity is one piece. What an
/// item lacks, or what is larger than a package may be, is null. Without items: one package of nulls. Pure.
json::array packed_items(const json::array& items);

/// The pieces of each item by its guid, of an order's items in any shape. nullopt without items, or if one
/// has no guid. Pure.
std::optional<json::object> pieces_by_item(const json::array& items);

}  // namespace waybill::domain
