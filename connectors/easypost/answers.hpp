#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/carrier_gateway.hpp"

// The answers of EasyPost v2. Pure.
namespace waybill::connectors::easypost {

struct Answer {
  net::HttpFailure failure = net::HttpFailure::none;
  int status = 0;
  json::value body;  // null without JSON
  std::optional<Duration> retry_after;
  std::string failure_reason = {};  // a sentence for people; empty without a failure

  bool is_success() const;
  /// Null unless the answer is EasyPost's report of an error: a 4xx or 5xx with a code.
  const json::object* error() const;
  /// Returns true if the server proves that it did nothing and why. False for 5xx, 408, 409, 425, 429, for a
  /// code that leaves the outcome open, and for an answer that EasyPost does not give.
  bool is_refusal() const;
  /// Returns true if EasyPost itself says that it has no such record.
  bool is_not_found() const;
  /// Returns true if EasyPost itself did not take the call, because there are too many.
  bool is_rate_limit() const;
};

/// The API key in the body is masked before anything is read from it.
Answer read_answer(const net::HttpResponse& response, std::string_view api_key);

/// A clean line of at most 300 bytes with links and API keys masked.
std::string safe_text(std::string_view text);

/// The code and words of an error; for another answer, a sentence about it.
CarrierMessage message_of(const Answer& answer);

/// The error for an answer that is not the expected one.
GatewayError error_of(const Answer& answer);
/// The same for a draft, whose request names nothing that can be missing but the carrier account.
GatewayError draft_error(const Answer& answer);

/// The shipment in a successful answer; null if it has none.
const json::object* shipment_in(const Answer& answer);

/// The rates and messages of one carrier account.
struct Offers {
  RatesAnswer answer;
  bool has_others = false;  // there are some of other accounts
};
/// Throws GatewayError for too many rates.
Offers offers_in(const json::object& shipment, std::string_view carrier_account);

/// Returns true if the carrier, by its messages, does not accept the credentials that EasyPost has.
bool blames_credentials(const RatesAnswer& offers);

/// The label of a bought shipment. nullopt if it is not bought, or its label or number is missing.
std::optional<BoughtLabel> bought_in(const json::object& shipment);

/// Returns true if anything in the shipment comes from a purchase.
bool shows_purchase(const json::object& shipment);

/// Returns true if the label was refunded, or its refund was asked for and is not rejected.
bool is_taken_back(const json::object& shipment);

/// Returns true if the answer to a purchase says that the shipment was bought before.
bool was_bought_before(const Answer& answer);

/// The outcome of a purchase; what is not known to be bought or refused is unknown.
PurchaseAnswer purchase_of(const Answer& answer, std::string_view gateway_id);

/// The state of the shipment's refund; unknown if the shipment names none.
VoidResult refund_in(const json::object& shipment);

/// The link to a label in this format; empty if there is none.
std::string label_link(const json::object& shipment, LabelFormat format);

}  // namespace waybill::connectors::easypost
