#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waybill::domain {

/// Functions that read the text in an address's field for a city, in which people also put other parts of
/// the address. A folded text is one of Gazetteer::fold.

/// The words of a folded text.
std::vector<std::string> words_of(std::string_view folded);
std::string joined(const std::vector<std::string>& words);

/// The parts that commas, semicolons, line ends and dashes between blanks separate, without empty ones.
std::vector<std::string_view> parts_of(std::string_view written);

/// The name before a bracket or a slash, and the text after it: "Halle (Saale)", "Frankfurt/Main". Both are
/// empty if there is neither.
struct Qualified {
  std::string_view name;
  std::string_view qualifier;
};
Qualified qualified(std::string_view written);

/// Removes postal codes and numbers of districts: "75001 Paris", "Paris CEDEX 05", "1012 AB Amsterdam",
/// "Lyon 3e", "Budapest VII". Returns the same text if nothing else would be left.
std::string without_numbers(std::string_view folded);

/// The texts that result if an abbreviation with several meanings is written out: "pt pleasant" is "point
/// pleasant" or "port pleasant".
std::vector<std::string> written_out(std::string_view folded);

/// The texts that result if words are removed that say what kind of place it is: "city of london", "г
/// москва", "minato ku", 大阪市. Of an address that begins with the largest part, such as 大阪府大阪市北区,
/// the city.
std::vector<std::string> without_kinds(std::string_view folded);

/// The text without the one or two letters of a postal district at its end, as in Denmark: "kobenhavn k",
/// "aarhus c"; the same text if there are none.
std::string without_district_letters(std::string_view folded);

/// The text with "ae", "oe", "ue" as "a", "o", "u": umlauts are also spelt with two letters.
std::string without_spelt_umlauts(std::string_view folded);

}  // namespace waybill::domain
