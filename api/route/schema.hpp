#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// What a JSON value of a request (or, for the OpenAPI document, of an answer) must be.
enum class Kind : std::uint8_t {
  string,
  text,  // a string of up to 10 000 characters
  email,
  uuid,
  integer,
  number,
  money,  // 0 or more, at most two decimals, below 10^12
  boolean,
  timestamp,  // RFC 3339; kept as text
  date,
  date_or_timestamp,
  time_of_day,
  duration,  // ISO 8601
  one_of,    // a string out of `values`
  object,    // `schema`
  array,     // of objects by `schema`, or of `items`
  any,       // checked by the handler
};

struct Schema;

/// One property of an object.
struct Property {
  std::string_view name;
  Kind kind;
  bool required = false;
  bool nullable = true;        // null clears; a required property is never nullable
  bool read_only = false;      // known from answers, ignored in requests
  std::size_t max_length = 0;  // characters of a string, entries of an array; 0: the kind's own
  std::size_t min_length = 0;  // likewise; a required string is never blank, a required array never empty
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  const Schema* schema = nullptr;  // of an object or an array's objects
  Kind items = Kind::any;          // of an array without schema
  std::span<const std::string_view> values = {};
  std::string_view description = {};
};

/// What `max_length` 0 stands for: 200 characters (Unicode code points), 10 000 of a text, 1 000 entries of
/// an array.
inline constexpr std::size_t default_text_length = 10'000;
inline constexpr std::size_t default_string_length = 200;
inline constexpr std::size_t default_array_length = 1'000;
std::size_t length_limit(Kind kind, std::size_t max_length);

struct Schema {
  std::string_view name;  // in the OpenAPI document: "OrderCreate"
  std::span<const Property> properties;
  const Property* find(std::string_view property) const;
};

/// Appends an error for each bad field of `body`: unknown, missing, wrong type, out of bounds. `prefix` is
/// put before the names ("items[2]."). Read-only properties are removed from `body`.
void validate(const Schema& schema, json::object& body, FieldErrors& errors, std::string_view prefix = {});

/// Why `text` is not of `kind`, for the kinds that are written as text (a query parameter, a JSON string);
/// nullopt when it is. Lengths, bounds and `values` are not looked at.
std::optional<std::string_view> text_problem(Kind kind, std::string_view text);

/// No character but white space.
bool is_blank(std::string_view text);

}  // namespace waybill::api
