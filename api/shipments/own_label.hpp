#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/endpoint/services.hpp"
#include "base/error.hpp"
#include "documents/label.hpp"

namespace waybill::api {

/// Waybill's own label of a shipment.
struct OwnLabel {
  std::string pdf;
  std::string tracking_number;
};

/// Returns the stored label, or renders it if the shipment has changed since; nullopt if there is no such
/// shipment. Throws Failure (conflict) if the number does not fit as a barcode or a script has no font.
asio::awaitable<std::optional<OwnLabel>> own_label(Services& services, Guid business, Guid shipment);

/// The Failure (conflict) for a document that needs a font that the server lacks; `document` names it.
Failure font_missing(const documents::MissingFont& missing, std::string_view document);

}  // namespace waybill::api
