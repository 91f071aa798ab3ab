#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/blocking/connection.hpp"

namespace waybill::worker {

/// The duty of the API processes, which merge the pending entries of the search indexes.
inline constexpr std::string_view merging_duty = "merge_search_entries";

/// A duty that one process at a time performs, and that none has performed for several of its periods.
struct OverdueDuty {
  std::string name;
  std::optional<double> seconds;  // since it was performed; nullopt: it never was
};

/// Returns the overdue duties by name: those not performed for five periods, and at least five minutes, while
/// a process that could have lived. Throws DatabaseUnavailable or StatementError.
std::vector<OverdueDuty> overdue_duties(storage::blocking::Connection& session);

}  // namespace waybill::worker
