#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>

#include "base/json.hpp"

// Numbers with more digits than a double keeps, such as SQL writes into own data. In a json::value they are
// strings that begin with a byte that no text has. append_json and to_json write them as the numbers that
// they are; everything else that looks at strings of such values must ask `exact_number` first.
namespace waybill {

/// The characters of a number that is kept by them; nullopt for any other value. Points into `value`.
std::optional<std::string_view> exact_number(const json::value& value);

/// The double next to a number of JSON; infinity beyond all doubles.
double nearest_double(std::string_view number);

/// True if a number that is kept by its characters is beyond all doubles, or so small that the nearest is 0.
bool is_out_of_range(std::string_view number);

/// A number as a double, also one that is kept by its characters; nullopt for any other value.
std::optional<double> as_double(const json::value& value);

/// True if two values mean the same. Numbers are compared by value: one that is rounded to a double is that
/// of all its digits. A missing member is null; an empty list or object is not.
bool is_same_value(const json::value& a, const json::value& b);

/// True if two values differ in nothing but the order of members and the forms of numbers: 1, 1.0 and 1e0 are
/// one number, 2^53 and 2^53 + 1 are two. A member that is null differs from a missing one.
bool is_same_json(const json::value& a, const json::value& b);
bool is_same_json(const json::object& a, const json::object& b);

/// Reads JSON as parse_json does, and keeps each number by its characters whose digits a double would change,
/// also one that is beyond all doubles.
std::variant<json::value, JsonError> parse_exact_json(std::string_view text, std::size_t max_depth = 32,
                                                      json::storage_ptr memory = {},
                                                      BadValues bad_values = BadValues::refuse);

/// Reads a list of a record, as the database keeps it, with all digits of its numbers. Any other text is an
/// empty list.
json::array exact_list(std::string_view text);

}  // namespace waybill
