#include "domain/places/countries.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.hpp"
#include "domain/places/gazetteer.hpp"

namespace waybill::domain {
namespace {

// Sources: UPU standard S42 and the countries' sheets in the UPU's "Postal addressing systems". Where they
// leave a choice (capitals, two spaces, a line for the postal code alone), the order in common use. Provinces
// that a country does not write are kept.
constexpr std::string_view postcode_first = common_address_order;
constexpr std::string_view city_first = "A|C, s P";
constexpr std::string_view state_code = "A|C, S P";
constexpr std::string_view state_no_comma = "A|C S P";
constexpr std::string_view stacked = "A|C|s|P";
constexpr std::string_view city_first_state_below = "A|C P|s";
constexpr std::string_view postcode_first_state_below = "A|P C|s";
constexpr std::string_view dashed_state = "A|P C - S";
constexpr std::string_view province_code = "A|P C s";
constexpr std::string_view commas = "A|C, s, P";
constexpr std::string_view hyphen = "A|C-P|s";
constexpr std::string_view slash = "A|P C/s";
constexpr std::string_view state_last = "A|C P, s";
constexpr std::string_view city_above_street = "C, s|A|P";

// Sorted by code.
constexpr auto table = std::to_array<Country>({
    {"AD", "ANDORRA", postcode_first},
    {"AE", "UNITED ARAB EMIRATES", postcode_first},
    {"AF", "AFGHANISTAN", stacked},
    {"AG", "ANTIGUA AND BARBUDA", postcode_first},
    {"AI", "ANGUILLA", city_first},
    {"AL", "ALBANIA", postcode_first},
    {"AM", "ARMENIA", postcode_first},
    {"AO", "ANGOLA", postcode_first},
    {"AQ", "ANTARCTICA", postcode_first},
    {"AR", "ARGENTINA", postcode_first_state_below},
    {"AS", "AMERICAN SAMOA", state_code},
    {"AT", "AUSTRIA", postcode_first},
    {"AU", "AUSTRALIA", state_no_comma},
    {"AW", "ARUBA", postcode_first},
    {"AX", "ÅLAND ISLANDS", postcode_first},
    {"AZ", "AZERBAIJAN", postcode_first},
    {"BA", "BOSNIA AND HERZEGOVINA", postcode_first},
    {"BB", "BARBADOS", city_first},
    {"BD", "BANGLADESH", hyphen},
    {"BE", "BELGIUM", postcode_first},
    {"BF", "BURKINA FASO", postcode_first},
    {"BG", "BULGARIA", postcode_first},
    {"BH", "BAHRAIN", city_first},
    {"BI", "BURUNDI", postcode_first},
    {"BJ", "BENIN", postcode_first},
    {"BL", "SAINT BARTHÉLEMY", postcode_first},
    {"BM", "BERMUDA", city_first},
    {"BN", "BRUNEI DARUSSALAM", city_first},
    {"BO", "BOLIVIA", postcode_first},
    {"BQ", "CARIBBEAN NETHERLANDS", postcode_first},
    {"BR", "BRAZIL", dashed_state},
    {"BS", "BAHAMAS", postcode_first},
    {"BT", "BHUTAN", city_first},
    {"BV", "BOUVET ISLAND", postcode_first},
    {"BW", "BOTSWANA", postcode_first},
    {"BY", "BELARUS", postcode_first},
    {"BZ", "BELIZE", postcode_first},
    {"CA", "CANADA", state_no_comma},
    {"CC", "COCOS (KEELING) ISLANDS", state_no_comma},
    {"CD", "DEMOCRATIC REPUBLIC OF THE CONGO", postcode_first},
    {"CF", "CENTRAL AFRICAN REPUBLIC", postcode_first},
    {"CG", "CONGO", postcode_first},
    {"CH", "SWITZERLAND", postcode_first},
    {"CI", "CÔTE D'IVOIRE", postcode_first},
    {"CK", "COOK ISLANDS", city_first},
    {"CL", "CHILE", postcode_first_state_below},
    {"CM", "CAMEROON", postcode_first},
    {"CN", "CHINA", postcode_first},
    {"CO", "COLOMBIA", commas},
    {"CR", "COSTA RICA", postcode_first},
    {"CU", "CUBA", postcode_first},
    {"CV", "CABO VERDE", postcode_first},
    {"CW", "CURAÇAO", postcode_first},
    {"CX", "CHRISTMAS ISLAND", state_no_comma},
    {"CY", "CYPRUS", postcode_first},
    {"CZ", "CZECHIA", postcode_first},
    {"DE", "GERMANY", postcode_first},
    {"DJ", "DJIBOUTI", postcode_first},
    {"DK", "DENMARK", postcode_first},
    {"DM", "DOMINICA", postcode_first},
    {"DO", "DOMINICAN REPUBLIC", postcode_first},
    {"DZ", "ALGERIA", postcode_first},
    {"EC", "ECUADOR", postcode_first},
    {"EE", "ESTONIA", postcode_first},
    {"EG", "EGYPT", stacked},
    {"EH", "WESTERN SAHARA", postcode_first},
    {"ER", "ERITREA", postcode_first},
    {"ES", "SPAIN", postcode_first_state_below},
    {"ET", "ETHIOPIA", postcode_first},
    {"FI", "FINLAND", postcode_first},
    {"FJ", "FIJI", postcode_first},
    {"FK", "FALKLAND ISLANDS", city_first},
    {"FM", "MICRONESIA", state_code},
    {"FO", "FAROE ISLANDS", postcode_first},
    {"FR", "FRANCE", postcode_first},
    {"GA", "GABON", postcode_first},
    {"GB", "UNITED KINGDOM", city_first},
    {"GD", "GRENADA", postcode_first},
    {"GE", "GEORGIA", postcode_first},
    {"GF", "FRENCH GUIANA", postcode_first},
    {"GG", "GUERNSEY", city_first},
    {"GH", "GHANA", postcode_first},
    {"GI", "GIBRALTAR", city_first},
    {"GL", "GREENLAND", postcode_first},
    {"GM", "GAMBIA", postcode_first},
    {"GN", "GUINEA", postcode_first},
    {"GP", "GUADELOUPE", postcode_first},
    {"GQ", "EQUATORIAL GUINEA", postcode_first},
    {"GR", "GREECE", postcode_first},
    {"GS", "SOUTH GEORGIA AND THE SOUTH SANDWICH ISLANDS", city_first},
    {"GT", "GUATEMALA", postcode_first},
    {"GU", "GUAM", state_code},
    {"GW", "GUINEA-BISSAU", postcode_first},
    {"GY", "GUYANA", postcode_first},
    {"HK", "HONG KONG", postcode_first},
    {"HM", "HEARD ISLAND AND MCDONALD ISLANDS", postcode_first},
    {"HN", "HONDURAS", postcode_first},
    {"HR", "CROATIA", postcode_first},
    {"HT", "HAITI", postcode_first},
    {"HU", "HUNGARY", city_above_street},
    {"ID", "INDONESIA", city_first_state_below},
    {"IE", "IRELAND", stacked},
    {"IL", "ISRAEL", postcode_first},
    {"IM", "ISLE OF MAN", city_first},
    {"IN", "INDIA", city_first_state_below},
    {"IO", "BRITISH INDIAN OCEAN TERRITORY", city_first},
    {"IQ", "IRAQ", stacked},
    {"IR", "IRAN", stacked},
    {"IS", "ICELAND", postcode_first},
    {"IT", "ITALY", province_code},
    {"JE", "JERSEY", city_first},
    {"JM", "JAMAICA", city_first},
    {"JO", "JORDAN", city_first},
    {"JP", "JAPAN", city_first},
    {"KE", "KENYA", stacked},
    {"KG", "KYRGYZSTAN", postcode_first},
    {"KH", "CAMBODIA", city_first},
    {"KI", "KIRIBATI", postcode_first},
    {"KM", "COMOROS", postcode_first},
    {"KN", "SAINT KITTS AND NEVIS", postcode_first},
    {"KP", "NORTH KOREA", postcode_first},
    {"KR", "SOUTH KOREA", city_first},
    {"KW", "KUWAIT", postcode_first},
    {"KY", "CAYMAN ISLANDS", city_first},
    {"KZ", "KAZAKHSTAN", postcode_first},
    {"LA", "LAOS", postcode_first},
    {"LB", "LEBANON", city_first},
    {"LC", "SAINT LUCIA", postcode_first},
    {"LI", "LIECHTENSTEIN", postcode_first},
    {"LK", "SRI LANKA", stacked},
    {"LR", "LIBERIA", postcode_first},
    {"LS", "LESOTHO", stacked},
    {"LT", "LITHUANIA", postcode_first},
    {"LU", "LUXEMBOURG", postcode_first},
    {"LV", "LATVIA", commas},
    {"LY", "LIBYA", postcode_first},
    {"MA", "MOROCCO", postcode_first},
    {"MC", "MONACO", postcode_first},
    {"MD", "MOLDOVA", postcode_first},
    {"ME", "MONTENEGRO", postcode_first},
    {"MF", "SAINT MARTIN", postcode_first},
    {"MG", "MADAGASCAR", postcode_first},
    {"MH", "MARSHALL ISLANDS", state_code},
    {"MK", "NORTH MACEDONIA", postcode_first},
    {"ML", "MALI", postcode_first},
    {"MM", "MYANMAR", commas},
    {"MN", "MONGOLIA", city_first},
    {"MO", "MACAO", postcode_first},
    {"MP", "NORTHERN MARIANA ISLANDS", state_code},
    {"MQ", "MARTINIQUE", postcode_first},
    {"MR", "MAURITANIA", postcode_first},
    {"MS", "MONTSERRAT", postcode_first},
    {"MT", "MALTA", city_first},
    {"MU", "MAURITIUS", postcode_first},
    {"MV", "MALDIVES", city_first},
    {"MW", "MALAWI", postcode_first},
    {"MX", "MEXICO", postcode_first},
    {"MY", "MALAYSIA", postcode_first_state_below},
    {"MZ", "MOZAMBIQUE", postcode_first},
    {"NA", "NAMIBIA", postcode_first},
    {"NC", "NEW CALEDONIA", postcode_first},
    {"NE", "NIGER", postcode_first},
    {"NF", "NORFOLK ISLAND", state_no_comma},
    {"NG", "NIGERIA", city_first_state_below},
    {"NI", "NICARAGUA", postcode_first},
    {"NL", "NETHERLANDS", postcode_first},
    {"NO", "NORWAY", postcode_first},
    {"NP", "NEPAL", city_first},
    {"NR", "NAURU", postcode_first},
    {"NU", "NIUE", postcode_first},
    {"NZ", "NEW ZEALAND", city_first},
    {"OM", "OMAN", postcode_first},
    {"PA", "PANAMA", postcode_first},
    {"PE", "PERU", city_first_state_below},
    {"PF", "FRENCH POLYNESIA", postcode_first},
    {"PG", "PAPUA NEW GUINEA", postcode_first},
    {"PH", "PHILIPPINES", postcode_first_state_below},
    {"PK", "PAKISTAN", city_first_state_below},
    {"PL", "POLAND", postcode_first},
    {"PM", "SAINT PIERRE AND MIQUELON", postcode_first},
    {"PN", "PITCAIRN ISLANDS", city_first},
    {"PR", "PUERTO RICO", state_code},
    {"PS", "PALESTINE", postcode_first},
    {"PT", "PORTUGAL", postcode_first},
    {"PW", "PALAU", state_code},
    {"PY", "PARAGUAY", postcode_first},
    {"QA", "QATAR", postcode_first},
    {"RE", "RÉUNION", postcode_first},
    {"RO", "ROMANIA", postcode_first},
    {"RS", "SERBIA", postcode_first},
    {"RU", "RUSSIAN FEDERATION", stacked},
    {"RW", "RWANDA", postcode_first},
    {"SA", "SAUDI ARABIA", city_first},
    {"SB", "SOLOMON ISLANDS", postcode_first},
    {"SC", "SEYCHELLES", postcode_first},
    {"SD", "SUDAN", stacked},
    {"SE", "SWEDEN", postcode_first},
    {"SG", "SINGAPORE", city_first},
    {"SH", "SAINT HELENA, ASCENSION AND TRISTAN DA CUNHA", city_first},
    {"SI", "SLOVENIA", postcode_first},
    {"SJ", "SVALBARD AND JAN MAYEN", postcode_first},
    {"SK", "SLOVAKIA", postcode_first},
    {"SL", "SIERRA LEONE", postcode_first},
    {"SM", "SAN MARINO", province_code},
    {"SN", "SENEGAL", postcode_first},
    {"SO", "SOMALIA", postcode_first},
    {"SR", "SURINAME", postcode_first},
    {"SS", "SOUTH SUDAN", postcode_first},
    {"ST", "SAO TOME AND PRINCIPE", postcode_first},
    {"SV", "EL SALVADOR", postcode_first},
    {"SX", "SINT MAARTEN", postcode_first},
    {"SY", "SYRIA", postcode_first},
    {"SZ", "ESWATINI", stacked},
    {"TC", "TURKS AND CAICOS ISLANDS", city_first},
    {"TD", "CHAD", postcode_first},
    {"TF", "FRENCH SOUTHERN TERRITORIES", postcode_first},
    {"TG", "TOGO", postcode_first},
    {"TH", "THAILAND", city_first},
    {"TJ", "TAJIKISTAN", postcode_first},
    {"TK", "TOKELAU", postcode_first},
    {"TL", "TIMOR-LESTE", postcode_first},
    {"TM", "TURKMENISTAN", postcode_first},
    {"TN", "TUNISIA", postcode_first},
    {"TO", "TONGA", postcode_first},
    {"TR", "TÜRKİYE", slash},
    {"TT", "TRINIDAD AND TOBAGO", postcode_first},
    {"TV", "TUVALU", postcode_first},
    {"TW", "TAIWAN", city_first},
    {"TZ", "TANZANIA", postcode_first},
    {"UA", "UKRAINE", stacked},
    {"UG", "UGANDA", postcode_first},
    {"UM", "UNITED STATES MINOR OUTLYING ISLANDS", state_code},
    {"US", "UNITED STATES OF AMERICA", state_code},
    {"UY", "URUGUAY", postcode_first},
    {"UZ", "UZBEKISTAN", postcode_first_state_below},
    {"VA", "VATICAN", province_code},
    {"VC", "SAINT VINCENT AND THE GRENADINES", postcode_first},
    {"VE", "VENEZUELA", state_last},
    {"VG", "BRITISH VIRGIN ISLANDS", city_first},
    {"VI", "UNITED STATES VIRGIN ISLANDS", state_code},
    {"VN", "VIET NAM", city_first},
    {"VU", "VANUATU", postcode_first},
    {"WF", "WALLIS AND FUTUNA", postcode_first},
    {"WS", "SAMOA", postcode_first},
    {"XK", "KOSOVO", postcode_first},
    {"YE", "YEMEN", postcode_first},
    {"YT", "MAYOTTE", postcode_first},
    {"ZA", "SOUTH AFRICA", stacked},
    {"ZM", "ZAMBIA", postcode_first},
    {"ZW", "ZIMBABWE", postcode_first},
});
static_assert(std::ranges::is_sorted(table, {}, &Country::code));

const Country* find_code(std::string_view code) {
  const auto found = std::ranges::lower_bound(table, code, {}, &Country::code);
  return found == table.end() || found->code != code ? nullptr : &*found;
}

const Country* find_text(std::string_view text) {
  const auto& places = Gazetteer::builtin();
  if (const auto code = places.country_code_of(text)) return find_code(*code);
  if (const auto* const found = find_code(ascii_upper(text))) return found;
  const auto key = places.fold(text);
  if (key.empty()) return nullptr;
  const auto* const found =
      std::ranges::find_if(table, [&](const Country& country) { return places.fold(country.name) == key; });
  return found == table.end() ? nullptr : found;
}

}  // namespace

std::span<const Country> all_countries() { return table; }

const Country* country_of(std::string_view text) {
  if (const auto* const found = find_text(text)) return found;
  std::string without_dots(text);  // "U.S.A."
  std::erase(without_dots, '.');
  return without_dots.size() == text.size() ? nullptr : find_text(without_dots);
}

std::string_view city_of_state(std::string_view code) {
  struct CityState {
    std::string_view code, city;
  };
  static constexpr auto city_states = std::to_array<CityState>({{"GI", "Gibraltar"},
                                                                {"HK", "Hong Kong"},
                                                                {"MC", "Monaco"},
                                                                {"MO", "Macau"},
                                                                {"SG", "Singapore"},
                                                                {"VA", "Vatican City"}});
  const auto* const found = std::ranges::find(city_states, code, &CityState::code);
  return found == city_states.end() ? std::string_view() : found->city;
}

}  // namespace waybill::domain
