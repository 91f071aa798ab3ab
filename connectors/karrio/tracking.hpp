#pragma once

#include <string_view>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "connectors/carrier_gateway.hpp"

namespace waybill::connectors::karrio {

/// The scans in a carrier's answer for a number. `now` is the time of the newest scan if it has none; other
/// scans without one move nothing. An arrival after a
/// scan of a return is `returned`; `on_hold` before the first movement moves nothing; `cancelled` after it is
/// an exception.
TrackAnswer read_tracking(const json::value& answer, std::string_view tracking_number, Time now);

}  // namespace waybill::connectors::karrio
