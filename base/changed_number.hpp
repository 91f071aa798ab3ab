#pragma once

#include <string_view>

namespace waybill {

/// True if `value` is not the JSON number `text` from which it was read, and every digit may count: the
/// number is 2^53 at least, from where a double does not have all whole numbers ("34012345000000001812"), or
/// beyond a double ("1e400"). Smaller numbers are rounded to a double.
bool is_changed_number(double value, std::string_view text);

/// True if a double changes a digit of the JSON number `text`, from which `value` was read: written again, it
/// is another decimal.
bool is_rounded_number(double value, std::string_view text);

}  // namespace waybill
