#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "connectors/carrier_gateway.hpp"
#include "storage/carriers/scan_course.hpp"
#include "storage/database/database.hpp"

namespace waybill::connectors {

/// A parcel that a gateway was asked for: the shipment and one of the carrier's numbers that it has.
struct AskedParcel {
  Guid business, shipment;
  std::string number;
};

/// The scans of an answer as traces of the shipment, in the order of the answer. A time in the future counts
/// as now. The description of a scan without an exact time says so. One that says nothing of the status has
/// that of the scan before it. A delivery after a return scan is `returned`. If the answer has no return
/// scan, the one that an earlier answer told (at `return_since`) counts. Pure.
std::vector<storage::ParcelScan> traces_of(const TrackAnswer& answer, const Guid& shipment,
                                           std::optional<Time> return_since, Time now);

/// How long before its purchase a label's number can have scans of its parcel: zones and clocks differ.
inline constexpr Duration earliest_scan = std::chrono::hours(24);

/// The answer for the parcel of a label that was bought at `since` or later, without the scans that are more
/// than `earliest_scan` older. Carriers use numbers again, so these are of another parcel: they are dropped,
/// with what they say of a return. If nothing else was told, the announced delivery is that of the other
/// parcel, too. Pure.
TrackAnswer of_label(TrackAnswer answer, Time since);

/// The time of the first return scan of an answer; nullopt if there is none. Pure.
std::optional<Time> return_in(const TrackAnswer& answer, Time now);

struct AppliedScans {
  std::size_t added = 0;  // that were not known
  bool moved = false;
};

/// Stores the scans of an answer in `transaction`, for a label that was bought here those of its parcel
/// (`of_label`), and notes that the parcel comes back if they tell it. In any order and however often answers
/// are applied, the shipment has the same traces and status. Then sets the date of delivery that the answer
/// announces, unless a request has set another one: the one of the last answer counts. The shipment stays
/// locked until the transaction ends. Throws DatabaseUnavailable or StatementError.
asio::awaitable<AppliedScans> apply_answer(storage::Transaction& transaction, AskedParcel parcel,
                                           const TrackAnswer& answer, Time now);

}  // namespace waybill::connectors
