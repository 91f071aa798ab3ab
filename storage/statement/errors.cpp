#include "storage/statement/errors.hpp"

#include <algorithm>
#include <array>

namespace waybill::storage {
namespace {

constexpr std::string_view undefined_table = "42P01";

}  // namespace

bool refuses_data(const StatementError& error) {
  constexpr std::array<std::string_view, 4> classes{"22", "23", "54", "P0"};
  return std::ranges::any_of(classes,
                             [&](std::string_view each) { return error.sqlstate().starts_with(each); });
}

bool is_canceled(const StatementError& error) {
  constexpr std::string_view query_canceled = "57014";
  return error.sqlstate() == query_canceled;
}

bool is_deadlock(const StatementError& error) {
  constexpr std::string_view deadlock_detected = "40P01";
  return error.sqlstate() == deadlock_detected;
}

bool is_disk_full(const StatementError& error) {
  constexpr std::string_view disk_full = "53100";
  return error.sqlstate() == disk_full;
}

bool is_lock_conflict(const StatementError& error) {
  constexpr std::string_view lock_not_available = "55P03";
  return error.sqlstate() == lock_not_available || is_deadlock(error);
}

bool is_undefined_table(const StatementError& error) { return error.sqlstate() == undefined_table; }

bool misses_migration(const StatementError& error) {
  constexpr std::array<std::string_view, 3> undefined{undefined_table, "42703", "42883"};
  return std::ranges::find(undefined, error.sqlstate()) != undefined.end();
}

bool lacks_schema(const StatementError& error) {
  constexpr std::string_view invalid_schema_name = "3F000";
  return error.sqlstate() == invalid_schema_name;
}

bool spoils_session(const std::exception& error) {
  const auto* const refused = dynamic_cast<const StatementError*>(&error);
  return refused == nullptr || !is_lock_conflict(*refused);
}

bool ends_session(std::string_view sqlstate) {
  constexpr std::string_view read_only_transaction = "25006";
  constexpr std::string_view idle_in_transaction_timeout = "25P03";
  return sqlstate.starts_with("57P") || sqlstate.starts_with("08") || sqlstate == read_only_transaction ||
         sqlstate == idle_in_transaction_timeout;
}

}  // namespace waybill::storage
