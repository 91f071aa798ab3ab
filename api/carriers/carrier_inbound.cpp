#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/carriers/carrier_handlers.hpp"
#include "api/endpoint/inbound_sender.hpp"
#include "api/gate/request_check.hpp"
#include "api/gateways/connected_carriers.hpp"
#include "api/http/client_network.hpp"
#include "api/http/message.hpp"
#include "api/scans/scans.hpp"
#include "base/crypto.hpp"
#include "connectors/carrier_gateway.hpp"
#include "storage/sql/carriers.sql.hpp"
#include "storage/sql/tracking_pulls.sql.hpp"

namespace waybill::api {
namespace {

// The most bytes that are hashed for one call: its body, once for each secret. Anybody can make such a call,
// and hashing as much takes some 50 ms.
constexpr std::size_t most_signed_bytes = 64UL * 1024 * 1024;

/// A business that may have sent a call, with the secret of its connector's calls.
struct Candidate {
  Guid business;
  const connectors::GatewayConnector* gateway;  // null: `manual`, whose calls are signed by Standard Webhooks
  Bytes sealed_secret;
};

/// A call, which outlives the request while its secret is looked for.
struct ReceivedCall {
  std::string head, body;

  std::string field(std::string_view name) const { return std::string(find_field(head, name).value_or("")); }
};

/// The business that sent a call.
struct Sender {
  Guid business;
  const connectors::GatewayConnector* gateway;
  connectors::GatewayHint hint;  // of a gateway
};

template <typename Row>
std::optional<Candidate> candidate_of(const Row& row) {
  if (!row.business) return std::nullopt;
  const auto* const gateway = row.connector ? connectors::find_gateway(*row.connector) : nullptr;
  const auto& sealed =
      gateway != nullptr && gateway->makes_call_secret() ? row.sealed_api_secret : row.sealed_secret;
  if (!sealed) return std::nullopt;
  return Candidate{.business = *row.business, .gateway = gateway, .sealed_secret = *sealed};
}

/// Nothing if the candidate's secret did not sign the call, or cannot be opened: another business's broken
/// secret must not stop the call.
std::optional<Sender> verified(const SecretBox& secrets, const Guid& carrier, const Candidate& candidate,
                               const ReceivedCall& call, Time now) {
  if (candidate.gateway == nullptr) {
    const auto secret = open_inbound_secret(secrets, candidate.business, carrier, candidate.sealed_secret);
    if (!secret) return std::nullopt;
    const auto check = net::verify_webhook(*secret, call.field("webhook-id"), call.field("webhook-timestamp"),
                                           call.field("webhook-signature"), call.body, now);
    if (check != net::SignatureCheck::valid) return std::nullopt;
    return Sender{.business = candidate.business, .gateway = nullptr, .hint = {}};
  }
  const bool is_gateways = candidate.gateway->makes_call_secret();
  try {
    const std::string secret = secrets.open(
        candidate.sealed_secret,
        carrier_secret_purpose(candidate.business, carrier, is_gateways ? "apiSecret" : "inboundSecret"));
    auto hint = candidate.gateway->read_call(
        secret,
        {.body = call.body, .header = [&](std::string_view name) { return find_field(call.head, name); }});
    if (hint.kind == connectors::GatewayHint::Kind::bad_signature) return std::nullopt;
    return Sender{.business = candidate.business, .gateway = candidate.gateway, .hint = std::move(hint)};
  } catch (const SecretError&) {
    return std::nullopt;
  }
}

/// Returns the business whose secret signed the call; nullopt if there is none. Runs on a thread other than
/// the io threads, because each secret takes a pass over the body. Until then the caller is a stranger, whose
/// network gets a share of these threads, like a business: nobody can use up the share of a named business.
/// The work there is short, and none is refused.
asio::awaitable<std::optional<Sender>> find_sender(Services& services, const Guid& network,
                                                   const Guid& carrier, ReceivedCall call,
                                                   std::vector<Candidate> candidates) {
  co_return co_await services.bodies.run(
      network,
      [&secrets = services.secrets, carrier, now = services.clock.now(), call = std::move(call),
       candidates = std::move(candidates)]() -> std::optional<Sender> {
        for (const Candidate& candidate : candidates) {
          if (auto sender = verified(secrets, carrier, candidate, call, now)) return sender;
        }
        return std::nullopt;
      });
}

/// Makes the parcel due of which a gateway calls. Nothing else of the call is believed. A repeated call, and
/// one for a number that no shipment has, is answered as any other.
asio::awaitable<Answer> take_hint(Services& services, Guid carrier, Sender sender) {
  if (sender.hint.kind != connectors::GatewayHint::Kind::hint) co_return Answer::none();
  const auto transaction = co_await services.db.begin({.business = sender.business});
  if (const auto delivery = delivery_key(sender.hint.delivery_id)) {
    const auto seen = co_await transaction->run(sql::carriers::RememberDelivery{
        .business = sender.business, .carrier = carrier, .delivery = *delivery});
    if (seen.affected() == 0) co_return Answer::none();
  }
  co_await transaction->run(storage::sql::tracking_pulls::Hint{
      .business = sender.business, .carrier = carrier, .number = sender.hint.tracking_number});
  co_await transaction->commit();
  co_return Answer::none();
}

storage::Cause cause_of(const Guid& business, const Guid& carrier, std::string_view name, bool is_bulk) {
  std::string text = R"({"by":{"type":"import","guid":")" + carrier.to_string() + R"(","name":)";
  append_json_string(text, name);
  return {.json = text + R"(},"depth":0})", .business = business, .is_bulk = is_bulk};
}

/// The body of the call: the same as that of POST /api/v1/traces.
constexpr Endpoint body_of_scans{.method = Method::post,
                                 .path = {},
                                 .permission = Permission::everyone,
                                 .handler = nullptr,
                                 .body = &scan_schema,
                                 .body_check = check_scan,
                                 .body_kind = BodyKind::array};

}  // namespace

asio::awaitable<Answer> receive_scans(Call& call, Services& services) {
  const auto& carrier = call.id();
  const Time now = services.clock.now();
  InboundSender sender(services.public_limits.inbound_failures, call, now);
  const auto named = call.parameter("business");
  const auto rows = co_await services.db.read(
      sql::carriers::FindInbound{.carrier = carrier, .business = named ? Guid::parse(*named) : std::nullopt});
  if (rows.empty()) throw sender.unknown("carrier");
  std::vector<Candidate> candidates;
  for (const auto& row : rows) {
    if (auto candidate = candidate_of(row)) candidates.push_back(*std::move(candidate));
  }
  if (candidates.size() > 1 && candidates.size() * call.raw_body.size() > most_signed_bytes) {
    throw Failure(ErrorCode::payload_too_large,
                  "Many businesses use this carrier; name yours (?business=GUID), or send fewer scans.");
  }
  const auto network = Guid::from_name(Guid(), network_of(call.peer));
  auto found =
      co_await find_sender(services, network, carrier,
                           {.head = std::string(call.head), .body = call.raw_body}, std::move(candidates));
  if (!found) throw sender.refused("The signature does not match, or its timestamp is too old.");
  const Guid business = found->business;
  if (std::ranges::any_of(rows,
                          [&](const auto& row) { return row.business == business && row.is_suspended; })) {
    throw business_suspended();
  }
  if (found->gateway != nullptr) co_return co_await take_hint(services, carrier, *std::move(found));

  FieldErrors errors;
  co_await services.bodies.run_if(call.is_bulk, business,
                                  [&] { read_json(body_of_scans, call.raw_body, call, errors); });
  if (!errors.empty()) throw invalid(std::move(errors));
  const auto scans = scans_of(call.body.get_array());
  const auto transaction =
      co_await services.db.begin(cause_of(business, carrier, rows.front().name, call.is_bulk));
  const auto seen = co_await transaction->run(
      sql::carriers::RememberDelivery{.business = business,
                                      .carrier = carrier,
                                      .delivery = delivery_key(find_field(call.head, "webhook-id")).value()});
  if (seen.affected() == 0) co_return Answer::none();
  const auto outcomes =
      co_await record_scans(*transaction, business, scans, {.now = now, .carrier = carrier});
  co_await transaction->commit();
  co_return Answer::of(scan_results(outcomes));
}

}  // namespace waybill::api
