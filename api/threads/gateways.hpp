#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/threads/call_places.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/service.hpp"
#include "connectors/carrier_gateway.hpp"
#include "net/destination/destination.hpp"
#include "net/http/http_client.hpp"

namespace waybill::api {

/// The calls to gateways of carriers, on a thread and connections of their own, shared by all io threads. A
/// business has at most four calls at a time to one kind of gateway; others wait.
class Gateways final : public Service {
 public:
  struct Options {
    net::DestinationPolicy policy;
    std::string ca_file;
    /// The gateways of the operator (--carrier-gateway), without a trailing slash. They are never guarded.
    std::vector<std::string> own;
  };

  explicit Gateways(Options options);

  /// Aborts all calls in flight. Must run while the io contexts of the callers still exist.
  void stop(Moment until) override { http_.stop(until); }

  /// True for exactly the address of a gateway of the operator.
  bool is_own(std::string_view url) const;
  /// The reason why an address cannot be that of a business's gateway, as the end of a sentence; nullopt if
  /// it can.
  std::optional<std::string> url_problem(std::string_view url) const;

  /// Returns a connection to a gateway; all its calls end within `limit` from now.
  std::unique_ptr<connectors::Gateway> open(const connectors::GatewayConnector& connector,
                                            connectors::GatewayAccount account, const Guid& business,
                                            const Clock& clock, Duration limit);

 private:
  const Options options_;
  CallPlaces places_;
  net::HttpClient http_;
};

}  // namespace waybill::api
