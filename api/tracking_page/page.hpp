#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "api/endpoint/endpoint.hpp"
#include "api/tracking_page/tracked_shipment.hpp"

namespace waybill::api {

/// The most traces that are shown. The HTML has fewer if it would be larger than max_tracking_page_bytes.
inline constexpr std::size_t max_tracked_traces = 50;

inline constexpr std::size_t max_tracking_page_bytes = 30'000;

/// The page of a shipment in the reader's language, complete with its headers. `accept_language` is the value
/// of the request's field, empty if there is none.
Answer tracking_page(TrackedShipment shipment, std::string_view accept_language);

/// The same facts as JSON in the usual envelope, independent of the language.
Answer tracking_json(TrackedShipment shipment);

/// The page for a link without a shipment; status 404.
Answer tracking_page_not_found(std::string_view accept_language);

/// The page for a client that has requested too many; status 429 with Retry-After.
Answer tracking_page_limited(std::string_view accept_language, std::chrono::seconds wait);

}  // namespace waybill::api
