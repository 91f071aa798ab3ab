#pragma once

#include <string_view>

namespace waybill {

/// True if `append_json` writes another number for `value` than the JSON number `text`, from which it was
/// read: "0.12345678901234567890", "34012345000000001812", "1e400". Also true for values that are not finite.
bool is_changed_number(double value, std::string_view text);

}  // namespace waybill
