#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "connectors/woocommerce/client.hpp"

namespace waybill::connectors {

/// The key of WooCommerce's order fulfillments for a carrier of the catalogue; "other" for a carrier that
/// WooCommerce does not have.
std::string_view woo_shipping_provider(std::string_view carrier_code);

struct WooPart;

/// Sends tracking numbers to one store by the best way that the store supports: a tracking plugin, the
/// core's fulfillments, or else a note to the buyer. In each case the order becomes `completed` once nothing
/// is left for a later parcel.
class WooTracking {
 public:
  explicit WooTracking(WooClient& client) : client_(client) {}

  /// Implements Store::send_tracking.
  asio::awaitable<bool> send(StoreTracking tracking);

 private:
  enum class Dialect { shipment_tracking, advanced_tracking, fulfillments, note };

  // The order's parcels that the store has in a dialect; nullopt if the store does not support the dialect.
  asio::awaitable<std::optional<json::array>> parcels(Dialect dialect, const std::string& order_id);
  asio::awaitable<json::array> discover(const std::string& order_id);
  // The part of the order that the parcel may have; what was paid back is in no parcel.
  asio::awaitable<WooPart> part_of(const json::value& order, const StoreTracking& tracking);
  asio::awaitable<bool> send_note(const StoreTracking& tracking, const json::value& order, bool is_last);
  // Adds a new parcel to those that are known.
  asio::awaitable<bool> send_fulfillment(const StoreTracking& tracking, const json::value& order,
                                         const WooPart& part, json::array& known);
  asio::awaitable<bool> send_plugin(const StoreTracking& tracking, const json::array& known);

  WooClient& client_;
  std::optional<Dialect> dialect_;
};

}  // namespace waybill::connectors
