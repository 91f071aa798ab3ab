#include "domain/values/tracking_number.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace waybill::domain {
namespace {

constexpr std::string_view prefix = "WB";
constexpr std::size_t digit_count = 9;

}  // namespace

char check_digit(std::string_view digits) {
  int product = 10;
  for (const char digit : digits) {
    int sum = (product + (digit - '0')) % 10;
    if (sum == 0) sum = 10;
    product = sum * 2 % 11;
  }
  return static_cast<char>('0' + (11 - product) % 10);
}

std::string tracking_number(std::uint32_t number) {
  const auto text = std::to_string(number);
  const auto digits = std::string(digit_count - text.size(), '0') + text;
  return std::string(prefix) + digits + check_digit(digits);
}

bool is_tracking_number(std::string_view text) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  if (text.size() != digit_count + 1 || !std::ranges::all_of(text, is_digit)) return false;
  return check_digit(text.substr(0, digit_count)) == text.back();
}

}  // namespace waybill::domain
