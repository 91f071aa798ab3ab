#pragma once

#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "connectors/carrier_gateway.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::connectors {

/// The packages of a shipment, a JSON array, in kg and cm; each has all its sizes or none. Adds an error for
/// one without a weight. Pure.
std::vector<Parcel> parcels_of(std::string_view packages_text, std::string_view weight_unit,
                               std::string_view size_unit, FieldErrors& errors);

/// A shipment as carriers take it: weights in kg, sizes in cm, countries as codes. A party without a country
/// is in that of the business. One to another customs territory has customs data (connectors/customs.hpp).
/// Adds an error for each field that a carrier or customs need. Pure.
Consignment consignment_of(const storage::sql::shipments::Consignment::Row& row, FieldErrors& errors);

}  // namespace waybill::connectors
