#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/number.hpp"
#include "tests/carriers/easypost_answers.hpp"
#include "tests/carriers/easypost_state.hpp"

namespace waybill::tests {

using easypost::answer;
using easypost::field_error;
using easypost::fraction;
using easypost::missing;
using easypost::new_id;
using easypost::new_tracking_code;
using easypost::now_text;
using easypost::object_in;
using easypost::refusal;
using easypost::string_in;

json::object EasyPostSimulator::State::made(std::string_view prefix, std::string_view type,
                                            const Caller& caller, const json::object& given) {
  json::object object = {{"id", new_id(prefix)},
                         {"object", type},
                         {"mode", caller.mode()},
                         {"created_at", now_text()},
                         {"updated_at", now_text()}};
  for (const auto& [name, value] : given) object.emplace(name, value);
  return object;
}

json::object EasyPostSimulator::State::made_address(const Caller& caller, const json::object& given) {
  json::object address = made("adr", "Address", caller, given);
  for (const auto* const field : {"name", "company", "street1", "street2", "city", "state", "zip", "country",
                                  "phone", "email", "residential", "carrier_facility", "federal_tax_id"}) {
    address.emplace(field, nullptr);
  }
  return address;
}

json::value EasyPostSimulator::State::made_parcel(const Caller& caller, const json::object& given) {
  json::object parcel = made("prcl", "Parcel", caller);
  for (const auto* const field : {"length", "width", "height", "weight"})
    parcel[field] = fraction(given.if_contains(field));
  parcel["predefined_package"] =
      string_in(given, "predefined_package").empty() ? json::value(nullptr) : given.at("predefined_package");
  return parcel;
}

json::value EasyPostSimulator::State::made_customs(const Caller& caller, const json::object* given) {
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

std::optional<std::vector<const EasyPostSimulator::State::Account*>> EasyPostSimulator::State::accounts_of(
    const Caller& caller, const json::object& given) {
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

json::object EasyPostSimulator::State::made_rate(const Caller& caller, const Account& account,
                                                 const Offer& offer, const json::value& shipment_id) {
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
               {"delivery_date", offer.delivery_date ? json::value(*offer.delivery_date) : json::value()},
               {"delivery_date_guaranteed", false},
               {"est_delivery_days", offer.days},
               {"shipment_id", shipment_id},
               {"carrier_account_id", account.id}});
}

Reply EasyPostSimulator::State::create_shipment(const Caller& caller, const json::value& body) {
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
    for (const Offer& offer : one->offers) rates.push_back(made_rate(caller, *one, offer, shipment.at("id")));
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

json::object EasyPostSimulator::State::shown_shipment(const Record& shipment) const {
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

Reply EasyPostSimulator::State::buy(Record& shipment, const json::value& body,
                                    std::unique_lock<std::mutex>& lock) {
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
  for (const auto& [name, value] : std::exchange(next_rate, {})) selected[name] = value;
  complete_purchase(shipment, std::move(selected));
  return answer(200, shown_shipment(shipment));
}

void EasyPostSimulator::State::complete_purchase(Record& shipment, json::object rate) {
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

void EasyPostSimulator::State::record_effect(Entry::Kind kind, const json::object& shipment,
                                             const Caller& owner, const json::object& rate,
                                             const std::string& code) {
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

std::string EasyPostSimulator::State::label_url(const json::object& label, const std::string& format) const {
  return origin + "/labels/" + string_in(label, "id") + "." + format;
}

Reply EasyPostSimulator::State::convert_label(Record& shipment, const Parameters& query) {
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

Reply EasyPostSimulator::State::file(const std::string& target) const {
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

Reply EasyPostSimulator::State::refund(Record& shipment) {
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

}  // namespace waybill::tests
