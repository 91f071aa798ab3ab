#pragma once

#include <memory>
#include <string>

#include "actions/tracking_sender.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/service.hpp"
#include "connectors/connector.hpp"
#include "net/destination/circuit_breaker.hpp"
#include "net/destination/destination_counts.hpp"
#include "worker/stores/store_thread.hpp"

namespace waybill::worker {

/// Sends the tracking of shipments to stores on the thread for stores. Stores are served in parallel, each
/// with at most two attempts at a time and its own circuit breaker. An attempt that finds no slot soon does
/// not count and is queued again, so a slow store delays no other. Connections are reused until their
/// credentials change or are refused. All workers together send one shipment of an order at a time; the lock
/// of a crashed worker expires. A crash loses no other state, and sending again is harmless.
class StoreTrackingSender final : public actions::TrackingSender, public Service {
 public:
  struct Options {
    Guid worker;  // the owner of order locks
    connectors::Connector::Options connectors;
    std::string public_url;  // address of the service, for links to tracking pages; no links if empty
    Duration attempt_limit = std::chrono::seconds(25);   // for a whole attempt
    Duration slot_wait_limit = std::chrono::seconds(8);  // for a slot at the store
    std::size_t max_waiting = 14;                        // attempts that wait for one store
    std::size_t max_stores = 500;                        // stores with open connections
    net::CircuitBreaker::Options breaker = {.max_in_flight = 2};
    net::DestinationCounts* counts = nullptr;  // counts the attempts; outlives the sender
  };

  /// All references must outlive the sender, which must exist until the thread has stopped.
  StoreTrackingSender(Options options, const SecretBox& secrets, const Clock& clock, StoreThread& thread);
  ~StoreTrackingSender() override;

  void send(actions::TrackingNotice notice, actions::Action::Finish finish) override;

  /// Sends nothing more; attempts in progress end as cancelled.
  void stop_accepting() override;
  void stop(Moment /*until*/) override { stop_accepting(); }

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::worker
