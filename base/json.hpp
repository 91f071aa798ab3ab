#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <boost/json.hpp>

namespace waybill {

namespace json = boost::json;

struct JsonError {
  std::string message;   // "duplicate key \"name\"", "invalid UTF-8", "nested deeper than 32", ...
  std::size_t position;  // byte offset in the text
};

/// The treatment of strings with a NUL character and of numbers that a double cannot hold: an error, or kept
/// (the number as infinity), so that a reader can report each by its path.
enum class BadValues : std::uint8_t { refuse, keep };

/// Reads untrusted JSON (RFC 8259) strictly: duplicate keys, invalid UTF-8, a NUL character in a string
/// (escaped or not), trailing bytes, nesting beyond `max_depth` and numbers that a double cannot hold are
/// errors. Other numbers are correctly rounded. The value lives in `memory`.
std::variant<json::value, JsonError> parse_json(std::string_view text, std::size_t max_depth = 32,
                                                json::storage_ptr memory = {},
                                                BadValues bad_values = BadValues::refuse);

/// Appends the compact form of `value`. Numbers are plain decimals, the shortest that read back the same
/// (19.99, 100), with an exponent only below 1e-6 and from 1e21 on; NaN and infinity become null.
void append_json(std::string& out, const json::value& value);
void append_json(std::string& out, const json::object& object);
std::string to_json(const json::value& value);

/// True if `value` has more than `depth` objects and lists inside each other, itself included. parse_json
/// refuses its text with this `max_depth`.
bool is_nested_deeper(const json::value& value, std::size_t depth);
bool is_nested_deeper(const json::object& object, std::size_t depth);

/// A member of an object, or the element of a list at a position from 0; null if there is none.
const json::value* find_member(const json::value& value, std::string_view name);

/// The value at a dotted path of object keys and, within lists, of positions from 0 ("lines.0.id"); null if a
/// step is missing.
const json::value* find_path(const json::object& object, std::string_view path);

/// Sets the value at a dotted path and creates the objects on the way.
void put_path(json::object& object, std::string_view path, json::value value);

/// The number as the shortest decimal text without an exponent that reads back as the same value ("19.99",
/// "100"). Exact for numbers of up to 15 significant digits. nullopt if `value` is not a number.
std::optional<std::string> decimal_text(const json::value& value);

/// The number of digits after the point of `decimal` (a result of `decimal_text`).
std::size_t decimal_places(std::string_view decimal);

/// A JSON string literal with its quotes; `text` must be valid UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace waybill
