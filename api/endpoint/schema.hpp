#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/json.hpp"
#include "domain/values/limits.hpp"

namespace waybill::api {

/// The type of a JSON value in a request or, for the OpenAPI document, in an answer.
enum class Kind : std::uint8_t {
  string,
  code,             // an identifier; blanks around it are removed, inner ones become single spaces
  tracking_number,  // a code of parcels; all its blanks are removed
  text,             // a string of up to 10 000 characters
  email,
  hs_code,  // 6 to 10 digits; dots and blanks are removed
  country,  // ISO 3166-1 alpha-2; names and other codes of a country become that
  uuid,
  integer,
  number,
  money,  // at least 0, at most two decimals, below 10^12
  boolean,
  timestamp,  // RFC 3339; kept as text
  date,
  date_or_timestamp,
  time_of_day,
  duration,  // ISO 8601
  one_of,    // a string of `values`
  object,    // by `schema`
  array,     // elements: objects by `schema`, or `items`
  any,       // checked by the handler
};

struct Schema;

/// One property of an object. An answer has every property that is not `optional`; one without a value is
/// null.
struct Property {
  std::string_view name;
  Kind kind;
  bool required = false;
  bool nullable = true;        // null clears it; a required property is never nullable
  bool read_only = false;      // known from answers, ignored in requests
  bool optional = false;       // missing in some answers
  std::size_t max_length = 0;  // characters of a string, entries of an array; 0: length_limit
  std::size_t min_length = 0;  // a required string is never blank, a required array never empty
  std::size_t max_entry = 0;   // characters of each string of an array; 0: length_limit
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  // Type of an object, or of an array's objects. For any other kind, it is for the OpenAPI document alone.
  const Schema* schema = nullptr;
  Kind items = Kind::any;    // elements of an array without schema
  bool has_records = false;  // it is an array of bodies of records with own data, which the handler checks
  std::span<const std::string_view> values = {};
  std::string_view description = {};
  std::string_view example = {};  // JSON, for the OpenAPI document; empty: the usual value of its name
};

/// The message of an error for a member that the schema lacks.
inline constexpr std::string_view unknown_field = "unknown field";

/// The limits for a `max_length` of 0: 200 characters (Unicode code points) of a string, 10000 characters of
/// a text, 1000 entries of an array.
inline constexpr std::size_t default_text_length = domain::longest_text;
inline constexpr std::size_t default_string_length = domain::longest_string;
inline constexpr std::size_t default_array_length = 1'000;
std::size_t length_limit(Kind kind, std::size_t max_length);

struct Schema {
  std::string_view name;  // in the OpenAPI document: "OrderCreate"
  std::span<const Property> properties = {};
  // The following describe values that handlers check; they are for the OpenAPI document alone.
  std::span<const Schema* const> variants = {};   // instead of properties: the objects that the value can be
  std::span<const std::string_view> values = {};  // instead of properties: the strings that the value can be
  std::string_view json = {};                     // instead of properties: the JSON Schema
  const Property* find(std::string_view property) const;
};

/// Appends an error for each bad field of `body`: unknown, missing, wrong type, out of bounds. `prefix`
/// ("items[2].") is put before the names. Read-only properties are removed from `body`, and values become
/// their `stored_text`. At `most_errors` errors the check ends. An array with too many entries loses those
/// beyond its limit.
void validate(const Schema& schema, json::object& body, FieldErrors& errors, std::string_view prefix = {},
              std::size_t most_errors = most_field_errors);

/// The reason why `text` (of a query parameter or a JSON string) is not of `kind`; nullopt if it is. Lengths,
/// bounds and `values` are not checked.
std::optional<std::string_view> text_problem(Kind kind, std::string_view text);

/// `text` as a body of `kind` stores it: a code without its blanks (base/blanks.hpp), an HS code without
/// dots, a country as its code. Other kinds, blank texts and those that are not of `kind` stay as they are.
std::string stored_text(Kind kind, std::string_view text);

}  // namespace waybill::api
