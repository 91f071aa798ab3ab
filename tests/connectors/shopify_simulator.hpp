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

#include "tests/connectors/shopify_shop.hpp"
#include "tests/harness/receiver.hpp"

namespace waybill::tests {

/// A Shopify store: the client credentials grant and the Admin GraphQL API of 2026, as far as orders,
/// products and fulfillments go, by shopify.dev. It answers the fields asked for and no others. Everything is
/// thread-safe.
class ShopifySimulator {
 public:
  static constexpr std::string_view client_id = "4f1c0ffee";
  static constexpr std::string_view client_secret = "shpss_0123456789abcdef";
  static constexpr std::string_view fixed_token = "shpat_fixed";

  /// How a GraphQL call goes wrong.
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
    cut,             // performed; half of the answer
    lost,            // performed; the connection is reset before the answer
    throttled,       // 200 with THROTTLED
    throttled_bare,  // the same without telling the cost
    internal_error,  // 200 with INTERNAL_SERVER_ERROR
    no_data,         // 200 with JSON that is no GraphQL answer
  };

  ShopifySimulator();
  ~ShopifySimulator();
  ShopifySimulator(const ShopifySimulator&) = delete;
  ShopifySimulator& operator=(const ShopifySimulator&) = delete;

  /// http://127.0.0.1:PORT
  std::string url() const;

  // The shop.
  std::int64_t add_order(const json::object& fields = {});
  /// A second apart.
  void add_orders(std::size_t count);
  void change_order(std::int64_t id, const json::object& fields = {});
  void remove_order(std::int64_t id);
  json::object order(std::int64_t id);
  std::int64_t add_product(const json::object& fields = {});
  void change_product(std::int64_t id, const json::object& fields = {});
  /// Changes from now on happen in one and the same second.
  void stand_still(bool still = true);
  std::size_t notifications();

  // The API.
  void set_scopes(std::set<std::string> scopes);
  /// Points; the plan's are 2000, 100 a second, and 1000 for one query.
  void set_limits(double bucket, double restored_a_second, double dearest_query);
  void without_limits();
  void use_cursors(ShopifyTable::Cursors cursors);
  /// Every token given so far is refused from now on.
  void expire_tokens();

  // Faults.
  void fail_next(Fault fault, std::size_t times = 1);
  /// After that many calls that go well.
  void fail_after(std::size_t calls, Fault fault);
  /// Called before each page of a list (`orders` or `products`) is read, with its number from 1 on; it may
  /// change the shop.
  void before_page(std::function<void(std::size_t)> hook);
  /// Called before each operation of this name is performed.
  void before_call(std::string operation, std::function<void()> hook);
  /// Holds each answer back until the gate opens.
  void hold(std::shared_ptr<Gate> gate);

  // What came.
  /// GraphQL calls that were performed, of an operation of this name; of all with "".
  std::size_t performed(std::string_view operation = {});
  std::size_t throttled();
  std::size_t too_costly();
  std::size_t grants();
  /// The paths called, each once.
  std::set<std::string> paths();

 private:
  Reply answer(const Received& request);
  Reply grant(const Received& request);
  Reply graphql(const Received& request);
  std::optional<Reply> fault_before(Fault fault);
  json::object execute(const json::object& call);
  json::value execute_field(const GraphqlField& asked, const std::string& kind,
                            GraphqlProjection& projection);
  std::map<std::string, std::string> denied_fields() const;
  void run_hooks(const json::object& call);
  double points();
  json::object cost_of(double requested, const json::value& actual);
  bool may(std::string_view what) const;

  std::mutex mutex_;
  ShopifyShop shop_;
  std::set<std::string> scopes_;
  std::set<std::string, std::less<>> tokens_;
  std::deque<std::optional<Fault>> faults_;  // nullopt: a call that goes well
  std::function<void(std::size_t)> page_hook_;
  std::size_t pages_ = 0;
  std::string hooked_call_;
  std::function<void()> call_hook_;
  std::shared_ptr<Gate> gate_;
  ShopifyTable::Cursors cursors_ = ShopifyTable::Cursors::key;
  double bucket_ = 2000, restored_ = 100, dearest_ = 1000;
  double available_ = 2000;
  std::chrono::steady_clock::time_point available_at_ = std::chrono::steady_clock::now();
  std::map<std::string, std::size_t, std::less<>> performed_;
  std::size_t throttled_ = 0, too_costly_ = 0, grants_ = 0;
  std::set<std::string> paths_;
  std::unique_ptr<Receiver> receiver_;  // the last: its threads use what is above
};

}  // namespace waybill::tests
