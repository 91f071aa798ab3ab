#pragma once

#include <optional>

#include "base/observe.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::storage {

/// Returns the reason for which a read whose statement failed on a standby is repeated on the primary;
/// nullopt if the primary would need as long (the statement exceeded its time limit).
std::optional<Observable> standby_fault(const StatementError& error);

/// True if the reason concerns the standby and not only the statement: other reads are then kept away from it
/// for a while.
bool keeps_reads_away(Observable fault);

}  // namespace waybill::storage
