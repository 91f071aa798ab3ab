#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "tests/carriers/easypost_simulator.hpp"

namespace waybill::tests {

/// The objects of the simulated EasyPost, and its calls. `decide` locks the mutex by itself; its owner holds
/// it for everything else.
struct EasyPostSimulator::State {
  struct Route {
    Call call = Call::other;
    std::string id;
    Parameters query;
  };
  struct Caller {
    std::string user;
    bool live = false;
    std::string_view mode() const { return live ? "production" : "test"; }
    bool operator==(const Caller&) const = default;
  };
  struct Account {
    std::string id, user, carrier, created_at;
    std::vector<Offer> offers;
    json::array messages;
  };
  struct Record {
    json::object body;
    Caller owner;
    bool is_buying = false;
  };
  // The state of a parcel at its carrier.
  struct Parcel {
    json::array details;
    std::string status = "unknown", status_detail = "unknown", earlier_status = "unknown";
    json::value estimated_delivery;
  };
  struct PendingFault {
    Call call;
    Fault fault;
    std::size_t left;
  };

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::string origin;
  User first_user;
  std::string first_account;
  std::map<std::string, Caller, std::less<>> keys;
  std::deque<Account> accounts;
  std::deque<Record> shipments, trackers;  // oldest first
  std::map<std::string, Parcel, std::less<>> parcels;
  std::vector<Entry> entries;
  std::map<Call, std::vector<Received>> calls;
  std::deque<PendingFault> faults;
  std::deque<std::shared_ptr<Gate>> purchase_gates;
  std::vector<std::shared_ptr<Gate>> gates;
  json::object next_rate;  // members of the selected rate of the next purchase
  std::string refund_answer = "submitted";
  bool stopped = false;

  // Registration
  User add_user();
  std::string add_account(const std::string& user, std::string carrier);
  Account& account(std::string_view id);

  // Calls
  static Route route_of(const Received& request);
  Reply decide(const Received& request);
  std::optional<Fault> take_fault(Call call);
  void keep_gate(const std::shared_ptr<Gate>& gate);
  std::optional<Caller> caller_of(const Received& request) const;
  Reply perform(const Route& route, const Received& request, std::unique_lock<std::mutex>& lock);

  // The oldest one, since a reference is not unique.
  Record* find_shipment(const Caller& caller, std::string_view id_or_reference);
  Record* shipment_with_id(std::string_view id);
  Reply list_accounts(const Caller& caller) const;

  // Shipments
  static json::object made(std::string_view prefix, std::string_view type, const Caller& caller,
                           const json::object& given = {});
  static json::object made_address(const Caller& caller, const json::object& given);
  static json::value made_parcel(const Caller& caller, const json::object& given);
  static json::value made_customs(const Caller& caller, const json::object* given);

  // The accounts that a new shipment names; all without a name. nullopt if one of them does not exist.
  std::optional<std::vector<const Account*>> accounts_of(const Caller& caller, const json::object& given);
  static json::object made_rate(const Caller& caller, const Account& account, const Offer& offer,
                                const json::value& shipment_id);
  Reply create_shipment(const Caller& caller, const json::value& body);
  json::object shown_shipment(const Record& shipment) const;
  static bool is_bought(const Record& shipment) { return !shipment.body.at("postage_label").is_null(); }
  Reply buy(Record& shipment, const json::value& body, std::unique_lock<std::mutex>& lock);
  void complete_purchase(Record& shipment, json::object rate);
  void record_effect(Entry::Kind kind, const json::object& shipment, const Caller& owner,
                     const json::object& rate, const std::string& code);
  std::string label_url(const json::object& label, const std::string& format) const;

  // A label is converted from PNG only.
  Reply convert_label(Record& shipment, const Parameters& query);
  Reply file(const std::string& target) const;
  Reply refund(Record& shipment);

  // Lists

  // A page of those records of the caller that `fits` accepts, newest first.
  template <class Fits, class Show>
  static Reply page(const std::deque<Record>& records, std::string_view name, const Caller& caller,
                    const Parameters& query, Fits fits, Show show);
  Reply list_shipments(const Caller& caller, const Parameters& query) const;
  Reply list_trackers(const Caller& caller, const Parameters& query) const;

  // Trackers
  const Record& add_tracker(const Caller& caller, const std::string& code, const std::string& carrier,
                            const json::object* shipment);
  Reply create_tracker(const Caller& caller, const json::value& body);
  json::object shown_tracker(const Record& tracker) const;
  void add_scan(std::string_view code, const Scan& scan);
  json::object updated_event(std::string_view code) const;
};

}  // namespace waybill::tests
