#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace waybill::domain {

/// The ISO 3166-1 code of the only country whose postal codes have this form, such as 1100-148 (PT); nullopt
/// for a form that several countries have.
std::optional<std::string_view> country_of_postal_code(std::string_view code);

/// The state of a ZIP code by its first three digits (USPS publication 65, L002); nullopt if unknown.
std::optional<std::string_view> state_of_zip_code(std::string_view code);

}  // namespace waybill::domain
