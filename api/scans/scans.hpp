#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/endpoint/schema.hpp"
#include "base/json.hpp"
#include "storage/carriers/scans.hpp"

// Scans: the traces that carriers and drivers report. The endpoints for one shipment, for many and for a
// carrier's own calls share this code.
namespace waybill::api {

using storage::record_scans;
using Scan = storage::ParcelScan;
using storage::ScanOutcome;

extern const Schema scan_schema;         // an entry of many
extern const Schema trace_schema;        // a scan of the shipment in the path
extern const Schema scan_result_schema;  // an entry of the answer to many

/// Adds an error unless the scan names its shipment in exactly one way.
void check_scan(const json::object& body, FieldErrors& errors);

/// Reads a checked body.
Scan scan_of(const json::object& body);
/// Reads a checked array of bodies.
std::vector<Scan> scans_of(const json::array& entries);

/// Returns the JSON array of the answer to many scans: {index, moved} or {index, error}.
std::string scan_results(std::span<const ScanOutcome> outcomes);

}  // namespace waybill::api
