#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "domain/filter/filter.hpp"

namespace waybill::api {

/// The list after ORDER BY. `is_joined`: over the join of domain::SqlFragment.
std::string order_text(std::span<const domain::SortKey> keys, bool is_joined = false);

/// Returns the conditions, each with " and " before it, that together select the rows behind a position in
/// the order. `values` has the SQL of the value of each key, empty for null. No row meets two of them, and
/// the rows of each stand before those of the next. The rows of each are one range of an index that has the
/// keys in this order. The last key is never null.
std::vector<std::string> ranges_after(std::span<const domain::SortKey> keys,
                                      std::span<const std::string> values, bool is_joined = false);

/// The JSON text of the values of a row's keys, in SQL over the row `r`.
std::string position_text(std::span<const domain::SortKey> keys);

}  // namespace waybill::api
