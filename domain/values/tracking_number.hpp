#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace waybill::domain {

/// The number of tracking numbers, which have nine digits.
inline constexpr std::uint32_t tracking_number_count = 1'000'000'000;

/// `WB`, the nine digits of `number` (below tracking_number_count) and their check digit.
std::string tracking_number(std::uint32_t number);

/// True if `text` is a tracking number with the right check digit.
bool is_tracking_number(std::string_view text);

/// The check digit of `digits` (ISO/IEC 7064, MOD 11,10). It detects every single wrong digit and most swaps
/// of two.
char check_digit(std::string_view digits);

}  // namespace waybill::domain
