#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/service.hpp"
#include "connectors/gateways/gateways.hpp"

namespace waybill::worker {

/// Asks gateways for the scans of all businesses' parcels when they are due, on a thread and connections of
/// its own. Workers share the lanes by leases (storage/sql/tracking_pulls/claim.sql), and each lane has its
/// own calls, so that a slow gateway or a large business delays no other one. Between the turns it sleeps
/// until the next one is due or `look` is called, for half a minute at most. A crash loses no number and no
/// scan: the lanes become free at the end of their leases, and what was not stored is asked for again.
class TrackingPuller final : public Service {
 public:
  struct Options {
    std::string database_url;
    Guid worker;
    std::size_t places = 256;  // lanes at a time
    Duration lease =
        std::chrono::minutes(2);  // longer than a turn: a sweep, the calls, and their last answers
    int connections = 2;          // for reads, too
    connectors::Gateways::Options gateways;
  };

  /// `secrets` outlives it.
  TrackingPuller(Options options, const SecretBox& secrets);
  ~TrackingPuller() override;

  /// Looks at once for lanes whose turn has come, and for new ones. Any thread; also while it is stopped.
  void look();

  void start() override;
  /// Begins no more calls.
  void stop_accepting() override;
  /// Ends the calls in flight, whose parcels stay due, and frees the lanes.
  void stop(Moment until) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::worker
