#pragma once

#include <string>

#include "base/json.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors {

/// What the next step of a push reads of an order.
inline constexpr std::string_view medusa_tracking_fields =
    "id,status,canceled_at,metadata,*items,*fulfillments,*fulfillments.labels,*fulfillments.items";

/// One call that brings an order nearer to showing a parcel.
struct MedusaStep {
  enum class Kind {
    none,     // it shows the parcel
    fulfill,  // makes a fulfilment of what has none
    ship,     // ships a fulfilment, with the label
    note,     // writes the number into the order's metadata
  };
  Kind kind = Kind::none;
  std::string path;
  json::object body;

  bool operator==(const MedusaStep&) const = default;
};

/// Fulfilments without a shipment are shipped with the parcel's label, be they the merchant's or left by a
/// push that was interrupted; without any, what is not fulfilled becomes one. An order of which all is
/// shipped takes no further label (the server refuses): the number goes into its metadata, as
/// `waybill_tracking_NUMBER`. Throws StoreError refused for an order that is canceled or a draft. Pure.
MedusaStep next_medusa_step(const json::value& order, const StoreTracking& tracking);

}  // namespace waybill::connectors
