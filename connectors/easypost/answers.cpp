#include "connectors/easypost/answers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <variant>

#include "base/ascii.hpp"
#include "connectors/easypost/fields.hpp"
#include "connectors/page_link.hpp"
#include "connectors/store_call.hpp"

namespace waybill::connectors::easypost {
namespace {

using Problem = GatewayError::Problem;

constexpr std::size_t message_limit = 300;
constexpr std::size_t code_limit = 100;
constexpr std::size_t longest_link = 2000;  // as in shipments
constexpr std::size_t longest_file_link = 4096;

std::optional<json::value> json_body(std::string_view body) {
  constexpr std::size_t depth = 64;
  auto strict = parse_json(body, depth, {}, BadValues::keep);
  if (auto* const value = std::get_if<json::value>(&strict)) return std::move(*value);
  return json_in(body);
}

// The words of a message, which EasyPost gives as a text, a list or an object.
void append_words(std::string& words, const json::value& value) {
  if (words.size() > message_limit) return;
  if (value.is_string()) {
    if (!words.empty()) words += ' ';
    words += std::string_view(value.get_string());
  } else if (value.is_array()) {
    for (const auto& element : value.get_array()) append_words(words, element);
  } else if (value.is_object()) {
    for (const auto& entry : value.get_object()) append_words(words, entry.value());
  }
}

bool ends_with_any(std::string_view code, std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(ends, [code](std::string_view end) { return code.ends_with(end); });
}

// True for a code after which the request may still have had its effect.
bool leaves_open(std::string_view code) {
  return ends_with_any(code, {".EXISTS", "IN_PROGRESS", "TIMED_OUT", "TIMEOUT", "NO_RESPONSE"}) ||
         code.find("INTERNAL") != std::string_view::npos;
}

bool names_carrier_account(const json::object& error) {
  if (code_at(error, "code").find("CARRIER_ACCOUNT") != std::string::npos) return true;
  return std::ranges::any_of(list_at(error, "errors"), [](const json::value& entry) {
    return entry.is_object() &&
           code_at(entry.get_object(), "field").find("carrier_account") != std::string::npos;
  });
}

std::string sentence_about(const Answer& answer) {
  if (answer.failure != net::HttpFailure::none) return "EasyPost cannot be reached: " + answer.failure_reason;
  const auto status = std::to_string(answer.status);
  return answer.is_success() ? "EasyPost's answer (" + status + ") cannot be read."
                             : "EasyPost answers " + status + " without a reason.";
}

Problem problem_of_failure(net::HttpFailure failure) {
  switch (failure) {
    case net::HttpFailure::refused_destination:
    case net::HttpFailure::dns:
    case net::HttpFailure::connect:
    case net::HttpFailure::tls:
      return Problem::unreachable;
    default:
      return Problem::busy;
  }
}

// The statuses of 4xx that say "later" or "perhaps".
bool is_passing(int status) { return status == 408 || status == 409 || status == 425 || status == 429; }

Problem problem_of_status(const Answer& answer) {
  const auto* const error = answer.error();
  const std::string code = error != nullptr ? code_at(*error, "code") : "";
  if (answer.is_success() || answer.status >= 500 || is_passing(answer.status)) return Problem::busy;
  if (code.starts_with("MODE.")) return Problem::mode;
  if (answer.status == 401 || answer.status == 403) return Problem::credentials;
  if (error == nullptr) return Problem::unreachable;  // a redirect, or a page of another server
  if (names_carrier_account(*error)) return Problem::account;
  return leaves_open(code) ? Problem::busy : Problem::refused;
}

// An amount as it is in the answer; empty if it is not a decimal, or a number that may have lost digits.
std::string amount_at(const json::object& object, std::string_view path) {
  constexpr std::size_t exact_digits = 15;
  const auto* const value = find_path(object, path);
  if (value == nullptr) return {};
  std::string text = code_at(object, path, 40);
  const auto digits = static_cast<std::size_t>(std::ranges::count_if(text, is_digit));
  const auto point = text.find('.');
  const bool decimal = point == std::string::npos ? all_digits(text)
                                                  : all_digits(std::string_view(text).substr(0, point)) &&
                                                        all_digits(std::string_view(text).substr(point + 1));
  if (!decimal || (value->is_number() && digits > exact_digits)) return {};
  const auto whole = std::min(point, text.size());
  text.erase(0,
             std::min(text.find_first_not_of('0'), whole - 1));  // a JSON number begins with no needless zero
  return text;
}

std::optional<std::string> link_at(const json::object& object, std::string_view path,
                                   std::size_t limit = longest_link) {
  return page_link(find_path(object, path), limit);
}

std::string currency_at(const json::object& object) {
  const auto currency = ascii_upper(code_at(object, "currency"));
  return currency.size() == 3 && std::ranges::all_of(currency, is_upper) ? currency : "";
}

std::optional<int> days_at(const json::object& rate) {
  constexpr double longest = 365;
  for (const std::string_view field : {"delivery_days", "est_delivery_days"}) {
    const auto days = number_of(rate.if_contains(field));
    if (days && *days >= 0 && *days <= longest) return static_cast<int>(std::ceil(*days));
  }
  return std::nullopt;
}

std::string service_name(const json::object& rate) {
  const std::string carrier = text_at(rate, "carrier", 100);
  const std::string service = text_at(rate, "service", 100);
  return carrier.empty() ? service : carrier + " " + service;
}

// nullopt for a rate that cannot be bought.
std::optional<CarrierRate> rate_in(const json::object& rate) {
  CarrierRate made{.id = code_at(rate, "id"),
                   .service_code = code_at(rate, "service"),
                   .service_name = service_name(rate),
                   .price = amount_at(rate, "rate"),
                   .currency = currency_at(rate),
                   .charges = {},
                   .transit_days = days_at(rate),
                   .estimated_delivery = parse_timestamp(text_at(rate, "delivery_date"))};
  if (made.id.empty() || made.service_code.empty() || made.price.empty() || made.currency.empty())
    return std::nullopt;
  return made;
}

CarrierMessage carrier_message(const json::object& message) {
  std::string words = text_at(message, "carrier", 100);
  if (!words.empty()) words += ": ";
  if (const auto* const text = message.if_contains("message")) {
    std::string said;
    append_words(said, *text);
    words += said;
  }
  return {safe_text(code_at(message, "type", code_limit)), safe_text(words)};
}

}  // namespace

bool Answer::is_success() const { return failure == net::HttpFailure::none && status >= 200 && status < 300; }

const json::object* Answer::error() const {
  const auto* const object = body.if_object();
  if (failure != net::HttpFailure::none || status < 400 || object == nullptr) return nullptr;
  const auto* const found = object_at(*object, "error");
  return found != nullptr && !code_at(*found, "code").empty() ? found : nullptr;
}

bool Answer::is_refusal() const {
  const auto* const found = error();
  return found != nullptr && status < 500 && !is_passing(status) && !leaves_open(code_at(*found, "code"));
}

bool Answer::is_not_found() const { return status == 404 && error() != nullptr; }

bool Answer::is_rate_limit() const {
  const auto* const found = error();
  return found != nullptr && status == 429 && !leaves_open(code_at(*found, "code"));
}

Answer read_answer(const net::HttpResponse& response, std::string_view api_key) {
  constexpr std::size_t shortest_key = 8;  // a shorter one could be part of ordinary words
  Answer answer{.failure = response.failure, .status = response.status, .body = nullptr, .retry_after = {}};
  if (response.failure != net::HttpFailure::none) {
    answer.failure_reason = safe_text(response.error);
    return answer;
  }
  answer.retry_after = retry_after(response, response.started_at + response.duration);
  auto body = api_key.size() >= shortest_key ? json_body(replaced(response.body, api_key, "(key)"))
                                             : json_body(response.body);
  if (body) answer.body = std::move(*body);
  return answer;
}

std::string safe_text(std::string_view text) {
  constexpr std::size_t shortest_key = 12;
  std::string line = clean_line(text, 4 * message_limit).value_or("");
  std::string safe;
  for (std::size_t at = 0; at < line.size();) {
    const auto end = std::min(line.find(' ', at), line.size());
    const auto word = std::string_view(line).substr(at, end - at);
    const bool has_key = word.size() >= shortest_key && (word.find("EZTK") != std::string_view::npos ||
                                                         word.find("EZAK") != std::string_view::npos);
    const bool has_link = word.find("://") != std::string_view::npos;
    if (!safe.empty()) safe += ' ';
    safe += has_key ? "(key)" : has_link ? "(link)" : word;
    at = end + 1;
  }
  return clean_line(safe, message_limit).value_or("");
}

CarrierMessage message_of(const Answer& answer) {
  const auto* const error = answer.error();
  if (answer.failure != net::HttpFailure::none) return {"unreachable", sentence_about(answer)};
  if (error == nullptr) return {std::to_string(answer.status), sentence_about(answer)};
  std::string words;
  for (const auto* const field : {"message", "errors"}) {
    if (const auto* const value = error->if_contains(field)) append_words(words, *value);
  }
  words = safe_text(words);
  return {safe_text(code_at(*error, "code", code_limit)), words.empty() ? sentence_about(answer) : words};
}

GatewayError error_of(const Answer& answer) {
  const auto problem = answer.failure != net::HttpFailure::none ? problem_of_failure(answer.failure)
                                                                : problem_of_status(answer);
  return {problem, message_of(answer), answer.retry_after};
}

GatewayError draft_error(const Answer& answer) {
  if (answer.is_not_found()) return {Problem::account, message_of(answer)};
  return error_of(answer);
}

const json::object* shipment_in(const Answer& answer) {
  const auto* const object = answer.is_success() ? answer.body.if_object() : nullptr;
  return object != nullptr && !code_at(*object, "id").empty() ? object : nullptr;
}

Offers offers_in(const json::object& shipment, std::string_view carrier_account) {
  Offers offers;
  const auto is_ours = [&](const json::object& entry) {
    const std::string account = code_at(entry, "carrier_account_id");
    if (account.empty() || account == carrier_account) return true;
    offers.has_others = true;
    return false;
  };
  std::size_t unreadable = 0;
  for (const auto& entry : list_at(shipment, "rates")) {
    const auto* const rate = entry.if_object();
    if (rate != nullptr && !is_ours(*rate)) continue;
    if (offers.answer.rates.size() + unreadable >= most_rates) throw too_many_rates();
    auto read = rate != nullptr ? rate_in(*rate) : std::nullopt;
    if (read) {
      offers.answer.rates.push_back(std::move(*read));
    } else {
      ++unreadable;
    }
  }
  for (const auto& entry : list_at(shipment, "messages")) {
    const auto* const message = entry.if_object();
    if (message == nullptr || !is_ours(*message) || offers.answer.messages.size() >= most_rate_messages)
      continue;
    offers.answer.messages.push_back(carrier_message(*message));
  }
  note_unreadable(offers.answer, unreadable);
  return offers;
}

bool blames_credentials(const RatesAnswer& offers) {
  return std::ranges::any_of(offers.messages, [](const CarrierMessage& message) {
    constexpr std::array<std::string_view, 9> words = {"authenti",  "authoriz",       "credential",
                                                       "password",  "access license", "access key",
                                                       "client id", "clientid",       "api key"};
    const std::string text = ascii_lower(message.code + " " + message.text);
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return text.find(word) != std::string::npos; });
  });
}

std::optional<BoughtLabel> bought_in(const json::object& shipment) {
  BoughtLabel label{.gateway_id = code_at(shipment, "id"),
                    .tracking_numbers = {number_at(shipment, "tracking_code")},
                    .tracking_url = link_at(shipment, "tracker.public_url").value_or(""),
                    .service_code = {},
                    .service_name = {},
                    .price = {},
                    .currency = {},
                    .label = std::nullopt};
  if (label.tracking_numbers.front().empty()) {
    label.tracking_numbers.front() = number_at(shipment, "tracker.tracking_code");
  }
  if (label.gateway_id.empty() || label.tracking_numbers.front().empty() ||
      object_at(shipment, "postage_label") == nullptr)
    return std::nullopt;
  if (const auto* const rate = object_at(shipment, "selected_rate")) {
    label.service_code = code_at(*rate, "service");
    label.service_name = service_name(*rate);
    label.price = amount_at(*rate, "rate");
    label.currency = currency_at(*rate);
    label.estimated_delivery = parse_timestamp(text_at(*rate, "delivery_date"));
  }
  return label;
}

bool shows_purchase(const json::object& shipment) {
  return object_at(shipment, "postage_label") != nullptr || object_at(shipment, "selected_rate") != nullptr ||
         !code_at(shipment, "tracking_code").empty() || !code_at(shipment, "refund_status").empty();
}

bool is_taken_back(const json::object& shipment) {
  const VoidAnswer refund = refund_in(shipment).answer;
  return refund == VoidAnswer::voided || refund == VoidAnswer::pending;
}

bool was_bought_before(const Answer& answer) {
  const auto* const error = answer.error();
  return error != nullptr && code_at(*error, "code") == "SHIPMENT.POSTAGE.EXISTS";
}

PurchaseAnswer purchase_of(const Answer& answer, std::string_view gateway_id) {
  if (const auto* const shipment = shipment_in(answer)) {
    auto bought = bought_in(*shipment);
    if (is_taken_back(*shipment)) return UnknownPurchase{{"", "EasyPost has refunded the label."}};
    if (bought && bought->gateway_id == gateway_id) return std::move(*bought);
    return UnknownPurchase{{"", "EasyPost accepted the purchase, but its answer has no label."}};
  }
  if (answer.is_refusal() || answer.is_rate_limit()) return RefusedPurchase{message_of(answer)};
  return UnknownPurchase{message_of(answer)};
}

VoidResult refund_in(const json::object& shipment) {
  const std::string status = code_at(shipment, "refund_status");
  if (status == "refunded") return {VoidAnswer::voided, {}};
  if (status == "submitted") return {VoidAnswer::pending, {}};
  if (status == "rejected") return {VoidAnswer::refused, {status, "The carrier rejects the refund."}};
  if (status == "not_applicable") {
    return {VoidAnswer::refused, {status, "The carrier has no refund for this label."}};
  }
  return {VoidAnswer::unknown, {"", "EasyPost does not say what became of the refund."}};
}

std::string label_link(const json::object& shipment, LabelFormat format) {
  const auto* const label = object_at(shipment, "postage_label");
  if (label == nullptr) return {};
  std::optional<std::string> link;
  if (format == LabelFormat::pdf) link = link_at(*label, "label_pdf_url", longest_file_link);
  if (format == LabelFormat::zpl) link = link_at(*label, "label_zpl_url", longest_file_link);
  if (!link) {
    const std::string type = ascii_lower(code_at(*label, "label_file_type"));
    const std::string_view wanted = format == LabelFormat::png   ? "png"
                                    : format == LabelFormat::pdf ? "pdf"
                                                                 : "zpl";
    if (type.ends_with(wanted)) link = link_at(*label, "label_url", longest_file_link);
  }
  return link.value_or("");
}

}  // namespace waybill::connectors::easypost
