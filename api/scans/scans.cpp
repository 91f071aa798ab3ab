#include "api/scans/scans.hpp"

#include <cstddef>

#include "api/records/fields.hpp"
#include "domain/records/state_machines.hpp"

namespace waybill::api {
namespace {

const Property scan_properties[] = {
    {.name = "status", .kind = Kind::one_of, .required = true, .values = domain::shipment_states().states},
    {.name = "description", .kind = Kind::text, .required = true},
    {.name = "location", .kind = Kind::string},
    {.name = "timestamp", .kind = Kind::timestamp, .description = "Default: now."},
    {.name = "externalId",
     .kind = Kind::string,
     .min_length = 1,
     .description =
         "The sender's id for the scan. A scan that repeats an id for the same shipment is ignored."},
    {.name = "trackingNumber",
     .kind = Kind::tracking_number,
     .min_length = 1,
     .description = "Our number or the carrier's, without regard to case. Either this or shipmentId."},
    {.name = "shipmentId", .kind = Kind::uuid},
};
constexpr std::size_t trace_properties = 5;

constexpr Property result_properties[] = {
    {.name = "index", .kind = Kind::integer, .nullable = false, .description = "The position, from 0."},
    {.name = "moved",
     .kind = Kind::boolean,
     .nullable = false,
     .optional = true,
     .description = "True if the shipment has the status of the scan now. Missing if there is an error."},
    {.name = "error", .kind = Kind::string, .nullable = false, .optional = true},
};

std::string_view error_of(ScanOutcome outcome) {
  switch (outcome) {
    case ScanOutcome::unknown:
      return "there is no such shipment";
    case ScanOutcome::ambiguous:
      return "several shipments have this number; use shipmentId";
    case ScanOutcome::foreign:
      return "the shipment has another carrier";
    case ScanOutcome::future:
      return "the timestamp is more than 5 minutes in the future";
    default:
      return {};
  }
}

}  // namespace

const Schema scan_schema{"ShipmentScan", scan_properties};
const Schema trace_schema{"ShipmentTraceReport", std::span(scan_properties).first(trace_properties)};
const Schema scan_result_schema{"ShipmentScanResult", result_properties};

void check_scan(const json::object& body, FieldErrors& errors) {
  const bool has_number = find_value(body, "trackingNumber") != nullptr;
  const bool has_guid = find_value(body, "shipmentId") != nullptr;
  if (!has_number && !has_guid)
    errors.push_back({"trackingNumber", "is required unless shipmentId is given"});
  if (has_number && has_guid)
    errors.push_back({"shipmentId", "must not be given together with trackingNumber"});
}

Scan scan_of(const json::object& body) {
  return {.shipment = guid_at(body, "shipmentId"),
          .number = text_at(body, "trackingNumber"),
          .status = text_at(body, "status").value(),
          .description = text_at(body, "description").value(),
          .location = text_at(body, "location"),
          .at = parse_timestamp(text_at(body, "timestamp").value_or("")),
          .external_id = text_at(body, "externalId")};
}

std::vector<Scan> scans_of(const json::array& entries) {
  std::vector<Scan> scans;
  scans.reserve(entries.size());
  for (const auto& entry : entries) scans.push_back(scan_of(entry.get_object()));
  return scans;
}

std::string scan_results(std::span<const ScanOutcome> outcomes) {
  std::string text = "[";
  for (std::size_t index = 0; index < outcomes.size(); ++index) {
    if (index > 0) text += ',';
    text += R"({"index":)" + std::to_string(index);
    if (const auto error = error_of(outcomes[index]); !error.empty()) {
      text += R"(,"error":)";
      append_json_string(text, error);
    } else {
      text += outcomes[index] == ScanOutcome::moved ? R"(,"moved":true)" : R"(,"moved":false)";
    }
    text += '}';
  }
  return text += ']';
}

}  // namespace waybill::api
