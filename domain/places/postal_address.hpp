#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/places/gazetteer.hpp"

namespace waybill::domain {

/// The lines of an address below the name of a person or company, in the order of its country, such as
/// "20095 Hamburg" or "London N8 8AT". `other_country` is the country of the parcel's other address. The last
/// line is the country in English capitals, unless both countries are the same. No other part is lost; a
/// province that repeats the city is written once. An unknown country gets the most common order, and its
/// name is printed as given.
std::vector<std::string> address_lines(const PostalAddress& address, std::string_view other_country);

}  // namespace waybill::domain
