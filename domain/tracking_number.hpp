#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace waybill::domain {

/// How many tracking numbers there are: nine digits.
inline constexpr std::uint32_t tracking_number_count = 1'000'000'000;

/// `WB`, the nine digits of `number` (below tracking_number_count) and their check digit.
std::string tracking_number(std::uint32_t number);

/// Whether `text` is one of those, check digit and all.
bool is_tracking_number(std::string_view text);

/// ISO/IEC 7064, MOD 11,10: the digit that completes `digits`. It finds every single wrong digit and most
/// swaps of two.
char check_digit(std::string_view digits);

}  // namespace waybill::domain
