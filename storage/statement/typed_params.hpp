#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/statement/params.hpp"

// The types of parameters in the generated structs of storage/sql/. All of them are views or small copies; a
// struct is used within the expression that makes it.
namespace waybill::storage {

/// A parameter that is never null. It has no default, so that a struct without it does not compile.
template <typename T>
class Required {
 public:
  template <typename Value>
    requires std::convertible_to<Value&&, T> &&
             (std::same_as<T, bool> == std::same_as<std::remove_cvref_t<Value>, bool>)
  Required(Value&& value)  // NOLINT(google-explicit-constructor, bugprone-forwarding-reference-overload)
      : value_(std::forward<Value>(value)) {}

  const T& get() const { return value_; }

 private:
  T value_;
};

/// A bytea.
class Bytea {
 public:
  Bytea(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}     // NOLINT(google-explicit-constructor)
  Bytea(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}  // NOLINT(google-explicit-constructor)
  template <std::size_t size>
  // NOLINTNEXTLINE(google-explicit-constructor)
  Bytea(const std::array<std::uint8_t, size>& bytes) : bytes_(bytes) {}
  explicit Bytea(std::string_view bytes)
      : bytes_(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) {}

  std::span<const std::uint8_t> get() const { return bytes_; }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// An array with elements of a type. BinaryValue must be of this type.
template <typename Element>
class Array {
 public:
  Array(BinaryValue value) : binary_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Array(ArrayLiteral literal) : text_(literal.take()) {}   // NOLINT(google-explicit-constructor)
  template <typename Values>
    requires requires(const Values& values) { array_literal(values); }
  Array(const Values& values) : text_(array_literal(values)) {}  // NOLINT(google-explicit-constructor)

  void add_to(Params& params) const {
    if (binary_) {
      params.add(*binary_);
    } else {
      params.add(text_);
    }
  }

 private:
  std::optional<BinaryValue> binary_;
  std::string text_;
};

void add_param(Params& params, Time value);
void add_param(Params& params, double value);
void add_param(Params& params, const Bytea& value);
inline void add_param(Params& params, std::string_view value) { params.add(value); }
inline void add_param(Params& params, const Guid& value) { params.add(value); }
template <std::integral T>
void add_param(Params& params, T value) {
  params.add(value);
}
template <typename Element>
void add_param(Params& params, const Array<Element>& value) {
  value.add_to(params);
}
template <typename T>
void add_param(Params& params, const std::optional<T>& value) {
  if (value) {
    add_param(params, *value);
  } else {
    params.add_null();
  }
}
template <typename T>
void add_param(Params& params, const Required<T>& value) {
  add_param(params, value.get());
}

/// A generated struct of storage/sql/: the parameters of one statement.
template <typename S>
concept TypedStatement = requires(const S& statement) {
  { S::statement.text } -> std::convertible_to<std::string_view>;
  { statement.params() } -> std::same_as<Params>;
};

}  // namespace waybill::storage
