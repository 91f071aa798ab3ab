#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace waybill::domain {

/// A weight (kg, g, lb, oz) in kg or a length (cm, in, m) in cm, rounded, as decimal text; nullopt unless the
/// result is above zero. A measure in any other unit stays as it is.
std::optional<std::string> metric(double measure, std::string_view unit, int decimals = 3);

/// A weight in kg, or a length in cm, in another unit with up to four decimals; otherwise like `metric`.
std::optional<std::string> in_unit(double measure, std::string_view unit);

}  // namespace waybill::domain
