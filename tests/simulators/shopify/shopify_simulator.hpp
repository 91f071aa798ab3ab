#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/receiver.hpp"
#include "tests/simulators/shopify/shopify_shop.hpp"

namespace waybill::tests {

/// A Shopify store: the client credentials grant and the Admin GraphQL API of 2026 for orders, products and
/// fulfillments, after shopify.dev. It returns only the requested fields. Thread-safe.
class ShopifySimulator {
 public:
  static constexpr std::string_view client_id = "4f1c0ffee";
  static constexpr std::string_view client_secret = "shpss_0123456789abcdef";
  static constexpr std::string_view fixed_token = "shpat_fixed";

  /// The faults of a GraphQL call.
  enum class Fault {
    server_error,    // 500
    unavailable,     // 503
    too_many,        // 429 with "Retry-After: 2.0"
    html,            // 200 with a page
    unauthorized,    // 401
    forbidden,       // 403
    not_found,       // 404
    frozen,          // 402
    redirect,        // 302 to another host
    cut,             // performed; half of the response
    lost,            // performed; the connection is reset before the response
    throttled,       // 200 with THROTTLED
    throttled_bare,  // THROTTLED without the cost
    internal_error,  // 200 with INTERNAL_SERVER_ERROR
    no_data,         // 200 with JSON that is not a GraphQL response
  };

  ShopifySimulator();
  ~ShopifySimulator();
  ShopifySimulator(const ShopifySimulator&) = delete;
  ShopifySimulator& operator=(const ShopifySimulator&) = delete;

  /// http://127.0.0.1:PORT
  std::string url() const;

  // The shop
  std::int64_t add_order(const json::object& fields = {});
  /// The changes are a second apart.
  void add_orders(std::size_t count);
  void change_order(std::int64_t id, const json::object& fields = {});
  void remove_order(std::int64_t id);
  json::object order(std::int64_t id);
  std::int64_t add_product(const json::object& fields = {});
  void change_product(std::int64_t id, const json::object& fields = {});
  void remove_product(std::int64_t id);
  /// All further changes happen in the same second.
  void freeze_time(bool is_frozen = true);
  std::size_t notifications();

  // The API
  void set_scopes(std::set<std::string> scopes);
  /// Limits in points; the plan has 2000, refills 100 a second, and allows 1000 for one query.
  void set_limits(double bucket, double restored_per_second, double max_query_cost);
  void without_limits();
  void use_cursors(ShopifyTable::Cursors cursors);
  /// Rejects every token granted so far.
  void expire_tokens();

  // Faults
  void fail_next(Fault fault, std::size_t times = 1);
  /// Fails after that many successful calls.
  void fail_after(std::size_t calls, Fault fault);
  /// Called before each page of a list (`orders`, `products`) is read, with its number; may change the shop.
  void before_page(std::function<void(std::size_t)> hook);
  /// Called before each operation of this name is performed.
  void before_call(std::string operation, std::function<void()> hook);
  /// Holds each response back until the gate opens.
  void hold(std::shared_ptr<Gate> gate);

  // Received requests
  /// Number of performed GraphQL calls with this operation name; all calls for "".
  std::size_t performed(std::string_view operation = {});
  std::size_t throttled();
  std::size_t too_costly();
  std::size_t grants();
  /// The distinct paths of the calls.
  std::set<std::string> paths();

 private:
  Reply answer(const Received& request);
  Reply grant(const Received& request);
  Reply graphql(const Received& request);
  std::optional<Reply> fault_before(Fault fault);
  json::object execute(const json::object& call);
  json::value execute_field(const GraphqlField& requested_field, const std::string& kind,
                            GraphqlProjection& projection);
  std::map<std::string, std::string> denied_fields() const;
  void run_hooks(const json::object& call);
  double points();
  json::object cost_of(double requested, const json::value& actual);
  bool has_scope(std::string_view right) const;

  std::mutex mutex_;
  ShopifyShop shop_;
  std::set<std::string> scopes_;
  std::set<std::string, std::less<>> tokens_;
  std::deque<std::optional<Fault>> faults_;  // nullopt: a successful call
  std::function<void(std::size_t)> page_hook_;
  std::size_t pages_ = 0;
  std::string hooked_call_;
  std::function<void()> call_hook_;
  std::shared_ptr<Gate> gate_;
  ShopifyTable::Cursors cursors_ = ShopifyTable::Cursors::key;
  double bucket_ = 2000, restored_ = 100, max_query_cost_ = 1000;
  double available_ = 2000;
  std::chrono::steady_clock::time_point available_at_ = std::chrono::steady_clock::now();
  std::map<std::string, std::size_t, std::less<>> performed_;
  std::size_t throttled_ = 0, too_costly_ = 0, grants_ = 0;
  std::set<std::string> paths_;
  std::unique_ptr<Receiver> receiver_;  // the last member: its threads use the others
};

}  // namespace waybill::tests
