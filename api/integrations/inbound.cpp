#include <algorithm>
#include <string>

#include "api/http/message.hpp"
#include "api/integrations/stores.hpp"
#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "base/crypto.hpp"
#include "connectors/stored_credentials.hpp"
#include "storage/sql/integrations.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::integrations;
using connectors::InboundVerdict;

/// The integration in the path of a call.
struct Target {
  Guid business;
  const connectors::Connector* connector;
  connectors::StoreCredentials credentials;
  bool is_active;
};

asio::awaitable<std::optional<Target>> find_target(Services& services, const Guid& integration) {
  const auto rows = co_await services.db.read(sql::FindInbound{.integration = integration});
  const auto row = rows.find();
  if (!row) co_return std::nullopt;
  const auto* const connector = connectors::find_connector(row->provider);
  if (connector == nullptr) co_return std::nullopt;
  co_return Target{
      .business = row->business_id,
      .connector = connector,
      .credentials = connectors::open_credentials(services.secrets, row->business_id, integration,
                                                  row->sealed_key, row->sealed_secret, row->store_url),
      .is_active = row->is_active};
}

/// Returns a short, printable key for the store's delivery id, whatever the store sent.
std::optional<std::string> delivery_key(const std::optional<std::string>& id) {
  constexpr std::size_t longest = 200;
  if (!id || id->empty()) return std::nullopt;
  const bool is_plain =
      id->size() <= longest && std::ranges::all_of(*id, [](char c) { return c > ' ' && c <= '~'; });
  return is_plain ? id : hex(sha256(*id));
}

/// Throws Failure (RATE_LIMITED) for a caller with too many failures, without a query.
void check_failures(FailureLimit& failures, std::string_view caller, Time now) {
  if (const auto wait = failures.wait(caller, now)) {
    throw Failure(ErrorCode::rate_limited, "Too many calls were refused; try again later.")
        .with_retry_after(*wait);
  }
}

asio::awaitable<Answer> receive(Call& call, Services& services) {
  const auto& integration = call.id();
  const Time now = services.clock.now();
  auto& failures = services.stores.inbound_failures();
  const auto network = network_of(call.peer);
  // Stores share addresses: one with a wrong secret must not block the others at its address.
  const auto store = network + " " + integration.to_string();
  for (const auto& caller : {network, store}) check_failures(failures, caller, now);
  const auto target = co_await find_target(services, integration);
  if (!target) {
    failures.failed(network, now);
    throw not_found("integration");
  }
  const auto verdict = target->connector->verify(
      target->credentials,
      {.body = call.raw_body, .header = [&](std::string_view name) { return find_field(call.head, name); }});
  if (verdict.kind == InboundVerdict::Kind::bad_signature) {
    failures.failed(store, now);
    throw Failure(ErrorCode::unauthorized, "The signature does not match this store.");
  }
  if (verdict.kind == InboundVerdict::Kind::hint && target->is_active) {
    const auto delivery = delivery_key(verdict.delivery_id);
    co_await services.db.write(
        sql::Hint{.business = target->business, .integration = integration, .delivery = delivery}, {});
  }
  co_return Answer::none();
}

constexpr ErrorCode inbound_errors[] = {ErrorCode::unauthorized, ErrorCode::not_found,
                                        ErrorCode::rate_limited};

constexpr Route routes[] = {
    {.method = Method::post,
     .path = "/api/integrations/{guid}/inbound",
     .permission = Permission::everyone,
     .handler = receive,
     .operation_id = "receiveStoreWebhook",
     .summary = "Receives the webhooks of a store",
     .description = "The store signs them with its apiSecret. They make the next import start early.",
     .tag = "Integrations",
     .body_kind = BodyKind::raw,
     .errors = inbound_errors},
};

}  // namespace

std::span<const Route> inbound_routes() { return routes; }

}  // namespace waybill::api
