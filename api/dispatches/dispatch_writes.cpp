#include <string>
#include <utility>
#include <vector>

#include "api/dispatches/dispatch_handlers.hpp"
#include "api/records/changes.hpp"
#include "api/records/columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route_plans/route_planning.hpp"
#include "storage/sql/dispatches.sql.hpp"

namespace waybill::api {
namespace {

std::optional<Guid> related_guid_at(const json::object& body, std::string_view flat,
                                    std::string_view nested) {
  const auto guid = guid_at(body, flat);
  return guid ? guid : guid_at(body, nested);
}

/// Throws Failure (404) if one of them does not exist; otherwise neither can be deleted before the
/// transaction ends.
asio::awaitable<void> check_crew(storage::Transaction& transaction, const Guid& business,
                                 const std::optional<Guid>& driver, const std::optional<Guid>& vehicle) {
  if (!driver && !vehicle) co_return;
  const auto rows = co_await transaction.run(
      sql::dispatches::References{.business = business, .driver = driver, .vehicle = vehicle});
  const auto found = rows.front();
  if (!found.has_driver) throw not_found("driver");
  if (!found.has_vehicle) throw not_found("vehicle");
}

}  // namespace

asio::awaitable<LockedDispatch> lock_dispatch(storage::Transaction& transaction, const Guid& business,
                                              const Guid& dispatch) {
  const auto rows =
      co_await transaction.run(sql::dispatches::Lock{.business = business, .dispatch = dispatch});
  const auto row = rows.find();
  if (!row) throw not_found("dispatch");
  co_return LockedDispatch{.status = std::string(row->status),
                           .driver = row->driver_id,
                           .vehicle = row->vehicle_id,
                           .planned_date = row->planned_date,
                           .stops = row->stops};
}

asio::awaitable<void> lock_free_shipments(storage::Transaction& transaction, const Guid& business,
                                          const std::vector<Guid>& shipments) {
  if (shipments.empty()) co_return;
  // Two statements: only the second sees changes that were committed while the first waited for its locks.
  const auto locked =
      co_await transaction.run(sql::dispatches::LockShipments{.business = business, .shipments = shipments});
  if (static_cast<std::size_t>(locked.size()) != shipments.size()) throw not_found("shipment");
  const auto states =
      co_await transaction.run(sql::dispatches::ShipmentStates{.business = business, .shipments = shipments});
  for (const auto& state : states) {
    const auto shipment = "The shipment " + state.guid.to_string() + " is ";
    if (state.is_in_open_dispatch) throw conflict(shipment + "already in a dispatch.");
    if (state.status == "delivered" || state.status == "returned" || state.status == "cancelled") {
      throw conflict(shipment + std::string(state.status) + ".");
    }
  }
}

asio::awaitable<Answer> create_dispatch(Call& call, Services& services) {
  const auto& body = call.object();
  const auto& business = call.business();
  const auto shipments = guids_at(body, "shipmentIds");
  const auto driver = related_guid_at(body, "driverId", "driver.guid");
  const auto vehicle = related_guid_at(body, "vehicleId", "vehicle.guid");
  const auto guid = Guid::timed_random(to_unix_ms(services.clock.now()));
  for (int attempt = 0; attempt < PlannedRoute::attempts; ++attempt) {
    std::optional<PlannedRoute> route;
    if (!shipments.empty()) {
      route = co_await PlannedRoute::make(services, business, guid, {.added = shipments});
    }
    const auto transaction = co_await services.db.begin(call.cause());
    co_await lock_free_shipments(*transaction, business, shipments);
    co_await check_crew(*transaction, business, driver, vehicle);
    const auto rows = co_await transaction->run(
        sql::dispatches::Create{.business = business,
                                .guid = guid,
                                .name = text_at(body, "name").value(),
                                .driver = driver,
                                .vehicle = vehicle,
                                .planned_date = parse_timestamp(text_at(body, "plannedDate").value()).value(),
                                .notes = text_at(body, "notes")});
    if (route) {
      co_await transaction->run(
          sql::dispatches::AddShipments{.business = business, .dispatch = guid, .shipments = shipments});
      if (!co_await route->write(*transaction)) continue;
    }
    co_await transaction->commit();
    auto data = json_object(rows);
    data.pop_back();
    data += ",\"shipmentCount\":" + std::to_string(shipments.size()) + "}";
    co_return Answer::created(std::move(data), "/api/dispatch/" + guid.to_string());
  }
  throw dispatch_keeps_changing();
}

namespace {

/// Returns the columns that the body changes. Throws Failure if it would change the status.
json::object changes_of(const json::object& body, const LockedDispatch& before) {
  constexpr BodyColumn columns[] = {{"name", "name"}, {"notes", "notes"}};
  auto changes = changed_columns(body, columns);
  add_related_guid(body, "driverId", "driver.guid", "driver_id", changes);
  add_related_guid(body, "vehicleId", "vehicle.guid", "vehicle_id", changes);
  if (guid_at(changes, "driver_id") == before.driver) changes.erase("driver_id");
  if (guid_at(changes, "vehicle_id") == before.vehicle) changes.erase("vehicle_id");
  if (const auto date = text_at(body, "plannedDate")) {
    const auto time = parse_timestamp(*date).value();
    if (time != before.planned_date) changes["planned_date"] = format_sql_timestamp(time);
  }
  if (const auto status = text_at(body, "status"); status && *status != before.status) {
    throw invalid("status", "is " + before.status + "; use PATCH …/status to change it");
  }
  return changes;
}

}  // namespace

asio::awaitable<Answer> update_dispatch(Call& call, Services& services) {
  const auto& body = call.object();
  const auto& business = call.business();
  const auto guid = guid_at(body, "guid").value();
  const auto transaction = co_await services.db.begin(call.cause());
  const auto before = co_await lock_dispatch(*transaction, business, guid);
  const auto changes = changes_of(body, before);
  const bool is_planned = before.status == "draft" || before.status == "ready";
  for (const auto* const column : {"driver_id", "vehicle_id", "planned_date"}) {
    if (changes.contains(column) && !is_planned) {
      throw conflict("The dispatch is " + before.status +
                     "; its driver, vehicle and date can no longer be changed.");
    }
  }
  co_await check_crew(*transaction, business, guid_at(changes, "driver_id"), guid_at(changes, "vehicle_id"));
  const auto rows = co_await transaction->run(
      sql::dispatches::Update{.business = business, .dispatch = guid, .changes = to_json(changes)});
  co_await transaction->commit();
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> delete_dispatch(Call& call, Services& services) {
  const auto& business = call.business();
  const auto& guid = call.id();
  const auto transaction = co_await services.db.begin(call.cause());
  co_await transaction->run(sql::dispatches::LockMembers{.business = business, .dispatch = guid});
  const auto locked = co_await lock_dispatch(*transaction, business, guid);
  if (locked.status == "in_progress" || locked.status == "completed") {
    throw invalid("status", "is " + locked.status +
                                "; only a dispatch that has not started or was cancelled can be deleted");
  }
  co_await transaction->run(sql::dispatches::Remove{.business = business, .dispatch = guid});
  co_await transaction->commit();
  co_return Answer::none();
}

}  // namespace waybill::api
