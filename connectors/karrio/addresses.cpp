#include "connectors/karrio/addresses.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "base/utf8.hpp"

namespace waybill::connectors::karrio {
namespace {

// Karrio reads phone numbers with Google's libphonenumber: `parse` of its package phonenumbers.
constexpr std::size_t least_digits = 3;             // of a number with more than its two digits
constexpr std::size_t shortest_number = 2;          // without the code of the country
constexpr std::size_t longest_number = 17;          // the same
constexpr std::size_t longest_national_prefix = 7;  // which is not counted

constexpr std::string_view two_digit_codes =
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 "
    "82 "
    "84 86 90 91 92 93 94 95 98";
// The first two digits of codes with three digits, and the third ones that are in use.
struct CodesOfThree {
  std::string_view begin, third;
};
constexpr auto three_digit_codes = std::to_array<CodesOfThree>({
    {"21", "12368"},      {"22", "0123456789"}, {"23", "0123456789"}, {"24", "0123456789"},
    {"25", "012345678"},  {"26", "0123456789"}, {"29", "01789"},      {"35", "0123456789"},
    {"37", "012345678"},  {"38", "01235679"},   {"42", "013"},        {"50", "0123456789"},
    {"59", "0123456789"}, {"67", "023456789"},  {"68", "012356789"},  {"69", "012"},
    {"80", "08"},         {"85", "02356"},      {"87", "08"},         {"88", "012368"},
    {"96", "012345678"},  {"97", "012345679"},  {"99", "234568"},
});

/// The number of digits of the code of a country with which the digits begin; 0 if they begin with none.
std::size_t country_code_length(std::string_view digits) {
  if (digits.starts_with('1') || digits.starts_with('7')) return 1;
  const auto begin = digits.substr(0, 2);
  if (begin.size() == 2 && two_digit_codes.find(begin) != std::string_view::npos) return 2;
  const auto found = std::ranges::find(three_digit_codes, begin, &CodesOfThree::begin);
  constexpr std::size_t length = 3;
  const bool is_known = found != three_digit_codes.end() && digits.size() >= length &&
                        found->third.find(digits[length - 1]) != std::string_view::npos;
  return is_known ? length : 0;
}

bool is_wrong_phone(std::string_view text) {
  // Digits of other scripts count, too.
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) > 0x7f; })) return false;
  const auto begin = text.find_first_of("+0123456789");
  if (begin == std::string_view::npos) return true;
  text.remove_prefix(begin);
  // A letter begins an extension, or stands for a digit.
  const auto end = std::ranges::find_if(text, [](char c) { return is_letter(c) || c == '#' || c == ';'; });
  const bool has_more = end != text.end();
  std::string digits;
  std::ranges::copy_if(text.begin(), end, std::back_inserter(digits), is_digit);
  if (digits.size() < least_digits) return digits.size() < shortest_number || !text.starts_with(digits);
  if (!text.starts_with('+')) return digits.size() > 3 + longest_national_prefix + longest_number;
  const auto code = country_code_length(digits);
  if (code == 0) return true;
  const auto number = digits.size() - code;
  return (number < shortest_number && !has_more) || number > longest_national_prefix + longest_number;
}

bool is_wrong_postal_code(const Party& party) {
  std::string code = without_blanks(party.postal_code);
  if (code.empty()) return false;
  const auto matches = [&code](std::string_view pattern) {  // 9: a digit, A: a letter
    return std::ranges::equal(code, pattern, [](char c, char wanted) {
      return wanted == '9' ? is_digit(c) : wanted == 'A' ? is_letter(c) : c == wanted;
    });
  };
  if (party.country == "US") return !matches("99999") && !matches("99999-9999");
  if (party.country != "CA") return false;
  constexpr std::size_t with_dash = 7, without_dash = 6;
  code.resize(std::min(code.size(), code.find('-') == 3 ? with_dash : without_dash));
  return !matches("A9A9A9") && !matches("A9A-9A9");
}

bool is_too_long(std::string_view line) {
  constexpr std::size_t longest_line = 100;
  return count_characters(line) > longest_line;
}

}  // namespace

StreetLines street_lines(std::string_view street) {
  StreetLines lines;
  while (!street.empty()) {
    const auto end = std::min(street.find('\n'), street.size());
    const auto line = trimmed(street.substr(0, end));
    street.remove_prefix(std::min(end + 1, street.size()));
    if (line.empty()) continue;
    if (lines.first.empty()) {
      lines.first = line;
    } else {
      lines.second.append(lines.second.empty() ? "" : ", ").append(line);
    }
  }
  return lines;
}

FieldErrors wrong_parts(const Party& party) {
  FieldErrors errors;
  if (const auto street = street_lines(party.street); is_too_long(street.first) || is_too_long(street.second))
    errors.push_back({"street", "must have at most 100 characters in the first line and in all others"});
  if (!party.phone.empty() && is_wrong_phone(party.phone))
    errors.push_back(
        {"phone", "must be a phone number of 3 to 17 digits, after a + with a known country code"});
  if (is_wrong_postal_code(party)) {
    errors.push_back({"postalCode", party.country == "US" ? "must have the form 12345 or 12345-6789"
                                                          : "must have the form A1A 1A1"});
  }
  return errors;
}

}  // namespace waybill::connectors::karrio
