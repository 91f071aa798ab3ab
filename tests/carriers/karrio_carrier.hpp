#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "tests/simulators/store_simulator.hpp"

namespace waybill::tests {

/// The carrier's answer with this error. `reaches_carrier`: the call has its effect nevertheless.
Fault carrier_refusal(int status, std::string code, std::string message, bool reaches_carrier = false,
                      Headers headers = {});
/// The connection ends before the carrier does anything.
Fault dropped_call();

/// The server of the carrier that Karrio's plug-in `testcarrier` (tests/packages/karrio/plugins) calls. It
/// knows nothing of Karrio's shipments: each purchase is a label of its own. Thread-safe.
class KarrioCarrier {
 public:
  /// The kinds of calls.
  enum class Call {
    rates,   // POST /rates
    buy,     // POST /labels
    cancel,  // POST /labels/{id}/void
    track,   // GET /tracking/{number}
    other,
  };

  struct Surcharge {
    std::string name, amount;
  };

  /// A service that an account can buy.
  struct Offer {
    std::string service;  // testcarrier_standard or testcarrier_express
    std::string price;
    std::string currency = "EUR";
    int days = 2;
    std::string name = {};  // empty: the service
    std::vector<Surcharge> charges = {};
  };

  /// A scan as Karrio passes it on. Empty texts are left out.
  struct Scan {
    std::string status;  // of the parcel, one of Karrio's: in_transit, delivered, …
    std::string description = {}, code = {}, location = {};
    std::string date = {}, time = {};  // "2026-05-04", "09:30 AM"; without a date: today
    std::string timestamp = {};        // "2026-05-04T09:30:00.000Z"
    bool has_status = true;            // false: only the parcel has the status, not the scan
  };

  /// An effect at the carrier. A call that the carrier refuses is not one.
  struct Entry {
    enum class Kind { bought, voided } kind = Kind::bought;
    std::string label_id, reference;
    std::vector<std::string> numbers;  // one for each parcel
    std::string account, service, price, currency;
    bool is_test = false, is_return = false;
  };

  /// The only key that the carrier accepts.
  static constexpr std::string_view key = "carrier-key-3d1f";

  KarrioCarrier();
  /// Opens every gate that a call waits for, and closes every connection.
  ~KarrioCarrier();
  KarrioCarrier(const KarrioCarrier&) = delete;
  KarrioCarrier& operator=(const KarrioCarrier&) = delete;

  /// The address without a slash at the end.
  std::string url() const;

  /// Offers of an account from now on; otherwise testcarrier_standard for 5.93 EUR and testcarrier_express
  /// for 12.40 EUR. An empty list: nothing is served.
  void set_offers(std::string_view account, std::vector<Offer> offers);
  /// The price that the next purchase charges instead of the offer's.
  void charge_next(std::string price);

  /// Applies the fault to the next `times` calls of the kind. See store_simulator.hpp for more faults:
  /// lost_answer, cut_answer, slow_answer (after the effect), failing_with (HTML), too_many_requests.
  void fail(Call call, Fault fault, std::size_t times = 1);
  void stop_failing();
  /// The next purchase takes effect once the gate opens.
  void hold_next_purchase(std::shared_ptr<Gate> gate);

  /// The number of calls of a kind, with those that failed.
  std::size_t count(Call call) const;
  std::vector<Received> received(Call call) const;
  /// False if there are fewer calls of the kind at the deadline. A call is counted before its gate is waited
  /// for.
  bool wait_for_calls(Call call, std::size_t count, Deadline deadline = default_deadline) const;

  /// All effects in their order.
  std::vector<Entry> journal() const;
  /// The purchases with this reference.
  std::vector<Entry> purchases(std::string_view reference) const;
  /// The voids of labels with this reference.
  std::vector<Entry> voids(std::string_view reference) const;

  /// Adds the newest scan of a number, which need not have a label.
  void add_scan(std::string_view number, Scan scan);
  /// Replaces all scans of a number, oldest first.
  void set_scans(std::string_view number, std::vector<Scan> scans);
  void set_estimated_delivery(std::string_view number, std::string date);

  /// The file of the label of one parcel; `format` is PDF, PNG or ZPL.
  static std::string label_file(std::string_view number, std::string_view format);

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::unique_ptr<Receiver> receiver_;
};

}  // namespace waybill::tests
