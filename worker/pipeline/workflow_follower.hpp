#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "storage/session.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// Keeps the catalogue of workflows as the database has it, and knows if all living workers can perform runs
/// that are queued without their texts. Runs on the pump thread only. Methods with a session throw
/// DatabaseUnavailable or StatementError.
class WorkflowFollower {
 public:
  WorkflowFollower(Catalogue& catalogue, PauseWriter& pauses) : catalogue_(catalogue), pauses_(pauses) {}

  /// Notes a new connection. After the first one, all workflows are read again: the server may have lost
  /// changes. Returns true for a reconnection.
  bool connected();

  /// Reads the workflows that changed up to `epoch`, which a look at the outbox returned.
  void follow(storage::Session& session, std::uint64_t epoch);

  /// True while every living worker can render runs that are queued without their texts. Asks the database
  /// once a second.
  bool may_defer(storage::Session& session, Time now);

 private:
  Catalogue& catalogue_;
  PauseWriter& pauses_;
  std::uint64_t seen_epoch_ = 0;
  bool was_connected_ = false;
  bool rereads_all_ = false;
  Time last_census_{};
  bool may_defer_ = false;
};

}  // namespace waybill::worker
