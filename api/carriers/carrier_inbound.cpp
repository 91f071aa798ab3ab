#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/carriers/carrier_handlers.hpp"
#include "api/endpoint/inbound_sender.hpp"
#include "api/gate/request_check.hpp"
#include "api/http/client_network.hpp"
#include "api/http/message.hpp"
#include "api/scans/scans.hpp"
#include "base/crypto.hpp"
#include "storage/sql/carriers.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::carriers;

// The most bytes that are hashed for one call: its body, once for each secret. Anybody can make such a call,
// and hashing as much takes some 50 ms.
constexpr std::size_t most_signed_bytes = 64UL * 1024 * 1024;

/// A business that has an inbound secret for the carrier.
struct Candidate {
  Guid business;
  Bytes sealed_secret;
};

/// The signed parts of a call, by Standard Webhooks.
struct SignedCall {
  std::string id, timestamp, signature, body;
};

SignedCall signed_call(Call& call) {
  const auto field = [&](std::string_view name) {
    return std::string(find_field(call.head, name).value_or(""));
  };
  return {.id = field("webhook-id"),
          .timestamp = field("webhook-timestamp"),
          .signature = field("webhook-signature"),
          .body = call.raw_body};
}

/// Returns the business whose secret signed the call; nullopt if there is none. Runs on a thread other than
/// the io threads, because each secret takes a pass over the body. The caller's network gets a share of these
/// threads, like a business.
asio::awaitable<std::optional<Guid>> find_signer(Services& services, const Guid& network, const Guid& carrier,
                                                 SignedCall call, std::vector<Candidate> candidates) {
  co_return co_await services.background.run(
      network,
      [&secrets = services.secrets, carrier, now = services.clock.now(), call = std::move(call),
       candidates = std::move(candidates)]() -> std::optional<Guid> {
        for (const auto& [business, sealed] : candidates) {
          const auto secret = open_inbound_secret(secrets, business, carrier, sealed);
          if (!secret) continue;
          const auto check =
              net::verify_webhook(*secret, call.id, call.timestamp, call.signature, call.body, now);
          if (check == net::SignatureCheck::valid) return business;
        }
        return std::nullopt;
      });
}

storage::Cause cause_of(const Guid& business, const Guid& carrier, std::string_view name) {
  std::string text = R"({"by":{"type":"import","guid":")" + carrier.to_string() + R"(","name":)";
  append_json_string(text, name);
  return {.json = text + R"(},"depth":0})", .business = business};
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
      sql::FindInbound{.carrier = carrier, .business = named ? Guid::parse(*named) : std::nullopt});
  if (rows.empty()) throw sender.unknown("carrier");
  std::vector<Candidate> candidates;
  for (const auto& row : rows) {
    if (row.business && row.sealed_secret) candidates.push_back({*row.business, *row.sealed_secret});
  }
  if (candidates.size() > 1 && candidates.size() * call.raw_body.size() > most_signed_bytes) {
    throw Failure(ErrorCode::payload_too_large,
                  "Many businesses use this carrier; name yours (?business=GUID), or send fewer scans.");
  }
  const auto received = signed_call(call);
  const auto network = Guid::from_name(Guid(), network_of(call.peer));
  const auto business = co_await find_signer(services, network, carrier, received, std::move(candidates));
  if (!business) throw sender.refused("The signature does not match, or its timestamp is too old.");
  if (std::ranges::any_of(rows,
                          [&](const auto& row) { return row.business == business && row.is_suspended; })) {
    throw business_suspended();
  }

  FieldErrors errors;
  read_json(body_of_scans, call.raw_body, call, errors);
  if (!errors.empty()) throw invalid(std::move(errors));
  const auto scans = scans_of(call.body.get_array());
  const auto transaction = co_await services.db.begin(cause_of(*business, carrier, rows.front().name));
  const auto seen = co_await transaction->run(sql::RememberDelivery{
      .business = *business, .carrier = carrier, .delivery = delivery_key(received.id).value()});
  if (seen.affected() == 0) co_return Answer::none();
  const auto outcomes =
      co_await record_scans(*transaction, *business, scans, {.now = now, .carrier = carrier});
  co_await transaction->commit();
  co_return Answer::of(scan_results(outcomes));
}

}  // namespace waybill::api
