#include "domain/places/postal_code.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "base/normal_form.hpp"
#include "base/number.hpp"
#include "domain/places/territories.hpp"

namespace waybill::domain {
namespace {

struct Form {
  std::string_view form;  // d is a digit, A a letter; without blanks
  std::string_view country;
};
constexpr auto forms = std::to_array<Form>({
    {"dddd-ddd", "PT"},
    {"ddddd-ddd", "BR"},
    {"ddd-dddd", "JP"},
    {"dd-ddd", "PL"},
    {"ddddd-dddd", "US"},
    {"AdAdAd", "CA"},
    {"ddddAA", "NL"},
    {"AddAA", "GB"},
    {"AdddAA", "GB"},
    {"AAddAA", "GB"},
    {"AAdddAA", "GB"},
    {"AdAdAA", "GB"},
    {"AAdAdAA", "GB"},
});

struct Sign {
  std::string_view letters;
  std::string_view country;
  std::string_view form;  // of the code behind them
  bool is_kept = false;   // the letters are part of the code
};
// The letters that people write in front of a postal code: the ISO 3166-1 code of the country, or the sign of
// its vehicles. Source of the forms: the countries' sheets in the UPU's "Postal addressing systems".
constexpr auto signs = std::to_array<Sign>({
    {"A", "AT", "dddd"},         {"AL", "AL", "dddd"},       {"AT", "AT", "dddd"},
    {"AX", "AX", "ddddd"},       {"B", "BE", "dddd"},        {"BA", "BA", "ddddd"},
    {"BE", "BE", "dddd"},        {"BG", "BG", "dddd"},       {"BIH", "BA", "ddddd"},
    {"CH", "CH", "dddd"},        {"CY", "CY", "dddd"},       {"CZ", "CZ", "ddddd"},
    {"D", "DE", "ddddd"},        {"DE", "DE", "ddddd"},      {"DK", "DK", "dddd"},
    {"E", "ES", "ddddd"},        {"EE", "EE", "ddddd"},      {"ES", "ES", "ddddd"},
    {"EST", "EE", "ddddd"},      {"F", "FR", "ddddd"},       {"FI", "FI", "ddddd"},
    {"FIN", "FI", "ddddd"},      {"FL", "LI", "dddd"},       {"FO", "FO", "ddd"},
    {"FR", "FR", "ddddd"},       {"GL", "GL", "dddd"},       {"GP", "GP", "ddddd"},
    {"GR", "GR", "ddddd"},       {"H", "HU", "dddd"},        {"HR", "HR", "ddddd"},
    {"HU", "HU", "dddd"},        {"I", "IT", "ddddd"},       {"IS", "IS", "ddd"},
    {"IT", "IT", "ddddd"},       {"L", "LU", "dddd"},        {"LI", "LI", "dddd"},
    {"LT", "LT", "ddddd", true}, {"LU", "LU", "dddd"},       {"LV", "LV", "dddd", true},
    {"MC", "MC", "ddddd"},       {"MD", "MD", "dddd", true}, {"ME", "ME", "ddddd"},
    {"MK", "MK", "dddd"},        {"MNE", "ME", "ddddd"},     {"MQ", "MQ", "ddddd"},
    {"N", "NO", "dddd"},         {"NL", "NL", "dddd"},       {"NL", "NL", "ddddAA"},
    {"NO", "NO", "dddd"},        {"P", "PT", "dddd"},        {"P", "PT", "dddd-ddd"},
    {"PL", "PL", "dd-ddd"},      {"PL", "PL", "ddddd"},      {"PT", "PT", "dddd"},
    {"PT", "PT", "dddd-ddd"},    {"RE", "RE", "ddddd"},      {"RO", "RO", "dddddd"},
    {"RS", "RS", "ddddd"},       {"RSM", "SM", "ddddd"},     {"S", "SE", "ddddd"},
    {"SE", "SE", "ddddd"},       {"SI", "SI", "dddd"},       {"SK", "SK", "ddddd"},
    {"SLO", "SI", "dddd"},       {"SM", "SM", "ddddd"},      {"SRB", "RS", "ddddd"},
    {"TR", "TR", "ddddd"},       {"UA", "UA", "ddddd"},      {"US", "US", "ddddd"},
    {"US", "US", "ddddd-dddd"},  {"VA", "VA", "ddddd"},      {"YT", "YT", "ddddd"},
});

struct ZipRange {
  int first;
  int last;
  std::string_view state;
};
constexpr auto zip_ranges = std::to_array<ZipRange>({
    {5, 5, "NY"},     {10, 27, "MA"},   {28, 29, "RI"},   {30, 38, "NH"},   {39, 49, "ME"},
    {50, 54, "VT"},   {55, 55, "MA"},   {56, 59, "VT"},   {60, 69, "CT"},   {70, 89, "NJ"},
    {100, 149, "NY"}, {150, 196, "PA"}, {197, 199, "DE"}, {200, 200, "DC"}, {201, 201, "VA"},
    {202, 205, "DC"}, {206, 219, "MD"}, {220, 246, "VA"}, {247, 268, "WV"}, {270, 289, "NC"},
    {290, 299, "SC"}, {300, 319, "GA"}, {320, 349, "FL"}, {350, 369, "AL"}, {370, 385, "TN"},
    {386, 397, "MS"}, {398, 399, "GA"}, {400, 427, "KY"}, {430, 459, "OH"}, {460, 479, "IN"},
    {480, 499, "MI"}, {500, 528, "IA"}, {530, 549, "WI"}, {550, 567, "MN"}, {570, 577, "SD"},
    {580, 588, "ND"}, {590, 599, "MT"}, {600, 629, "IL"}, {630, 658, "MO"}, {660, 679, "KS"},
    {680, 693, "NE"}, {700, 714, "LA"}, {716, 729, "AR"}, {730, 732, "OK"}, {733, 733, "TX"},
    {734, 749, "OK"}, {750, 799, "TX"}, {800, 816, "CO"}, {820, 831, "WY"}, {832, 838, "ID"},
    {840, 847, "UT"}, {850, 865, "AZ"}, {870, 884, "NM"}, {885, 885, "TX"}, {889, 898, "NV"},
    {900, 961, "CA"}, {967, 968, "HI"}, {970, 979, "OR"}, {980, 994, "WA"}, {995, 999, "AK"},
});

struct StatesOfCodes {
  std::string_view country;
  std::string_view prefix;
  std::array<std::string_view, 2> states;  // the second is empty for one
};
// Longer prefixes come first. Sources: Canada Post's and Australia Post's lists of postal codes. Codes of the
// Australian Capital Territory are among those of New South Wales.
constexpr auto states_of_codes = std::to_array<StatesOfCodes>({
    {"AU", "02", {"ACT"}}, {"AU", "26", {"NSW", "ACT"}}, {"AU", "29", {"NSW", "ACT"}}, {"AU", "0", {"NT"}},
    {"AU", "1", {"NSW"}},  {"AU", "2", {"NSW"}},         {"AU", "3", {"VIC"}},         {"AU", "4", {"QLD"}},
    {"AU", "5", {"SA"}},   {"AU", "6", {"WA"}},          {"AU", "7", {"TAS"}},         {"AU", "8", {"VIC"}},
    {"AU", "9", {"QLD"}},  {"CA", "A", {"NL"}},          {"CA", "B", {"NS"}},          {"CA", "C", {"PE"}},
    {"CA", "E", {"NB"}},   {"CA", "G", {"QC"}},          {"CA", "H", {"QC"}},          {"CA", "J", {"QC"}},
    {"CA", "K", {"ON"}},   {"CA", "L", {"ON"}},          {"CA", "M", {"ON"}},          {"CA", "N", {"ON"}},
    {"CA", "P", {"ON"}},   {"CA", "R", {"MB"}},          {"CA", "S", {"SK"}},          {"CA", "T", {"AB"}},
    {"CA", "V", {"BC"}},   {"CA", "X", {"NT", "NU"}},    {"CA", "Y", {"YT"}},
});

std::string form_of(std::string_view code) {
  std::string form;
  for (const char c : code) {
    form += is_digit(c) ? 'd' : is_letter(c) ? 'A' : c;
  }
  return form;
}

/// ASCII for full-width letters and digits (normalization form KC) and for hyphens, without the Japanese
/// postal mark and without blanks around the code.
std::string plain(std::string_view code) {
  code = without_outer_blanks(code);
  if (std::ranges::all_of(code, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return std::string(code);
  std::string plain = compatibility_form(code);
  for (const std::string_view hyphen :
       {"\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212", "\u30fc"})
    replace_all(plain, hyphen, "-");
  for (const std::string_view mark : {"\u3012", "\u3020", "\u3036"}) replace_all(plain, mark, "");
  return std::string(without_outer_blanks(plain));
}

/// A postal code behind letters of a country.
struct Signed {
  std::string letters;  // capitals
  std::string code;     // as written
  bool has_hyphen = false;
};

/// Takes a plain code.
std::optional<Signed> split(std::string_view code) {
  constexpr std::size_t most_letters = 3;
  Signed split;
  std::string_view rest = code;
  while (!rest.empty() && is_letter(rest.front())) {
    split.letters += ascii_upper(rest.front());
    rest.remove_prefix(1);
  }
  if (split.letters.empty() || split.letters.size() > most_letters) return std::nullopt;
  rest = without_outer_blanks(rest);
  split.has_hyphen = rest.starts_with('-');
  if (split.has_hyphen) rest = without_outer_blanks(rest.substr(1));
  split.code = rest;
  return split;
}

bool fits(const Sign& sign, const Signed& given) {
  return sign.letters == given.letters && sign.form == form_of(without_blanks(given.code));
}

}  // namespace

std::optional<std::string_view> country_of_postal_code(std::string_view code) {
  // Without a hyphen, the letters may belong to the code: B1640 is in Argentina.
  const std::string written = plain(code);
  if (const auto given = split(written); given && given->has_hyphen) {
    const auto* const sign =
        std::ranges::find_if(signs, [&](const Sign& each) { return fits(each, *given); });
    if (sign != signs.end()) return sign->country;
  }
  const auto found = std::ranges::find(forms, form_of(without_blanks(written)), &Form::form);
  if (found == forms.end()) return std::nullopt;
  return found->country;
}

std::string domestic_postal_code(std::string_view code, std::string_view country) {
  std::string written = plain(code);
  const auto given = split(written);
  const auto is_of_country = [&](const Sign& sign) {
    const auto territories = territories_of(sign.country);
    return !sign.is_kept && fits(sign, *given) &&
           (sign.country == country || std::ranges::find(territories, country) != territories.end() ||
            territory_of_postal_code(country, given->code) == sign.country);
  };
  if (given && std::ranges::any_of(signs, is_of_country)) return given->code;
  return written;
}

std::optional<std::string_view> state_of_zip_code(std::string_view code) {
  const bool is_zip = code.size() >= 5 && std::ranges::all_of(code.substr(0, 5), is_digit);
  if (!is_zip) return std::nullopt;
  const int prefix = parse_number<int>(code.substr(0, 3)).value_or(0);
  const auto found = std::ranges::find_if(
      zip_ranges, [&](const ZipRange& range) { return range.first <= prefix && prefix <= range.last; });
  if (found == zip_ranges.end()) return std::nullopt;
  return found->state;
}

std::vector<std::string_view> states_of_postal_code(std::string_view country, std::string_view code) {
  if (country == "US") {
    const auto state = state_of_zip_code(code);
    return state ? std::vector{*state} : std::vector<std::string_view>();
  }
  const std::string upper = ascii_upper(code);
  const auto* const found = std::ranges::find_if(states_of_codes, [&](const StatesOfCodes& row) {
    return row.country == country && upper.starts_with(row.prefix);
  });
  std::vector<std::string_view> states;
  if (found == states_of_codes.end()) return states;
  for (const auto state : found->states) {
    if (!state.empty()) states.push_back(state);
  }
  return states;
}

}  // namespace waybill::domain
