#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"

namespace waybill::worker {

/// Decides whether writers use NOTIFY. Under load they do not, because NOTIFY serializes their commits, and
/// the worker polls at short intervals instead. A writer that read the old setting may commit later without a
/// NOTIFY, so the worker keeps polling until all such transactions are over. It polls less often the longer
/// they take: their events are found within a two-hundredth of that time. Pure. One thread.
class RateMode {
 public:
  /// Makes the setting be announced again, for newly taken shards or after a reconnection.
  void forget() { announced_.reset(); }

  /// The setting to announce to the writers now; nullopt if they have it. After its commit, call `announced`.
  std::optional<bool> setting_to_announce() const;
  void announced(bool idle);

  /// True if the next scan should draw a transaction id; all transactions from that id on have the setting.
  bool wants_xid() const { return settling_ && !first_informed_xid_; }

  /// Must be called after each scan, with the number of transactions whose events it read, the xmin of its
  /// snapshot, and the transaction id that it drew, if any.
  void scanned(Time now, std::size_t transactions, std::uint64_t xmin, std::optional<std::uint64_t> xid);

  /// The longest time that the worker may wait for a NOTIFY.
  Duration max_wait(Duration poll) const;

 private:
  bool idle_ = true;
  std::optional<bool> announced_;
  bool settling_ = false;  // some writers may still have the old setting
  std::optional<Time> settling_since_;
  Duration settling_wait_{};
  std::optional<std::uint64_t> first_informed_xid_;  // all transactions from this id on have the setting
  Time window_start_{};
  std::size_t window_transactions_ = 0;
};

}  // namespace waybill::worker
