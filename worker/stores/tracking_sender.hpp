#pragma once

#include <memory>
#include <string>

#include "actions/tracking_sender.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "connectors/connector.hpp"
#include "net/circuit_breaker.hpp"
#include "net/http_client.hpp"

namespace waybill::worker {

/// Tells stores of shipments, on a thread of its own: many at once, but two at a time for each store, which
/// has a circuit breaker of its own. A push that finds no place soon is no try and is put off, so that a
/// store that hangs holds up nobody else's. Connections to stores are kept, until their credentials change or
/// are refused. An order is told of one shipment at a time, whichever worker does it; one that a lost worker
/// was busy with waits until what it took runs out. Nothing else survives a crash, nor needs to: pushing
/// again is harmless.
class StoreTrackingSender final : public actions::TrackingSender {
 public:
  struct Options {
    std::string database_url;
    Guid worker;  // who takes orders
    connectors::Connector::Options connectors;
    Duration try_limit = std::chrono::seconds(25);      // for all of a try
    Duration place_patience = std::chrono::seconds(8);  // for a place at the store
    std::size_t most_waiting = 14;                      // for one store's places
    std::size_t most_stores = 500;                      // whose connections are kept
    net::CircuitBreaker::Options breaker = {.max_in_flight = 2};
  };

  /// All that is referred to outlives it, but the client, which may go after `close`.
  StoreTrackingSender(Options options, const SecretBox& secrets, net::HttpClient& http, const Clock& clock);
  /// Waits for what is under way.
  ~StoreTrackingSender() override;

  void send(actions::TrackingNotice notice, actions::Action::Finish finish) override;

  /// After this, nothing more is sent, and what is under way ends as cancelled once the client is gone.
  void close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::worker
