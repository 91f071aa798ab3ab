#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"

namespace waybill::worker {

/// Whether writers shall NOTIFY. Under load they shall not (NOTIFY serialises their commits) and the worker
/// polls closely instead. A writer that read the old word may commit later without a NOTIFY: the worker goes
/// on polling until every transaction that can have done so is over. Pure; one thread.
class RateMode {
 public:
  /// The word of the shards is not ours yet (new ones taken, a new connection): it must be said again.
  void forget() { said_.reset(); }

  /// What is to be said to the writers now; nullopt when they know. `said` must follow once it is committed.
  std::optional<bool> to_say() const;
  void said(bool idle);

  /// True when the next look should draw a transaction id, from which on all writers know.
  bool wants_xid() const { return settling_ && !until_; }

  /// After each look: the events of how many transactions it saw, its snapshot's xmin, and the transaction id
  /// it drew, if any.
  void looked(Time now, std::size_t transactions, std::uint64_t xmin, std::optional<std::uint64_t> xid);

  /// How long the worker may wait for a NOTIFY.
  Duration patience(Duration poll) const;

 private:
  bool idle_ = true;
  std::optional<bool> said_;
  bool settling_ = false;               // writers may not know yet
  std::optional<std::uint64_t> until_;  // the first transaction id that knows
  Time window_start_{};
  std::size_t window_transactions_ = 0;
};

}  // namespace waybill::worker
