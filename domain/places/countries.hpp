#pragma once

#include <span>
#include <string_view>

namespace waybill::domain {

struct Country {
  std::string_view code;  // ISO 3166-1 alpha-2; XK, which is in use for Kosovo, is not in the standard
  std::string_view name;  // English, in capitals

  /// The order of an address: A street, C city, P postal code, S state or province, s the same unless it
  /// repeats the city, | a new line. Other characters separate two parts.
  std::string_view address_order;
};

/// The order in most countries, and so in unknown ones.
inline constexpr std::string_view common_address_order = "A|P C, s";

/// All countries, sorted by code.
std::span<const Country> all_countries();

/// The country of a code or name. Names are compared without regard to case, accents and punctuation and may
/// be in several languages. Null if the country is unknown.
const Country* country_of(std::string_view text);

/// The city of a country that is one city ("Singapore"), by its code; empty for other countries. Addresses
/// there often have no city.
std::string_view city_of_state(std::string_view code);

}  // namespace waybill::domain
