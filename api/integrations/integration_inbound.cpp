#include <string>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/inbound_sender.hpp"
#include "api/endpoint/services.hpp"
#include "api/http/message.hpp"
#include "connectors/stored_credentials.hpp"
#include "storage/sql/integrations.sql.hpp"

namespace waybill::api {
namespace {

using connectors::InboundVerdict;

/// The integration in the path of a call.
struct Target {
  Guid business;
  const connectors::Connector* connector;
  connectors::StoreCredentials credentials;
  bool is_active;
};

asio::awaitable<std::optional<Target>> find_target(Services& services, const Guid& integration) {
  const auto rows = co_await services.db.read(sql::integrations::FindInbound{.integration = integration});
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

asio::awaitable<Answer> receive(Call& call, Services& services) {
  const auto& integration = call.id();
  InboundSender sender(services.public_limits.inbound_failures, call, services.clock.now());
  const auto target = co_await find_target(services, integration);
  if (!target) throw sender.unknown("integration");
  const auto verdict = target->connector->verify(
      target->credentials,
      {.body = call.raw_body, .header = [&](std::string_view name) { return find_field(call.head, name); }});
  if (verdict.kind == InboundVerdict::Kind::bad_signature) {
    throw sender.refused("The signature does not match this store.");
  }
  if (verdict.kind == InboundVerdict::Kind::hint && target->is_active) {
    const auto delivery = delivery_key(verdict.delivery_id);
    co_await services.db.write(sql::integrations::Hint{.business = target->business,
                                                       .integration = integration,
                                                       .delivery = delivery,
                                                       .deleted = verdict.deleted_order},
                               {});
  }
  co_return Answer::none();
}

constexpr ErrorCode inbound_errors[] = {ErrorCode::unauthorized, ErrorCode::not_found,
                                        ErrorCode::rate_limited};

constexpr Endpoint inbound_endpoint_table[] = {
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

std::span<const Endpoint> inbound_endpoints() { return inbound_endpoint_table; }

}  // namespace waybill::api
