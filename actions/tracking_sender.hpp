#pragma once

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::actions {

/// A shipment that the store of its order is to show.
struct TrackingNotice {
  Guid business;
  Guid shipment;
  Time shipped_at;
};

/// Where stores are told of shipments: their connectors are no matter of actions.
class TrackingSender {
 public:
  virtual ~TrackingSender() = default;
  /// From any thread. `finish` is called once, on any thread, within 28 s: within the lease of a try.
  virtual void push(TrackingNotice push, Action::Finish finish) = 0;
};

}  // namespace waybill::actions
