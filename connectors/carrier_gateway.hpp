#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors {

/// The account of a business with a carrier, reached through a gateway. Never logged, never part of an
/// error's text.
struct GatewayAccount {
  std::string api_url;         // without a trailing slash; empty: the gateway's own address
  std::string api_key;         // the token
  std::string account_number;  // the name of the connection in the gateway (Karrio carrier_id, EasyPost ca_…)
  bool test_mode = false;
};

/// The sender or the recipient of a parcel. Empty texts are unknown.
struct Party {
  std::string name, company, phone, email;
  std::string street, city, state, postal_code, country;  // street: of one or more lines; ISO 3166-1 alpha-2
};

/// The most characters of each text of a party; 0: any number.
struct PartyLimits {
  std::size_t name = 0, company = 0, phone = 0, city = 0, state = 0, postal_code = 0;
};

/// Decimals as text: "2.5".
struct Parcel {
  std::string weight;                 // kg
  std::string length, width, height;  // cm; all empty if unknown
};

struct CustomsItem {
  std::string description, weight, value, currency, hs_code, origin_country;  // weight and value of one piece
  std::int64_t quantity = 1;
};

struct CustomsData {
  std::string contents;  // merchandise, gift, documents, sample, return_merchandise or other
  std::string incoterm;  // may be empty
  std::vector<CustomsItem> items;
};

struct Consignment {
  std::string reference;  // the guid of a purchase; empty for rates
  Party sender, recipient;
  std::vector<Parcel> parcels;  // at least one
  std::optional<CustomsData> customs;
  bool is_return = false;  // the parcel travels from `recipient` to `sender`
};

struct Charge {
  std::string name, amount;
};

/// A price that a carrier offers. Amounts are exact decimals as text.
struct CarrierRate {
  std::string id;            // the gateway's, within its draft or rate call
  std::string service_code;  // the gateway's
  std::string service_name;
  std::string price, currency;
  std::vector<Charge> charges;
  std::optional<int> transit_days;
  std::optional<Time> estimated_delivery;  // midnight UTC: a day without a time, here and below
};

/// A message of a carrier or gateway, at most 300 characters, without secrets.
struct CarrierMessage {
  std::string code, text;
};

/// A sentence for people, with the code if there is one.
std::string sentence_of(const CarrierMessage& message);

struct RatesAnswer {
  std::vector<CarrierRate> rates;  // in the gateway's order
  std::vector<CarrierMessage> messages;
};

/// A shipment in the gateway that is not bought yet.
struct Draft {
  std::string gateway_id;
  RatesAnswer offers;
};

enum class LabelFormat : std::uint8_t { pdf, zpl, png };

struct LabelFile {
  LabelFormat format = LabelFormat::pdf;
  std::string bytes;  // at most 10 MiB
};

/// A purchase that the gateway confirms.
struct BoughtLabel {
  std::string gateway_id;
  std::vector<std::string> tracking_numbers;  // the carrier's, at least one: that of the whole shipment if it
                                              // has its own, then one for each parcel
  std::string tracking_url;                   // a page for people; may be empty
  std::string service_code, service_name;
  std::string price, currency;     // the price charged
  std::optional<LabelFile> label;  // nullopt: `label` fetches it
  std::optional<Time> estimated_delivery = {};
};

/// The purchase is proven not to have happened.
struct RefusedPurchase {
  CarrierMessage message;
};

/// Nothing is proven: the purchase must be looked up.
struct UnknownPurchase {
  CarrierMessage message;
};

using PurchaseAnswer = std::variant<BoughtLabel, RefusedPurchase, UnknownPurchase>;

/// An earlier purchase as the gateway knows it now.
struct StillDraft {
  std::string gateway_id;
};
/// A label that was bought and then voided, cancelled or refunded in the gateway. Without a number it is a
/// cancelled draft, and not known to have been bought.
struct VoidedLabel {
  BoughtLabel label;
  bool is_pending = false;  // the refund was asked for, and may still be rejected
};
struct NotThere {};
using FoundPurchase = std::variant<BoughtLabel, VoidedLabel, StillDraft, NotThere>;

enum class VoidAnswer : std::uint8_t { voided, pending, refused, unknown };
struct VoidResult {
  VoidAnswer answer = VoidAnswer::unknown;
  CarrierMessage message;
};

/// A scan as the gateway reports it. `status` is ours (contract of scans); empty if it moves nothing.
/// `cancelled` is that of the gateway: storage::ScanCourse decides what it means for the shipment.
struct CarrierScan {
  std::string external_id;  // the gateway's id of the event, or a hash of its facts without the status
  std::string status;
  std::string code, description, location;
  Time at;
  bool has_zone = true;       // false: `at` is not exact; the trace says so
  bool is_return = false;     // the parcel is on its way back to its sender, or has arrived there
  bool tells_return = false;  // by this scan itself
};

struct TrackAnswer {
  std::vector<CarrierScan> scans;  // oldest first
  std::optional<Time> estimated_delivery;
};

/// A call failed that changes nothing: it can be repeated, if the problem allows.
class GatewayError : public std::exception {
 public:
  enum class Problem : std::uint8_t {
    credentials,          // the gateway refuses the token
    carrier_credentials,  // the carrier refuses the credentials that the gateway has
    mode,                 // the token is of the other mode
    account,              // no connection, or several, with this name
    unreachable,          // unknown name, refused, no route, no TLS, or a forbidden destination
    busy,                 // 429, 5xx, a time-out, a cut answer
    refused,              // the gateway or the carrier says no; no later attempt can succeed
  };
  GatewayError(Problem problem, CarrierMessage message, std::optional<Duration> retry_after = std::nullopt)
      : problem_(problem), message_(std::move(message)), retry_after_(retry_after) {}
  Problem problem() const { return problem_; }
  const CarrierMessage& message() const { return message_; }
  std::optional<Duration> retry_after() const { return retry_after_; }
  const char* what() const noexcept override { return message_.text.c_str(); }

 private:
  Problem problem_;
  CarrierMessage message_;
  std::optional<Duration> retry_after_;
};

/// The most rates of an answer, and the most messages that are read with them.
inline constexpr std::size_t most_rates = 500, most_rate_messages = 50;

/// The refusal of an answer with more than `most_rates` rates: of a part of them, the cheapest or the fastest
/// one could be missing.
GatewayError too_many_rates();

/// Adds the message that `count` rates of an answer cannot be bought, because a part of them cannot be read.
void note_unreadable(RatesAnswer& answer, std::size_t count);

/// A connection to one account. Remembers nothing that a purchase needs. One coroutine at a time.
class Gateway {
 public:
  virtual ~Gateway() = default;

  /// Checks token, mode, connection, and, by one rate call for `probe`, the carrier's own credentials.
  /// Returns true if rates came back, false if the answer was empty and without a message (the connection is
  /// then unchecked). Throws GatewayError.
  virtual asio::awaitable<bool> check(Consignment probe) = 0;

  /// Throws GatewayError.
  virtual asio::awaitable<RatesAnswer> rates(Consignment consignment) = 0;

  /// Makes a free draft with its rates. Throws GatewayError.
  virtual asio::awaitable<Draft> draft(Consignment consignment) = 0;

  /// Buys a draft. `reference` is that of the draft. Never repeats a request. Never throws GatewayError:
  /// everything that is not known to be a refusal is UnknownPurchase.
  virtual asio::awaitable<PurchaseAnswer> buy(std::string gateway_id, std::string rate_id,
                                              std::string reference, LabelFormat format) = 0;

  /// Looks an earlier draft or purchase up, by the gateway's id if it is known, else by the exact reference.
  /// Throws GatewayError.
  virtual asio::awaitable<FoundPurchase> find(std::string gateway_id, std::string reference) = 0;

  /// Throws GatewayError.
  virtual asio::awaitable<LabelFile> label(std::string gateway_id, LabelFormat format) = 0;

  /// Never throws GatewayError. `after_unknown`: an earlier call may have voided the label. An "already
  /// voided" is always a success, because a gateway may repeat its call to the carrier.
  virtual asio::awaitable<VoidResult> void_label(std::string gateway_id, bool after_unknown) = 0;

  /// Asks the carrier now. Throws GatewayError.
  virtual asio::awaitable<TrackAnswer> track(std::string tracking_number) = 0;
};

/// The words of a received call.
struct GatewayHint {
  enum class Kind : std::uint8_t { bad_signature, ping, hint } kind = Kind::bad_signature;
  std::string tracking_number;  // of a hint
  std::optional<std::string> delivery_id;
};

/// One kind of gateway. Stateless: one instance serves all businesses, on any thread.
class GatewayConnector {
 public:
  virtual ~GatewayConnector() = default;
  virtual std::string_view name() const = 0;  // "karrio"
  /// The services that the API performs with it ("rates", "labels", "void", "tracking"), and the consignments
  /// that it takes beyond one parcel within a customs territory: "several_parcels", "returns", "customs".
  virtual std::span<const std::string_view> features() const = 0;
  virtual std::span<const LabelFormat> formats() const = 0;  // the first is the usual one
  /// The limits of the gateway itself; its carriers may have lower ones.
  virtual PartyLimits party_limits() const { return {}; }
  /// The parts of an address that the gateway refuses for certain, by the names of the API ("phone"), each
  /// with what it must be. Pure.
  virtual FieldErrors wrong_parts(const Party&) const { return {}; }
  /// The most calls in a minute that the gateway takes from an account.
  virtual int calls_per_minute() const = 0;
  /// `api_url` of accounts is that of the business (Karrio).
  virtual bool needs_url() const = 0;
  virtual std::unique_ptr<Gateway> open(GatewayAccount account, Send send, const Clock& clock) const = 0;
  /// True if the gateway makes the secret of its calls, which is then the account's apiSecret; else it is the
  /// inboundSecret.
  virtual bool makes_call_secret() const = 0;
  /// Verifies a webhook's call with the stored secret, in constant time. Pure.
  virtual GatewayHint read_call(std::string_view secret, const InboundCall& call) const = 0;
};

std::span<const GatewayConnector* const> all_gateways();
std::vector<std::string> gateway_names();
/// Null if unknown; `manual` is not a gateway.
const GatewayConnector* find_gateway(std::string_view name);

/// An error for each part of a consignment for which the connector lacks the feature: `packages`, `isReturn`,
/// `customs`; and for each text of an address that is too long for its gateway, such as `recipient.name`.
/// Pure.
FieldErrors unsupported_parts(const GatewayConnector& connector, const Consignment& consignment);

}  // namespace waybill::connectors
