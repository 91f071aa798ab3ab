#pragma once

#include "base/json.hpp"
#include "connectors/carrier_gateway.hpp"
#include "connectors/easypost/answers.hpp"

// EasyPost's trackers. Pure.
namespace waybill::connectors::easypost {

/// The tracker of a number in a list: that of a bought label, else the first, which is the newest; null if
/// there is none.
const json::object* tracker_of(const Answer& list, std::string_view tracking_number);

/// The tracker in a successful answer; null if it is not that of the number.
const json::object* tracker_in(const Answer& answer, std::string_view tracking_number);

/// The scans of a tracker. A time after `now` becomes `now`; an entry without a time is left out.
TrackAnswer scans_in(const json::object& tracker, Time now);

}  // namespace waybill::connectors::easypost
