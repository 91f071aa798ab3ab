#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/container/small_vector.hpp>

namespace waybill::storage {

/// A PostgreSQL array literal (`{"a","b \"c\"",NULL}`) of any element type, built element by element.
class ArrayLiteral {
 public:
  ArrayLiteral& add(std::string_view element);
  ArrayLiteral& add_null();
  std::size_t size() const { return size_; }
  /// The finished literal; the object is empty again.
  std::string take();

 private:
  void next();

  std::string text_;
  std::size_t size_ = 0;
};

/// A value in the binary form of its type, which the statement has to name (`$1::bigint[]`). binary.hpp makes
/// them.
struct BinaryValue {
  std::string bytes;
};

/// Parameters of one statement, in order ($1, $2, ...): in text form anything that reads as text, integers,
/// booleans, and optionals of these (null when empty), in binary form BinaryValue. A NUL byte, which
/// PostgreSQL's text cannot hold, is refused in text with std::invalid_argument.
class Params {
 public:
  template <typename T>
  Params& add(const T& value) {
    if constexpr (std::same_as<T, bool>) {
      return add_text(value ? "t" : "f");
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
  /// NUL-terminated; nullptr for null. Valid until the next change.
  const char* value(std::size_t index) const {
    return offsets_[index] == null_offset ? nullptr : bytes_.data() + offsets_[index];
  }
  /// What libpq is given beside the values: nullptr while all are text.
  const int* lengths() const { return formats_.empty() ? nullptr : lengths_.data(); }
  const int* formats() const { return formats_.empty() ? nullptr : formats_.data(); }

 private:
  static constexpr std::uint32_t null_offset = UINT32_MAX;

  Params& add_text(std::string_view value);
  void append(std::string_view value);
  void fill_up_formats();

  std::string bytes_;  // the values, each with a terminator
  boost::container::small_vector<std::uint32_t, 8> offsets_;
  std::vector<int> lengths_, formats_;  // empty until one is binary
};

}  // namespace waybill::storage
