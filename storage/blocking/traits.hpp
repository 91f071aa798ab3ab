#pragma once

#include <optional>
#include <string>

#include <pqxx/pqxx>

#include "base/clock.hpp"
#include "base/guid.hpp"

/// Reads and writes the project's own types as PostgreSQL's text, so that `row["guid"].as<Guid>()` works. A
/// value that does not read as its type throws pqxx::conversion_error, and so does null.
template <>
struct pqxx::string_traits<waybill::Guid> {
  static constexpr const char* name() noexcept { return "Guid"; }
  static constexpr bool has_null() noexcept { return false; }
  static bool is_null(const waybill::Guid&) { return false; }
  [[noreturn]] static waybill::Guid null() { internal::throw_null_conversion(name()); }
  static void from_string(const char text[], waybill::Guid& guid) {
    const auto parsed = waybill::Guid::parse(text);
    if (!parsed) throw conversion_error("not a guid: " + std::string(text));
    guid = *parsed;
  }
  static std::string to_string(const waybill::Guid& guid) { return guid.to_string(); }
};

template <>
struct pqxx::string_traits<waybill::Time> {
  static constexpr const char* name() noexcept { return "Time"; }
  static constexpr bool has_null() noexcept { return false; }
  static bool is_null(const waybill::Time&) { return false; }
  [[noreturn]] static waybill::Time null() { internal::throw_null_conversion(name()); }
  static void from_string(const char text[], waybill::Time& time) {
    const auto parsed = waybill::parse_sql_timestamp(text);
    if (!parsed) throw conversion_error("not a timestamp: " + std::string(text));
    time = *parsed;
  }
  static std::string to_string(const waybill::Time& time) { return waybill::format_sql_timestamp(time); }
};

namespace waybill::storage::blocking {

/// nullopt for null. Debian's libpqxx 6.4 is built without its own support for std::optional.
template <typename T>
std::optional<T> as_optional(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  return field.as<T>();
}

}  // namespace waybill::storage::blocking
