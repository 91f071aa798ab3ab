#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/connectors/woocommerce_simulator.hpp"

namespace waybill::tests {

/// What stands behind a WooCommerceSimulator: the site's records, and its answer to a request.
class WooCommerceState {
 public:
  using Options = WooCommerceSimulator::Options;
  using Rights = WooCommerceSimulator::Rights;
  using Call = WooCommerceSimulator::Call;

  explicit WooCommerceState(Options site) : options(std::move(site)) {}

  /// One of the site's orders or products. Times are whole seconds.
  struct Record {
    std::int64_t id = 0;
    Time created, modified;
    json::object fields;      // all but the dates
    std::string status = {};  // as in `fields`, for lists
    std::vector<json::object> trackings = {}, fulfillments = {}, notes = {};
    std::map<std::int64_t, Record> variations = {};
    std::string shown = {}, shown_fields = {};  // the JSON as last asked for, and with which _fields
  };
  using Records = std::map<std::int64_t, Record>;

  /// The answer, faults included.
  Reply handle(const Received& request);

  // The rest is under `mutex`.

  Time now() const;
  std::int64_t add_order(const json::object& fields, std::optional<Time> modified);
  std::int64_t add_product(const json::object& fields, std::optional<Time> modified);
  std::int64_t add_variation(std::int64_t product, const json::object& fields);
  void change(Record& record, const json::object& fields, std::optional<Time> modified);
  json::object shown(const Record& record) const;

  const Options options;
  mutable std::mutex mutex;
  Records orders, products;
  std::int64_t next_id = 727;
  std::string home;  // http://127.0.0.1:PORT/shop
  std::string key, secret;
  bool key_known = true;
  Rights rights = Rights::read_write;
  std::optional<Time> set_now;
  Duration clock_skew{};
  std::map<std::string, std::int64_t> nonces;  // and their timestamps
  std::function<void(std::size_t)> after_page;
  std::size_t pages = 0;
  std::vector<Call> calls;
  FaultScript faults;

 private:
  struct Asked {
    std::string method;
    std::string route;  // without slashes at its ends
    Parameters parameters;
    const Received* request = nullptr;
    json::value body = {};  // of the request
    bool listed = false;    // a page of a list was made
  };

  /// An error that ends authentication, or nullopt; `known` becomes true when there is a user.
  std::optional<Reply> authenticate(const Asked& asked, bool& known);
  std::optional<Reply> basic(const Asked& asked, bool& known);
  std::optional<Reply> oauth(const Asked& asked, bool& known);
  bool signature_fits(const Asked& asked, Parameters signed_parameters) const;
  std::optional<Reply> nonce_used(const Parameters& parameters);
  bool may(std::string_view method) const;

  Asked asked_of(const Received& request) const;
  Reply answer(Asked& asked);
  Reply dispatch(Asked& asked);
  Reply order_routes(Asked& asked, std::string_view rest);
  Reply one_order(const Asked& asked, Record& record, std::string_view rest);
  Reply order_notes(const Asked& asked, Record& record);
  Reply order_fulfillments(const Asked& asked, Record& record);
  Reply order_trackings(const Asked& asked, std::string_view rest, std::string_view own_route);
  Reply batch(const Asked& asked);
  Reply product_routes(Asked& asked, std::string_view rest);
  Reply list(Asked& asked, Records& records, bool are_orders);
  std::vector<Record*> chosen(const Asked& asked, Records& records, bool are_orders) const;
  const std::string& text_of(Record& record, const std::string& fields) const;
  Reply settings() const;
};

Reply woo_error(int status, std::string_view code, std::string_view message);

/// How far Europe/Berlin is ahead of UTC at a moment (since 1996: summer time from the last Sunday of March
/// to the last Sunday of October, 01:00 UTC).
Duration berlin_offset(Time at);
/// "2026-07-01T10:00:00", as WooCommerce writes its times.
std::string woo_time(Time at);

/// `fields` over `record`: objects of known names member by member.
void merge(json::object& record, const json::object& fields);

json::object plausible_order(std::int64_t id);
json::object plausible_product(std::int64_t id);
json::object plausible_variation(std::int64_t id, const json::object& product);

}  // namespace waybill::tests
