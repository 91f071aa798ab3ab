#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "tests/simulators/store_simulator.hpp"

namespace waybill::tests {

/// EasyPost's answer with this error. `reaches_carrier`: the call has its effect nevertheless.
Fault easypost_refusal(int status, std::string_view code, bool reaches_carrier = false, Headers headers = {});
/// 429 RATE_LIMITED with this Retry-After.
Fault easypost_busy(std::string retry_after);

/// EasyPost v2 as its documentation (docs.easypost.com) and its client for Node describe it. A key sees the
/// objects of its user and mode only. Thread-safe.
class EasyPostSimulator {
 public:
  /// The kinds of calls.
  enum class Call {
    carrier_accounts,   // GET /carrier_accounts
    create_shipment,    // POST /shipments
    retrieve_shipment,  // GET /shipments/{id or reference}
    list_shipments,     // GET /shipments
    buy,                // POST /shipments/{id}/buy
    label,              // GET /shipments/{id}/label
    refund,             // POST /shipments/{id}/refund
    create_tracker,     // POST /trackers
    retrieve_tracker,   // GET /trackers/{id}
    list_trackers,      // GET /trackers
    label_file,         // a file of a label, without credentials
    other,
  };

  struct User {
    std::string id, test_key, live_key;
  };

  /// A service that a carrier account offers.
  struct Offer {
    std::string service, price;
    std::string currency = "USD";
    int days = 2;
    std::optional<std::string> delivery_date = {};
  };

  /// A scan of a carrier.
  struct Scan {
    std::string status;  // EasyPost's: in_transit, delivered, …
    std::string status_detail = "unknown";
    std::string message = {};
    std::string datetime = {};  // as it is shown; empty: now
    std::string carrier_code = {};
    std::string city = {}, state = {}, country = {};
  };

  /// An effect at the carrier. A purchase or a refund that the simulator refuses is not one.
  struct Entry {
    enum class Kind { bought, refunded } kind = Kind::bought;
    std::string shipment_id, reference, tracking_code;
    std::string user_id, mode;  // "test" or "production"
    std::string carrier_account, service, price, currency;
  };

  /// A call of a webhook as EasyPost sends it.
  struct WebhookCall {
    std::string body;
    Headers headers;
    std::string event_id;
  };

  /// Starts with one user, who has one carrier account (USPS, two services).
  EasyPostSimulator();
  /// Opens every gate that a call waits for, and closes every connection.
  ~EasyPostSimulator();
  EasyPostSimulator(const EasyPostSimulator&) = delete;
  EasyPostSimulator& operator=(const EasyPostSimulator&) = delete;

  /// The address with the version, such as http://127.0.0.1:4711/v2.
  std::string url() const;

  User user() const;                    // the first one
  std::string carrier_account() const;  // that of the first user: ca_…
  User add_user();                      // without a carrier account
  std::string add_carrier_account(const User& user, std::string carrier = "USPS");
  void remove_carrier_account(std::string_view account);
  /// The key is unknown from now on.
  void revoke_key(std::string_view key);

  /// Offers of later shipments. An empty list: no rates.
  void set_offers(std::string_view account, std::vector<Offer> offers);
  /// `messages[]` of later shipments, each of the form {type, message}.
  void set_messages(std::string_view account, json::array messages);
  /// The price that the next purchase charges instead of its rate.
  void charge_next(std::string price);
  /// Members that the selected rate of the next purchase has instead of those of its rate.
  void sell_next(json::object rate);
  /// The state of later refunds; submitted until set. `rejected` and `not_applicable` have no effect at the
  /// carrier.
  void set_refund_answer(std::string status);
  /// Moves the refund of a shipment, such as from submitted to refunded.
  void set_refund_status(std::string_view shipment_id, std::string_view status);

  /// Applies the fault to the next `times` calls of the kind (see store_simulator.hpp for more faults).
  void fail(Call call, Fault fault, std::size_t times = 1);
  void stop_failing();
  /// The next purchase takes effect once the gate opens; until then, others of the same shipment are refused
  /// as SHIPMENT.PURCHASE.IN_PROGRESS.
  void hold_next_purchase(std::shared_ptr<Gate> gate);

  /// The number of calls of a kind, with those that failed.
  std::size_t count(Call call) const;
  std::vector<Received> received(Call call) const;
  /// False if there are fewer calls of the kind at the deadline. A call is counted before its gate is waited
  /// for.
  bool wait_for_calls(Call call, std::size_t count, Deadline deadline = default_deadline) const;

  /// All effects at the carrier in their order.
  std::vector<Entry> journal() const;
  /// The purchases with this reference.
  std::vector<Entry> purchases(std::string_view reference) const;
  /// The ids of the shipments with this reference, bought or not.
  std::vector<std::string> shipments(std::string_view reference) const;
  /// The shipment as the API shows it; null if it does not exist.
  json::value shipment(std::string_view id) const;

  /// Adds a scan to the trackers of a number, and sets their status.
  void add_scan(std::string_view tracking_code, const Scan& scan);
  void set_estimated_delivery(std::string_view tracking_code, std::string_view datetime);
  /// The event `tracker.updated` of the newest tracker of a number, signed with the secret. Throws
  /// std::out_of_range without a tracker.
  WebhookCall tracker_updated(std::string_view tracking_code, std::string_view secret) const;

  /// The file of a label; `format` is PDF, PNG or ZPL. PDF and ZPL show the number, PNG has it in a comment.
  static std::string label_file(std::string_view tracking_code, std::string_view format);

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::unique_ptr<Receiver> receiver_;
};

}  // namespace waybill::tests
