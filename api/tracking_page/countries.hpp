#pragma once

#include <string_view>

#include "api/http/language.hpp"

namespace waybill::api {

/// The name of a country in `language` by its code (ISO 3166-1 alpha-2, of either case). Any other text, and
/// the code of a country that is not in the list, is returned as it is.
std::string_view country_name(std::string_view country, Language language);

}  // namespace waybill::api
