#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::domain {

/// An amount as exact decimal text ("12.50") with its ISO 4217 code. Both are empty if it is not known.
struct Money {
  std::string amount, currency;

  bool operator==(const Money&) const = default;
  bool is_known() const { return !amount.empty(); }
};

/// True for digits with at most one point between them, at most 30 characters. Such text is a numeric of
/// PostgreSQL.
bool is_amount(std::string_view text);

/// True for an amount below 10^12. A dearer rate is an error of the carrier: it is never bought.
bool is_price(std::string_view text);

/// An exact decimal number with the decimals that amounts of the currency usually have: "19.90" EUR, "19"
/// JPY. Further decimals stay unless they are zeros. Two decimals for an unknown currency; a text that is not
/// such a number is returned unchanged.
std::string formatted_amount(std::string_view amount, std::string_view currency);

/// Compares exactly; nullopt unless both are amounts.
std::optional<std::strong_ordering> compare_amounts(std::string_view a, std::string_view b);

/// The code of the reason for which a quote is not bought: OTHER_CURRENCY, TOO_EXPENSIVE or, for a price that
/// cannot be read, NO_PRICE. Empty if it is bought. Without a limit every price is accepted.
std::string_view price_refusal(const Money& quote, const std::optional<Money>& max_price);

/// True if a charged price is above its quote, or cannot be compared with it.
bool is_dearer(const Money& charged, const Money& quote);

}  // namespace waybill::domain
