#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/service.hpp"
#include "connectors/gateways/gateways.hpp"

namespace waybill::worker {

/// Performs the purchases of all businesses when they are due, on a dedicated thread and session, each as a
/// coroutine (PurchaseRun). Calls to gateways have an HTTP client of their own, and each business and
/// connector has at most `storage::purchases_at_a_time` purchases at work on all workers, so a gateway that
/// hangs delays no other work.
///
/// Any worker claims purchases of any shard, because the lease on the row alone decides: the purchases of a
/// worker that died are due for all others once one of them finds it lost (Leases::free_lost), however shards
/// move, and the workers that are awake first share a burst. NOTIFY announces new purchases. Reconnects
/// automatically. A crash loses the calls in flight: a purchase that was being bought is unknown for the next
/// worker, and is looked up.
class Purchaser final : public Service {
 public:
  struct Options {
    std::string database_url;
    Guid worker;
    connectors::Gateways::Options gateways;
    /// Called on the thread when pulls of scans are announced: the session listens for the puller of the
    /// worker, too, which has none that can. May be empty.
    std::function<void()> on_pulls = {};
  };

  /// `secrets` outlives it.
  Purchaser(Options options, const SecretBox& secrets);
  ~Purchaser() override;

  void start() override;
  /// Claims no more purchases and begins no more calls. Purchases without a call in flight are released.
  void stop_accepting() override;
  /// Waits for the calls in flight.
  void drain(Moment until) override;
  /// Aborts the calls in flight and stores that their outcome is unknown, until `until` or for a second.
  void stop(Moment until) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::worker
