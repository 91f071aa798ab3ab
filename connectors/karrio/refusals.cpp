#include "connectors/karrio/refusals.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/ascii.hpp"
#include "base/number.hpp"
#include "connectors/store_call.hpp"
#include "connectors/store_text.hpp"

namespace waybill::connectors::karrio {
namespace {

using Problem = GatewayError::Problem;
using Words = std::vector<std::string>;
using Names = std::span<const std::string_view>;

constexpr int bad_request = 400;
constexpr int unauthorized = 401;
constexpr int forbidden = 403;
constexpr int not_found = 404;
constexpr int conflict = 409;
constexpr int failed_dependency = 424;
constexpr int too_many_requests = 429;
constexpr int first_server_error = 500;
constexpr int after_server_errors = 600;

// Codes of Karrio's SDK (karrio/core/errors.py) for requests that it does not send to the carrier.
constexpr auto sdk_refusals = std::to_array<std::string_view>({
    "SHIPPING_SDK_FIELD_ERROR",
    "SHIPPING_SDK_VALIDATING_ERROR",
    "SHIPPING_SDK_NON_SUPPORTED_ERROR",
    "SHIPPING_SDK_ORIGIN_NOT_SERVICED_ERROR",
    "SHIPPING_SDK_DESTINATION_NOT_SERVICED_ERROR",
    "SHIPPING_SDK_MULTI_PARCEL_NOT_SUPPORTED_ERROR",
});
constexpr std::string_view sdk_codes = "SHIPPING_SDK_";

// The end of Karrio's message if a carrier, such as FedEx, refuses the credentials without a readable reason
// (ThreadSafeTokenManager in karrio/core/utils/caching.py).
constexpr std::string_view no_token = "Token refresh function returned no token";

// Refusals of UPS: service and origin, shipper number, address.
constexpr auto ups_refusals =
    std::to_array<std::string_view>({"111210", "120100", "120206", "120802", "121210"});
constexpr auto ups_credentials = std::to_array<std::string_view>({"10401", "250002", "250003"});

// A code of words is a known refusal if it has a subject and a verdict and nothing that leaves doubt.
constexpr auto subjects = std::to_array<std::string_view>(
    {"address", "postal",      "postalcode",  "postcode", "zip",       "zipcode",    "city",
     "state",   "country",     "province",    "street",   "phone",     "recipient",  "shipper",
     "sender",  "consignee",   "weight",      "size",     "dimension", "dimensions", "length",
     "width",   "height",      "parcel",      "package",  "packages",  "service",    "servicetype",
     "product", "destination", "origin",      "funds",    "balance",   "credit",     "account",
     "customs", "commodity",   "commodities", "currency", "incoterm",  "input"});
constexpr auto verdicts = std::to_array<std::string_view>(
    {"invalid", "missing", "required", "mandatory", "exceeded", "exceeds", "exceed", "insufficient",
     "unsupported", "unserviceable", "undeliverable", "mismatch", "malformed", "empty", "notallowed",
     "notsupported", "notserviced", "notvalid"});
constexpr auto negated_verdicts = std::to_array<std::string_view>(
    {"allowed", "supported", "serviced", "serviceable", "valid", "deliverable"});
constexpr auto doubts = std::to_array<std::string_view>(
    {"unavailable", "timeout",   "timed",    "internal", "busy",     "temporary", "temporarily",
     "system",      "server",    "retry",    "rate",     "quota",    "requests",  "throttled",
     "exists",      "duplicate", "progress", "pending",  "response", "answer",    "network",
     "connection",  "gateway",   "unknown",  "label",    "tracking"});
constexpr auto sizes = std::to_array<std::string_view>({"weight", "size", "dimension", "dimensions"});
constexpr auto failures =
    std::to_array<std::string_view>({"unavailable", "timeout", "throttled", "internal", "busy"});

constexpr auto credential_phrases = std::to_array<std::string_view>(
    {"unauthorized", "unauthorised", "not authorized", "not authorised", "authentication", "authorization",
     "credential", "access token", "api key", "apikey", "client id", "clientid", "password", "login failed",
     "access license", "site id", "account number", "shipper number"});
constexpr auto voided_phrases = std::to_array<std::string_view>(
    {"already voided", "already been voided", "already cancelled", "already canceled",
     "already been cancelled", "already been canceled", "has been voided", "previously voided",
     "already refunded", "already been refunded", "already deleted", "already been deleted"});
constexpr auto unvoidable_phrases =
    std::to_array<std::string_view>({"cannot be voided",     "can not be voided",  "cannot be cancelled",
                                     "can not be cancelled", "cannot be canceled", "cannot void",
                                     "cannot cancel",        "not eligible",       "too late",
                                     "time for voiding",     "void period",        "already shipped",
                                     "already been shipped", "already picked up",  "been picked up",
                                     "in transit",           "already scanned",    "been scanned",
                                     "already delivered",    "been delivered"});

// Fields that a purchase checks in the carrier's answer, after the label is paid.
constexpr auto answer_fields = std::to_array<std::string_view>(
    {"docs", "label", "tracking_number", "shipment_identifier", "tracking_url", "selected_rate", "meta",
     "messages", "return_shipment", "status", "test_mode", "rates"});

bool has(Names names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool has_one(const Words& words, Names names) {
  return std::ranges::any_of(words, [names](const std::string& word) { return has(names, word); });
}

bool has_phrase(std::string_view text, Names phrases) {
  const auto lower = ascii_lower(text);
  return std::ranges::any_of(
      phrases, [&](std::string_view phrase) { return lower.find(phrase) != std::string::npos; });
}

// The words of a code in lower case: "postal", "code", "invalid" of "postalCode.INVALID".
Words words_of(std::string_view code) {
  Words words;
  char last = ' ';
  for (const char c : code) {
    const bool begins = !is_alphanumeric(last) || (is_lower(last) && is_upper(c));
    if (is_alphanumeric(c)) {
      if (begins) words.emplace_back();
      words.back() += ascii_lower(c);
    }
    last = c;
  }
  return words;
}

bool is_refusal_in_words(const Words& words) {
  const bool has_not = has_one(words, std::to_array<std::string_view>({"not"}));
  const bool has_limit = has_one(words, std::to_array<std::string_view>({"limit"}));
  const bool has_verdict = has_one(words, verdicts) || (has_not && has_one(words, negated_verdicts));
  return has_verdict && has_one(words, subjects) && !has_one(words, doubts) &&
         (!has_limit || has_one(words, sizes));
}

bool is_failing_status(int status) {
  return status == too_many_requests || (status >= first_server_error && status < after_server_errors);
}

std::optional<int> status_in(const json::value& value) {
  const auto text = clean_line(&value);
  return text ? parse_number<int>(*text) : std::nullopt;
}

// The HTTP statuses that a plug-in keeps in `details` (`status`, `statusCode`, `http_status`).
void add_statuses(const json::value& details, std::vector<int>& statuses) {
  if (const auto* const list = details.if_array()) {
    for (const auto& element : *list) add_statuses(element, statuses);
  }
  const auto* const object = details.if_object();
  if (object == nullptr) return;
  for (const auto& member : *object) {
    const bool is_status = ascii_lower(member.key()).find("status") != std::string::npos;
    if (const auto status = is_status ? status_in(member.value()) : std::nullopt) statuses.push_back(*status);
    add_statuses(member.value(), statuses);
  }
}

bool has_html(const json::value* value) {
  if (value == nullptr) return false;
  if (const auto* const list = value->if_array()) {
    return std::ranges::any_of(*list, [](const json::value& element) { return has_html(&element); });
  }
  if (const auto* const object = value->if_object()) {
    return std::ranges::any_of(*object, [](const auto& member) { return has_html(&member.value()); });
  }
  constexpr auto marks = std::to_array<std::string_view>({"<html", "<!doctype", "<body", "<head"});
  return value->is_string() && has_phrase(value->get_string(), marks);
}

struct Facts {
  std::string code, carrier;
  Words words;
  std::vector<int> statuses;
  bool has_html = false;
};

Facts facts_of(const json::value& entry, std::string_view code) {
  Facts facts{.code = std::string(code),
              .carrier = clean_identifier(find_member(entry, "carrier_name")).value_or(""),
              .words = words_of(code),
              .statuses = {},
              .has_html = has_html(find_member(entry, "message")) || has_html(find_member(entry, "details"))};
  if (const auto* const details = find_member(entry, "details")) add_statuses(*details, facts.statuses);
  constexpr std::size_t status_length = 3;
  const auto number = code.size() == status_length ? parse_number<int>(code) : std::nullopt;
  if (number) facts.statuses.push_back(*number);
  return facts;
}

Complaint::Kind kind_of(const Facts& facts, std::string_view text) {
  const bool is_sdk = facts.code.starts_with(sdk_codes);
  const bool is_sdk_failure = is_sdk && !has(sdk_refusals, facts.code);
  if (is_sdk_failure || facts.has_html || std::ranges::any_of(facts.statuses, is_failing_status) ||
      (!is_sdk && has_one(facts.words, failures)))
    return Complaint::Kind::failure;
  const bool is_unauthorized = std::ranges::any_of(
      facts.statuses, [](int status) { return status == unauthorized || status == forbidden; });
  if (is_unauthorized || has_phrase(text, credential_phrases) || has_phrase(facts.code, credential_phrases) ||
      has_phrase(replaced(facts.code, ".", " "), credential_phrases) ||
      (facts.carrier == "ups" && has(ups_credentials, facts.code)))
    return Complaint::Kind::credentials;
  return Complaint::Kind::other;
}

bool is_known(const Facts& facts) {
  if (has(sdk_refusals, facts.code)) return true;
  if (facts.carrier == "ups" && (has(ups_refusals, facts.code) || has(ups_credentials, facts.code)))
    return true;
  return is_refusal_in_words(facts.words);
}

Complaint complaint_of(const json::value& entry, const GatewayAccount& account) {
  constexpr std::size_t longest_code = 100;
  Complaint complaint;
  const auto code = clean_identifier(find_member(entry, "code"), longest_code).value_or("");
  const auto text = clean_line(find_member(entry, "message")).value_or("");
  complaint.message = {.code = safe_text(code, account), .text = safe_text(text, account)};
  if (complaint.message.text.empty()) complaint.message.text = "No reason is given.";
  const auto facts = facts_of(entry, code);
  complaint.kind = kind_of(facts, text);
  complaint.lacks_token = facts.code == "SHIPPING_SDK_INTERNAL_ERROR" && text.ends_with(no_token);
  complaint.is_known_refusal = complaint.kind != Complaint::Kind::failure && is_known(facts);
  const auto level = ascii_lower(clean_identifier(find_member(entry, "level")).value_or(""));
  complaint.is_note = level == "warning" || level == "info";
  return complaint;
}

// True if Karrio may have found the error in the carrier's answer to the purchase.
bool may_follow_payment(const json::value& error) {
  const auto text = clean_line(find_member(error, "message")).value_or("");
  const auto field = std::string_view(text).substr(0, text.find_first_of(".:[ "));
  const auto* const details = find_member(error, "details");
  const auto* const fields = details == nullptr ? nullptr : details->if_object();
  return has(answer_fields, field) ||
         (fields != nullptr &&
          std::ranges::any_of(*fields, [](const auto& entry) { return has(answer_fields, entry.key()); }));
}

const json::array* list_in(const std::optional<json::value>& answer, std::string_view name) {
  const auto* const object = answer ? answer->if_object() : nullptr;
  const auto* const list = object == nullptr ? nullptr : object->if_contains(name);
  return list == nullptr ? nullptr : list->if_array();
}

bool proves_refusal(const std::vector<Complaint>& complaints) {
  std::size_t refusals = 0;
  for (const auto& complaint : complaints) {
    if (complaint.is_known_refusal) {
      ++refusals;
    } else if (!complaint.is_note || complaint.kind == Complaint::Kind::failure) {
      return false;
    }
  }
  return refusals > 0;
}

// True if the word has a token of Karrio's API ("key_…") or the secret of a webhook ("whsec_…").
bool has_token(std::string_view word) {
  constexpr std::ptrdiff_t shortest = 16;
  for (const std::string_view prefix : {"key_", "whsec_"}) {
    const auto at = word.find(prefix);
    if (at == std::string_view::npos) continue;
    const auto rest = word.substr(at + prefix.size());
    if (std::ranges::find_if_not(rest, is_alphanumeric) - rest.begin() >= shortest) return true;
  }
  return false;
}

Problem problem_of(net::HttpFailure failure) {
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

}  // namespace

std::string safe_text(std::string_view text, const GatewayAccount& account) {
  constexpr std::size_t longest = 300;
  constexpr auto marks = std::to_array<std::string_view>({"://", "/label", "/v1/shipments/"});
  std::string safe(text);
  if (!account.api_key.empty()) safe = replaced(std::move(safe), account.api_key, "…");
  std::string line;
  std::string_view rest = safe;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    const auto word = rest.substr(0, end);
    const bool is_secret = has_token(word) || std::ranges::any_of(marks, [word](std::string_view mark) {
                             return word.find(mark) != std::string_view::npos;
                           });
    line += is_secret ? std::string_view("…") : word;
    if (end < rest.size()) line += ' ';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return clean_line(line, longest).value_or("");
}

std::vector<Complaint> complaints_in(const json::value& answer, const GatewayAccount& account,
                                     std::size_t most) {
  std::vector<Complaint> complaints;
  for (const auto* const name : {"errors", "messages"}) {
    const auto* const list = find_member(answer, name);
    const auto* const entries = list == nullptr ? nullptr : list->if_array();
    if (entries == nullptr) continue;
    for (const auto& entry : *entries) {
      if (complaints.size() >= most) return complaints;
      if (entry.is_object()) complaints.push_back(complaint_of(entry, account));
    }
  }
  return complaints;
}

bool is_karrio_error(const std::optional<json::value>& answer) {
  const auto* const errors = list_in(answer, "errors");
  return errors != nullptr && !errors->empty() && errors->front().is_object();
}

bool has_error_code(const std::optional<json::value>& answer, std::string_view code) {
  return is_karrio_error(answer) && std::ranges::any_of(*list_in(answer, "errors"), [&](const auto& error) {
           return clean_identifier(find_member(error, "code")) == code;
         });
}

CarrierMessage message_of(const net::HttpResponse& response, const std::optional<json::value>& answer,
                          const GatewayAccount& account) {
  if (response.failure != net::HttpFailure::none) {
    return {.code = "unreachable", .text = safe_text("Karrio cannot be reached: " + response.error, account)};
  }
  if (answer) {
    const auto complaints = complaints_in(*answer, account);
    if (!complaints.empty()) return complaints.front().message;
  }
  const auto status = std::to_string(response.status);
  return {.code = status, .text = "Karrio answers " + status + (answer ? "." : " without JSON.")};
}

GatewayError error_of(const std::vector<Complaint>& complaints) {
  const auto refused_credentials = std::ranges::find_if(complaints, [](const Complaint& complaint) {
    return complaint.kind == Complaint::Kind::credentials || complaint.lacks_token;
  });
  if (refused_credentials != complaints.end())
    return {Problem::carrier_credentials, refused_credentials->message};
  const auto failure = std::ranges::find(complaints, Complaint::Kind::failure, &Complaint::kind);
  if (failure != complaints.end()) return {Problem::busy, failure->message};
  return {Problem::refused, complaints.front().message};
}

GatewayError error_of(const net::HttpResponse& response, const std::optional<json::value>& answer,
                      const GatewayAccount& account) {
  const auto message = message_of(response, answer, account);
  if (response.failure != net::HttpFailure::none) return {problem_of(response.failure), message};
  const int status = response.status;
  if (is_failing_status(status)) {
    return {Problem::busy, message, retry_after(response, response.started_at + response.duration)};
  }
  const auto* const messages = list_in(answer, "messages");
  if ((status == failed_dependency || status == not_found) && messages != nullptr && !messages->empty()) {
    const auto complaints = complaints_in(*answer, account);
    if (!complaints.empty()) return error_of(complaints);
  }
  if (status == failed_dependency) return {Problem::busy, message};
  if (!is_karrio_error(answer)) {
    return {Problem::unreachable,
            {.code = message.code,
             .text = "The server at the address of Karrio does not have its API: it answers " +
                     std::to_string(status) + "."}};
  }
  if (status == unauthorized || status == forbidden) return {Problem::credentials, message};
  return {Problem::refused, message};
}

std::optional<CarrierMessage> proven_refusal(const net::HttpResponse& response,
                                             const std::optional<json::value>& answer,
                                             const GatewayAccount& account) {
  if (response.failure != net::HttpFailure::none || !answer) return std::nullopt;
  const auto message = message_of(response, answer, account);
  switch (response.status) {
    case unauthorized:
      return is_karrio_error(answer) ? std::optional(message) : std::nullopt;
    case not_found:
      return has_error_code(answer, "not_found") ? std::optional(message) : std::nullopt;
    case bad_request: {
      if (!is_karrio_error(answer)) return std::nullopt;
      const bool may_be_paid = std::ranges::any_of(*list_in(answer, "errors"), may_follow_payment);
      return may_be_paid ? std::nullopt : std::optional(message);
    }
    case failed_dependency:
      return proves_refusal(complaints_in(*answer, account)) ? std::optional(message) : std::nullopt;
    default:
      return std::nullopt;
  }
}

VoidResult void_result(const net::HttpResponse& response, const std::optional<json::value>& answer,
                       const GatewayAccount& account) {
  if (is_success(response)) {
    const bool is_void = answer && clean_identifier(find_member(*answer, "status")) == "cancelled";
    if (is_void) return {.answer = VoidAnswer::voided, .message = {}};
    return {.answer = VoidAnswer::unknown,
            .message = {.code = std::to_string(response.status),
                        .text = "Karrio's answer does not say whether the label is void."}};
  }
  const auto message = message_of(response, answer, account);
  const bool is_own_refusal =
      is_karrio_error(answer) && (response.status == bad_request || response.status == unauthorized ||
                                  response.status == conflict || has_error_code(answer, "not_found"));
  if (response.failure != net::HttpFailure::none || !answer) {
    return {.answer = VoidAnswer::unknown, .message = message};
  }
  if (is_own_refusal) return {.answer = VoidAnswer::refused, .message = message};
  if (response.status != failed_dependency) return {.answer = VoidAnswer::unknown, .message = message};
  const auto complaints = complaints_in(*answer, account);
  const bool has_failure = std::ranges::any_of(
      complaints, [](const Complaint& complaint) { return complaint.kind == Complaint::Kind::failure; });
  if (has_failure) return {.answer = VoidAnswer::unknown, .message = message};
  const auto says = [&](Names phrases) {
    return std::ranges::any_of(complaints, [phrases](const Complaint& complaint) {
      return has_phrase(complaint.message.text, phrases) ||
             has_phrase(replaced(replaced(complaint.message.code, "_", " "), ".", " "), phrases);
    });
  };
  if (says(voided_phrases)) return {.answer = VoidAnswer::voided, .message = {}};
  const bool is_refused = says(unvoidable_phrases) || proves_refusal(complaints);
  return {.answer = is_refused ? VoidAnswer::refused : VoidAnswer::unknown, .message = message};
}

bool is_success(const net::HttpResponse& response) {
  constexpr int first = 200;
  constexpr int after = 300;
  return response.failure == net::HttpFailure::none && response.status >= first && response.status < after;
}

}  // namespace waybill::connectors::karrio
