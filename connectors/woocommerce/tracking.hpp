#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "connectors/woocommerce/client.hpp"

namespace waybill::connectors {

/// Pushes tracking numbers to one store, in the way that the store knows: a plugin's, the core's
/// fulfillments, else a note to the buyer. Whichever it is, the order becomes `completed`.
class WooTracking {
 public:
  explicit WooTracking(WooClient& client) : client_(client) {}

  /// As Store::push_tracking.
  asio::awaitable<bool> push(StoreTracking tracking);

 private:
  enum class Dialect { shipment_tracking, advanced_tracking, fulfillments, note };

  // What the store has of an order's parcels in a dialect; nullopt when it has not this dialect.
  asio::awaitable<std::optional<json::array>> parcels(Dialect dialect, const std::string& order_id);
  asio::awaitable<json::array> discover(const std::string& order_id);
  asio::awaitable<bool> push_note(const StoreTracking& tracking, const json::value& order);

  WooClient& client_;
  std::optional<Dialect> dialect_;
};

}  // namespace waybill::connectors
