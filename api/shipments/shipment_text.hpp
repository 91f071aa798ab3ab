#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/shipments/shipment_body.hpp"
#include "base/guid.hpp"

namespace waybill::api {

/// Returns a new shipment as a JSON object, an entry of shipments/create.sql.
std::string shipment_text(const Guid& shipment, const std::string& tracking_number,
                          const std::optional<Guid>& order, const ShipmentValues& values);
/// Returns the new values of a shipment with this version, an entry of shipments/update.sql. The packages
/// stay if they are missing.
std::string shipment_change_text(const Guid& shipment, std::string_view version,
                                 const ShipmentValues& values);

}  // namespace waybill::api
