#pragma once

#include <memory>
#include <string>

#include "api/http/failure_limit.hpp"
#include "base/clock.hpp"
#include "connectors/connector.hpp"
#include "net/destination.hpp"
#include "net/http_client.hpp"

namespace waybill::api {

/// The way to the stores of businesses, for all io threads at once.
class Stores {
 public:
  struct Options {
    net::DestinationPolicy policy;
    std::string ca_file;
    connectors::Connector::Options connectors;
  };

  explicit Stores(Options options);
  ~Stores();
  Stores(const Stores&) = delete;
  Stores& operator=(const Stores&) = delete;

  /// Gives up what is in flight. Called while the io contexts of those who wait still exist.
  void shut_down() { http_.reset(); }

  /// A connection to a store, all of whose calls end within `limit` from now.
  std::unique_ptr<connectors::Store> open(const connectors::Connector& connector,
                                          connectors::StoreCredentials credentials, const Clock& clock,
                                          Duration limit);

  /// Calls of webhooks that no store of ours can have made.
  FailureLimit& inbound_failures() { return inbound_failures_; }

 private:
  const connectors::Connector::Options connectors_;
  std::unique_ptr<net::HttpClient> http_;
  FailureLimit inbound_failures_;
};

}  // namespace waybill::api
