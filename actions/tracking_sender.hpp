#pragma once

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::actions {

/// A shipment whose tracking is to be sent to the store of its order.
struct TrackingNotice {
  Guid business;
  Guid shipment;
  Time shipped_at;
  Guid workflow;  // whose run sends it
};

/// Sends tracking to stores. An interface, because actions do not depend on connectors.
class TrackingSender {
 public:
  virtual ~TrackingSender() = default;
  /// Any thread may call it. `finish` is called once, on any thread, within 28 s, which is less than the
  /// lease of a run.
  virtual void send(TrackingNotice notice, Action::Finish finish) = 0;
};

}  // namespace waybill::actions
