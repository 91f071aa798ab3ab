#pragma once

#include <memory>
#include <utility>

#include "base/guid.hpp"

namespace waybill::worker {

/// A business and a record of it.
using RecordName = std::pair<Guid, Guid>;

/// Counts the events of records that are not recorded yet. The result of `hold` is kept with an event until
/// it is recorded or dropped. Any thread may call any method, but only one thread `forget_recorded`. A crash
/// loses nothing: it only counts.
class UnrecordedRecords {
 public:
  UnrecordedRecords();

  /// Counts an event until the last copy of the result is gone; it may outlive this object.
  std::shared_ptr<const void> hold(const RecordName& record);
  /// Forgets the records without a counted event. Until this call, `contains` is true for them, so that what
  /// a thread reads in the database after the call shows all that is recorded of the others.
  void forget_recorded();
  /// True if the record had a counted event at the last `forget_recorded`, or has had one since.
  bool contains(const RecordName& record) const;
  /// True if a record of the business did.
  bool contains_any_of(const Guid& business) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace waybill::worker
