#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "connectors/carrier_gateway.hpp"
#include "connectors/gateways/connected_carriers.hpp"
#include "domain/purchases/purchase.hpp"
#include "storage/carriers/purchases.hpp"

// The answers of gateways as facts of purchases. Pure.
namespace waybill::worker {

domain::PurchaseMessage message_of(connectors::CarrierMessage message);

/// nullopt for a file that is not stored: one that is larger than `storage::largest_label`, or whose bytes
/// are not of its format, because it would print as rubbish.
std::optional<storage::LabelBytes> file_of(connectors::LabelFile file);

struct AnswerWithFile {
  domain::AnswerFacts facts;
  std::optional<storage::LabelBytes> file;
};
AnswerWithFile answer_of(connectors::PurchaseAnswer answer);

struct FoundWithFile {
  domain::FoundFacts facts;
  std::optional<storage::LabelBytes> file;
};
FoundWithFile found_of(connectors::FoundPurchase found);

/// Only a gateway that is unreachable or busy can answer otherwise later.
domain::FailedCall failure_of(const connectors::GatewayError& error);

struct VoidFacts {
  domain::VoidAnswerKind answer = domain::VoidAnswerKind::unknown;
  domain::PurchaseMessage message;
};
VoidFacts void_of(connectors::VoidResult result);

/// Our level of a gateway's service. Several levels may have one service: `wanted` goes before the others.
/// Empty if the carrier has no level for it.
std::string level_of(const connectors::ConnectedCarrier& carrier, std::string_view service_code,
                     const std::string& wanted);

/// Notes the service level of a paid label whose service is another than that of its quote.
void note_sold(storage::StoredPurchase& purchase, const connectors::ConnectedCarrier& carrier);

/// The usual format of a carrier's labels: pdf, zpl or png.
std::string usual_format(const connectors::ConnectedCarrier& carrier);

/// `format` is that of a stored purchase: pdf, zpl or png.
connectors::LabelFormat label_format(std::string_view format);

}  // namespace waybill::worker
