#include "tests/carriers/karrio_carrier.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/crypto.hpp"
#include "tests/carriers/easypost_simulator.hpp"

namespace waybill::tests {
namespace {

using Call = KarrioCarrier::Call;
using Entry = KarrioCarrier::Entry;
using Offer = KarrioCarrier::Offer;
using Scan = KarrioCarrier::Scan;

constexpr std::size_t kinds = 5;
constexpr std::string_view page = "https://carrier.example/track/";

Reply refusal(int status, std::string_view code, std::string_view message, Headers headers = {}) {
  return json_reply(status,
                    json::object{{"errors", json::array{json::object{{"code", code}, {"message", message}}}}},
                    std::move(headers));
}

// Unique within the process, because tests run several carriers against one database.
std::string new_number() {
  static std::atomic<std::int64_t> last = 100'000'000;
  return "TC" + std::to_string(++last);
}

std::string name_of(const Offer& offer) { return offer.name.empty() ? offer.service : offer.name; }

json::object shown_offer(const Offer& offer) {
  json::array charges;
  for (const auto& charge : offer.charges)
    charges.push_back({{"name", charge.name}, {"amount", charge.amount}});
  return {{"service", offer.service},   {"name", name_of(offer)}, {"price", offer.price},
          {"currency", offer.currency}, {"days", offer.days},     {"charges", std::move(charges)}};
}

json::object shown_scan(const Scan& scan) {
  json::object shown;
  const auto put = [&shown](std::string_view name, const std::string& text) {
    if (!text.empty()) shown[name] = text;
  };
  constexpr std::size_t date_length = 10;
  put("date", scan.date.empty() ? format_timestamp(system_clock().now()).substr(0, date_length) : scan.date);
  put("time", scan.time);
  put("timestamp", scan.timestamp);
  put("code", scan.code);
  put("description", scan.description);
  put("location", scan.location);
  if (scan.has_status) put("status", scan.status);
  return shown;
}

// The part of a path between `start` and `end`; nullopt if the path is another one.
std::optional<std::string> part_of(std::string_view path, std::string_view start, std::string_view end) {
  if (path.size() <= start.size() + end.size() || !path.starts_with(start) || !path.ends_with(end))
    return std::nullopt;
  path.remove_prefix(start.size());
  path.remove_suffix(end.size());
  return percent_decode(path);
}

Call call_of(const Received& request) {
  if (request.method == "GET" && part_of(request.target, "/tracking/", "")) return Call::track;
  if (request.method != "POST") return Call::other;
  if (request.target == "/rates") return Call::rates;
  if (request.target == "/labels") return Call::buy;
  return part_of(request.target, "/labels/", "/void") ? Call::cancel : Call::other;
}

}  // namespace

Fault carrier_refusal(int status, std::string code, std::string message, bool reaches_carrier,
                      Headers headers) {
  return {
      .spoil = [status, code = std::move(code), message = std::move(message), headers = std::move(headers)](
                   Reply& reply) { reply = refusal(status, code, message, headers); },
      .reaches_store = reaches_carrier};
}

Fault dropped_call() {
  return {.spoil = [](Reply& reply) { reply = Reply::of_kind(Reply::Kind::close); }};
}

struct KarrioCarrier::State {
  struct Label {
    Entry entry;
    bool is_void = false;
  };
  struct Parcel {
    std::deque<Scan> scans;  // newest first
    std::string estimated_delivery;
  };

  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::array<std::vector<Received>, kinds> calls;
  std::array<FaultScript, kinds> faults;
  std::map<std::string, std::vector<Offer>, std::less<>> offers;
  std::optional<std::string> next_price;
  std::shared_ptr<Gate> next_gate;
  std::vector<std::shared_ptr<Gate>> gates;
  std::map<std::string, Label, std::less<>> labels;
  std::map<std::string, Parcel, std::less<>> parcels;
  std::vector<Entry> journal;

  Reply reply(const Received& request) {
    const Call call = call_of(request);
    std::shared_ptr<Gate> gate;
    {
      const std::lock_guard lock(mutex);
      calls.at(static_cast<std::size_t>(call)).push_back(request);
      changed.notify_all();
      if (call == Call::buy) gate = std::exchange(next_gate, nullptr);
    }
    if (gate) gate->wait();
    const auto fault = faults.at(static_cast<std::size_t>(call)).take(request.method, request.target);
    Reply answer;
    if (!fault || fault->reaches_store) answer = perform(call, request);
    if (fault) fault->spoil(answer);
    return answer;
  }

  Reply perform(Call call, const Received& request) {
    if (request.header("authorization") != "Bearer " + std::string(key))
      return refusal(401, "unauthorized", "The API key is unknown.");
    const std::lock_guard lock(mutex);
    switch (call) {
      case Call::rates:
        return rates(request);
      case Call::buy:
        return buy(request);
      case Call::cancel:
        return cancel(*part_of(request.target, "/labels/", "/void"));
      case Call::track:
        return track(*part_of(request.target, "/tracking/", ""));
      case Call::other:
        break;
    }
    return refusal(404, "not_found", "There is no such call.");
  }

  std::vector<Offer> offers_of(const std::string& account) const {
    const auto found = offers.find(account);
    if (found != offers.end()) return found->second;
    return {{.service = "testcarrier_standard", .price = "5.93", .days = 3, .name = "Standard"},
            {.service = "testcarrier_express", .price = "12.40", .days = 1, .name = "Express"}};
  }

  Reply rates(const Received& request) const {
    json::array shown;
    for (const auto& offer : offers_of(request.header("x-account"))) shown.push_back(shown_offer(offer));
    return json_reply(200, json::object{{"offers", std::move(shown)}});
  }

  Reply buy(const Received& request) {
    const auto body = request.json_body();
    const std::string service = text_at(body, "service");
    const auto all = offers_of(request.header("x-account"));
    const auto offer = std::ranges::find(all, service, &Offer::service);
    if (offer == all.end()) return refusal(422, "service_not_supported", "The service is not offered.");
    Entry entry{.label_id = "L" + new_number(),
                .reference = text_at(body, "reference"),
                .numbers = {},
                .account = request.header("x-account"),
                .service = service,
                .price = std::exchange(next_price, std::nullopt).value_or(offer->price),
                .currency = offer->currency,
                .is_test = request.header("x-test") == "true",
                .is_return = at(body, "is_return") == true};
    const std::string format = text_at(body, "label_type");
    json::array files;
    json::array numbers;
    const std::size_t parcels_sent =
        at(body, "parcels").is_array() ? at(body, "parcels").as_array().size() : 1;
    for (std::size_t i = 0; i < parcels_sent; ++i) {
      const std::string number = new_number();
      const std::string file = label_file(number, format);
      files.emplace_back(base64({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}));
      numbers.emplace_back(number);
      entry.numbers.push_back(number);
      parcels[number];
    }
    journal.push_back(entry);
    labels[entry.label_id] = {.entry = entry};
    return json_reply(201, json::object{{"id", entry.label_id},
                                        {"numbers", std::move(numbers)},
                                        {"labels", std::move(files)},
                                        {"label_type", format},
                                        {"service", service},
                                        {"name", name_of(*offer)},
                                        {"price", entry.price},
                                        {"currency", entry.currency},
                                        {"page", std::string(page) + entry.numbers.front()}});
  }

  Reply cancel(const std::string& id) {
    const auto found = labels.find(id);
    if (found == labels.end()) return refusal(404, "label_not_found", "There is no such label.");
    auto& label = found->second;
    if (label.is_void) return refusal(422, "already_voided", "The label has already been voided.");
    const bool has_moved = std::ranges::any_of(
        label.entry.numbers, [this](const std::string& number) { return !parcels[number].scans.empty(); });
    if (has_moved) return refusal(422, "cannot_void", "The parcel has already been scanned.");
    label.is_void = true;
    journal.push_back(label.entry);
    journal.back().kind = Entry::Kind::voided;
    return json_reply(200, json::object{{"void", true}});
  }

  Reply track(const std::string& number) const {
    const auto found = parcels.find(number);
    if (found == parcels.end()) return refusal(404, "number_unknown", "The number is not known.");
    const Parcel& parcel = found->second;
    json::array scans;
    for (const auto& scan : parcel.scans) scans.push_back(shown_scan(scan));
    json::object shown{{"number", number},
                       {"status", parcel.scans.empty() ? "pending" : parcel.scans.front().status},
                       {"scans", std::move(scans)},
                       {"page", std::string(page) + number}};
    if (!parcel.estimated_delivery.empty()) shown["estimated_delivery"] = parcel.estimated_delivery;
    return json_reply(200, shown);
  }

  std::vector<Entry> entries(Entry::Kind kind, std::string_view reference) const {
    const std::lock_guard lock(mutex);
    std::vector<Entry> found;
    std::ranges::copy_if(journal, std::back_inserter(found), [&](const Entry& entry) {
      return entry.kind == kind && entry.reference == reference;
    });
    return found;
  }
};

KarrioCarrier::KarrioCarrier()
    : state_(std::make_unique<State>()), receiver_(std::make_unique<Receiver>("127.0.0.1")) {
  receiver_->on_request([state = state_.get()](const Received& request) { return state->reply(request); });
}

KarrioCarrier::~KarrioCarrier() {
  std::vector<std::shared_ptr<Gate>> gates;
  {
    const std::lock_guard lock(state_->mutex);
    gates = state_->gates;
  }
  for (const auto& gate : gates) gate->open();
  receiver_.reset();
}

std::string KarrioCarrier::url() const { return receiver_->url(""); }

void KarrioCarrier::set_offers(std::string_view account, std::vector<Offer> offers) {
  const std::lock_guard lock(state_->mutex);
  state_->offers.insert_or_assign(std::string(account), std::move(offers));
}

void KarrioCarrier::charge_next(std::string price) {
  const std::lock_guard lock(state_->mutex);
  state_->next_price = std::move(price);
}

void KarrioCarrier::fail(Call call, Fault fault, std::size_t times) {
  Reply probe;
  if (fault.spoil) fault.spoil(probe);
  if (probe.gate) {
    const std::lock_guard lock(state_->mutex);
    state_->gates.push_back(probe.gate);
  }
  state_->faults.at(static_cast<std::size_t>(call)).add(std::move(fault), times);
}

void KarrioCarrier::stop_failing() {
  for (auto& script : state_->faults) script.clear();
}

void KarrioCarrier::hold_next_purchase(std::shared_ptr<Gate> gate) {
  const std::lock_guard lock(state_->mutex);
  state_->gates.push_back(gate);
  state_->next_gate = std::move(gate);
}

std::size_t KarrioCarrier::count(Call call) const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls.at(static_cast<std::size_t>(call)).size();
}

std::vector<Received> KarrioCarrier::received(Call call) const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls.at(static_cast<std::size_t>(call));
}

bool KarrioCarrier::wait_for_calls(Call call, std::size_t count, Deadline deadline) const {
  std::unique_lock lock(state_->mutex);
  const auto& calls = state_->calls.at(static_cast<std::size_t>(call));
  return state_->changed.wait_for(lock, deadline, [&] { return calls.size() >= count; });
}

std::vector<Entry> KarrioCarrier::journal() const {
  const std::lock_guard lock(state_->mutex);
  return state_->journal;
}

std::vector<Entry> KarrioCarrier::purchases(std::string_view reference) const {
  return state_->entries(Entry::Kind::bought, reference);
}

std::vector<Entry> KarrioCarrier::voids(std::string_view reference) const {
  return state_->entries(Entry::Kind::voided, reference);
}

void KarrioCarrier::add_scan(std::string_view number, Scan scan) {
  const std::lock_guard lock(state_->mutex);
  state_->parcels[std::string(number)].scans.push_front(std::move(scan));
}

void KarrioCarrier::set_scans(std::string_view number, std::vector<Scan> scans) {
  const std::lock_guard lock(state_->mutex);
  state_->parcels[std::string(number)].scans.assign(scans.rbegin(), scans.rend());
}

void KarrioCarrier::set_estimated_delivery(std::string_view number, std::string date) {
  const std::lock_guard lock(state_->mutex);
  state_->parcels[std::string(number)].estimated_delivery = std::move(date);
}

std::string KarrioCarrier::label_file(std::string_view number, std::string_view format) {
  return EasyPostSimulator::label_file(number, format);
}

}  // namespace waybill::tests
