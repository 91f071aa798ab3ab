#include "storage/carriers/scan_course.hpp"

#include "domain/records/state_machines.hpp"

namespace waybill::storage {

ScanCourse::Verdict ScanCourse::judge(const ParcelScan& scan, Time at, bool is_known) {
  if (scan.external_id && (is_known || !external_ids_.insert(*scan.external_id).second))
    return {.outcome = ScanOutcome::repeated, .status = {}};
  const std::string status(status_of(scan));
  const bool is_move = scan.tells_status && domain::shipment_states().allows(status_, status) &&
                       (!moved_at_ || at >= *moved_at_);
  if (is_move) {
    status_ = status;
    moved_at_ = at;
  }
  return {.outcome = is_move ? ScanOutcome::moved : ScanOutcome::stored, .status = status};
}

std::string_view ScanCourse::status_of(const ParcelScan& scan) const {
  if (scan.status != "cancelled" || label_status_ == "voided") return scan.status;
  const bool has_label = !label_status_.empty() && label_status_ != "refused";
  const bool has_moved = status_ != "created" && status_ != "cancelled";
  return has_label || (scan.is_gateways && has_moved) ? std::string_view("exception") : scan.status;
}

}  // namespace waybill::storage
