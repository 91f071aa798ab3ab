#pragma once

#include <string_view>

namespace waybill::domain {

/// True for a name of the IANA time zone database in its exact spelling ("Europe/Lisbon", "UTC"). PostgreSQL
/// accepts more names (abbreviations, POSIX forms) and may lack some of these.
bool is_time_zone(std::string_view name);

}  // namespace waybill::domain
