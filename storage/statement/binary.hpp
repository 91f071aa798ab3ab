#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/statement/params.hpp"

namespace waybill::storage {

// Binary forms of values as the send functions of PostgreSQL 15 write them, in network byte order.
// All functions throw std::invalid_argument for a value of the wrong length.

template <std::integral Number>
Number binary_number(std::string_view value) {
  if (value.size() != sizeof(Number)) throw std::invalid_argument("a number of the wrong size");
  std::make_unsigned_t<Number> number = 0;
  for (const char byte : value) {
    if constexpr (sizeof(Number) > 1) number <<= 8U;
    number |= static_cast<unsigned char>(byte);
  }
  return static_cast<Number>(number);
}

/// Binary times are microseconds since this time.
inline constexpr Time binary_epoch = std::chrono::sys_days(std::chrono::year(2000) / 1 / 1);

/// Appends a number's binary form.
template <std::integral Number>
void append_binary(std::string& out, Number value) {
  auto bits = static_cast<std::make_unsigned_t<Number>>(value);
  char bytes[sizeof bits];
  for (std::size_t i = sizeof bits; i > 0; --i) {
    bytes[i - 1] = static_cast<char>(bits & 0xffU);
    if constexpr (sizeof bits > 1) bits >>= 8U;
  }
  out.append(bytes, sizeof bytes);
}

/// Arrays for one parameter each: uuid[], bigint[], smallint[], timestamptz[], text[]. Long texts in many
/// rows cost the server less in this form, because it reads no quotation marks. A text with a NUL byte throws
/// std::invalid_argument.
BinaryValue binary_array(std::span<const Guid> values);
BinaryValue binary_array(std::span<const std::int64_t> values);
BinaryValue binary_array(std::span<const std::int16_t> values);
BinaryValue binary_array(std::span<const Time> values);
BinaryValue binary_array(std::span<const std::string> values);
BinaryValue binary_array(std::span<const std::optional<std::string>> values);

Guid binary_guid(std::string_view value);

/// Returns nullopt for a time that is infinite or outside the years 0001 to 9999; binary_time throws for it.
std::optional<Time> find_binary_time(std::string_view value);
Time binary_time(std::string_view value);

/// Returns the number as PostgreSQL prints it, including NaN, Infinity and -Infinity.
std::string binary_numeric(std::string_view value);

}  // namespace waybill::storage
