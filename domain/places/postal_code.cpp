#include "domain/places/postal_code.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "base/number.hpp"

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

std::string form_of(std::string_view code) {
  std::string form;
  for (const char c : code) {
    form += is_digit(c) ? 'd' : is_letter(c) ? 'A' : c;
  }
  return form;
}

}  // namespace

std::optional<std::string_view> country_of_postal_code(std::string_view code) {
  const auto found = std::ranges::find(forms, form_of(without_blanks(code)), &Form::form);
  if (found == forms.end()) return std::nullopt;
  return found->country;
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

}  // namespace waybill::domain
