#pragma once

#include <string>

#include "base/json.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors {

/// The fields of an order that next_medusa_step needs.
inline constexpr std::string_view medusa_tracking_fields =
    "id,status,canceled_at,metadata,*items,*fulfillments,*fulfillments.labels,*fulfillments.items";

/// One of the calls that send tracking.
struct MedusaStep {
  enum class Kind {
    none,     // nothing to do: the order shows the parcel
    fulfill,  // creates a fulfilment of the parcel's unfulfilled items
    ship,     // ships a fulfilment with the label
    note,     // writes the number into the order's metadata
  };
  Kind kind = Kind::none;
  std::string path;
  json::object body;

  bool operator==(const MedusaStep&) const = default;
};

/// The next call to make. Fulfilments without a shipment (the merchant's, or left by an interrupted sending)
/// are shipped with the parcel's label; if there is none, one is created for the unfulfilled items. The
/// server refuses further labels for a completely shipped order and changes of a label, so the number is
/// written to its metadata as `waybill_tracking_NUMBER`. A parcel with some of the order's items ships only
/// fulfilments of these items, until it is the last one. Throws StoreError refused for a canceled order or a
/// draft. Pure.
MedusaStep next_medusa_step(const json::value& order, const StoreTracking& tracking);

}  // namespace waybill::connectors
