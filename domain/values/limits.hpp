#pragma once

#include <cstddef>

namespace waybill::domain {

/// The limits of the texts of records, in characters (Unicode code points).
inline constexpr std::size_t longest_string = 200;   // names, numbers, parts of addresses
inline constexpr std::size_t longest_text = 10'000;  // notes, descriptions

/// The most items of an order, and packages of a shipment: as many as an import accepts.
inline constexpr std::size_t most_items = 5'000;

/// The sum of an order's items is less: orders.total_value is numeric(14, 2).
inline constexpr double items_total_limit = 1e12 - 0.005;

}  // namespace waybill::domain
