#pragma once

#include <optional>
#include <string_view>

#include "api/shipments/shipment_body.hpp"
#include "base/error.hpp"

namespace waybill::api {

/// True for the labelStatus of a shipment whose purchase is open or bought: what the carrier's label shows
/// stays as it is.
bool is_label_locked(std::optional<std::string_view> label_status);

/// An error for each value of a shipment that its carrier's label shows and that differs: the carrier's
/// number and link, carrier, service level, sender, recipient, and packages if `values` has any. Pure.
FieldErrors changes_of_labelled(const ShipmentValues& values, const ShipmentValues& before);

/// The failure (409) of a change or deletion that `label_status` forbids. It names how the label is voided.
Failure locked_by_label(std::string_view label_status, FieldErrors details = {});

}  // namespace waybill::api
