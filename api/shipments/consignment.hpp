#pragma once

#include <vector>

#include "base/error.hpp"
#include "connectors/carrier_gateway.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {

/// A shipment as carriers take it: weights in kg, sizes in cm, countries as codes. A party without a country
/// is in that of the business. Adds an error for each field that a carrier needs. Pure.
connectors::Consignment consignment_of(const storage::sql::shipments::Consignment::Row& row,
                                       FieldErrors& errors);

}  // namespace waybill::api
