#include <string>
#include <utility>
#include <vector>

#include "api/dispatches/dispatch_handlers.hpp"
#include "api/records/fields.hpp"
#include "api/route/params.hpp"
#include "api/route_plans/route_planning.hpp"
#include "domain/state_machines.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::dispatches;

constexpr std::string_view out_for_delivery = "out_for_delivery";

storage::Params params_of(const std::string& business, const std::string& dispatch) {
  storage::Params params;
  params.add(business).add(dispatch);
  return params;
}

/// Returns the statuses that change to out_for_delivery when the dispatch starts. Shipments that are already
/// out for delivery or final keep their status.
std::vector<std::string> statuses_before_delivery() {
  const auto& machine = domain::shipment_states();
  std::vector<std::string> statuses;
  for (const auto from : machine.states) {
    if (machine.allows(from, out_for_delivery)) statuses.emplace_back(from);
  }
  return statuses;
}

void check_vehicle(const LockedDispatch& dispatch, const storage::RowView& crew) {
  if (!dispatch.vehicle) return;
  if (crew.is_null(0)) throw conflict("The vehicle of the dispatch is deleted.");
  const auto status = crew.string(0);
  if (status == "in_use") throw conflict("The vehicle is already in use.");
  if (status != "available") throw conflict("The vehicle is " + status + ".");
}

void check_driver(const LockedDispatch& dispatch, const storage::RowView& crew) {
  if (!dispatch.driver) return;
  if (crew.is_null(1)) throw conflict("The driver of the dispatch is deleted.");
  const auto status = crew.string(1);
  if (status == "on_duty") throw conflict("The driver is already on duty.");
  if (status == "inactive") throw conflict("The driver is inactive.");
}

asio::awaitable<void> start(storage::Transaction& transaction, const std::string& business,
                            const std::string& guid, const LockedDispatch& dispatch) {
  storage::Params crew_params;
  crew_params.add(business).add(dispatch.vehicle).add(dispatch.driver).add(guid);
  const auto rows = co_await transaction.run(sql::lock_crew, std::move(crew_params));
  const storage::RowView crew(rows, 0);
  if (crew.number(2) == 0) {
    throw invalid("status", dispatch.stops == 0 ? "the dispatch has no shipments"
                                                : "none of the dispatch's shipments is left to deliver");
  }
  check_vehicle(dispatch, crew);
  check_driver(dispatch, crew);
  auto params = params_of(business, guid);
  params.add_array(statuses_before_delivery());
  co_await transaction.run(sql::start, std::move(params));
}

void require_planned(const LockedDispatch& dispatch) {
  if (dispatch.status == "in_progress") throw invalid("dispatchId", "names an active dispatch");
  if (dispatch.status != "draft" && dispatch.status != "ready") {
    throw invalid("dispatchId", "names a dispatch that is " + dispatch.status);
  }
}

}  // namespace

asio::awaitable<Answer> move_dispatch(Call& call, Services& services) {
  const auto business = call.principal.business_id.to_string();
  const auto guid = call.id().to_string();
  const auto to = text_at(call.object(), "status").value_or("");
  const auto transaction = co_await services.db.begin(call.cause());
  co_await transaction->run(sql::lock_members, params_of(business, guid));
  const auto locked = co_await lock_dispatch(*transaction, business, guid);
  auto answer = Answer::of(R"({"guid":")" + guid + R"(","status":")" + to + R"("})");
  if (locked.status == to) co_return answer;
  const auto& machine = domain::dispatch_states();
  if (!machine.allows(locked.status, to)) throw invalid("status", machine.refusal(locked.status, to));
  if (to == "in_progress") {
    co_await start(*transaction, business, guid, locked);
  } else {
    auto params = params_of(business, guid);
    params.add(to);
    const bool is_end = to == "completed" || to == "cancelled";
    co_await transaction->run(is_end ? sql::finish : sql::set_status, std::move(params));
  }
  co_await transaction->commit();
  co_return answer;
}

namespace {

/// Adds the shipment. Returns false if the route was planned for other stops.
asio::awaitable<bool> add_to_dispatch(storage::Transaction& transaction, const std::string& business,
                                      const std::string& dispatch, const std::string& shipment,
                                      const PlannedRoute& route) {
  co_await lock_free_shipments(transaction, business, {shipment});
  const auto locked = co_await lock_dispatch(transaction, business, dispatch);
  require_planned(locked);
  if (locked.stops >= most_stops) {
    throw invalid("shipmentId", "a dispatch has at most " + std::to_string(most_stops) + " shipments");
  }
  auto params = params_of(business, dispatch);
  params.add_array(std::vector{shipment});
  co_await transaction.run(sql::add_shipments, std::move(params));
  co_return co_await route.write(transaction);
}

/// Removes the shipment. Returns false if the route was planned for other stops.
asio::awaitable<bool> remove_from_dispatch(storage::Transaction& transaction, const std::string& business,
                                           const std::string& dispatch, const std::string& shipment,
                                           const PlannedRoute& route) {
  storage::Params shipment_params;
  shipment_params.add(business).add_array(std::vector{shipment});
  co_await transaction.run(sql::lock_shipments, shipment_params);
  const auto locked = co_await lock_dispatch(transaction, business, dispatch);
  const auto states = co_await transaction.run(sql::shipment_states, std::move(shipment_params));
  if (states.empty()) throw not_found("shipment");
  require_planned(locked);
  if (states.get(0, 2) != dispatch) throw not_found("shipment in the dispatch");
  auto params = params_of(business, dispatch);
  params.add(shipment);
  co_await transaction.run(sql::remove_shipment, std::move(params));
  co_return co_await route.write(transaction);
}

}  // namespace

asio::awaitable<Answer> add_shipment(Call& call, Services& services) {
  const auto business = call.principal.business_id.to_string();
  const auto dispatch = guid_at(call.object(), "dispatchId").value_or("");
  const auto shipment = guid_at(call.object(), "shipmentId").value_or("");
  if ((co_await services.db.read(sql::known, params_of(business, dispatch))).empty())
    throw not_found("dispatch");
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
  const auto business = call.principal.business_id.to_string();
  const auto dispatch = guid_at(call.object(), "dispatchId").value_or("");
  const auto shipment = guid_at(call.object(), "shipmentId").value_or("");
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
