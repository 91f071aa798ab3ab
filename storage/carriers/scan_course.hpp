#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::storage {

struct ParcelScan {
  std::optional<Guid> shipment;
  std::optional<std::string> number;  // waybill's or the carrier's; nullopt if `shipment` is given
  std::string status;
  std::string description;
  std::optional<std::string> location;
  std::optional<Time> at;                  // nullopt: now
  std::optional<std::string> external_id;  // the sender's
  bool tells_status = true;                // false: it moves nothing, and `status` is that of the scan before
  bool is_gateways = false;                // the answer of a gateway
};

enum class ScanOutcome : std::uint8_t {
  moved,      // the shipment has the scan's status now
  stored,     // a scan that changes no status
  repeated,   // a scan with this external id is known; nothing was stored
  unknown,    // no such shipment; nothing was stored, as for those below
  ambiguous,  // several shipments with this number
  foreign,    // a shipment of another carrier
  future,     // more than 5 minutes ahead
};

/// The course of a shipment while its scans are judged, in their order. Pure.
class ScanCourse {
 public:
  /// `label_status` is that of the shipment, empty for null; `moved_at` the time of its last move.
  ScanCourse(std::string status, std::string label_status, std::optional<Time> moved_at)
      : status_(std::move(status)), label_status_(std::move(label_status)), moved_at_(moved_at) {}

  struct Verdict {
    ScanOutcome outcome;  // moved, stored or repeated
    std::string status;   // of the trace; empty for a repeated scan
  };

  /// Judges a scan of the time `at`. It moves the shipment if the state machine allows it and it is not older
  /// than the last move. A `cancelled` one is an exception while a label is bought, and so is that of a
  /// gateway once the parcel has moved, unless the label was voided. `is_known`: a scan with the same
  /// external id is stored.
  Verdict judge(const ParcelScan& scan, Time at, bool is_known);

  const std::string& status() const { return status_; }

 private:
  std::string_view status_of(const ParcelScan& scan) const;

  std::string status_;
  const std::string label_status_;
  std::optional<Time> moved_at_;
  std::set<std::string> external_ids_;
};

}  // namespace waybill::storage
