#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "tests/simulators/store_simulator.hpp"

namespace waybill::tests {

class WooCommerceState;

/// A WooCommerce store with its REST API v3: authentication as in class-wc-rest-authentication.php (OAuth
/// 1.0a over http, Basic or query parameters over https), lists as in WC_REST_CRUD_Controller, and a site in
/// Europe/Berlin. Thread-safe.
class WooCommerceSimulator {
 public:
  enum class Rights { read, write, read_write };

  struct Options {
    std::string path = {};  // path of the site, such as "/shop"
    bool https = false;
    bool plain_permalinks = false;      // /wp-json/ is a 404 page; the API is at /?rest_route=
    bool unaware_of_tls = false;        // behind a proxy that terminates TLS: the site assumes http
    bool drops_authorization = false;   // the web server hides the Authorization header from PHP
    bool before_5_8 = false;            // no modified_after, no orderby=modified
    bool counts_pages = true;           // false: a proxy removes X-WP-Total and X-WP-TotalPages
    bool shipment_tracking = false;     // wc-shipment-tracking/v3
    bool advanced_tracking = false;     // wc-ast/v3
    bool fulfillments = false;          // wc/v3/orders/{id}/fulfillments
    std::string weight_unit = "kg";     // kg, g, lbs, oz
    std::string dimension_unit = "cm";  // cm, m, mm, in, yd
  };

  /// A received call.
  struct Call {
    std::string method;
    std::string route;  // "wc/v3/orders/7"
    Parameters parameters;
    std::string body;
    int status = 0;  // status of the store before a fault
  };

  WooCommerceSimulator() : WooCommerceSimulator(Options{}) {}
  explicit WooCommerceSimulator(const Options& options);
  ~WooCommerceSimulator();
  WooCommerceSimulator(const WooCommerceSimulator&) = delete;
  WooCommerceSimulator& operator=(const WooCommerceSimulator&) = delete;

  /// The store's address: the storeUrl of a business's configuration.
  std::string url() const;
  std::string key() const { return "ck_4f1a8d9e"; }
  std::string secret() const { return "cs_b7c2d3e4f5a6"; }
  /// PEM of the certificate of an https store, for a client's ca_file.
  std::string certificate() const;

  /// Sets the permission of the key; read_write at first.
  void set_rights(Rights rights);
  /// Makes the key unknown.
  void revoke_key();
  /// Gives the key another secret.
  void set_secret(std::string secret);
  /// Sets the store's time, used for changes and the `Date` header; the system's time until set. The window
  /// of OAuth timestamps uses the system's time plus `set_clock_skew`.
  void set_now(Time now);
  void set_clock_skew(Duration skew);

  /// Adds an order with plausible fields and returns its id; `fields` replace them (objects, such as
  /// `billing`, member by member). `modified` is now by default, and date_created an hour earlier.
  std::int64_t add_order(const json::object& fields = {}, std::optional<Time> modified = std::nullopt);
  /// Adds `count` orders, the first changed at `first`, each further one `step` later. Returns the first id.
  std::int64_t add_orders(std::size_t count, Time first, Duration step);
  /// Merges fields like `add_order` and sets the order's time of change.
  void change_order(std::int64_t id, const json::object& fields, std::optional<Time> modified = std::nullopt);
  /// Adds a refund: a refund of the total sets the status `refunded`, a smaller one keeps the status.
  void refund_order(std::int64_t id, std::string_view amount, bool all);
  /// Adds a refund of these quantities of the order's lines, by their ids; the status stays.
  void refund_lines(std::int64_t id, const std::map<std::int64_t, double>& quantities);
  /// Makes the store fail whenever it shows the order or product with more than its state.
  void break_order(std::int64_t id, bool is_broken = true);
  void break_product(std::int64_t id);
  void trash_order(std::int64_t id);
  void delete_order(std::int64_t id);

  std::int64_t add_product(const json::object& fields = {}, std::optional<Time> modified = std::nullopt);
  void change_product(std::int64_t id, const json::object& fields);
  /// The status `trash` of a product moves it to the bin instead.
  void delete_product(std::int64_t id);
  std::int64_t add_variation(std::int64_t product_id, const json::object& fields = {});

  /// The order as the API shows it; null if it does not exist.
  json::value order(std::int64_t id) const;
  /// The tracking numbers sent to an order, by any method.
  std::vector<json::object> trackings(std::int64_t id) const;
  std::vector<json::object> fulfillments(std::int64_t id) const;
  std::vector<json::object> notes(std::int64_t id) const;

  /// Applies the fault to the next `times` matching calls.
  void fail(Fault fault, std::size_t times = 1);
  void stop_failing();
  /// Called after each page of a list is built and before it is sent, with the number of pages so far. May
  /// call any method of the simulator.
  void after_page(std::function<void(std::size_t pages)> act);

  std::vector<Call> calls() const;
  /// Number of calls whose route contains this part.
  std::size_t count(std::string_view method, std::string_view route_part) const;
  void forget_calls();

 private:
  class Server;
  std::unique_ptr<WooCommerceState> state_;
  std::unique_ptr<Server> server_;
};

}  // namespace waybill::tests
