#include <chrono>
#include <cstddef>
#include <string>

#include "api/gateways/connected_carriers.hpp"
#include "api/gateways/gateway_failure.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "connectors/carrier_scans.hpp"
#include "connectors/gateways/gateways.hpp"
#include "storage/sql/shipments.sql.hpp"
#include "storage/sql/tracking_pulls.sql.hpp"

namespace waybill::api {
namespace {

constexpr Duration track_limit = std::chrono::seconds(20);

}  // namespace

asio::awaitable<Answer> track_shipment(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      sql::shipments::Consignment{.business = call.business(), .shipment = call.id()});
  if (rows.empty()) throw not_found("shipment");
  const auto& row = rows.front();
  if (!row.carrier_id) throw conflict("The shipment has no carrier.");
  const auto carriers = co_await connected_carriers(call, services, {*row.carrier_id});
  const auto numbers = co_await services.db.read(
      storage::sql::tracking_pulls::Numbers{.business = call.business(), .shipment = call.id()});
  if (numbers.empty()) throw conflict("The shipment has no carrierTrackingNumber.");
  const ConnectedCarrier& carrier = carriers.front();
  const auto gateway = services.gateways.open(*carrier.connector, carrier.account, call.business(),
                                              services.clock, track_limit);
  std::size_t added = 0;
  bool moved = false;
  for (const auto& parcel : numbers) {
    const std::string number(parcel.number);
    connectors::TrackAnswer answer;
    try {
      answer = co_await gateway->track(number);
    } catch (const connectors::GatewayError& error) {
      throw tracking_failure(error);
    }
    const auto transaction = co_await services.db.begin(call.cause());
    const auto applied = co_await connectors::apply_answer(
        *transaction, {.business = call.business(), .shipment = call.id(), .number = number}, answer,
        services.clock.now());
    co_await transaction->commit();
    added += applied.added;
    moved = moved || applied.moved;
  }
  co_return Answer::of(to_json(json::object{{"added", added}, {"moved", moved}}));
}

}  // namespace waybill::api
