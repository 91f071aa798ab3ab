#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/tracking_page/tracked_shipment.hpp"

namespace waybill::api {

/// The shipment as it is shown: texts are single lines of limited length, addresses and colors that a page
/// cannot use are empty, and at most max_tracked_traces traces are left.
TrackedShipment presented(TrackedShipment shipment);

/// The origin of an https address for a Content-Security-Policy: "https://cdn.example.com". nullopt for
/// another scheme, user information, or a host that is not an ASCII name.
std::optional<std::string> https_origin(std::string_view address);

}  // namespace waybill::api
