#include "domain/places/customs_territories.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "domain/places/postal_code.hpp"
#include "domain/places/territories.hpp"

namespace waybill::domain {
namespace {

constexpr std::string_view union_territory = "EU";
constexpr std::string_view northern_ireland = "XI";  // as in EORI and VAT numbers
constexpr std::string_view great_britain = "GB";

// Article 4 of Regulation (EU) No 952/2013.
constexpr auto members = std::to_array<std::string_view>(
    {"AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU",
     "IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK"});

struct Joined {
  std::string_view country;
  std::string_view territory;
};
constexpr auto joined_territories = std::to_array<Joined>({
    {"IM", "GB"},  // Customs and Excise Agreement of 1979
    {"LI", "CH"},  // Customs Treaty of 1923
    {"MC", "FR"},  // Article 4(2)(a) of Regulation (EU) No 952/2013
    {"PR", "US"},  // 19 CFR 101.1
});

struct Area {
  std::string_view country;
  std::string_view prefix;  // of the postal code
  std::string_view territory;
};
// Parts of a country that postal codes tell, apart from those with an ISO code that territories.cpp has.
constexpr auto areas = std::to_array<Area>({
    // Outside the customs territory of the Union (Article 4 of Regulation (EU) No 952/2013). Büsingen is in
    // that of Switzerland (treaty of 23 November 1964).
    {"DE", "27498", "Helgoland"},
    {"DE", "78266", "CH"},
    {"ES", "51", "Ceuta"},
    {"ES", "52", "Melilla"},
    {"IT", "23041", "Livigno"},
    // Inside it, but outside the VAT territory (Article 6(1) of Directive 2006/112/EC). Goods to and from
    // there
    // are declared under Article 134 of Delegated Regulation (EU) 2015/2446. Åland and the French overseas
    // departments have ISO codes.
    {"ES", "35", "IC"},
    {"ES", "38", "IC"},
    {"GR", "63086", "Athos"},
    {"GR", "63087", "Athos"},
    {"IT", "22061", "Campione"},
    // Written as places of the country around them or of their former department.
    {"FR", "97133", "BL"},
    {"FR", "97150", "MF"},
    {"FR", "980", "FR"},
    {"IT", "00120", "VA"},
    {"IT", "4789", "SM"},
    // The Union's customs rules apply in Northern Ireland (Article 5 of the Windsor Framework).
    {"GB", "BT", northern_ireland},
    // Samnaun is outside the customs territory of Switzerland (Article 3(3) of its Customs Act), Svalbard and
    // Jan
    // Mayen are outside that of Norway. territories.cpp has the codes of Svalbard.
    {"CH", "7562", "Samnaun"},
    {"CH", "7563", "Samnaun"},
    {"NO", "8099", "SJ"},
    // Post offices of the forces and embassies (APO, FPO, DPO; states AE, AA and AP), for which the postal
    // service wants a declaration (Domestic Mail Manual 703.2).
    {"US", "09", "military post"},
    {"US", "340", "military post"},
    {"US", "962", "military post"},
    {"US", "963", "military post"},
    {"US", "964", "military post"},
    {"US", "965", "military post"},
    {"US", "966", "military post"},
});

/// Capitals and digits alone; without the letters in front of a number, as in "FI-22100", "D-78266".
std::string plain_code(const CustomsPlace& place) {
  std::string code;
  for (const char c : domestic_postal_code(place.postal_code, place.country))
    if (is_alphanumeric(c)) code += ascii_upper(c);
  if (place.country != great_britain) code.erase(0, std::min(code.find_first_of("0123456789"), code.size()));
  return code;
}

/// The code of the country, or of the part of it in which the postal code lies.
std::string_view part_of(std::string_view country, std::string_view code) {
  const auto* const area = std::ranges::find_if(
      areas, [&](const Area& row) { return row.country == country && code.starts_with(row.prefix); });
  if (area != areas.end()) return area->territory;
  return territory_of_postal_code(country, code).value_or(country);
}

bool is_of_union(std::string_view territory) {
  return territory == union_territory || territory == northern_ireland;
}

}  // namespace

std::string customs_territory(const CustomsPlace& place) {
  const std::string code = plain_code(place);
  std::string_view territory = part_of(place.country, code);
  const auto* const other = std::ranges::find(joined_territories, territory, &Joined::country);
  if (other != joined_territories.end()) territory = other->territory;
  const bool is_member = std::ranges::find(members, territory) != members.end();
  return std::string(is_member ? union_territory : territory);
}

bool needs_customs_declaration(const CustomsPlace& from, const CustomsPlace& to) {
  const std::string origin = customs_territory(from), destination = customs_territory(to);
  if (origin == destination || (is_of_union(origin) && is_of_union(destination))) return false;
  // Goods of Northern Ireland have unfettered access to Great Britain (Article 6 of the Windsor Framework).
  return !(origin == northern_ireland && destination == great_britain);
}

}  // namespace waybill::domain
