#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/carrier_gateway.hpp"

namespace waybill::connectors::karrio {

/// The body of a rate call and, with the consignment's reference, of a draft. Asks only the connection with
/// the name `carrier_id`. Unknown values are left out. Karrio itself exchanges the parties of a return.
json::object rate_request(const Consignment& consignment, std::string_view carrier_id);

/// The body that buys a draft.
json::object purchase_request(std::string_view rate_id, LabelFormat format);

/// The body that asks a carrier for the scans of a number. Karrio reads the connection from the query alone.
json::object tracking_request(std::string_view tracking_number, std::string_view carrier_name);

/// Karrio's name of a format.
std::string_view label_type(LabelFormat format);

}  // namespace waybill::connectors::karrio
