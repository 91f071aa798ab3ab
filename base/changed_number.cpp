#include "base/changed_number.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/json.hpp"
#include "base/number.hpp"

namespace waybill {
namespace {

/// A number as its digits without zeros at their ends, and the place of the point before them.
struct Decimal {
  bool is_negative = false;
  std::string digits;
  std::int64_t exponent = 0;  // the value is 0.DIGITS × 10^exponent
  bool operator==(const Decimal&) const = default;
};

Decimal decimal_of(std::string_view text) {
  Decimal decimal{.is_negative = text.starts_with('-'), .digits = {}};
  if (decimal.is_negative) text.remove_prefix(1);
  const auto mark = std::min(text.find_first_of("eE"), text.size());
  std::string_view exponent = text.substr(std::min(mark + 1, text.size()));
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  const auto mantissa = text.substr(0, mark);
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  decimal.digits = mantissa;
  std::erase(decimal.digits, '.');
  decimal.exponent = static_cast<std::int64_t>(point) + parse_number<std::int32_t>(exponent).value_or(0);
  const auto zeros = std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size());
  decimal.digits.erase(0, zeros);
  decimal.exponent -= static_cast<std::int64_t>(zeros);
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
  return decimal.digits.empty() ? Decimal{} : decimal;  // zero has no sign
}

/// False for a number that a double keeps well enough: it is below 2^53.
bool may_be_changed(double value) {
  constexpr double all_whole_numbers = 9007199254740992;  // 2^53
  return !std::isfinite(value) || std::abs(value) >= all_whole_numbers;
}

}  // namespace

bool is_rounded_number(double value, std::string_view text) {
  constexpr std::size_t kept_characters = 15;  // a double keeps 15 digits
  return text.size() > kept_characters && decimal_of(to_json(json::value(value))) != decimal_of(text);
}

bool is_changed_number(double value, std::string_view text) {
  return may_be_changed(value) &&
         (!std::isfinite(value) || decimal_of(to_json(json::value(value))) != decimal_of(text));
}

}  // namespace waybill
