#include "api/shipments/label_lock.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace waybill::api {
namespace {

constexpr auto locked_statuses = std::to_array<std::string_view>({"buying", "bought", "unknown", "voiding"});

/// The columns that a label shows, besides those of the two parties.
constexpr auto shown_paths = std::to_array<std::string_view>({"carrierTrackingNumber", "carrierTrackingUrl"});

bool is_shown(const MergedColumn& column) {
  return column.member == "sender" || column.member == "recipient" ||
         std::ranges::find(shown_paths, column.path) != shown_paths.end();
}

}  // namespace

bool is_label_locked(std::optional<std::string_view> label_status) {
  return label_status && std::ranges::find(locked_statuses, *label_status) != locked_statuses.end();
}

FieldErrors changes_of_labelled(const ShipmentValues& values, const ShipmentValues& before) {
  FieldErrors changes;
  const auto add = [&](std::string_view path) {
    changes.push_back({std::string(path), "stays as long as the carrier's label is not voided"});
  };
  for (const MergedColumn& column : merged_columns(domain::EntityType::shipment))
    if (is_shown(column) && values.columns.at(column.path) != before.columns.at(column.path))
      add(column.path);
  if (values.carrier != before.carrier) add("carrier");
  if (values.service_level != before.service_level) add("serviceLevel");
  if (values.packages) add("packages");
  return changes;
}

Failure locked_by_label(std::string_view label_status, FieldErrors details) {
  std::string message = "The carrier's label of the shipment is ";
  if (label_status == "buying") {
    message += "being bought; withdraw it (POST …/void) while it is requested, or void it once it is bought.";
  } else if (label_status == "voiding") {
    message += "being voided; try again once it is voided.";
  } else if (label_status == "unknown") {
    message +=
        "perhaps bought; resolve its purchase (POST …/purchases/{purchaseId}/resolve), then void it "
        "(POST …/void).";
  } else {
    message += "bought; void it first (POST …/void).";
  }
  return {ErrorCode::conflict, std::move(message), std::move(details)};
}

}  // namespace waybill::api
