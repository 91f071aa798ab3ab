#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "tests/connectors/store_simulator.hpp"

namespace waybill::tests {

class WooCommerceState;

/// A WooCommerce store as its REST API v3 shows it: authentication as class-wc-rest-authentication.php does
/// it (OAuth 1.0a over http, Basic or the query over https), lists as WC_REST_CRUD_Controller makes them,
/// with a site in Europe/Berlin. Everything is thread-safe.
class WooCommerceSimulator {
 public:
  enum class Rights { read, write, read_write };

  struct Options {
    std::string path = {};  // where the site lives, such as "/shop"
    bool https = false;
    bool plain_permalinks = false;      // /wp-json/ is a 404 page; the API is at /?rest_route=
    bool unaware_of_tls = false;        // behind a proxy that ends TLS: the site believes it is on http
    bool drops_authorization = false;   // the web server keeps the Authorization header from PHP
    bool before_5_8 = false;            // no modified_after, no orderby=modified
    bool counts_pages = true;           // false: something on the way removes X-WP-Total and X-WP-TotalPages
    bool shipment_tracking = false;     // wc-shipment-tracking/v3
    bool advanced_tracking = false;     // wc-ast/v3
    bool fulfillments = false;          // wc/v3/orders/{id}/fulfillments
    std::string weight_unit = "kg";     // kg, g, lbs, oz
    std::string dimension_unit = "cm";  // cm, m, mm, in, yd
  };

  /// A call as it came in.
  struct Call {
    std::string method;
    std::string route;  // "wc/v3/orders/7"
    Parameters parameters;
    std::string body;
    int status = 0;  // as the store answered, before a fault
  };

  WooCommerceSimulator() : WooCommerceSimulator(Options{}) {}
  explicit WooCommerceSimulator(const Options& options);
  ~WooCommerceSimulator();
  WooCommerceSimulator(const WooCommerceSimulator&) = delete;
  WooCommerceSimulator& operator=(const WooCommerceSimulator&) = delete;

  /// The store's address: what a business gives as storeUrl.
  std::string url() const;
  std::string key() const { return "ck_4f1a8d9e"; }
  std::string secret() const { return "cs_b7c2d3e4f5a6"; }
  /// PEM of the certificate that an https store shows; for a client's ca_file.
  std::string certificate() const;

  /// What the key may do; read_write at first.
  void set_rights(Rights rights);
  /// The key is unknown from now on.
  void revoke_key();
  /// Another secret belongs to the key from now on.
  void set_secret(std::string secret);
  /// The store's time, as it stamps changes and sends it as `Date`; the system's until set. The window of
  /// OAuth timestamps is judged by the system's time plus `set_clock_skew`.
  void set_now(Time now);
  void set_clock_skew(Duration skew);

  /// An order with plausible fields; `fields` replace them (objects, such as `billing`, member by member).
  /// Answers its id. `modified` is now by default, and date_created an hour before.
  std::int64_t add_order(const json::object& fields = {}, std::optional<Time> modified = std::nullopt);
  /// `count` orders, the first changed at `first`, each further `step` later. Answers the first one's id.
  std::int64_t add_orders(std::size_t count, Time first, Duration step);
  /// As `add_order` merges, and stamps the order as changed.
  void change_order(std::int64_t id, const json::object& fields, std::optional<Time> modified = std::nullopt);
  /// Adds a refund: all of the total makes the order `refunded`, less keeps its status.
  void refund_order(std::int64_t id, std::string_view amount, bool all);
  void trash_order(std::int64_t id);
  void delete_order(std::int64_t id);

  std::int64_t add_product(const json::object& fields = {}, std::optional<Time> modified = std::nullopt);
  std::int64_t add_variation(std::int64_t product_id, const json::object& fields = {});

  /// The order as the API shows it; null when there is none.
  json::value order(std::int64_t id) const;
  /// What was pushed to an order, by whichever way.
  std::vector<json::object> trackings(std::int64_t id) const;
  std::vector<json::object> fulfillments(std::int64_t id) const;
  std::vector<json::object> notes(std::int64_t id) const;

  /// The next `times` calls that the fault is for meet it.
  void fail(Fault fault, std::size_t times = 1);
  void stop_failing();
  /// Called after each page of a list was made, before it is sent, with the number of pages so far. May call
  /// anything of the simulator.
  void after_page(std::function<void(std::size_t pages)> act);

  std::vector<Call> calls() const;
  /// Of calls whose route has this part.
  std::size_t count(std::string_view method, std::string_view route_part) const;
  void forget_calls();

 private:
  class Server;
  std::unique_ptr<WooCommerceState> state_;
  std::unique_ptr<Server> server_;
};

}  // namespace waybill::tests
