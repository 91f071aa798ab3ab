#include "storage/standbys/standby_fault.hpp"

#include <algorithm>
#include <array>

namespace waybill::storage {

std::optional<Observable> standby_fault(const StatementError& error) {
  if (is_canceled(error)) return std::nullopt;
  // Class 40: a rollback, here always for a conflict with recovery.
  if (error.sqlstate().starts_with("40")) return Observable::standby_conflict;
  // Errors of the text or of its values, a schema or plan that is older than the primary's, or a table whose
  // lock the standby replays (55P03). This read goes to the primary; other reads can still use the standby.
  constexpr std::array<std::string_view, 5> of_statement{"0A", "22", "26", "42", "55P03"};
  const bool is_local = std::ranges::any_of(
      of_statement, [&](std::string_view each) { return error.sqlstate().starts_with(each); });
  return is_local ? Observable::standby_refused : Observable::standby_failed;
}

bool keeps_reads_away(Observable fault) {
  return fault != Observable::standby_behind && fault != Observable::standby_refused;
}

}  // namespace waybill::storage
