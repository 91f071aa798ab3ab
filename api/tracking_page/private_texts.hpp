#pragma once

#include <string>
#include <vector>

#include "api/tracking_page/tracked_shipment.hpp"

namespace waybill::api {

/// The facts about the recipient that only the sender and the carrier may know; empty if unknown.
struct PrivateFacts {
  std::string street;  // several lines, or parts between commas, are searched for one by one too
  std::string phone;   // as it was entered: several numbers, extensions, digits of any script
  std::string email;
};

/// Replaces the descriptions and clears the locations of traces that contain one of the facts, without regard
/// to case, blanks, and other forms of the same characters (NFKC, decimal digits). Of a phone number the last
/// eight digits count, because texts have it with and without its prefix. A street of fewer than four
/// characters and a number of fewer than six digits are not searched for.
void hide_private(std::vector<TrackedTrace>& traces, const PrivateFacts& facts);

}  // namespace waybill::api
