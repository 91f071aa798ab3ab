#include "connectors/karrio/karrio.hpp"

#include <array>
#include <chrono>
#include <utility>

#include "base/ascii.hpp"
#include "base/crypto.hpp"
#include "base/percent_encoding.hpp"
#include "connectors/karrio/addresses.hpp"
#include "connectors/karrio/answers.hpp"
#include "connectors/karrio/exact_json.hpp"
#include "connectors/karrio/refusals.hpp"
#include "connectors/karrio/requests.hpp"
#include "connectors/karrio/tracking.hpp"
#include "connectors/store_text.hpp"
#include "connectors/tracking_number.hpp"

namespace waybill::connectors {
namespace karrio {
namespace {

using Problem = GatewayError::Problem;

constexpr std::size_t mebibyte = 1024UL * 1024;
constexpr std::size_t usual_limit = 4 * mebibyte;
constexpr std::size_t label_limit = 15 * mebibyte;     // base64 of the largest label
constexpr std::size_t purchase_limit = 32 * mebibyte;  // label and customs invoice
constexpr int most_pages = 50;
constexpr std::string_view gateway_name = "karrio";

struct Call {
  std::string method = "GET";
  std::string path;
  json::object body = {};
  std::string request_id = {};
  Duration timeout = std::chrono::seconds(20);
  std::size_t limit = usual_limit;
  bool is_repeatable = true;
};

struct Answer {
  net::HttpResponse response;
  std::optional<json::value> body = {};  // nullopt if it is not JSON or was cut off
  bool is_cut = false;                   // longer than the limit
};

class KarrioGateway final : public Gateway {
 public:
  KarrioGateway(GatewayAccount account, Send send, const Clock& clock)
      : account_(std::move(account)), send_(std::move(send)), clock_(clock) {}

  asio::awaitable<bool> check(Consignment probe) override {
    carrier_name_.clear();
    co_await find_carrier_name();
    const auto answer = co_await ask(rate_call(probe));
    const auto offers = read_rates(*answer.body, account_);
    if (!offers.rates.empty()) co_return true;
    const auto complaints = complaints_in(*answer.body, account_);
    if (!complaints.empty()) throw error_of(complaints);
    if (!offers.messages.empty()) throw GatewayError(Problem::refused, offers.messages.front());
    co_return false;
  }

  asio::awaitable<RatesAnswer> rates(Consignment consignment) override {
    const auto answer = co_await ask(rate_call(consignment));
    co_return read_rates(*answer.body, account_);
  }

  asio::awaitable<Draft> draft(Consignment consignment) override {
    const auto answer = co_await ask({.method = "POST",
                                      .path = "/v1/shipments",
                                      .body = rate_request(consignment, account_.account_number),
                                      .request_id = consignment.reference,
                                      .timeout = std::chrono::seconds(30),
                                      .is_repeatable = false});
    Draft draft{.gateway_id = text_at(*answer.body, "id"), .offers = read_rates(*answer.body, account_)};
    if (draft.gateway_id.empty()) throw unreadable();
    co_return draft;
  }

  asio::awaitable<PurchaseAnswer> buy(std::string gateway_id, std::string rate_id, std::string reference,
                                      LabelFormat format) override {
    const auto answer = co_await exchange({.method = "POST",
                                           .path = shipment_path(gateway_id) + "/purchase",
                                           .body = purchase_request(rate_id, format),
                                           .request_id = reference,
                                           .timeout = std::chrono::seconds(90),
                                           .limit = purchase_limit,
                                           .is_repeatable = false});
    constexpr int conflict = 409;
    const bool is_bought = is_success(answer.response);
    if (is_bought && answer.body) {
      auto shipment = read_shipment(*answer.body);
      auto* const label = shipment ? std::get_if<BoughtLabel>(&*shipment) : nullptr;
      if (label != nullptr && label->gateway_id == gateway_id) co_return std::move(*label);
    }
    if (is_bought || answer.response.status == conflict) {
      if (auto label = co_await bought(gateway_id)) co_return std::move(*label);
    } else if (auto reason = proven_refusal(answer.response, answer.body, account_)) {
      co_return RefusedPurchase{std::move(*reason)};
    }
    co_return UnknownPurchase{message_of(answer.response, answer.body, account_)};
  }

  asio::awaitable<FoundPurchase> find(std::string gateway_id, std::string reference) override {
    if (!gateway_id.empty()) co_return co_await find_by_id(gateway_id);
    if (reference.empty()) co_return NotThere{};
    co_return co_await find_by_reference(reference);
  }

  asio::awaitable<LabelFile> label(std::string gateway_id, LabelFormat /*format*/) override {
    const auto answer = co_await ask({.method = "POST",
                                      .path = shipment_path(gateway_id) + "/documents/label",
                                      .timeout = std::chrono::seconds(30),
                                      .limit = label_limit});
    auto file = read_label(*answer.body);
    if (!file) {
      throw GatewayError(Problem::refused,
                         {.code = "label",
                          .text = "Karrio has no PDF, PNG or ZPL label of at most 10 MiB for the shipment."});
    }
    co_return std::move(*file);
  }

  asio::awaitable<VoidResult> void_label(std::string gateway_id, bool /*after_unknown*/) override {
    const auto answer = co_await exchange({.method = "POST",
                                           .path = shipment_path(gateway_id) + "/cancel",
                                           .timeout = std::chrono::seconds(60),
                                           .is_repeatable = false});
    co_return void_result(answer.response, answer.body, account_);
  }

  asio::awaitable<TrackAnswer> track(std::string tracking_number) override {
    const auto carrier_name = co_await find_carrier_name();
    const auto answer =
        co_await exchange({.method = "POST",
                           .path = "/v1/proxy/tracking?carrier_id=" + percent_encode(account_.account_number),
                           .body = tracking_request(tracking_number, carrier_name)});
    require_mode(answer);
    if (is_success(answer.response) && answer.body) {
      co_return read_tracking(*answer.body, tracking_number, clock_.now());
    }
    if (!is_unknown_number(answer)) require(answer);
    co_return TrackAnswer{};
  }

 private:
  static std::string shipment_path(std::string_view gateway_id) {
    return "/v1/shipments/" + percent_encode(gateway_id);
  }

  static GatewayError unreadable() {
    return {Problem::busy, {.code = "unreadable", .text = "Karrio's answer cannot be read."}};
  }

  Call rate_call(const Consignment& consignment) const {
    return {.method = "POST",
            .path = "/v1/proxy/rates",
            .body = rate_request(consignment, account_.account_number)};
  }

  net::HttpRequest request(const Call& call) const {
    net::HttpRequest request;
    request.method = call.method;
    request.url = account_.api_url + call.path;
    request.headers.emplace_back("Accept", "application/json");
    request.headers.emplace_back("Authorization", "Token " + account_.api_key);
    if (!call.request_id.empty()) request.headers.emplace_back("X-Request-ID", call.request_id);
    if (call.method != "GET") {
      request.headers.emplace_back("Content-Type", "application/json");
      append_json(request.body, call.body);
    }
    request.connect_timeout = std::chrono::seconds(5);
    request.total_timeout = call.timeout;
    request.read_limit = call.limit;
    request.keep_limit = call.limit;
    request.fresh_connection = !call.is_repeatable;
    return request;
  }

  // Sends the request once. Does not throw for an answer of any kind.
  asio::awaitable<Answer> exchange(Call call) const {
    Answer answer{.response = co_await send_(request(call))};
    answer.is_cut = answer.response.body.size() >= call.limit;
    if (answer.response.failure == net::HttpFailure::none) answer.body = exact_json(answer.response.body);
    if (answer.body && !answer.body->is_object()) answer.body.reset();
    answer.response.body = {};  // frees the memory
    co_return answer;
  }

  // Returns the answer of a success, with its JSON. Throws GatewayError.
  asio::awaitable<Answer> ask(Call call) const {
    auto answer = co_await exchange(std::move(call));
    require_mode(answer);
    require(answer);
    co_return answer;
  }

  // Each answer for a valid token says its mode. In the wrong mode shipments and connections seem not to
  // exist.
  void require_mode(const Answer& answer) const {
    constexpr int unauthorized = 401;
    const auto mode = answer.response.header("x-test-mode");
    if (!mode || answer.response.status == unauthorized) return;
    const bool is_test = equal_ignoring_case(trimmed(*mode), "true");
    if (is_test == account_.test_mode) return;
    throw GatewayError(Problem::mode, {.code = "mode",
                                       .text = is_test ? "The token is one of Karrio's test mode."
                                                       : "The token is one of Karrio's live mode."});
  }

  void require(const Answer& answer) const {
    if (is_success(answer.response)) {
      if (answer.body) return;
      if (!answer.is_cut) throw unreadable();
      throw GatewayError(Problem::refused, {.code = "too_large", .text = "Karrio's answer is too large."});
    }
    auto error = error_of(answer.response, answer.body, account_);
    const bool lacks_connection = has_error_code(answer.body, "not_found") &&
                                  error.message().text.find("carrier connection") != std::string::npos;
    if (lacks_connection) throw GatewayError(Problem::account, error.message());
    throw error;
  }

  // True for the answer when a carrier has neither a parcel nor a message: {"errors":[{"code":"failure"}]}.
  static bool is_without_reason(const json::value& body) {
    const json::value* const errors = body.is_object() ? body.get_object().if_contains("errors") : nullptr;
    if (errors == nullptr || !errors->is_array() || errors->get_array().empty()) return false;
    return std::ranges::all_of(errors->get_array(), [](const json::value& error) {
      return text_at(error, "code") == "failure" && text_at(error, "message").empty();
    });
  }

  // True if the carrier, which was asked, does not know the number (yet).
  bool is_unknown_number(const Answer& answer) const {
    constexpr int not_found = 404;
    if (answer.response.status != not_found || !answer.body) return false;
    if (is_without_reason(*answer.body)) return true;
    if (is_karrio_error(answer.body)) return false;
    const auto complaints = complaints_in(*answer.body, account_);
    return !complaints.empty() && std::ranges::all_of(complaints, [](const Complaint& complaint) {
      return complaint.kind == Complaint::Kind::other && !complaint.message.code.starts_with("SHIPPING_SDK_");
    });
  }

  // The carrier of the only active connection with the account's name.
  asio::awaitable<std::string> find_carrier_name() {
    if (!carrier_name_.empty()) co_return carrier_name_;
    constexpr int page_size = 100;
    int count = 0;
    std::string name;
    int read = 0;
    for (int page = 0; page < most_pages; ++page) {
      const auto answer = co_await ask(
          {.path = "/v1/connections?limit=" + std::to_string(page_size) + "&offset=" + std::to_string(read)});
      const auto connections = read_connections(*answer.body);
      if (!connections) throw unreadable();
      for (const auto& connection : *connections) {
        if (!connection.is_active || connection.carrier_id != account_.account_number) continue;
        ++count;
        name = connection.carrier_name;
      }
      read += static_cast<int>(connections->size());
      if (connections->empty() || !has_next_page(*answer.body)) break;
    }
    if (count != 1) {
      throw GatewayError(Problem::account,
                         {.code = "account",
                          .text = count == 0 ? "Karrio has no active connection with this name for the token."
                                             : "Karrio has several active connections with this name."});
    }
    if (name.empty()) throw unreadable();
    carrier_name_ = name;
    co_return name;
  }

  // The label of a shipment that should be bought; nullopt if that cannot be confirmed.
  asio::awaitable<std::optional<BoughtLabel>> bought(std::string gateway_id) const {
    try {
      auto found = co_await find_by_id(std::move(gateway_id));
      if (auto* const label = std::get_if<BoughtLabel>(&found)) co_return std::move(*label);
    } catch (const GatewayError&) {
      co_return std::nullopt;  // the caller looks it up later
    }
    co_return std::nullopt;
  }

  asio::awaitable<FoundPurchase> find_by_id(std::string gateway_id) const {
    constexpr int not_found = 404;
    const auto answer = co_await exchange({.path = shipment_path(gateway_id)});
    require_mode(answer);
    if (answer.response.status == not_found && has_error_code(answer.body, "not_found")) {
      co_return NotThere{};
    }
    require(answer);
    auto shipment = read_shipment(*answer.body);
    if (!shipment || text_at(*answer.body, "id") != gateway_id) throw unreadable();
    co_return std::move(*shipment);
  }

  // The shipment that tells most of several with one reference: a bought one, then one that was bought, then
  // a draft.
  static int weight_of(const FoundPurchase& found) {
    if (std::holds_alternative<BoughtLabel>(found)) return 4;
    if (const auto* const label = std::get_if<VoidedLabel>(&found))
      return label->label.tracking_numbers.empty() ? 1 : 3;
    return std::holds_alternative<StillDraft>(found) ? 2 : 0;
  }

  // Karrio's filter also finds longer references.
  asio::awaitable<FoundPurchase> find_by_reference(std::string reference) const {
    constexpr int page_size = 10;
    FoundPurchase found = NotThere{};
    std::size_t read = 0;
    for (int page = 0; page < most_pages; ++page) {
      const auto answer =
          co_await ask({.path = "/v1/shipments?reference=" + percent_encode(reference) +
                                "&limit=" + std::to_string(page_size) + "&offset=" + std::to_string(read)});
      const auto* const rows = list_at(*answer.body, "results");
      if (rows == nullptr) throw unreadable();
      for (const auto& row : *rows) {
        const auto* const value = find_member(row, "reference");
        if (value == nullptr || !value->is_string() || value->get_string() != reference) continue;
        auto shipment = read_shipment(row);
        if (!shipment) throw unreadable();
        if (std::holds_alternative<BoughtLabel>(*shipment)) co_return std::move(*shipment);
        if (weight_of(*shipment) > weight_of(found)) found = std::move(*shipment);
      }
      read += rows->size();
      if (rows->empty() || !has_next_page(*answer.body)) co_return found;
    }
    throw GatewayError(Problem::refused,
                       {.code = "too_many", .text = "Karrio has too many shipments with such a reference."});
  }

  const GatewayAccount account_;
  const Send send_;
  const Clock& clock_;
  std::string carrier_name_;  // empty until it was looked up
};

class Karrio final : public GatewayConnector {
 public:
  std::string_view name() const override { return gateway_name; }

  std::span<const std::string_view> features() const override {
    static constexpr auto all = std::to_array<std::string_view>(
        {"rates", "labels", "void", "tracking", "several_parcels", "returns", "customs"});
    return all;
  }

  std::span<const LabelFormat> formats() const override {
    static constexpr auto all = std::to_array({LabelFormat::pdf, LabelFormat::zpl, LabelFormat::png});
    return all;
  }

  // AddressData in karrio/server/core/serializers.py of Karrio 2026.1.32.
  PartyLimits party_limits() const override {
    return {.name = 100, .company = 100, .phone = 50, .city = 50, .state = 50, .postal_code = 20};
  }

  FieldErrors wrong_parts(const Party& party) const override { return karrio::wrong_parts(party); }

  bool needs_url() const override { return true; }

  int calls_per_minute() const override { return 600; }
  bool makes_call_secret() const override { return true; }

  std::unique_ptr<Gateway> open(GatewayAccount account, Send send, const Clock& clock) const override {
    return std::make_unique<KarrioGateway>(std::move(account), std::move(send), clock);
  }

  // Karrio signs nothing: it sends the secret itself. The body may be forged by everyone who saw a call.
  GatewayHint read_call(std::string_view secret, const InboundCall& call) const override {
    GatewayHint hint;
    const auto sent = call.header("x-event-id");
    if (secret.empty() || !sent || !equal_constant_time(secret, *sent)) return hint;
    const auto body = exact_json(call.body);
    const auto* const object = body ? body->if_object() : nullptr;
    const auto number =
        object == nullptr ? std::nullopt : tracking_number_in(find_path(*object, "data.tracking_number"));
    hint.kind = number ? GatewayHint::Kind::hint : GatewayHint::Kind::ping;
    hint.tracking_number = number.value_or("");
    return hint;
  }
};

}  // namespace
}  // namespace karrio

const GatewayConnector& karrio_gateway() {
  static const karrio::Karrio gateway;
  return gateway;
}

}  // namespace waybill::connectors
