#pragma once

#include <vector>

#include "base/guid.hpp"
#include "storage/runs/batch.hpp"
#include "worker/guard/pauses.hpp"

namespace waybill::worker {

/// Takes the outcomes of events and runs, and the pauses that destinations request. Any thread may call any
/// method. Implementations take only their own locks and call nothing back. An interface, because unit tests
/// of the runner have no database.
class Outcomes {
 public:
  virtual ~Outcomes() = default;

  virtual void settle(storage::SettledEvent event) = 0;
  virtual void settle(std::vector<storage::SettledEvent> events) = 0;
  virtual void finish(storage::QueuedOutcome outcome) = 0;
  virtual void pause(PauseRequest request) = 0;
  /// True if a pause of the workflow is requested and not yet in the catalogue.
  virtual bool is_pausing(const Guid& workflow) const = 0;
};

}  // namespace waybill::worker
