#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "connectors/carrier_gateway.hpp"

namespace waybill::connectors::karrio {

/// An entry of the lists `errors` (Karrio's own) and `messages` (a carrier's) in an answer.
struct Complaint {
  enum class Kind {
    credentials,  // the carrier refuses the credentials in the connection
    failure,      // the carrier was not reached, failed or was busy; it may have done what it was asked
    other,
  };
  CarrierMessage message;
  Kind kind = Kind::other;
  bool lacks_token = false;       // a failure: the carrier gives no token for the credentials
  bool is_known_refusal = false;  // the carrier, or Karrio before it asked, refuses for a known reason
  bool is_note = false;           // a warning or information
};

/// The text without the account's token, other tokens and links, as one line of at most 300 characters.
std::string safe_text(std::string_view text, const GatewayAccount& account);

/// The complaints of an answer, at most `most` of them; empty for an answer of another kind.
std::vector<Complaint> complaints_in(const json::value& answer, const GatewayAccount& account,
                                     std::size_t most = std::numeric_limits<std::size_t>::max());

/// True for an error of Karrio itself, not of a server before it.
bool is_karrio_error(const std::optional<json::value>& answer);

/// True for Karrio's own error with this code.
bool has_error_code(const std::optional<json::value>& answer, std::string_view code);

/// The message of an answer that is not a success, or of a failed call.
CarrierMessage message_of(const net::HttpResponse& response, const std::optional<json::value>& answer,
                          const GatewayAccount& account);

/// The error for the complaints of a carrier; there is at least one. A carrier that gives no token refuses
/// the credentials.
GatewayError error_of(const std::vector<Complaint>& complaints);

/// The error for an answer that is not a success, or for a failed call.
GatewayError error_of(const net::HttpResponse& response, const std::optional<json::value>& answer,
                      const GatewayAccount& account);

/// The reason if the answer to a purchase proves that nothing was bought: Karrio refuses before it asks the
/// carrier (400, 401, 404), or the carrier refuses (424) for known reasons alone. Otherwise nullopt.
std::optional<CarrierMessage> proven_refusal(const net::HttpResponse& response,
                                             const std::optional<json::value>& answer,
                                             const GatewayAccount& account);

/// The result of a call that voids a label. "Already voided" is a success: Karrio may repeat its call to the
/// carrier.
VoidResult void_result(const net::HttpResponse& response, const std::optional<json::value>& answer,
                       const GatewayAccount& account);

/// True for a status from 200 to 299.
bool is_success(const net::HttpResponse& response);

}  // namespace waybill::connectors::karrio
