#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace waybill::api {

/// A time and the offset from UTC that the business's time zone has at that time. PostgreSQL supplies it,
/// because the C++ library has no time zones.
struct ZonedTime {
  Time at;
  std::chrono::minutes utc_offset{0};
};

/// A trace of a shipment as buyers see it.
struct TrackedTrace {
  ZonedTime at;
  std::string status;
  std::string description;
  std::string location;  // empty if unknown
};

/// The facts of a shipment that anyone with its link may see. There are no members for a street, postal code,
/// phone, e-mail or the name of a person, so that neither the page nor the JSON can show them.
struct TrackedShipment {
  std::string tracking_number;
  std::string carrier;  // empty if none; so are the texts below
  std::string carrier_tracking_number;
  std::string carrier_tracking_url;
  std::string status;                                // state of domain::shipment_states()
  std::optional<ZonedTime> estimated_delivery = {};  // the page shows its date
  std::optional<ZonedTime> delivered_at = {};
  ZonedTime created_at = {};
  std::vector<TrackedTrace> traces = {};  // the newest first
  std::size_t older_traces = 0;           // further ones, which are not in `traces`
  std::string city;                       // city of the destination
  std::string country;
  std::string business;
  std::string logo_url;
  std::string color;      // #rrggbb
  std::string time_zone;  // the name of the business's zone: Europe/Lisbon
};

}  // namespace waybill::api
