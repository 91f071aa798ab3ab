#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/gateways/connected_carriers.hpp"
#include "api/gateways/gateway_failure.hpp"
#include "api/scans/scans.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "connectors/gateways/gateways.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::shipments;

constexpr Duration track_limit = std::chrono::seconds(20);

/// The scans of an answer. One that says nothing of the status keeps `status`, so it moves nothing. A time in
/// the future counts as now.
std::vector<Scan> scans_of(const connectors::TrackAnswer& answer, const Guid& shipment,
                           const std::string& status, Time now) {
  std::vector<Scan> scans;
  scans.reserve(answer.scans.size());
  for (const connectors::CarrierScan& scan : answer.scans) {
    scans.push_back({.shipment = shipment,
                     .number = std::nullopt,
                     .status = scan.status.empty() ? status : scan.status,
                     .description = scan.description.empty() ? scan.code : scan.description,
                     .location = scan.location.empty() ? std::nullopt : std::optional(scan.location),
                     .at = std::min(scan.at, now),
                     .external_id = scan.external_id});
  }
  return scans;
}

}  // namespace

asio::awaitable<Answer> track_shipment(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::Consignment{.business = call.business(), .shipment = call.id()});
  if (rows.empty()) throw not_found("shipment");
  const auto& row = rows.front();
  if (!row.carrier_id) throw conflict("The shipment has no carrier.");
  const auto carriers = co_await connected_carriers(call, services, {*row.carrier_id});
  if (!row.carrier_tracking_number) throw conflict("The shipment has no carrierTrackingNumber.");
  const ConnectedCarrier& carrier = carriers.front();
  const auto gateway = services.gateways.open(*carrier.connector, carrier.account, call.business(),
                                              services.clock, track_limit);
  connectors::TrackAnswer answer;
  try {
    answer = co_await gateway->track(std::string(*row.carrier_tracking_number));
  } catch (const connectors::GatewayError& error) {
    throw Failure(ErrorCode::unavailable,
                  "The gateway does not tell the scans. " + message_of(error.message()));
  }
  const Time now = services.clock.now();
  const auto scans = scans_of(answer, call.id(), std::string(row.status), now);
  int added = 0;
  bool moved = false;
  if (!scans.empty()) {
    const auto transaction = co_await services.db.begin(call.cause());
    for (const ScanOutcome outcome :
         co_await record_scans(*transaction, call.business(), scans, {.now = now})) {
      added += outcome == ScanOutcome::moved || outcome == ScanOutcome::stored ? 1 : 0;
      moved = moved || outcome == ScanOutcome::moved;
    }
    co_await transaction->commit();
  }
  co_return Answer::of(to_json(json::object{{"added", added}, {"moved", moved}}));
}

}  // namespace waybill::api
