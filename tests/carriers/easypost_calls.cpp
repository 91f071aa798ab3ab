#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/crypto.hpp"
#include "base/number.hpp"
#include "tests/carriers/easypost_answers.hpp"
#include "tests/carriers/easypost_state.hpp"

namespace waybill::tests {

using easypost::answer;
using easypost::missing;
using easypost::new_id;
using easypost::now_text;
using easypost::object_in;
using easypost::refusal;
using easypost::string_in;

EasyPostSimulator::State::Route EasyPostSimulator::State::route_of(const Received& request) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  Route route{.query = query_parameters(request.target)};
  const auto is = [&](std::string_view method) { return request.method == method; };
  if (path.starts_with("/labels/")) {
    if (is("GET")) route.call = Call::label_file;
    return route;
  }
  std::vector<std::string> parts;
  for (std::size_t at = 1; at <= path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    parts.push_back(percent_decode(path.substr(at, end - at)));
    at = end + 1;
  }
  if (parts.size() < 2 || parts.size() > 4 || parts[0] != "v2") return route;
  if (parts.size() > 2) route.id = parts[2];
  static const std::map<std::tuple<std::string, std::string, std::size_t, std::string>, Call> calls = {
      {{"GET", "carrier_accounts", 2, ""}, Call::carrier_accounts},
      {{"POST", "shipments", 2, ""}, Call::create_shipment},
      {{"GET", "shipments", 2, ""}, Call::list_shipments},
      {{"GET", "shipments", 3, ""}, Call::retrieve_shipment},
      {{"POST", "shipments", 4, "buy"}, Call::buy},
      {{"GET", "shipments", 4, "label"}, Call::label},
      {{"POST", "shipments", 4, "refund"}, Call::refund},
      {{"POST", "trackers", 2, ""}, Call::create_tracker},
      {{"GET", "trackers", 2, ""}, Call::list_trackers},
      {{"GET", "trackers", 3, ""}, Call::retrieve_tracker}};
  const auto found =
      calls.find({request.method, parts[1], parts.size(), parts.size() == 4 ? parts[3] : std::string()});
  if (found != calls.end()) route.call = found->second;
  return route;
}

EasyPostSimulator::User EasyPostSimulator::State::add_user() {
  User user{.id = new_id("user"),
            .test_key = "EZTK" + hex(random_bytes(20)),
            .live_key = "EZAK" + hex(random_bytes(20))};
  keys[user.test_key] = {user.id, false};
  keys[user.live_key] = {user.id, true};
  return user;
}

std::string EasyPostSimulator::State::add_account(const std::string& user, std::string carrier) {
  std::vector<Offer> offers = {{"Ground", "9.35", "USD", 4}, {"NextDayAir", "31.20", "USD", 1}};
  if (carrier == "USPS") {
    offers = {{"GroundAdvantage", "5.93", "USD", 3}, {"Priority", "8.12", "USD", 2}};
  }
  accounts.push_back({new_id("ca"), user, std::move(carrier), now_text(), std::move(offers), {}});
  return accounts.back().id;
}

EasyPostSimulator::State::Account& EasyPostSimulator::State::account(std::string_view id) {
  const auto found = std::ranges::find(accounts, id, &Account::id);
  if (found == accounts.end()) throw std::out_of_range("no such carrier account");
  return *found;
}

Reply EasyPostSimulator::State::decide(const Received& request) {
  const Route route = route_of(request);
  std::unique_lock lock(mutex);
  calls[route.call].push_back(request);
  changed.notify_all();
  const auto fault = take_fault(route.call);
  Reply reply;
  if (!fault || fault->reaches_store) reply = perform(route, request, lock);
  if (fault) fault->spoil(reply);
  if (reply.gate) keep_gate(reply.gate);
  return reply;
}

std::optional<Fault> EasyPostSimulator::State::take_fault(Call call) {
  const auto found = std::ranges::find(faults, call, &PendingFault::call);
  if (found == faults.end()) return std::nullopt;
  Fault fault = found->fault;
  if (--found->left == 0) faults.erase(found);
  return fault;
}

void EasyPostSimulator::State::keep_gate(const std::shared_ptr<Gate>& gate) {
  gates.push_back(gate);
  if (stopped) gate->open();
}

std::optional<EasyPostSimulator::State::Caller> EasyPostSimulator::State::caller_of(
    const Received& request) const {
  const std::string given = request.header("authorization");
  if (!given.starts_with("Basic ")) return std::nullopt;
  const auto pair = base64_decode(std::string_view(given).substr(6));
  if (!pair) return std::nullopt;
  const auto found = keys.find(std::string(pair->begin(), std::ranges::find(*pair, ':')));
  return found == keys.end() ? std::nullopt : std::optional(found->second);
}

Reply EasyPostSimulator::State::perform(const Route& route, const Received& request,
                                        std::unique_lock<std::mutex>& lock) {
  if (route.call == Call::label_file) return file(request.target);
  const auto caller = caller_of(request);
  if (!caller) return refusal(401, "UNAUTHORIZED");
  const json::value body = request.json_body();
  switch (route.call) {
    case Call::carrier_accounts:
      return list_accounts(*caller);
    case Call::create_shipment:
      return create_shipment(*caller, body);
    case Call::list_shipments:
      return list_shipments(*caller, route.query);
    case Call::create_tracker:
      return create_tracker(*caller, body);
    case Call::list_trackers:
      return list_trackers(*caller, route.query);
    case Call::retrieve_tracker:
      for (const Record& tracker : trackers) {
        if (tracker.owner == *caller && string_in(tracker.body, "id") == route.id)
          return answer(200, shown_tracker(tracker));
      }
      return refusal(404, "NOT_FOUND");
    default:
      break;
  }
  Record* const shipment = find_shipment(*caller, route.id);
  if (shipment == nullptr) return refusal(404, "NOT_FOUND");
  if (route.call == Call::retrieve_shipment) return answer(200, shown_shipment(*shipment));
  if (route.call == Call::buy) return buy(*shipment, body, lock);
  if (route.call == Call::label) return convert_label(*shipment, route.query);
  if (route.call == Call::refund) return refund(*shipment);
  return refusal(404, "NOT_FOUND");
}

EasyPostSimulator::State::Record* EasyPostSimulator::State::find_shipment(const Caller& caller,
                                                                          std::string_view id_or_reference) {
  if (id_or_reference.empty()) return nullptr;
  for (Record& record : shipments) {
    if (record.owner == caller && (string_in(record.body, "id") == id_or_reference ||
                                   string_in(record.body, "reference") == id_or_reference))
      return &record;
  }
  return nullptr;
}

EasyPostSimulator::State::Record* EasyPostSimulator::State::shipment_with_id(std::string_view id) {
  const auto found = std::ranges::find_if(
      shipments, [id](const Record& record) { return string_in(record.body, "id") == id; });
  return found == shipments.end() ? nullptr : &*found;
}

Reply EasyPostSimulator::State::list_accounts(const Caller& caller) const {
  if (!caller.live) return refusal(403, "MODE.UNAUTHORIZED");
  json::array list;
  for (const Account& account : accounts) {
    if (account.user != caller.user) continue;
    list.push_back({{"id", account.id},
                    {"object", "CarrierAccount"},
                    {"type", account.carrier + "Account"},
                    {"clone", false},
                    {"created_at", account.created_at},
                    {"updated_at", account.created_at},
                    {"description", account.carrier + " Account"},
                    {"reference", nullptr},
                    {"billing_type", "carrier"},
                    {"readable", account.carrier},
                    {"fields", json::object{}},
                    {"credentials", json::object{}},
                    {"test_credentials", nullptr}});
  }
  return answer(200, list);
}

template <class Fits, class Show>
Reply EasyPostSimulator::State::page(const std::deque<Record>& records, std::string_view name,
                                     const Caller& caller, const Parameters& query, Fits fits, Show show) {
  constexpr std::size_t usual_size = 20;
  constexpr std::size_t largest_size = 100;
  const auto parameter = [&](const char* key) {
    const auto found = query.find(key);
    return found == query.end() ? std::string() : found->second;
  };
  const std::size_t size = std::clamp<std::size_t>(
      parse_number<std::size_t>(parameter("page_size")).value_or(usual_size), 1, largest_size);
  const std::string before = parameter("before_id");
  bool is_reached = before.empty();
  bool has_more = false;
  json::array list;
  for (auto record = records.rbegin(); record != records.rend() && !has_more; ++record) {
    if (record->owner != caller) continue;
    if (is_reached && fits(*record)) {
      has_more = list.size() == size;
      if (!has_more) list.push_back(show(*record));
    }
    if (string_in(record->body, "id") == before) is_reached = true;
  }
  return answer(200, json::object{{name, std::move(list)}, {"has_more", has_more}});
}

Reply EasyPostSimulator::State::list_shipments(const Caller& caller, const Parameters& query) const {
  const auto purchased = query.find("purchased");
  const bool with_drafts = purchased != query.end() && purchased->second == "false";
  return page(
      shipments, "shipments", caller, query,
      [&](const Record& record) { return with_drafts || is_bought(record); },
      [&](const Record& record) { return shown_shipment(record); });
}

Reply EasyPostSimulator::State::list_trackers(const Caller& caller, const Parameters& query) const {
  return page(
      trackers, "trackers", caller, query,
      [&](const Record& record) {
        return std::ranges::all_of(std::array{"tracking_code", "carrier"}, [&](const char* field) {
          const auto given = query.find(field);
          return given == query.end() || string_in(record.body, field) == given->second;
        });
      },
      [&](const Record& record) { return shown_tracker(record); });
}

const EasyPostSimulator::State::Record& EasyPostSimulator::State::add_tracker(const Caller& caller,
                                                                              const std::string& code,
                                                                              const std::string& carrier,
                                                                              const json::object* shipment) {
  json::object tracker = made("trk", "Tracker", caller,
                              {{"tracking_code", code},
                               {"carrier", carrier},
                               {"signed_by", nullptr},
                               {"weight", nullptr},
                               {"shipment_id", nullptr},
                               {"carrier_detail", nullptr},
                               {"is_return", false},
                               {"fees", json::array{}}});
  tracker["public_url"] = "https://track.easypost.com/" + string_in(tracker, "id");
  if (shipment != nullptr) {
    tracker["shipment_id"] = shipment->at("id");
    tracker["weight"] = at(*shipment, "parcel.weight");
    tracker["is_return"] = shipment->at("is_return");
  }
  trackers.push_back({std::move(tracker), caller});
  return trackers.back();
}

Reply EasyPostSimulator::State::create_tracker(const Caller& caller, const json::value& body) {
  const auto* const given = object_in(body, "tracker");
  if (given == nullptr) return missing("tracker");
  const std::string code = string_in(*given, "tracking_code");
  if (code.empty()) return missing("tracking_code");
  const std::string carrier = string_in(*given, "carrier");
  for (const Record& tracker : trackers) {
    if (tracker.owner == caller && string_in(tracker.body, "tracking_code") == code &&
        (carrier.empty() || string_in(tracker.body, "carrier") == carrier))
      return answer(200, shown_tracker(tracker));
  }
  return answer(201, shown_tracker(add_tracker(caller, code, carrier.empty() ? "USPS" : carrier, nullptr)));
}

json::object EasyPostSimulator::State::shown_tracker(const Record& tracker) const {
  json::object shown = tracker.body;
  const auto found = parcels.find(string_in(tracker.body, "tracking_code"));
  const Parcel parcel = found == parcels.end() ? Parcel{} : found->second;
  shown["status"] = parcel.status;
  shown["status_detail"] = parcel.status_detail;
  shown["est_delivery_date"] = parcel.estimated_delivery;
  shown["tracking_details"] = parcel.details;
  shown["finalized"] = parcel.status == "delivered" || parcel.status == "cancelled";
  return shown;
}

void EasyPostSimulator::State::add_scan(std::string_view code, const Scan& scan) {
  const auto text = [](const std::string& given) {
    return given.empty() ? json::value() : json::value(std::string_view(given));
  };
  Parcel& parcel = parcels[std::string(code)];
  parcel.earlier_status = parcel.status;
  parcel.status = scan.status;
  parcel.status_detail = scan.status_detail;
  parcel.details.push_back({{"object", "TrackingDetail"},
                            {"message", scan.message},
                            {"description", ""},
                            {"status", scan.status},
                            {"status_detail", scan.status_detail},
                            {"datetime", scan.datetime.empty() ? now_text() : scan.datetime},
                            {"source", "USPS"},
                            {"carrier_code", text(scan.carrier_code)},
                            {"tracking_location",
                             {{"object", "TrackingLocation"},
                              {"city", text(scan.city)},
                              {"state", text(scan.state)},
                              {"country", text(scan.country)},
                              {"zip", nullptr}}}});
}

json::object EasyPostSimulator::State::updated_event(std::string_view code) const {
  const auto tracker = std::find_if(trackers.rbegin(), trackers.rend(), [code](const Record& record) {
    return string_in(record.body, "tracking_code") == code;
  });
  if (tracker == trackers.rend()) throw std::out_of_range("no tracker has this number");
  const auto parcel = parcels.find(code);
  return made(
      "evt", "Event", tracker->owner,
      {{"description", "tracker.updated"},
       {"user_id", tracker->owner.user},
       {"status", "pending"},
       {"previous_attributes",
        json::object{{"status", parcel == parcels.end() ? "unknown" : parcel->second.earlier_status}}},
       {"pending_urls", json::array{}},
       {"completed_urls", json::array{}},
       {"result", shown_tracker(*tracker)}});
}

}  // namespace waybill::tests
