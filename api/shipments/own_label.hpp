#pragma once

#include <optional>
#include <string>

#include "api/endpoint/services.hpp"

namespace waybill::api {

/// Waybill's own label of a shipment.
struct OwnLabel {
  std::string pdf;
  std::string tracking_number;
};

/// Returns the stored label, or renders it if the shipment has changed since; nullopt if there is no such
/// shipment. Throws Failure (conflict) if the number does not fit as a barcode or a script has no font.
asio::awaitable<std::optional<OwnLabel>> own_label(Services& services, Guid business, Guid shipment);

}  // namespace waybill::api
