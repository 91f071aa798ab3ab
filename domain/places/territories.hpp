#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace waybill::domain {

/// The ISO 3166-1 codes of the territories whose addresses also name the country `code`: Puerto Rico is
/// written "PR, US" or "PR". Empty for a country without any.
std::span<const std::string_view> territories_of(std::string_view code);

/// The territory of the country `code` in which a postal code lies; nullopt for all other postal codes.
std::optional<std::string_view> territory_of_postal_code(std::string_view code, std::string_view postal_code);

}  // namespace waybill::domain
