#pragma once

#include <optional>
#include <span>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/carriers/scan_course.hpp"
#include "storage/database/database.hpp"

namespace waybill::storage {

struct ScanRules {
  Time now;
  std::optional<Guid> carrier = {};  // accepts only shipments of this carrier
};

/// Stores scans that people and programs report in `transaction` and returns the outcome of each. The scans
/// of one shipment take effect in their order (ScanCourse). The shipments stay locked until the transaction
/// ends. Throws DatabaseUnavailable or StatementError.
boost::asio::awaitable<std::vector<ScanOutcome>> record_scans(Transaction& transaction, const Guid& business,
                                                              std::span<const ParcelScan> scans,
                                                              const ScanRules& rules);

}  // namespace waybill::storage
