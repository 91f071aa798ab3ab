#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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

  // The other members are guarded by `mutex`.

  Time now() const;
  std::int64_t add_order(const json::object& fields, std::optional<Time> modified);
  std::int64_t add_product(const json::object& fields, std::optional<Time> modified);
  std::int64_t add_variation(std::int64_t product, const json::object& fields);
  void change(Record& record, const json::object& fields, std::optional<Time> modified);
  json::object to_response(const Record& record) const;

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
  std::map<std::string, std::int64_t> nonces;  // with their timestamps
  std::function<void(std::size_t)> after_page;
  std::size_t pages = 0;
  std::vector<Call> calls;
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
  std::optional<Reply> authenticate(const ParsedRequest& parsed, bool& known);
  std::optional<Reply> basic(const ParsedRequest& parsed, bool& known);
  std::optional<Reply> oauth(const ParsedRequest& parsed, bool& known);
  bool signature_matches(const ParsedRequest& parsed, Parameters signed_parameters) const;
  std::optional<Reply> nonce_used(const Parameters& parameters);
  bool is_allowed(std::string_view method) const;

  ParsedRequest parse(const Received& request) const;
  Reply answer(ParsedRequest& parsed);
  Reply dispatch(ParsedRequest& parsed);
  Reply order_routes(ParsedRequest& parsed, std::string_view rest);
  Reply one_order(const ParsedRequest& parsed, Record& record, std::string_view rest);
  Reply order_notes(const ParsedRequest& parsed, Record& record);
  Reply order_fulfillments(const ParsedRequest& parsed, Record& record, std::string_view rest);
  Reply order_trackings(const ParsedRequest& parsed, std::string_view rest, std::string_view own_route);
  Reply batch(const ParsedRequest& parsed);
  Reply product_routes(ParsedRequest& parsed, std::string_view rest);
  Reply list(ParsedRequest& parsed, Records& records, bool are_orders);
  std::vector<Record*> selected(const ParsedRequest& parsed, Records& records, bool are_orders) const;
  /// True if the store fails to show one of the records with these fields.
  static bool fails(const Record& record, const std::string& fields);
  const std::string& text_of(Record& record, const std::string& fields) const;
  Reply settings() const;
};

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
