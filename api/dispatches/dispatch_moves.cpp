#include <string>
#include <vector>

#include "api/dispatches/dispatch_handlers.hpp"
#include "api/records/fields.hpp"
#include "api/route_plans/route_planning.hpp"
#include "domain/records/state_machines.hpp"
#include "storage/sql/dispatches.sql.hpp"

namespace waybill::api {
namespace {

void check_vehicle(const LockedDispatch& dispatch, const sql::dispatches::LockCrew::Row& crew) {
  if (!dispatch.vehicle) return;
  if (!crew.vehicle_status) throw conflict("The vehicle of the dispatch is deleted.");
  const auto status = *crew.vehicle_status;
  if (status == "in_use") throw conflict("The vehicle is already in use.");
  if (status != "available") throw conflict("The vehicle is " + std::string(status) + ".");
}

void check_driver(const LockedDispatch& dispatch, const sql::dispatches::LockCrew::Row& crew) {
  if (!dispatch.driver) return;
  if (!crew.driver_status) throw conflict("The driver of the dispatch is deleted.");
  if (crew.driver_status == "on_duty") throw conflict("The driver is already on duty.");
  if (crew.driver_status == "inactive") throw conflict("The driver is inactive.");
}

asio::awaitable<void> start(storage::Transaction& transaction, const Guid& business, const Guid& guid,
                            const LockedDispatch& dispatch) {
  const auto rows = co_await transaction.run(sql::dispatches::LockCrew{
      .business = business, .vehicle = dispatch.vehicle, .driver = dispatch.driver, .dispatch = guid});
  const auto crew = rows.front();
  if (crew.undelivered == 0) {
    throw invalid("status", dispatch.stops == 0 ? "the dispatch has no shipments"
                                                : "none of the dispatch's shipments is left to deliver");
  }
  check_vehicle(dispatch, crew);
  check_driver(dispatch, crew);
  // Shipments that are already out for delivery or final keep their status.
  co_await transaction.run(
      sql::dispatches::Start{.business = business,
                             .dispatch = guid,
                             .startable_statuses = domain::shipment_states().origins("out_for_delivery")});
}

void require_planned(const LockedDispatch& dispatch) {
  if (dispatch.status == "in_progress") throw invalid("dispatchId", "names an active dispatch");
  if (dispatch.status != "draft" && dispatch.status != "ready") {
    throw invalid("dispatchId", "names a dispatch that is " + dispatch.status);
  }
}

}  // namespace

asio::awaitable<Answer> move_dispatch(Call& call, Services& services) {
  const auto& business = call.business();
  const auto& guid = call.id();
  const auto to = text_at(call.object(), "status").value_or("");
  const auto transaction = co_await services.db.begin(call.cause());
  co_await transaction->run(sql::dispatches::LockMembers{.business = business, .dispatch = guid});
  const auto locked = co_await lock_dispatch(*transaction, business, guid);
  auto answer = Answer::of(R"({"guid":")" + guid.to_string() + R"(","status":")" + to + R"("})");
  if (locked.status == to) co_return answer;
  const auto& machine = domain::dispatch_states();
  if (!machine.allows(locked.status, to)) throw invalid("status", machine.refusal(locked.status, to));
  if (to == "in_progress") {
    co_await start(*transaction, business, guid, locked);
  } else if (to == "completed" || to == "cancelled") {
    co_await transaction->run(
        sql::dispatches::Finish{.business = business, .dispatch = guid, .final_status = to});
  } else {
    co_await transaction->run(
        sql::dispatches::SetStatus{.business = business, .dispatch = guid, .status = to});
  }
  co_await transaction->commit();
  co_return answer;
}

namespace {

/// Adds the shipment. Returns false if the route was planned for other stops.
asio::awaitable<bool> add_to_dispatch(storage::Transaction& transaction, const Guid& business,
                                      const Guid& dispatch, const Guid& shipment, const PlannedRoute& route) {
  const std::vector shipments{shipment};
  co_await lock_free_shipments(transaction, business, shipments);
  const auto locked = co_await lock_dispatch(transaction, business, dispatch);
  require_planned(locked);
  if (locked.stops >= most_stops) {
    throw invalid("shipmentId", "a dispatch has at most " + std::to_string(most_stops) + " shipments");
  }
  co_await transaction.run(
      sql::dispatches::AddShipments{.business = business, .dispatch = dispatch, .shipments = shipments});
  co_return co_await route.write(transaction);
}

/// Removes the shipment. Returns false if the route was planned for other stops.
asio::awaitable<bool> remove_from_dispatch(storage::Transaction& transaction, const Guid& business,
                                           const Guid& dispatch, const Guid& shipment,
                                           const PlannedRoute& route) {
  const std::vector shipments{shipment};
  co_await transaction.run(sql::dispatches::LockShipments{.business = business, .shipments = shipments});
  const auto locked = co_await lock_dispatch(transaction, business, dispatch);
  const auto states =
      co_await transaction.run(sql::dispatches::ShipmentStates{.business = business, .shipments = shipments});
  if (states.empty()) throw not_found("shipment");
  require_planned(locked);
  if (states.front().dispatch_id != dispatch) throw not_found("shipment in the dispatch");
  co_await transaction.run(
      sql::dispatches::RemoveShipment{.business = business, .dispatch = dispatch, .shipment = shipment});
  co_return co_await route.write(transaction);
}

}  // namespace

asio::awaitable<Answer> add_shipment(Call& call, Services& services) {
  const auto& business = call.business();
  const auto dispatch = guid_at(call.object(), "dispatchId").value();
  const auto shipment = guid_at(call.object(), "shipmentId").value();
  const auto known =
      co_await services.db.read(sql::dispatches::Known{.business = business, .dispatch = dispatch});
  if (known.empty()) throw not_found("dispatch");
  for (int attempt = 0; attempt < PlannedRoute::attempts; ++attempt) {
    const auto route = co_await PlannedRoute::make(services, business, dispatch, {.added = {shipment}});
    const auto transaction = co_await services.db.begin(call.cause());
    if (!co_await add_to_dispatch(*transaction, business, dispatch, shipment, route)) continue;
    co_await transaction->commit();
    co_return Answer::none();
  }
  throw dispatch_keeps_changing();
}

asio::awaitable<Answer> remove_shipment(Call& call, Services& services) {
  const auto& business = call.business();
  const auto dispatch = guid_at(call.object(), "dispatchId").value();
  const auto shipment = guid_at(call.object(), "shipmentId").value();
  for (int attempt = 0; attempt < PlannedRoute::attempts; ++attempt) {
    const auto route = co_await PlannedRoute::make(services, business, dispatch, {.removed = shipment});
    const auto transaction = co_await services.db.begin(call.cause());
    if (!co_await remove_from_dispatch(*transaction, business, dispatch, shipment, route)) continue;
    co_await transaction->commit();
    co_return Answer::none();
  }
  throw dispatch_keeps_changing();
}

}  // namespace waybill::api
