#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>

#include "base/clock.hpp"
#include "storage/session/session.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// Keeps the catalogue of workflows as the database has it. Knows the businesses whose events are set aside,
/// and whether all living workers can perform runs that are queued without their texts. Runs on the pump
/// thread only. Methods with a session throw DatabaseUnavailable or StatementError.
class WorkflowFollower {
 public:
  WorkflowFollower(Catalogue& catalogue, PauseWriter& pauses) : catalogue_(catalogue), pauses_(pauses) {}

  /// Notes a new connection. After the first one, all workflows are read again: the server may have lost
  /// changes. Returns true for a reconnection.
  bool connected();

  /// Reads the workflows that changed up to `epoch`, which a look at the outbox returned.
  void follow(storage::Session& session, std::uint64_t epoch);

  /// Likewise, up to now: what another worker has stored can be of a newer version of a workflow.
  void follow_now(storage::Session& session);

  /// Makes the next `follow` read again which businesses are suspended. Needed for new shards: another worker
  /// may have set events of theirs aside.
  void took_shards() { rereads_suspended_ = true; }

  /// True for a business whose new events are set aside: it is suspended, or was resumed and has earlier
  /// events that are not matched yet.
  bool sets_aside(const Guid& business) const { return aside_.contains(business); }
  /// A resumed business that may still have events that were set aside; nullopt if there is none.
  std::optional<Guid> resumed_business() const {
    return resumed_.empty() ? std::nullopt : std::optional(*resumed_.begin());
  }
  /// Notes that no event of a resumed business is set aside any more.
  void caught_up(const Guid& business) {
    resumed_.erase(business);
    aside_.erase(business);
  }

  /// True while every living worker can render runs that are queued without their texts. Asks the database
  /// once a second.
  bool may_defer(storage::Session& session, Time now);

 private:
  void read_suspended(storage::Session& session);

  Catalogue& catalogue_;
  PauseWriter& pauses_;
  std::uint64_t seen_epoch_ = 0;
  bool was_connected_ = false;
  bool rereads_all_ = false;
  bool rereads_suspended_ = true;
  std::unordered_set<Guid> resumed_;
  std::unordered_set<Guid> aside_;  // suspended and resumed ones
  Time last_census_{};
  bool may_defer_ = false;
};

}  // namespace waybill::worker
