#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::domain {

/// The ISO 3166-1 code of the country that a postal code begins with (F-75001, SE-111 22), or of the only one
/// whose postal codes have this form, such as 1100-148 (PT); nullopt for a form that several countries have.
std::optional<std::string_view> country_of_postal_code(std::string_view code);

/// A postal code as it is written inside the country `country` (ISO 3166-1): without the country's letters in
/// front, "97400" of "F-97400", without the Japanese postal mark, and with plain digits for full-width ones.
/// The letters of countries where they belong to the code (LV-1010) stay, and so do those of another country.
std::string domestic_postal_code(std::string_view code, std::string_view country);

/// The state of a ZIP code by its first three digits (USPS publication 65, L002); nullopt if unknown.
std::optional<std::string_view> state_of_zip_code(std::string_view code);

/// The codes of the states, provinces or territories in which a domestic postal code may lie: of the United
/// States, Canada and Australia. Empty if they are not known.
std::vector<std::string_view> states_of_postal_code(std::string_view country, std::string_view code);

}  // namespace waybill::domain
