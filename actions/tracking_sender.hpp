#pragma once

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::actions {

/// A shipment that the store of its order is to show.
struct TrackingPush {
  Guid business;
  Guid shipment;
  Time shipped_at;
};

/// Where stores are told of shipments: their connectors are no matter of actions.
class TrackingDesk {
 public:
  virtual ~TrackingDesk() = default;
  /// From any thread. `finish` is called once, on any thread, within 28 s: within the lease of a try.
  virtual void push(TrackingPush push, Action::Finish finish) = 0;
};

}  // namespace waybill::actions
