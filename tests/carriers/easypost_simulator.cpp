#include "tests/carriers/easypost_simulator.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>
#include <uninorm.h>
#include <utility>
#include <zlib.h>

#include "base/ascii.hpp"
#include "base/crypto.hpp"
#include "base/number.hpp"
#include "base/owned.hpp"

namespace waybill::tests {
namespace {

using Call = EasyPostSimulator::Call;
using Entry = EasyPostSimulator::Entry;
using Offer = EasyPostSimulator::Offer;

// base/json.hpp writes 15.0 as 15, but EasyPost writes weights and lengths with a decimal point.
void append_text(std::string& out, const json::value& value) {
  if (const auto* const object = value.if_object()) {
    std::string_view separator = "{";
    for (const auto& entry : *object) {
      out += separator;
      append_json_string(out, entry.key());
      out += ':';
      append_text(out, entry.value());
      separator = ",";
    }
    out += object->empty() ? "{}" : "}";
  } else if (const auto* const list = value.if_array()) {
    std::string_view separator = "[";
    for (const auto& element : *list) {
      out += separator;
      append_text(out, element);
      separator = ",";
    }
    out += list->empty() ? "[]" : "]";
  } else {
    const auto start = out.size();
    append_json(out, value);
    if (value.is_double() && out.find('.', start) == std::string::npos) out += ".0";
  }
}

std::string text_of(const json::value& value) {
  std::string text;
  append_text(text, value);
  return text;
}

Reply answer(int status, const json::value& body, Headers headers = {}) {
  headers.emplace_back("Content-Type", "application/json; charset=utf-8");
  return Reply::with_status(status, std::move(headers), text_of(body));
}

std::string_view words_of(std::string_view code) {
  static const std::map<std::string_view, std::string_view> words = {
      {"UNAUTHORIZED", "You are not authorized to access this resource."},
      {"MODE.UNAUTHORIZED", "This resource requires a production API Key to access."},
      {"NOT_FOUND", "The requested resource could not be found."},
      {"PARAMETER.REQUIRED", "Missing required parameter."},
      {"RATE_LIMITED", "Too many requests. Please wait before you try again."},
      {"PAYMENT_REQUIRED", "Insufficient funds. Please add funds to your account."},
      {"INTERNAL_SERVER_ERROR", "An unexpected error occurred on the server."},
      {"SHIPMENT.POSTAGE.EXISTS", "Postage already exists for this shipment."},
      {"SHIPMENT.PURCHASE.IN_PROGRESS", "A purchase of this shipment is in progress."},
      {"SHIPMENT.REFUND.UNAVAILABLE", "Unable to request refund. The parcel has been shipped."}};
  const auto found = words.find(code);
  return found == words.end() ? "The request cannot be processed." : found->second;
}

Reply refusal(int status, std::string_view code, Headers headers = {}, json::array errors = {}) {
  const json::object error = {{"code", code}, {"message", words_of(code)}, {"errors", std::move(errors)}};
  return answer(status, json::object{{"error", error}}, std::move(headers));
}

json::array field_error(std::string_view field, std::string_view message) {
  return json::array{json::object{{"field", field}, {"message", message}, {"suggestion", nullptr}}};
}

Reply missing(std::string_view field) {
  return refusal(422, "PARAMETER.REQUIRED", {}, field_error(field, "cannot be blank"));
}

std::string shown_time(Time time) { return format_timestamp(time).substr(0, 19) + "Z"; }
std::string now_text() { return shown_time(system_clock().now()); }
std::string new_id(std::string_view prefix) { return std::string(prefix) + "_" + hex(random_bytes(16)); }

// Unique within the process, because tests run several simulators against one database.
std::string new_tracking_code() {
  static std::atomic<std::int64_t> last = 100'000'000'000;
  return "9400111899" + std::to_string(++last);
}

const json::object* object_in(const json::object& object, std::string_view name) {
  const auto* const found = object.if_contains(name);
  return found != nullptr ? found->if_object() : nullptr;
}

const json::object* object_in(const json::value& value, std::string_view name) {
  const auto* const object = value.if_object();
  return object != nullptr ? object_in(*object, name) : nullptr;
}

std::string string_in(const json::object& object, std::string_view name) {
  const auto* const value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

// A number or its text as a number with a fraction; null for anything else.
json::value fraction(const json::value* value) {
  if (value != nullptr && value->is_number()) return value->to_number<double>();
  if (value != nullptr && value->is_string()) {
    if (const auto number = parse_number<double>(std::string_view(value->get_string()))) return *number;
  }
  return nullptr;
}

// Bytes of a PNG's chunk (W3C PNG, section 5.3).
std::string png_chunk(const std::string& type_and_data) {
  const auto big_endian = [](std::size_t number) {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>((number >> shift) & 0xFF);
    return bytes;
  };
  const auto* const bytes = reinterpret_cast<const Bytef*>(type_and_data.data());
  return big_endian(type_and_data.size() - 4) + type_and_data +
         big_endian(crc32(0, bytes, static_cast<uInt>(type_and_data.size())));
}

// A white image of 8 by 12 pixels in grey with 8 bits.
std::string png_label(std::string_view code) {
  using namespace std::string_literals;
  std::string rows;
  for (int row = 0; row < 12; ++row) rows += "\0"s + std::string(8, '\xFF');
  std::array<Bytef, 256> packed{};
  uLongf size = packed.size();
  compress(packed.data(), &size, reinterpret_cast<const Bytef*>(rows.data()), rows.size());
  return "\x89PNG\r\n\x1A\n"s + png_chunk("IHDR\0\0\0\x08\0\0\0\x0C\x08\0\0\0\0"s) +
         png_chunk("tEXtComment\0"s + std::string(code)) +
         png_chunk("IDAT" + std::string(reinterpret_cast<const char*>(packed.data()), size)) +
         png_chunk("IEND");
}

// One page of 4 by 6 inches.
std::string pdf_label(std::string_view code) {
  const std::string drawing = "BT /F1 14 Tf 24 380 Td (" + std::string(code) + ") Tj ET";
  const std::array<std::string, 5> objects = {
      "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] /Contents 4 0 R /Resources << /Font << /F1 5 0 R "
      ">> >> >>",
      "<< /Length " + std::to_string(drawing.size()) + " >>\nstream\n" + drawing + "\nendstream",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"};
  std::string file = "%PDF-1.4\n";
  std::string table = "xref\n0 6\n0000000000 65535 f \n";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string offset = std::to_string(file.size());
    table += std::string(10 - offset.size(), '0') + offset + " 00000 n \n";
    file += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const std::string start = std::to_string(file.size());
  return file + table + "trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n" + start + "\n%%EOF\n";
}

struct Route {
  Call call = Call::other;
  std::string id;
  Parameters query;
};

Route route_of(const Received& request) {
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

}  // namespace

struct EasyPostSimulator::State {
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
  std::optional<std::string> next_charge;
  std::string refund_answer = "submitted";
  bool stopped = false;

  // Registration

  User add_user() {
    User user{.id = new_id("user"),
              .test_key = "EZTK" + hex(random_bytes(20)),
              .live_key = "EZAK" + hex(random_bytes(20))};
    keys[user.test_key] = {user.id, false};
    keys[user.live_key] = {user.id, true};
    return user;
  }

  std::string add_account(const std::string& user, std::string carrier) {
    std::vector<Offer> offers = {{"Ground", "9.35", "USD", 4}, {"NextDayAir", "31.20", "USD", 1}};
    if (carrier == "USPS") {
      offers = {{"GroundAdvantage", "5.93", "USD", 3}, {"Priority", "8.12", "USD", 2}};
    }
    accounts.push_back({new_id("ca"), user, std::move(carrier), now_text(), std::move(offers), {}});
    return accounts.back().id;
  }

  Account& account(std::string_view id) {
    const auto found = std::ranges::find(accounts, id, &Account::id);
    if (found == accounts.end()) throw std::out_of_range("no such carrier account");
    return *found;
  }

  // Calls

  Reply decide(const Received& request) {
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

  std::optional<Fault> take_fault(Call call) {
    const auto found = std::ranges::find(faults, call, &PendingFault::call);
    if (found == faults.end()) return std::nullopt;
    Fault fault = found->fault;
    if (--found->left == 0) faults.erase(found);
    return fault;
  }

  void keep_gate(const std::shared_ptr<Gate>& gate) {
    gates.push_back(gate);
    if (stopped) gate->open();
  }

  std::optional<Caller> caller_of(const Received& request) const {
    const std::string given = request.header("authorization");
    if (!given.starts_with("Basic ")) return std::nullopt;
    const auto pair = base64_decode(std::string_view(given).substr(6));
    if (!pair) return std::nullopt;
    const auto found = keys.find(std::string(pair->begin(), std::ranges::find(*pair, ':')));
    return found == keys.end() ? std::nullopt : std::optional(found->second);
  }

  Reply perform(const Route& route, const Received& request, std::unique_lock<std::mutex>& lock) {
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

  // The oldest one, since a reference is not unique.
  Record* find_shipment(const Caller& caller, std::string_view id_or_reference) {
    if (id_or_reference.empty()) return nullptr;
    for (Record& record : shipments) {
      if (record.owner == caller && (string_in(record.body, "id") == id_or_reference ||
                                     string_in(record.body, "reference") == id_or_reference))
        return &record;
    }
    return nullptr;
  }

  Record* shipment_with_id(std::string_view id) {
    const auto found = std::ranges::find_if(
        shipments, [id](const Record& record) { return string_in(record.body, "id") == id; });
    return found == shipments.end() ? nullptr : &*found;
  }

  Reply list_accounts(const Caller& caller) const {
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

  // Shipments

  static json::object made(std::string_view prefix, std::string_view type, const Caller& caller,
                           const json::object& given = {}) {
    json::object object = {{"id", new_id(prefix)},
                           {"object", type},
                           {"mode", caller.mode()},
                           {"created_at", now_text()},
                           {"updated_at", now_text()}};
    for (const auto& [name, value] : given) object.emplace(name, value);
    return object;
  }

  static json::object made_address(const Caller& caller, const json::object& given) {
    json::object address = made("adr", "Address", caller, given);
    for (const auto* const field :
         {"name", "company", "street1", "street2", "city", "state", "zip", "country", "phone", "email",
          "residential", "carrier_facility", "federal_tax_id"}) {
      address.emplace(field, nullptr);
    }
    return address;
  }

  static json::value made_parcel(const Caller& caller, const json::object& given) {
    json::object parcel = made("prcl", "Parcel", caller);
    for (const auto* const field : {"length", "width", "height", "weight"})
      parcel[field] = fraction(given.if_contains(field));
    parcel["predefined_package"] = string_in(given, "predefined_package").empty()
                                       ? json::value(nullptr)
                                       : given.at("predefined_package");
    return parcel;
  }

  static json::value made_customs(const Caller& caller, const json::object* given) {
    if (given == nullptr) return nullptr;
    json::object customs = made("cstinfo", "CustomsInfo", caller, *given);
    if (auto* const items = customs["customs_items"].if_array()) {
      for (json::value& item : *items) {
        if (!item.is_object()) continue;
        item = made("cstitem", "CustomsItem", caller, item.get_object());
        item.get_object()["weight"] = fraction(item.get_object().if_contains("weight"));
        if (auto value = decimal_text(item.get_object()["value"])) item.get_object()["value"] = *value;
      }
    }
    return customs;
  }

  // The accounts that a new shipment names; all without a name. nullopt if one of them does not exist.
  std::optional<std::vector<const Account*>> accounts_of(const Caller& caller, const json::object& given) {
    std::vector<const Account*> all;
    for (const Account& account : accounts) {
      if (account.user == caller.user) all.push_back(&account);
    }
    const auto* const named = given.if_contains("carrier_accounts");
    if (named == nullptr || !named->is_array() || named->get_array().empty()) return all;
    std::vector<const Account*> chosen;
    for (const json::value& entry : named->get_array()) {
      const json::value& id = entry.is_object() ? at(entry, "id") : entry;
      const auto found = std::ranges::find_if(
          all, [&](const Account* one) { return id.is_string() && id.get_string() == one->id; });
      if (found == all.end()) return std::nullopt;
      chosen.push_back(*found);
    }
    return chosen;
  }

  static json::object made_rate(const Caller& caller, const Account& account, const Offer& offer,
                                const json::value& shipment_id) {
    return made("rate", "Rate", caller,
                {{"service", offer.service},
                 {"carrier", account.carrier},
                 {"rate", offer.price},
                 {"currency", offer.currency},
                 {"retail_rate", offer.price},
                 {"retail_currency", offer.currency},
                 {"list_rate", offer.price},
                 {"list_currency", offer.currency},
                 {"billing_type", "easypost"},
                 {"delivery_days", offer.days},
                 {"delivery_date", nullptr},
                 {"delivery_date_guaranteed", false},
                 {"est_delivery_days", offer.days},
                 {"shipment_id", shipment_id},
                 {"carrier_account_id", account.id}});
  }

  Reply create_shipment(const Caller& caller, const json::value& body) {
    const auto* const given = object_in(body, "shipment");
    if (given == nullptr) return missing("shipment");
    for (const auto* const part : {"to_address", "from_address", "parcel"}) {
      if (object_in(*given, part) == nullptr) return missing(part);
    }
    const json::value parcel = made_parcel(caller, *object_in(*given, "parcel"));
    if (const auto* const weight = at(parcel, "weight").if_double(); weight == nullptr || *weight <= 0)
      return refusal(422, "PARCEL.PARAMETERS.INVALID", {}, field_error("weight", "must be greater than 0"));
    const auto chosen = accounts_of(caller, *given);
    if (!chosen) return refusal(422, "SHIPMENT.RATE.CARRIER_ACCOUNT_INVALID");
    json::object shipment = made("shp", "Shipment", caller);
    for (const auto* const field :
         {"reference", "tracking_code", "selected_rate", "postage_label", "refund_status", "insurance",
          "scan_form", "usps_zone", "batch_id", "batch_status", "batch_message", "order_id"}) {
      shipment[field] = nullptr;
    }
    if (const std::string reference = string_in(*given, "reference"); !reference.empty())
      shipment["reference"] = reference;
    const json::object from = made_address(caller, *object_in(*given, "from_address"));
    const json::object to = made_address(caller, *object_in(*given, "to_address"));
    shipment["from_address"] = shipment["return_address"] = from;
    shipment["to_address"] = shipment["buyer_address"] = to;
    shipment["parcel"] = parcel;
    shipment["customs_info"] = made_customs(caller, object_in(*given, "customs_info"));
    const auto* const options = object_in(*given, "options");
    shipment["options"] = options != nullptr ? *options : json::object{};
    shipment["is_return"] = at(*given, "is_return") == true;
    json::array rates;
    json::array messages;
    for (const Account* const one : *chosen) {
      for (const Offer& offer : one->offers)
        rates.push_back(made_rate(caller, *one, offer, shipment.at("id")));
      for (const json::value& message : one->messages) {
        json::object shown = message.as_object();
        shown["carrier"] = one->carrier;
        shown["carrier_account_id"] = one->id;
        messages.push_back(std::move(shown));
      }
    }
    shipment["rates"] = std::move(rates);
    shipment["messages"] = std::move(messages);
    shipment["fees"] = shipment["forms"] = json::array{};
    shipments.push_back({std::move(shipment), caller});
    return answer(201, shown_shipment(shipments.back()));
  }

  json::object shown_shipment(const Record& shipment) const {
    json::object shown = shipment.body;
    shown["status"] = "unknown";
    shown["tracker"] = nullptr;
    for (const Record& tracker : trackers) {
      if (tracker.body.at("shipment_id") != shipment.body.at("id")) continue;
      shown["tracker"] = shown_tracker(tracker);
      shown["status"] = at(shown, "tracker.status");
    }
    return shown;
  }

  static bool is_bought(const Record& shipment) { return !shipment.body.at("postage_label").is_null(); }

  Reply buy(Record& shipment, const json::value& body, std::unique_lock<std::mutex>& lock) {
    if (is_bought(shipment)) return refusal(422, "SHIPMENT.POSTAGE.EXISTS");
    if (shipment.is_buying) return refusal(422, "SHIPMENT.PURCHASE.IN_PROGRESS");
    const json::value& rate_id = at(body, "rate.id");
    if (!rate_id.is_string()) return missing("rate");
    const auto& rates = shipment.body.at("rates").as_array();
    const auto* const rate =
        std::ranges::find_if(rates, [&](const json::value& one) { return at(one, "id") == rate_id; });
    if (rate == rates.end()) return refusal(404, "NOT_FOUND");
    json::object selected = rate->as_object();
    if (!purchase_gates.empty()) {
      const auto gate = purchase_gates.front();
      purchase_gates.pop_front();
      keep_gate(gate);
      shipment.is_buying = true;
      lock.unlock();
      gate->wait();
      lock.lock();
      shipment.is_buying = false;
    }
    if (next_charge) selected["rate"] = *std::exchange(next_charge, std::nullopt);
    complete_purchase(shipment, std::move(selected));
    return answer(200, shown_shipment(shipment));
  }

  void complete_purchase(Record& shipment, json::object rate) {
    json::object& body = shipment.body;
    const std::string code = new_tracking_code();
    record_effect(Entry::Kind::bought, body, shipment.owner, rate, code);
    body["tracking_code"] = code;
    body["fees"] = json::array{json::object{{"object", "Fee"},
                                            {"type", "PostageFee"},
                                            {"amount", rate.at("rate")},
                                            {"charged", true},
                                            {"refunded", false}}};
    json::object label = made("pl", "PostageLabel", shipment.owner,
                              {{"date_advance", 0},
                               {"integrated_form", "none"},
                               {"label_date", now_text()},
                               {"label_resolution", 300},
                               {"label_size", "4x6"},
                               {"label_type", "default"},
                               {"label_epl2_url", nullptr},
                               {"label_pdf_url", nullptr},
                               {"label_zpl_url", nullptr}});
    std::string format = ascii_lower(string_in(body.at("options").as_object(), "label_format"));
    if (format != "pdf" && format != "zpl") format = "png";
    label["label_file_type"] = (format == "png" ? "image/" : "application/") + format;
    label["label_url"] = label_url(label, format);
    add_tracker(shipment.owner, code, string_in(rate, "carrier"), &body);
    body["selected_rate"] = std::move(rate);
    body["postage_label"] = std::move(label);
    body["updated_at"] = now_text();
  }

  void record_effect(Entry::Kind kind, const json::object& shipment, const Caller& owner,
                     const json::object& rate, const std::string& code) {
    entries.push_back({.kind = kind,
                       .shipment_id = string_in(shipment, "id"),
                       .reference = string_in(shipment, "reference"),
                       .tracking_code = code,
                       .user_id = owner.user,
                       .mode = std::string(owner.mode()),
                       .carrier_account = string_in(rate, "carrier_account_id"),
                       .service = string_in(rate, "service"),
                       .price = string_in(rate, "rate"),
                       .currency = string_in(rate, "currency")});
  }

  std::string label_url(const json::object& label, const std::string& format) const {
    return origin + "/labels/" + string_in(label, "id") + "." + format;
  }

  // A label is converted from PNG only.
  Reply convert_label(Record& shipment, const Parameters& query) {
    if (!is_bought(shipment)) return refusal(422, "SHIPMENT.POSTAGE.REQUIRED");
    const auto wanted = query.find("file_format");
    const std::string format = wanted == query.end() ? "" : ascii_lower(wanted->second);
    if (format != "pdf" && format != "zpl" && format != "png")
      return refusal(422, "SHIPMENT.POSTAGE.INVALID_FORMAT");
    json::object& label = shipment.body.at("postage_label").as_object();
    const std::string type = string_in(label, "label_file_type");
    if (!type.ends_with("png") && !type.ends_with(format))
      return refusal(422, "SHIPMENT.POSTAGE.FORMAT_UNAVAILABLE");
    if (format != "png") label["label_" + format + "_url"] = label_url(label, format);
    return answer(200, shown_shipment(shipment));
  }

  Reply file(const std::string& target) const {
    const std::string url = origin + target.substr(0, target.find('?'));
    const std::string format = url.substr(url.rfind('.') + 1);
    for (const Record& shipment : shipments) {
      if (!is_bought(shipment)) continue;
      const auto& label = shipment.body.at("postage_label").as_object();
      for (const auto* const field : {"label_url", "label_pdf_url", "label_zpl_url"}) {
        if (string_in(label, field) != url) continue;
        return Reply::with_status(200,
                                  {{"Content-Type", format == "png" ? "image/png" : "application/" + format}},
                                  label_file(string_in(shipment.body, "tracking_code"), ascii_upper(format)));
      }
    }
    return Reply::with_status(403, {{"Content-Type", "application/xml"}},
                              "<Error><Code>AccessDenied</Code></Error>");
  }

  static std::string ascii_upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) { return waybill::ascii_upper(c); });
    return text;
  }

  Reply refund(Record& shipment) {
    const std::string now = string_in(shipment.body, "refund_status");
    if (!is_bought(shipment) || now == "submitted" || now == "refunded")
      return refusal(422, "SHIPMENT.REFUND.UNAVAILABLE");
    const std::string code = string_in(shipment.body, "tracking_code");
    const std::string& status = parcels[code].status;
    if (status != "unknown" && status != "pre_transit") return refusal(422, "SHIPMENT.REFUND.UNAVAILABLE");
    if (now == "not_applicable") return answer(200, shown_shipment(shipment));
    shipment.body["refund_status"] = refund_answer;
    if (refund_answer == "submitted" || refund_answer == "refunded") {
      record_effect(Entry::Kind::refunded, shipment.body, shipment.owner,
                    shipment.body.at("selected_rate").as_object(), code);
    }
    return answer(200, shown_shipment(shipment));
  }

  // Lists

  // A page of those records of the caller that `fits` accepts, newest first.
  template <class Fits, class Show>
  static Reply page(const std::deque<Record>& records, std::string_view name, const Caller& caller,
                    const Parameters& query, Fits fits, Show show) {
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

  Reply list_shipments(const Caller& caller, const Parameters& query) const {
    const auto purchased = query.find("purchased");
    const bool with_drafts = purchased != query.end() && purchased->second == "false";
    return page(
        shipments, "shipments", caller, query,
        [&](const Record& record) { return with_drafts || is_bought(record); },
        [&](const Record& record) { return shown_shipment(record); });
  }

  Reply list_trackers(const Caller& caller, const Parameters& query) const {
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

  // Trackers

  const Record& add_tracker(const Caller& caller, const std::string& code, const std::string& carrier,
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

  Reply create_tracker(const Caller& caller, const json::value& body) {
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

  json::object shown_tracker(const Record& tracker) const {
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

  void add_scan(std::string_view code, const Scan& scan) {
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

  json::object updated_event(std::string_view code) const {
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
};

Fault easypost_refusal(int status, std::string_view code, bool reaches_carrier, Headers headers) {
  return {.spoil = [status, code = std::string(code),
                    headers = std::move(headers)](Reply& reply) { reply = refusal(status, code, headers); },
          .reaches_store = reaches_carrier};
}

Fault easypost_busy(std::string retry_after) {
  return easypost_refusal(429, "RATE_LIMITED", false, {{"Retry-After", std::move(retry_after)}});
}

EasyPostSimulator::EasyPostSimulator()
    : state_(std::make_unique<State>()), receiver_(std::make_unique<Receiver>()) {
  state_->origin = receiver_->url("");
  state_->first_user = state_->add_user();
  state_->first_account = state_->add_account(state_->first_user.id, "USPS");
  receiver_->on_request([state = state_.get()](const Received& request) { return state->decide(request); });
}

EasyPostSimulator::~EasyPostSimulator() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
    for (const auto& gate : state_->gates) gate->open();
  }
  receiver_.reset();
}

std::string EasyPostSimulator::url() const { return receiver_->url("/v2"); }

EasyPostSimulator::User EasyPostSimulator::user() const { return state_->first_user; }

std::string EasyPostSimulator::carrier_account() const { return state_->first_account; }

EasyPostSimulator::User EasyPostSimulator::add_user() {
  const std::lock_guard lock(state_->mutex);
  return state_->add_user();
}

std::string EasyPostSimulator::add_carrier_account(const User& user, std::string carrier) {
  const std::lock_guard lock(state_->mutex);
  return state_->add_account(user.id, std::move(carrier));
}

void EasyPostSimulator::remove_carrier_account(std::string_view account) {
  const std::lock_guard lock(state_->mutex);
  std::erase_if(state_->accounts, [account](const State::Account& one) { return one.id == account; });
}

void EasyPostSimulator::revoke_key(std::string_view key) {
  const std::lock_guard lock(state_->mutex);
  state_->keys.erase(std::string(key));
}

void EasyPostSimulator::set_offers(std::string_view account, std::vector<Offer> offers) {
  const std::lock_guard lock(state_->mutex);
  state_->account(account).offers = std::move(offers);
}

void EasyPostSimulator::set_messages(std::string_view account, json::array messages) {
  const std::lock_guard lock(state_->mutex);
  state_->account(account).messages = std::move(messages);
}

void EasyPostSimulator::charge_next(std::string price) {
  const std::lock_guard lock(state_->mutex);
  state_->next_charge = std::move(price);
}

void EasyPostSimulator::set_refund_answer(std::string status) {
  const std::lock_guard lock(state_->mutex);
  state_->refund_answer = std::move(status);
}

void EasyPostSimulator::set_refund_status(std::string_view shipment_id, std::string_view status) {
  const std::lock_guard lock(state_->mutex);
  auto* const shipment = state_->shipment_with_id(shipment_id);
  if (shipment == nullptr) throw std::out_of_range("no such shipment");
  shipment->body["refund_status"] = status;
}

void EasyPostSimulator::fail(Call call, Fault fault, std::size_t times) {
  const std::lock_guard lock(state_->mutex);
  state_->faults.push_back({call, std::move(fault), times});
}

void EasyPostSimulator::stop_failing() {
  const std::lock_guard lock(state_->mutex);
  state_->faults.clear();
}

void EasyPostSimulator::hold_next_purchase(std::shared_ptr<Gate> gate) {
  const std::lock_guard lock(state_->mutex);
  state_->purchase_gates.push_back(std::move(gate));
}

std::size_t EasyPostSimulator::count(Call call) const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls[call].size();
}

std::vector<Received> EasyPostSimulator::received(Call call) const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls[call];
}

bool EasyPostSimulator::wait_for_calls(Call call, std::size_t count, Deadline deadline) const {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, deadline, [&] { return state_->calls[call].size() >= count; });
}

std::vector<EasyPostSimulator::Entry> EasyPostSimulator::journal() const {
  const std::lock_guard lock(state_->mutex);
  return state_->entries;
}

std::vector<EasyPostSimulator::Entry> EasyPostSimulator::purchases(std::string_view reference) const {
  std::vector<Entry> found = journal();
  std::erase_if(found, [reference](const Entry& entry) {
    return entry.kind != Entry::Kind::bought || entry.reference != reference;
  });
  return found;
}

std::vector<std::string> EasyPostSimulator::shipments(std::string_view reference) const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> ids;
  for (const auto& record : state_->shipments) {
    if (string_in(record.body, "reference") == reference) ids.push_back(string_in(record.body, "id"));
  }
  return ids;
}

json::value EasyPostSimulator::shipment(std::string_view id) const {
  const std::lock_guard lock(state_->mutex);
  const auto* const found = state_->shipment_with_id(id);
  return found == nullptr ? json::value() : state_->shown_shipment(*found);
}

void EasyPostSimulator::add_scan(std::string_view tracking_code, const Scan& scan) {
  const std::lock_guard lock(state_->mutex);
  state_->add_scan(tracking_code, scan);
}

void EasyPostSimulator::set_estimated_delivery(std::string_view tracking_code, std::string_view datetime) {
  const std::lock_guard lock(state_->mutex);
  state_->parcels[std::string(tracking_code)].estimated_delivery = datetime;
}

EasyPostSimulator::WebhookCall EasyPostSimulator::tracker_updated(std::string_view tracking_code,
                                                                  std::string_view secret) const {
  json::object event;
  {
    const std::lock_guard lock(state_->mutex);
    event = state_->updated_event(tracking_code);
  }
  WebhookCall call{.body = text_of(event), .headers = {}, .event_id = string_in(event, "id")};
  std::size_t length = 0;
  const Owned<std::uint8_t, std::free> key(u8_normalize(
      UNINORM_NFKD, reinterpret_cast<const std::uint8_t*>(secret.data()), secret.size(), nullptr, &length));
  if (key == nullptr) throw std::invalid_argument("the secret is not UTF-8");
  call.headers = {
      {"Content-Type", "application/json"},
      {"X-Hmac-Signature", "hmac-sha256-hex=" + hex(hmac_sha256({key.get(), length}, call.body))}};
  return call;
}

std::string EasyPostSimulator::label_file(std::string_view tracking_code, std::string_view format) {
  if (format == "PDF") return pdf_label(tracking_code);
  if (format == "PNG") return png_label(tracking_code);
  if (format == "ZPL") return "^XA^FO50,50^A0N,40,40^FD" + std::string(tracking_code) + "^FS^XZ\n";
  throw std::invalid_argument("the simulator has no such format");
}

}  // namespace waybill::tests
