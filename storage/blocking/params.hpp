#pragma once

#include <concepts>
#include <optional>

#include "storage/blocking/traits.hpp"
#include "storage/params.hpp"

namespace waybill::storage::blocking {

inline void add_param(Params& params, const Guid& value) { params.add(pqxx::to_string(value)); }
inline void add_param(Params& params, Time value) { params.add(pqxx::to_string(value)); }
inline void add_param(Params& params, const ArrayLiteral& value) { params.add_array(value); }
void add_param(Params& params, const BinaryValue& value) = delete;  // libpqxx sends text

template <typename T>
  requires std::integral<T> || std::convertible_to<const T&, std::string_view>
void add_param(Params& params, const T& value) {
  params.add(value);
}

template <typename T>
void add_param(Params& params, const std::optional<T>& value) {
  if (value) {
    add_param(params, *value);
  } else {
    params.add_null();
  }
}

/// The parameters of a statement in order ($1, $2, …): Guid, Time, text, integers, bool, ArrayLiteral, and
/// std::optional of them.
template <typename... Values>
Params params_of(const Values&... values) {
  Params params;
  (add_param(params, values), ...);
  return params;
}

}  // namespace waybill::storage::blocking
