#pragma once

#include <string_view>

namespace waybill::domain {

/// A name of the IANA time zone database, as it is spelled there ("Europe/Lisbon", "UTC"). PostgreSQL knows
/// more (abbreviations, POSIX forms), and perhaps not each of these.
bool is_time_zone(std::string_view name);

}  // namespace waybill::domain
