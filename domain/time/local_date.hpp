#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace waybill::domain {

/// The date (`2026-12-06`) in a time zone with the offsets that the SQL function zone_offsets returns
/// (`1764460800 46800,1775311200 43200`). Before the first and after the last, the nearest one holds; without
/// any, the date is that of UTC.
std::string local_date(Time time, std::string_view zone_offsets);

}  // namespace waybill::domain
