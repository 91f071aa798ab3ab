#include "tests/carriers/easypost_simulator.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <uninorm.h>
#include <utility>

#include "base/crypto.hpp"
#include "base/owned.hpp"
#include "tests/carriers/easypost_answers.hpp"
#include "tests/carriers/easypost_state.hpp"

namespace waybill::tests {

using easypost::pdf_label;
using easypost::png_label;
using easypost::refusal;
using easypost::string_in;
using easypost::text_of;

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

void EasyPostSimulator::charge_next(std::string price) { sell_next({{"rate", std::move(price)}}); }

void EasyPostSimulator::sell_next(json::object rate) {
  const std::lock_guard lock(state_->mutex);
  state_->next_rate = std::move(rate);
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
