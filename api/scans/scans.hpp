#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/schema.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "storage/database/database.hpp"

// Scans: the traces that carriers and drivers report. The endpoints for one shipment, for many and for a
// carrier's own calls share this code.
namespace waybill::api {

namespace asio = boost::asio;

extern const Schema scan_schema;         // an entry of many
extern const Schema trace_schema;        // a scan of the shipment in the path
extern const Schema scan_result_schema;  // an entry of the answer to many

/// Adds an error unless the scan names its shipment in exactly one way.
void check_scan(const json::object& body, FieldErrors& errors);

struct Scan {
  std::optional<Guid> shipment;
  std::optional<std::string> number;  // waybill's or the carrier's; nullopt if `shipment` is given
  std::string status;
  std::string description;
  std::optional<std::string> location;
  std::optional<Time> at;                  // nullopt: now
  std::optional<std::string> external_id;  // the sender's
};

/// Reads a checked body.
Scan scan_of(const json::object& body);
/// Reads a checked array of bodies.
std::vector<Scan> scans_of(const json::array& entries);

enum class ScanOutcome : std::uint8_t {
  moved,      // the shipment has the scan's status now
  stored,     // a scan that changes no status
  repeated,   // a scan with this external id is known; nothing was stored
  unknown,    // no such shipment; nothing was stored, as for those below
  ambiguous,  // several shipments with this number
  foreign,    // a shipment of another carrier
  future,     // more than 5 minutes ahead
};

struct ScanRules {
  Time now;
  std::optional<Guid> carrier = {};  // accepts only shipments of this carrier
};

/// Stores scans in `transaction` and returns the outcome of each. The scans of one shipment take effect in
/// their order: a scan moves the shipment if the state machine allows it and the scan is not older than the
/// last move. The shipments stay locked until the transaction ends.
asio::awaitable<std::vector<ScanOutcome>> record_scans(storage::Transaction& transaction,
                                                       const Guid& business, std::span<const Scan> scans,
                                                       const ScanRules& rules);

/// Returns the JSON array of the answer to many scans: {index, moved} or {index, error}.
std::string scan_results(std::span<const ScanOutcome> outcomes);

}  // namespace waybill::api
