#pragma once

#include <cstddef>
#include <span>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/carriers/scan_course.hpp"
#include "storage/database/database.hpp"

namespace waybill::storage {

struct ReadList {
  std::size_t added = 0;  // scans that were not known
  bool moved = false;
};

/// Takes over a gateway's list of the scans of a shipment, oldest first and each with an external id, in
/// `transaction` (plan_list). Traces of known scans take the status and the time that the list gives them.
/// The shipment stays locked until the transaction ends. Throws DatabaseUnavailable or StatementError.
boost::asio::awaitable<ReadList> record_list(Transaction& transaction, Guid business, Guid shipment,
                                             std::span<const ParcelScan> list, Time now);

}  // namespace waybill::storage
