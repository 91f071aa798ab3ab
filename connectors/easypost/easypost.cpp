#include "connectors/easypost/easypost.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/percent_encoding.hpp"
#include "connectors/easypost/client.hpp"
#include "connectors/easypost/fields.hpp"
#include "connectors/easypost/requests.hpp"
#include "connectors/easypost/trackers.hpp"
#include "connectors/easypost/webhook.hpp"
#include "connectors/label_format.hpp"

namespace waybill::connectors {
namespace {

using easypost::Answer;
using easypost::Client;
using easypost::code_at;
using Problem = GatewayError::Problem;

constexpr Duration usual_time = std::chrono::seconds(20);
constexpr Duration draft_time = std::chrono::seconds(30);
constexpr Duration purchase_time = std::chrono::seconds(90);
constexpr Duration void_time = std::chrono::seconds(60);
constexpr Duration label_time = std::chrono::seconds(30);

std::string shipment_path(std::string_view id) { return "/shipments/" + percent_encode(id); }

std::string_view format_name(LabelFormat format) { return format == LabelFormat::zpl ? "ZPL" : "PDF"; }

// The shipments in an answer that has one or a list.
std::vector<const json::object*> shipments_in(const Answer& answer) {
  if (const auto* const one = easypost::shipment_in(answer)) return {one};
  std::vector<const json::object*> shipments;
  const auto* const object = answer.is_success() ? answer.body.if_object() : nullptr;
  if (object == nullptr) return shipments;
  for (const auto& value : easypost::list_at(*object, "shipments")) {
    if (value.is_object()) shipments.push_back(&value.get_object());
  }
  return shipments;
}

// True for a purchase without a refund.
bool is_kept(const json::object& shipment) {
  return easypost::shows_purchase(shipment) && !easypost::is_taken_back(shipment);
}

// The shipment with this reference, if possible a bought one, best without a refund; null if there is none.
const json::object* shipment_of(const Answer& answer, std::string_view reference) {
  const json::object* other = nullptr;
  for (const auto* const shipment : shipments_in(answer)) {
    if (code_at(*shipment, "reference") != reference) continue;
    if (is_kept(*shipment)) return shipment;
    if (other == nullptr || (easypost::shows_purchase(*shipment) && !easypost::shows_purchase(*other)))
      other = shipment;
  }
  return other;
}

FoundPurchase found(const json::object& shipment) {
  if (auto bought = easypost::bought_in(shipment)) {
    if (!easypost::is_taken_back(shipment)) return std::move(*bought);
    const bool is_pending = easypost::refund_in(shipment).answer == VoidAnswer::pending;
    return VoidedLabel{std::move(*bought), is_pending};
  }
  if (easypost::shows_purchase(shipment)) {
    throw GatewayError(Problem::busy, {"", "EasyPost shows a purchase whose label is not there yet."});
  }
  return StillDraft{code_at(shipment, "id")};
}

std::size_t count_accounts(const Answer& answer, std::string_view id) {
  const auto* list = answer.body.if_array();
  if (const auto* const object = answer.body.if_object())
    list = &easypost::list_at(*object, "carrier_accounts");
  if (list == nullptr) throw easypost::error_of(answer);
  return static_cast<std::size_t>(std::ranges::count_if(*list, [id](const json::value& account) {
    return account.is_object() && code_at(account.get_object(), "id") == id;
  }));
}

class EasyPostGateway final : public Gateway {
 public:
  EasyPostGateway(GatewayAccount account, Send send, const Clock& clock)
      : account_(std::move(account)), client_(account_, std::move(send)), clock_(clock) {}

  asio::awaitable<bool> check(Consignment probe) override {
    require_mode();
    // The list of carrier accounts is open to live keys only; for test keys, the rate call names the account.
    if (!account_.test_mode) co_await require_account();
    const auto [gateway_id, offers] = co_await made_draft(std::move(probe), usual_time);
    const RatesAnswer& answer = offers.answer;
    if (!answer.rates.empty()) co_return true;
    if (answer.messages.empty() && offers.has_others) throw no_account();
    if (answer.messages.empty()) co_return false;
    throw GatewayError(easypost::blames_credentials(answer) ? Problem::carrier_credentials : Problem::refused,
                       answer.messages.front());
  }

  asio::awaitable<RatesAnswer> rates(Consignment consignment) override {
    require_mode();
    auto made = co_await made_draft(std::move(consignment), usual_time);
    co_return std::move(made.offers.answer);
  }

  asio::awaitable<Draft> draft(Consignment consignment) override {
    require_mode();
    auto made = co_await made_draft(std::move(consignment), draft_time);
    co_return Draft{std::move(made.gateway_id), std::move(made.offers.answer)};
  }

  asio::awaitable<PurchaseAnswer> buy(std::string gateway_id, std::string rate_id, std::string /*reference*/,
                                      LabelFormat /*format*/) override {
    if (has_wrong_mode()) co_return RefusedPurchase{wrong_mode()};
    if (gateway_id.empty() || rate_id.empty()) {
      co_return RefusedPurchase{{"", "The purchase names no draft or no rate."}};
    }
    const auto answer = co_await client_.post(shipment_path(gateway_id) + "/buy",
                                              easypost::purchase_body(rate_id), purchase_time);
    if (!easypost::was_bought_before(answer)) co_return easypost::purchase_of(answer, gateway_id);
    const auto shipment = co_await client_.get(shipment_path(gateway_id), usual_time);
    auto outcome = easypost::purchase_of(shipment, gateway_id);
    // The shipment is bought, even if it cannot be read now.
    if (!std::holds_alternative<BoughtLabel>(outcome))
      outcome = UnknownPurchase{easypost::message_of(answer)};
    co_return outcome;
  }

  asio::awaitable<FoundPurchase> find(std::string gateway_id, std::string reference) override {
    require_mode();
    if (gateway_id.empty() && reference.empty()) co_return NotThere{};
    const auto answer =
        co_await client_.get(shipment_path(gateway_id.empty() ? reference : gateway_id), usual_time);
    if (answer.is_not_found()) co_return NotThere{};
    if (!answer.is_success()) throw easypost::error_of(answer);
    if (gateway_id.empty()) co_return co_await found_by_reference(answer, std::move(reference));
    const auto* const shipment = easypost::shipment_in(answer);
    if (shipment == nullptr || code_at(*shipment, "id") != gateway_id) throw unreadable();
    co_return found(*shipment);
  }

  asio::awaitable<LabelFile> label(std::string gateway_id, LabelFormat format) override {
    require_mode();
    std::string path = shipment_path(gateway_id);
    if (format != LabelFormat::png) path += "/label?file_format=" + std::string(format_name(format));
    const auto answer = co_await client_.get(std::move(path), label_time);
    const auto* const shipment = easypost::shipment_in(answer);
    if (shipment == nullptr) throw easypost::error_of(answer);
    const std::string link = easypost::label_link(*shipment, format);
    if (link.empty()) {
      const bool later = easypost::object_at(*shipment, "postage_label") == nullptr;
      throw GatewayError(later ? Problem::busy : Problem::refused,
                         {"format", "EasyPost has no label in this format."});
    }
    co_return label_file(co_await client_.file(link, label_time), format);
  }

  asio::awaitable<VoidResult> void_label(std::string gateway_id, bool after_unknown) override {
    if (has_wrong_mode()) co_return VoidResult{VoidAnswer::refused, wrong_mode()};
    const std::string path = shipment_path(gateway_id);
    if (after_unknown) {
      const auto now = co_await client_.get(path, usual_time);
      const auto* const shipment = easypost::shipment_in(now);
      if (shipment == nullptr) co_return VoidResult{VoidAnswer::unknown, easypost::message_of(now)};
      auto known = easypost::refund_in(*shipment);
      if (known.answer != VoidAnswer::unknown) co_return known;
    }
    const auto answer = co_await client_.post(path + "/refund", "{}", void_time);
    if (const auto* const shipment = easypost::shipment_in(answer)) co_return easypost::refund_in(*shipment);
    if (!answer.is_refusal()) co_return VoidResult{VoidAnswer::unknown, easypost::message_of(answer)};
    // A second refund is refused, too; the shipment tells what became of the first.
    const auto now = co_await client_.get(path, usual_time);
    if (const auto* const shipment = easypost::shipment_in(now)) {
      const auto known = easypost::refund_in(*shipment);
      if (known.answer == VoidAnswer::voided || known.answer == VoidAnswer::pending) co_return known;
    }
    co_return VoidResult{VoidAnswer::refused, easypost::message_of(answer)};
  }

  asio::awaitable<TrackAnswer> track(std::string tracking_number) override {
    require_mode();
    // A bought label has a tracker; another one for its number could cost a fee.
    const auto list =
        co_await client_.get("/trackers?tracking_code=" + percent_encode(tracking_number), usual_time);
    if (const auto* const tracker = easypost::tracker_of(list, tracking_number)) {
      co_return easypost::scans_in(*tracker, clock_.now());
    }
    if (!list.is_success() && !list.is_not_found()) throw easypost::error_of(list);
    const auto made = co_await client_.post("/trackers", easypost::tracker_body(tracking_number), usual_time);
    const auto* const tracker = easypost::tracker_in(made, tracking_number);
    if (tracker == nullptr) throw easypost::error_of(made);
    co_return easypost::scans_in(*tracker, clock_.now());
  }

 private:
  struct MadeDraft {
    std::string gateway_id;
    easypost::Offers offers;
  };

  bool has_wrong_mode() const { return account_.api_key.starts_with(account_.test_mode ? "EZAK" : "EZTK"); }

  CarrierMessage wrong_mode() const {
    return {"mode", account_.test_mode ? "The API key is a live key, but the carrier is in test mode."
                                       : "The API key is a test key, but the carrier is not in test mode."};
  }

  void require_mode() const {
    if (account_.api_key.empty()) throw GatewayError(Problem::credentials, {"", "The API key is missing."});
    if (has_wrong_mode()) throw GatewayError(Problem::mode, wrong_mode());
  }

  static GatewayError no_account() {
    return {Problem::account, {"", "EasyPost has no carrier account with this id (ca_…)."}};
  }

  static GatewayError unreadable() { return {Problem::busy, {"", "EasyPost's answer cannot be read."}}; }

  asio::awaitable<void> require_account() {
    const auto answer = co_await client_.get("/carrier_accounts", usual_time, Client::long_answer);
    if (!answer.is_success()) throw easypost::error_of(answer);
    if (count_accounts(answer, account_.account_number) != 1) throw no_account();
  }

  asio::awaitable<MadeDraft> made_draft(Consignment consignment, Duration time_out) {
    // Without an account, EasyPost would ask all of them.
    if (account_.account_number.empty()) throw no_account();
    const auto answer = co_await client_.post(
        "/shipments", easypost::shipment_body(consignment, account_.account_number), time_out);
    const auto* const shipment = easypost::shipment_in(answer);
    if (shipment == nullptr) throw easypost::draft_error(answer);
    if (code_at(*shipment, "mode") == (account_.test_mode ? "production" : "test")) {
      throw GatewayError(Problem::mode, wrong_mode());
    }
    co_return MadeDraft{code_at(*shipment, "id"), easypost::offers_in(*shipment, account_.account_number)};
  }

  // EasyPost gives one shipment for a reference; of several with the same one it may not be the bought one.
  asio::awaitable<FoundPurchase> found_by_reference(Answer answer, std::string reference) {
    if (shipments_in(answer).empty()) throw unreadable();
    const auto* const shipment = shipment_of(answer, reference);
    if (shipment != nullptr && is_kept(*shipment)) co_return found(*shipment);
    const auto bought =
        co_await client_.get("/shipments?purchased=true&page_size=100", usual_time, Client::long_answer);
    if (!bought.is_success() || !bought.body.is_object()) throw easypost::error_of(bought);
    const auto* const other = shipment_of(bought, reference);
    if (other != nullptr && easypost::shows_purchase(*other)) co_return found(*other);
    if (shipment != nullptr) co_return found(*shipment);
    co_return NotThere{};
  }

  static LabelFile label_file(net::HttpResponse response, LabelFormat format) {
    constexpr int fine = 200;
    // A store of files may refuse a file that it does not have yet.
    if (response.failure != net::HttpFailure::none || response.status != fine) {
      throw GatewayError(Problem::busy,
                         {std::to_string(response.status), "The label's file cannot be loaded yet."});
    }
    if (response.body.size() > Client::largest_label) {
      throw GatewayError(Problem::refused, {"", "The label's file is larger than 10 MiB."});
    }
    if (label_format_of(response.body) != format) {
      throw GatewayError(Problem::busy, {"format", "The label's file does not have the expected format."});
    }
    return {format, std::move(response.body)};
  }

  const GatewayAccount account_;
  Client client_;
  const Clock& clock_;
};

class EasyPost final : public GatewayConnector {
 public:
  std::string_view name() const override { return "easypost"; }

  std::span<const std::string_view> features() const override {
    static constexpr auto names =
        std::to_array<std::string_view>({"rates", "labels", "void", "tracking", "returns", "customs"});
    return names;
  }

  std::span<const LabelFormat> formats() const override {
    static constexpr std::array<LabelFormat, 3> all = {LabelFormat::pdf, LabelFormat::zpl, LabelFormat::png};
    return all;
  }

  int calls_per_minute() const override { return 300; }

  bool makes_call_secret() const override { return false; }

  bool needs_url() const override { return false; }

  std::unique_ptr<Gateway> open(GatewayAccount account, Send send, const Clock& clock) const override {
    return std::make_unique<EasyPostGateway>(std::move(account), std::move(send), clock);
  }

  GatewayHint read_call(std::string_view secret, const InboundCall& call) const override {
    return easypost::read_event(secret, call);
  }
};

}  // namespace

const GatewayConnector& easypost_connector() {
  static const EasyPost connector;
  return connector;
}

}  // namespace waybill::connectors
