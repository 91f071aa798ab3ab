#include "domain/values/own_data.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "base/exact_number.hpp"
#include "base/utf8.hpp"

namespace waybill::domain {
namespace {

std::string length_error(std::size_t limit) {
  return "must have at most " + std::to_string(limit) + " characters";
}

}  // namespace

bool is_metadata_key(std::string_view key) {
  return !key.empty() && key.size() <= longest_metadata_key && std::ranges::all_of(key, [](char c) {
    return is_alphanumeric(c) || c == '_' || c == '.' || c == '-';
  });
}

std::optional<std::string> tag_problem(std::string_view tag) {
  if (is_blank(tag)) return "must not be blank";
  if (count_characters(tag) > longest_tag) return length_error(longest_tag);
  return std::nullopt;
}

std::optional<std::string> metadata_problem(std::string_view key, const json::value& value) {
  if (!is_metadata_key(key)) {
    return "must have a key of 1 to " + std::to_string(longest_metadata_key) +
           " characters A-Z a-z 0-9 _ . -";
  }
  if (value.is_null() || value.is_bool() || value.is_number()) return std::nullopt;
  if (!value.is_string()) return "must be a string, a number, true or false";
  if (const auto number = exact_number(value); number && is_out_of_range(*number)) return "is out of range";
  if (count_characters(value.get_string()) > longest_metadata_text)
    return length_error(longest_metadata_text);
  return std::nullopt;
}

}  // namespace waybill::domain
