#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/tracking_page/tracked_shipment.hpp"

namespace waybill::api {

/// The facts about the recipient that only the sender and the carrier may know; empty if unknown.
struct PrivateFacts {
  std::string street;
  std::string phone;
  std::string email;
};

/// Replaces the descriptions and clears the locations of traces that contain one of the facts, without regard
/// to case and spaces. Of a phone number the last eight digits count, because texts have it with and without
/// its prefix. A street of fewer than four characters and a number of fewer than six digits are not searched
/// for.
void hide_private(std::vector<TrackedTrace>& traces, const PrivateFacts& facts);

/// The shipment as it is shown: texts are single lines of limited length, addresses and colors that a page
/// cannot use are empty, and at most max_tracked_traces traces are left.
TrackedShipment presented(TrackedShipment shipment);

/// The origin of an https address for a Content-Security-Policy: "https://cdn.example.com". nullopt for
/// another scheme, user information, or a host that is not an ASCII name.
std::optional<std::string> https_origin(std::string_view address);

}  // namespace waybill::api
