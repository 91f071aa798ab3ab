#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "base/guid.hpp"

namespace waybill::storage {

/// A PostgreSQL array literal (`{"a","b \"c\"",NULL}`) of any element type, built element by element.
class ArrayLiteral {
 public:
  ArrayLiteral& add(std::string_view element);
  ArrayLiteral& add_null();
  std::size_t size() const { return size_; }
  /// Returns the finished literal and empties the object.
  std::string take();

 private:
  void next();

  std::string text_;
  std::size_t size_ = 0;
};

/// PostgreSQL array literals for one parameter each.
std::string array_literal(std::span<const Guid> values);
std::string array_literal(std::span<const std::optional<Guid>> values);
std::string array_literal(std::span<const std::int64_t> values);
std::string array_literal(std::span<const std::string> values);
std::string array_literal(std::span<const std::optional<std::string>> values);

/// A value in the binary form of its type, made by binary.hpp. The statement must name the type
/// (`$1::bigint[]`).
struct BinaryValue {
  std::string bytes;
};

/// Parameters of one statement, in order ($1, $2, ...). Strings, guids, integers, booleans and optionals of
/// these (null when empty) have text form; BinaryValue has binary form. Text with a NUL byte, which
/// PostgreSQL cannot store, throws std::invalid_argument.
class Params {
 public:
  template <typename T>
  Params& add(const T& value) {
    if constexpr (std::same_as<T, bool>) {
      return add_text(value ? "t" : "f");
    } else if constexpr (std::same_as<T, Guid>) {
      char text[36];
      value.write_to(text);
      return add_text({text, sizeof text});
    } else if constexpr (std::integral<T>) {
      char digits[24];
      return add_text({digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      return add_text(value);
    } else {
      return value ? add(*value) : add_null();
    }
  }
  Params& add(const BinaryValue& value);
  Params& add_null();
  Params& add_array(const std::vector<std::string>& values);
  Params& add_array(ArrayLiteral literal) { return add_text(literal.take()); }

  std::size_t size() const { return offsets_.size(); }
  /// Returns the NUL-terminated value, nullptr for null. Valid until the next change.
  const char* value(std::size_t index) const {
    return offsets_[index] == null_offset ? nullptr : bytes_.data() + offsets_[index];
  }
  /// Lengths and formats for libpq; nullptr while all values are text.
  const int* lengths() const { return formats_.empty() ? nullptr : lengths_.data(); }
  const int* formats() const { return formats_.empty() ? nullptr : formats_.data(); }

 private:
  static constexpr std::uint32_t null_offset = UINT32_MAX;

  Params& add_text(std::string_view value);
  void append(std::string_view value);
  void fill_up_formats();

  std::string bytes_;  // the values, each with a terminator
  boost::container::small_vector<std::uint32_t, 8> offsets_;
  std::vector<int> lengths_, formats_;  // empty while all values are text
};

}  // namespace waybill::storage
