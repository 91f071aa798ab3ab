#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/service.hpp"
#include "worker/tracking/lane_turn.hpp"

namespace waybill::worker {

/// The calls to gateways, on connections of their own.
struct GatewayCalls {
  OpenGateway open;
  std::function<void()> abort;  // ends the calls in flight, and lets later ones fail; may be called again
};

/// Asks gateways for the scans of all businesses' parcels when they are due, on a thread of its own. Workers
/// share the lanes by leases (storage/sql/tracking_pulls/claim.sql), and each lane has its own calls, so that
/// a slow gateway or a large business delays no other one. A crash loses no number and no scan: the lanes
/// become free at the end of their leases, and what was not stored is asked for again.
class TrackingPuller final : public Service {
 public:
  struct Options {
    std::string database_url;
    Guid worker;
    std::size_t places = 256;  // lanes at a time
    Duration lease =
        std::chrono::minutes(2);  // longer than a turn: a sweep, the calls, and their last answers
    int connections = 3;          // for reads, too
  };

  /// `secrets` and what `calls` refer to must outlive it.
  TrackingPuller(Options options, const SecretBox& secrets, GatewayCalls calls);
  ~TrackingPuller() override;

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
