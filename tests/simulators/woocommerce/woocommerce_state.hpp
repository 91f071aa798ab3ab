#pragma once

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread/mutex.hpp"
#include "tests/simulators/woocommerce/woocommerce_simulator.hpp"

namespace waybill::tests {

/// The state of a WooCommerceSimulator: the site's records, and its response to a request.
class WooCommerceState {
 public:
  using Options = WooCommerceSimulator::Options;
  using Rights = WooCommerceSimulator::Rights;
  using Call = WooCommerceSimulator::Call;

  explicit WooCommerceState(Options site) : options(std::move(site)) {}

  /// An order or product of the site. Times are whole seconds.
  struct Record {
    std::int64_t id = 0;
    Time created, modified;
    json::object fields;      // all except the dates
    std::string status = {};  // as in `fields`, for lists
    std::vector<json::object> trackings = {}, fulfillments = {}, notes = {}, refunds = {};
    bool is_broken = false;  // the store fails when it shows more than the state
    std::map<std::int64_t, Record> variations = {};
    std::string cached_json = {}, cached_fields = {};  // cached JSON and its _fields
  };
  using Records = std::map<std::int64_t, Record>;

  /// The response to a request, faults included.
  Reply handle(const Received& request);

  Time now() const REQUIRES(mutex);
  std::int64_t add_order(const json::object& fields, std::optional<Time> modified) REQUIRES(mutex);
  std::int64_t add_product(const json::object& fields, std::optional<Time> modified) REQUIRES(mutex);
  std::int64_t add_variation(std::int64_t product, const json::object& fields) REQUIRES(mutex);
  void change(Record& record, const json::object& fields, std::optional<Time> modified) REQUIRES(mutex);
  json::object to_response(const Record& record) const REQUIRES(mutex);

  const Options options;
  mutable Mutex mutex;
  Records orders GUARDED_BY(mutex);
  Records products GUARDED_BY(mutex);
  std::int64_t next_id GUARDED_BY(mutex) = 727;
  std::string home GUARDED_BY(mutex);  // http://127.0.0.1:PORT/shop
  std::string key GUARDED_BY(mutex);
  std::string secret GUARDED_BY(mutex);
  bool key_known GUARDED_BY(mutex) = true;
  Rights rights GUARDED_BY(mutex) = Rights::read_write;
  std::optional<Time> set_now GUARDED_BY(mutex);
  Duration clock_skew GUARDED_BY(mutex){};
  std::map<std::string, std::int64_t> nonces GUARDED_BY(mutex);  // with their timestamps
  std::function<void(std::size_t)> after_page GUARDED_BY(mutex);
  std::size_t pages GUARDED_BY(mutex) = 0;
  std::vector<Call> calls GUARDED_BY(mutex);
  FaultScript faults;

 private:
  struct ParsedRequest {
    std::string method;
    std::string route;  // without leading and trailing slashes
    Parameters parameters;
    const Received* request = nullptr;
    json::value body = {};  // body of the request
    bool listed = false;    // a page of a list was built
  };

  /// The error of a failed authentication, or nullopt; `known` becomes true if the user is known.
  std::optional<Reply> authenticate(const ParsedRequest& parsed, bool& known) REQUIRES(mutex);
  std::optional<Reply> basic(const ParsedRequest& parsed, bool& known) REQUIRES(mutex);
  std::optional<Reply> oauth(const ParsedRequest& parsed, bool& known) REQUIRES(mutex);
  bool signature_matches(const ParsedRequest& parsed, Parameters signed_parameters) const REQUIRES(mutex);
  std::optional<Reply> nonce_used(const Parameters& parameters) REQUIRES(mutex);
  bool is_allowed(std::string_view method) const REQUIRES(mutex);

  ParsedRequest parse(const Received& request) const REQUIRES(mutex);
  Reply answer(ParsedRequest& parsed) REQUIRES(mutex);
  Reply dispatch(ParsedRequest& parsed) REQUIRES(mutex);
  Reply order_routes(ParsedRequest& parsed, std::string_view rest) REQUIRES(mutex);
  Reply one_order(const ParsedRequest& parsed, Record& record, std::string_view rest) REQUIRES(mutex);
  Reply order_notes(const ParsedRequest& parsed, Record& record) REQUIRES(mutex);
  Reply order_fulfillments(const ParsedRequest& parsed, Record& record, std::string_view rest)
      REQUIRES(mutex);
  Reply order_trackings(const ParsedRequest& parsed, std::string_view rest, std::string_view own_route)
      REQUIRES(mutex);
  Reply batch(const ParsedRequest& parsed) REQUIRES(mutex);
  Reply product_routes(ParsedRequest& parsed, std::string_view rest) REQUIRES(mutex);
  Reply list(ParsedRequest& parsed, Records& records, bool are_orders) REQUIRES(mutex);
  std::vector<Record*> selected(const ParsedRequest& parsed, Records& records, bool are_orders) const
      REQUIRES(mutex);
  /// True if the store fails to show one of the records with these fields.
  static bool fails(const Record& record, const std::string& fields);
  const std::string& text_of(Record& record, const std::string& fields) const REQUIRES(mutex);
  Reply settings() const REQUIRES(mutex);
};

/// A parameter of the query, or `otherwise`.
std::string parameter(const Parameters& parameters, const std::string& name,
                      const std::string& otherwise = {});

/// The answer of a site with a fatal error of PHP.
Reply critical_error();
Reply woo_error(int status, std::string_view code, std::string_view message);

/// The offset of Europe/Berlin from UTC at a time (since 1996: summer time from the last Sunday of March to
/// the last Sunday of October, 01:00 UTC).
Duration berlin_offset(Time at);
/// A time in WooCommerce's format: "2026-07-01T10:00:00".
std::string woo_time(Time at);

/// Merges `fields` into `record`: objects of known names member by member.
void merge(json::object& record, const json::object& fields);

json::object plausible_order(std::int64_t id);
json::object plausible_product(std::int64_t id);
json::object plausible_variation(std::int64_t id, const json::object& product);

}  // namespace waybill::tests
