#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/thread/service.hpp"
#include "connectors/connector.hpp"
#include "net/destination/destination.hpp"
#include "net/http/http_client.hpp"

namespace waybill::api {

/// The HTTP client for calls to stores, shared by all io threads.
class Stores final : public Service {
 public:
  struct Options {
    net::DestinationPolicy policy;
    std::string ca_file;
    connectors::Connector::Options connectors;
  };

  explicit Stores(Options options);

  /// Aborts all calls in flight. Must run while the io contexts of the callers still exist.
  void stop(Moment until) override { http_.stop(until); }

  /// Returns a connection to a store; all its calls end within `limit` from now.
  std::unique_ptr<connectors::Store> open(const connectors::Connector& connector,
                                          connectors::StoreCredentials credentials, const Clock& clock,
                                          Duration limit);

  /// The client itself, for other requests to destinations that users name.
  net::HttpClient& http() { return http_; }

 private:
  const connectors::Connector::Options connectors_;
  net::HttpClient http_;
};

}  // namespace waybill::api
