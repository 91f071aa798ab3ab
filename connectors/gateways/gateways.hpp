#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/call_places.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/service.hpp"
#include "connectors/carrier_gateway.hpp"
#include "net/destination/destination.hpp"
#include "net/destination/destination_counts.hpp"
#include "net/http/http_client.hpp"

namespace waybill::connectors {

/// The calls of the API or of a worker to gateways of carriers, on a thread and connections of their own. A
/// business has at most four calls at a time to one kind of gateway; others wait. Any thread. A crash loses
/// the calls in flight.
class Gateways final : public Service {
 public:
  struct Options {
    net::DestinationPolicy policy;
    std::string ca_file;
    /// The gateways of the operator (--carrier-gateway), without a trailing slash. They are never guarded.
    std::vector<std::string> own;
    net::DestinationCounts* counts = nullptr;  // counts the calls; outlives the gateways
  };

  explicit Gateways(Options options);

  /// Lets all later requests fail as cancelled. Those in flight continue.
  void close() { is_closed_ = true; }
  /// Aborts all calls in flight. No request may begin during it, and the io contexts of the callers must
  /// still exist.
  void stop(Moment until) override {
    close();
    http_.stop(until);
  }

  /// True for exactly the address of a gateway of the operator.
  bool is_own(std::string_view url) const;
  /// The reason why an address cannot be that of a business's gateway, as the end of a sentence; nullopt if
  /// it can.
  std::optional<std::string> url_problem(std::string_view url) const;

  /// `at_once` is for a caller that limits its calls itself: a purchase must not wait for a place after its
  /// row says that it is bought.
  enum class Turn : std::uint8_t { in_line, at_once };

  /// Returns a connection to a gateway; all its calls end within `limit` from now.
  std::unique_ptr<Gateway> open(const GatewayConnector& connector, GatewayAccount account,
                                const Guid& business, const Clock& clock, Duration limit,
                                Turn turn = Turn::in_line);

 private:
  const Options options_;
  CallPlaces places_;
  std::atomic<bool> is_closed_ = false;
  net::HttpClient http_;
};

}  // namespace waybill::connectors
