#pragma once

#include <string>
#include <string_view>

namespace waybill::matching {

/// The link to a shipment's public page. `token` is its 32 hexadecimal digits; `public_url` has no slash at
/// its end.
std::string tracking_page_url(std::string_view public_url, std::string_view token);

/// The link to a carrier's page: its pattern with each `{number}` replaced by the percent-encoded number.
/// The SQL function tracking_url does the same for the records of tables; this is for those of events.
std::string carrier_tracking_url(std::string_view pattern, std::string_view number);

}  // namespace waybill::matching
