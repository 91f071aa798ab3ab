#include "tests/carriers/purchase_gateways.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "base/crypto.hpp"

namespace waybill::tests {
namespace {

using Label = PurchaseGateway::Label;
using EasyPostCall = EasyPostSimulator::Call;

const std::vector<PurchaseGateway::Offer> usual_offers = {
    {.service = "standard", .price = "7.34", .days = 3}, {.service = "express", .price = "12.40", .days = 1}};

EasyPostCall easypost_call(PurchaseCall call) {
  switch (call) {
    case PurchaseCall::draft:
      return EasyPostCall::create_shipment;
    case PurchaseCall::buy:
      return EasyPostCall::buy;
    case PurchaseCall::find:
      return EasyPostCall::retrieve_shipment;
    case PurchaseCall::file:
      return EasyPostCall::label_file;
    case PurchaseCall::void_label:
      return EasyPostCall::refund;
    case PurchaseCall::other:
      break;
  }
  return EasyPostCall::other;
}

void require_success(const Response& response) {
  if (response.status >= 200 && response.status < 300) return;
  throw std::runtime_error("the gateway refuses: " + std::to_string(response.status) + " " + response.text);
}

}  // namespace

std::vector<Label> PurchaseGateway::labels(std::string_view reference) const {
  std::vector<Label> found = labels();
  std::erase_if(found, [&](const Label& label) { return label.reference != reference; });
  return found;
}

std::string PurchaseGateway::file(std::string_view number, std::string_view format) {
  return EasyPostSimulator::label_file(number, ascii_upper(format));
}

// EasyPost

PurchaseGateway::Account EasyPostGateway::new_account(const std::string& /*name*/, bool test_mode) {
  const auto user = easypost_.add_user();
  const std::string id = easypost_.add_carrier_account(user);
  Account account{
      .name = id,
      .configure = {
          {"connector", connector()},
          {"apiUrl", url()},
          {"accountNumber", id},
          {"apiKey", test_mode ? user.test_key : user.live_key},
          {"testMode", test_mode},
          {"serviceCodes", {{"standard", service_code("standard")}, {"express", service_code("express")}}}}};
  set_offers(account, usual_offers);
  return account;
}

void EasyPostGateway::set_offers(const Account& account, const std::vector<Offer>& offers) {
  std::vector<EasyPostSimulator::Offer> list;
  for (const Offer& offer : offers)
    list.push_back({service_code(offer.service), offer.price, offer.currency, offer.days});
  easypost_.set_offers(account.name, std::move(list));
}

std::string EasyPostGateway::service_code(std::string_view service) const {
  return service == "express" ? "Express" : "Ground";
}

void EasyPostGateway::fail(PurchaseCall call, Fault fault, std::size_t times) {
  easypost_.fail(easypost_call(call), std::move(fault), times);
}

void EasyPostGateway::refuse_next(Refusal refusal) {
  easypost_.fail(EasyPostCall::buy, refusal == Refusal::funds
                                        ? easypost_refusal(402, "PAYMENT_REQUIRED")
                                        : easypost_refusal(422, "ADDRESS.VERIFY.FAILURE"));
}

void EasyPostGateway::hold_next_purchase(std::shared_ptr<Gate> gate) {
  easypost_.hold_next_purchase(std::move(gate));
}

std::size_t EasyPostGateway::count(PurchaseCall call) const { return easypost_.count(easypost_call(call)); }

bool EasyPostGateway::wait_for_calls(PurchaseCall call, std::size_t count, Deadline deadline) const {
  return easypost_.wait_for_calls(easypost_call(call), count, deadline);
}

std::vector<Label> EasyPostGateway::labels() const {
  std::vector<Label> labels;
  for (const auto& entry : easypost_.journal()) {
    if (entry.kind != EasyPostSimulator::Entry::Kind::bought) continue;
    labels.push_back({.reference = entry.reference,
                      .numbers = {entry.tracking_code},
                      .price = entry.price,
                      .currency = entry.currency,
                      .is_test = entry.mode == "test"});
  }
  return labels;
}

std::vector<std::string> EasyPostGateway::voided() const {
  std::vector<std::string> numbers;
  for (const auto& entry : easypost_.journal()) {
    if (entry.kind == EasyPostSimulator::Entry::Kind::refunded) numbers.push_back(entry.tracking_code);
  }
  return numbers;
}

Response EasyPostGateway::act(const Account& account, const std::string& path, const json::object& body) {
  const std::string address = url();
  Http http("127.0.0.1", std::stoi(address.substr(address.rfind(':') + 1)));
  const std::string pair = text_at(account.configure, "apiKey") + ":";
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(pair.data());
  return http.post("/v2/shipments/" + path, body,
                   {{"Authorization", "Basic " + base64({bytes, pair.size()})}});
}

void EasyPostGateway::buy_by_hand(const Account& account, const std::string& gateway_id) {
  const std::string rate = text_at(easypost_.shipment(gateway_id), "rates.0.id");
  require_success(act(account, gateway_id + "/buy", {{"rate", {{"id", rate}}}}));
}

void EasyPostGateway::void_by_hand(const Account& account, const std::string& gateway_id) {
  require_success(act(account, gateway_id + "/refund", {}));
}

bool EasyPostGateway::shows_label(const Account& /*account*/, const std::string& gateway_id) {
  const json::value shipment = easypost_.shipment(gateway_id);
  return !shipment.is_null() && !at(shipment, "postage_label").is_null();
}

void EasyPostGateway::scan(const std::string& number) {
  easypost_.add_scan(number, {.status = "in_transit", .message = "Accepted", .city = "Bonn"});
}

// Karrio

PurchaseGateway::Account KarrioGateway::new_account(const std::string& name, bool test_mode) {
  karrio_.make_connection(name, {.test_mode = test_mode});
  Account account{
      .name = name,
      .configure = {
          {"connector", connector()},
          {"apiUrl", url()},
          {"accountNumber", name},
          {"apiKey", karrio_.token(test_mode)},
          {"testMode", test_mode},
          {"serviceCodes", {{"standard", service_code("standard")}, {"express", service_code("express")}}}}};
  set_offers(account, usual_offers);
  return account;
}

void KarrioGateway::set_offers(const Account& account, const std::vector<Offer>& offers) {
  std::vector<KarrioCarrier::Offer> list;
  for (const Offer& offer : offers) {
    list.push_back({.service = service_code(offer.service),
                    .price = offer.price,
                    .currency = offer.currency,
                    .days = offer.days});
  }
  carrier().set_offers(account.name, std::move(list));
}

std::string KarrioGateway::service_code(std::string_view service) const {
  return "testcarrier_" + std::string(service);
}

void KarrioGateway::fail(PurchaseCall call, Fault fault, std::size_t times) {
  front_.fail(call, std::move(fault), times);
}

void KarrioGateway::refuse_next(Refusal refusal) {
  carrier().fail(KarrioCarrier::Call::buy,
                 refusal == Refusal::funds
                     ? carrier_refusal(402, "INSUFFICIENT_FUNDS", "The account has no funds.")
                     : carrier_refusal(422, "address_invalid", "The address does not exist."));
}

void KarrioGateway::stop_failing() {
  front_.stop_failing();
  carrier().stop_failing();
}

void KarrioGateway::hold_next_purchase(std::shared_ptr<Gate> gate) {
  carrier().hold_next_purchase(std::move(gate));
}

bool KarrioGateway::wait_for_calls(PurchaseCall call, std::size_t count, Deadline deadline) const {
  return front_.wait_for_calls(call, count, deadline);
}

std::vector<Label> KarrioGateway::labels() const {
  std::vector<Label> labels;
  for (const auto& entry : karrio_.carrier().journal()) {
    if (entry.kind != KarrioCarrier::Entry::Kind::bought) continue;
    labels.push_back({.reference = entry.reference,
                      .numbers = entry.numbers,
                      .price = entry.price,
                      .currency = entry.currency,
                      .is_test = entry.is_test});
  }
  return labels;
}

std::vector<std::string> KarrioGateway::voided() const {
  std::vector<std::string> numbers;
  for (const auto& entry : karrio_.carrier().journal()) {
    if (entry.kind == KarrioCarrier::Entry::Kind::voided)
      std::ranges::copy(entry.numbers, std::back_inserter(numbers));
  }
  return numbers;
}

void KarrioGateway::buy_by_hand(const Account& account, const std::string& gateway_id) {
  const bool test_mode = at(account.configure, "testMode") == true;
  const auto draft = karrio_.get("/v1/shipments/" + gateway_id, test_mode);
  karrio_.post("/v1/shipments/" + gateway_id + "/purchase",
               json::object{{"selected_rate_id", at(draft, "rates.0.id")}}, test_mode);
}

void KarrioGateway::void_by_hand(const Account& account, const std::string& gateway_id) {
  karrio_.post("/v1/shipments/" + gateway_id + "/cancel", json::object(),
               at(account.configure, "testMode") == true);
}

bool KarrioGateway::shows_label(const Account& account, const std::string& gateway_id) {
  const Response shown =
      karrio_.request("GET", "/v1/shipments/" + gateway_id, {}, at(account.configure, "testMode") == true);
  return shown.status == 200 && text_at(shown.body, "status") == "created";
}

void KarrioGateway::scan(const std::string& number) {
  carrier().add_scan(number, {.status = "in_transit", .description = "Departed"});
}

}  // namespace waybill::tests
