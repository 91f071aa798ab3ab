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

/// What becomes of a string that holds a NUL character and of a number that a double cannot hold: an error of
/// the text, or kept (the number as an infinity), for a reader that tells of each by its path.
enum class BadValues : std::uint8_t { refuse, keep };

/// Strict reading of foreign JSON (RFC 8259): duplicate keys, invalid UTF-8, a NUL character in a string
/// (escaped or not), trailing bytes and nesting beyond `max_depth` are errors. Numbers that a double cannot
/// hold are errors; those it can are read correctly rounded. The value lives in `memory`.
std::variant<json::value, JsonError> parse_json(std::string_view text, std::size_t max_depth = 32,
                                                json::storage_ptr memory = {},
                                                BadValues bad_values = BadValues::refuse);

/// Appends the compact form of `value`. Numbers are plain decimals, the shortest that read back the same
/// (19.99, 100), with an exponent only below 1e-6 and from 1e21 on; a number that is none (NaN, infinity)
/// becomes null.
void append_json(std::string& out, const json::value& value);
void append_json(std::string& out, const json::object& object);
std::string to_json(const json::value& value);

/// The value at a dotted path of object keys ("customer.email"); null when a step is missing or no object.
const json::value* find_path(const json::object& object, std::string_view path);

/// Puts `value` at a dotted path, making the objects between.
void put_path(json::object& object, std::string_view path, json::value value);

/// The number as the shortest decimal text that reads back as the same value, without exponent ("19.99",
/// "100"). Exact for what a client writes with up to 15 significant digits. nullopt when `value` is no
/// number.
std::optional<std::string> decimal_text(const json::value& value);

/// How many digits stand behind the point of `decimal` (a text of `decimal_text`).
std::size_t decimal_places(std::string_view decimal);

/// A JSON string literal with its quotes; `text` must be valid UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace waybill
