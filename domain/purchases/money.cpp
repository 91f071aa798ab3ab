#include "domain/purchases/money.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace waybill::domain {
namespace {

constexpr std::size_t longest_amount = 30;

struct Digits {
  std::string_view whole, fraction;  // without leading and trailing zeros
};

Digits digits_of(std::string_view amount) {
  const auto point = amount.find('.');
  std::string_view whole = amount.substr(0, point);
  std::string_view fraction = point == std::string_view::npos ? "" : amount.substr(point + 1);
  while (whole.starts_with('0')) whole.remove_prefix(1);
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  return {whole, fraction};
}

/// The digits of the minor unit.
std::size_t minor_digits(std::string_view code) {
  constexpr auto none =
      std::to_array<std::string_view>({"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF",
                                       "UGX", "VND", "VUV", "XAF", "XOF", "XPF"});
  constexpr auto three = std::to_array<std::string_view>({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"});
  if (std::ranges::binary_search(none, code)) return 0;
  return std::ranges::binary_search(three, code) ? 3 : 2;
}

}  // namespace

bool is_amount(std::string_view text) {
  if (text.empty() || text.size() > longest_amount || text.starts_with('.') || text.ends_with('.'))
    return false;
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; }) &&
         std::ranges::count(text, '.') <= 1;
}

bool is_price(std::string_view text) {
  constexpr std::size_t most_whole_digits = 12;
  return is_amount(text) && digits_of(text).whole.size() <= most_whole_digits;
}

std::string formatted_amount(std::string_view amount, std::string_view currency) {
  if (!is_amount(amount)) return std::string(amount);
  const std::size_t digits = minor_digits(currency);
  const std::size_t point = amount.find('.');
  std::string_view decimals = point == std::string_view::npos ? "" : amount.substr(point + 1);
  while (decimals.size() > digits && decimals.ends_with('0')) decimals.remove_suffix(1);
  std::string text(amount.substr(0, point));
  if (digits == 0 && decimals.empty()) return text;
  text.append(".").append(decimals);
  if (decimals.size() < digits) text.append(digits - decimals.size(), '0');
  return text;
}

std::optional<std::strong_ordering> compare_amounts(std::string_view a, std::string_view b) {
  if (!is_amount(a) || !is_amount(b)) return std::nullopt;
  const Digits left = digits_of(a), right = digits_of(b);
  if (left.whole.size() != right.whole.size()) return left.whole.size() <=> right.whole.size();
  if (left.whole != right.whole) return left.whole <=> right.whole;
  return left.fraction <=> right.fraction;
}

std::string_view price_refusal(const Money& quote, const std::optional<Money>& max_price) {
  if (!max_price) return "";
  if (!is_amount(quote.amount)) return "NO_PRICE";
  if (quote.currency != max_price->currency) return "OTHER_CURRENCY";
  const auto order = compare_amounts(quote.amount, max_price->amount);
  if (!order) return "NO_PRICE";
  return *order > 0 ? "TOO_EXPENSIVE" : "";
}

bool is_dearer(const Money& charged, const Money& quote) {
  if (charged.currency != quote.currency) return true;
  const auto order = compare_amounts(charged.amount, quote.amount);
  return !order || *order > 0;
}

}  // namespace waybill::domain
