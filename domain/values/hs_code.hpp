#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace waybill::domain {

/// The number of goods in a customs tariff without dots and blanks: six digits of the Harmonized System, and
/// up to four of a country. nullopt for any other text.
std::optional<std::string> hs_code(std::string_view text);

}  // namespace waybill::domain
