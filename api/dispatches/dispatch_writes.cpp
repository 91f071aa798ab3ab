#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/dispatches/dispatch_handlers.hpp"
#include "api/records/changes.hpp"
#include "api/records/columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route/params.hpp"
#include "api/route_plans/route_planning.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::dispatches;

storage::Params params_of(const std::string& business, const std::string& dispatch) {
  storage::Params params;
  params.add(business).add(dispatch);
  return params;
}

std::string sql_timestamp(const std::string& text) {
  return format_sql_timestamp(parse_timestamp(text).value());
}

std::optional<std::string> related_guid_at(const json::object& body, std::string_view flat,
                                           std::string_view nested) {
  auto guid = guid_at(body, flat);
  return guid ? guid : guid_at(body, nested);
}

/// Returns the guids of `shipmentIds`, without duplicates.
std::vector<std::string> named_shipments(const json::object& body) {
  std::vector<std::string> guids;
  if (const auto* const named = find_value(body, "shipmentIds")) {
    for (const auto& entry : named->get_array())
      guids.push_back(Guid::parse(entry.get_string()).value().to_string());
  }
  std::ranges::sort(guids);
  guids.erase(std::ranges::unique(guids).begin(), guids.end());
  return guids;
}

asio::awaitable<void> check_crew(storage::Transaction& transaction, const std::string& business,
                                 const std::optional<std::string>& driver,
                                 const std::optional<std::string>& vehicle) {
  if (!driver && !vehicle) co_return;
  storage::Params params;
  params.add(business).add(driver).add(vehicle);
  const auto rows = co_await transaction.run(sql::references, std::move(params));
  if (rows.get(0, 0) != "t") throw not_found("driver");
  if (rows.get(0, 1) != "t") throw not_found("vehicle");
}

}  // namespace

asio::awaitable<LockedDispatch> lock_dispatch(storage::Transaction& transaction, const std::string& business,
                                              const std::string& dispatch) {
  const auto rows = co_await transaction.run(sql::lock, params_of(business, dispatch));
  if (rows.empty()) throw not_found("dispatch");
  const storage::RowView row(rows, 0);
  co_return LockedDispatch{.status = row.string(0),
                           .driver = row.maybe_string(1),
                           .vehicle = row.maybe_string(2),
                           .name = row.string(3),
                           .planned_date = row.string(4),
                           .stops = row.number(5)};
}

asio::awaitable<void> lock_free_shipments(storage::Transaction& transaction, const std::string& business,
                                          const std::vector<std::string>& shipments) {
  if (shipments.empty()) co_return;
  storage::Params params;
  params.add(business).add_array(shipments);
  // Two statements: only the second sees changes that were committed while the first waited for its locks.
  const auto locked = co_await transaction.run(sql::lock_shipments, params);
  if (static_cast<std::size_t>(locked.size()) != shipments.size()) throw not_found("shipment");
  const auto states = co_await transaction.run(sql::shipment_states, std::move(params));
  for (int row = 0; row < states.size(); ++row) {
    const auto shipment = "The shipment " + std::string(states.get(row, 0)) + " is ";
    const auto status = states.get(row, 1);
    if (states.get(row, 3) == "t") throw conflict(shipment + "already in a dispatch.");
    if (status == "delivered" || status == "returned" || status == "cancelled") {
      throw conflict(shipment + std::string(status) + ".");
    }
  }
}

asio::awaitable<Answer> create_dispatch(Call& call, Services& services) {
  const auto& body = call.object();
  const auto business = call.principal.business_id.to_string();
  const auto shipments = named_shipments(body);
  const auto driver = related_guid_at(body, "driverId", "driver.guid");
  const auto vehicle = related_guid_at(body, "vehicleId", "vehicle.guid");
  const auto guid = Guid::timed_random(to_unix_ms(services.clock.now())).to_string();
  for (int attempt = 0; attempt < PlannedRoute::attempts; ++attempt) {
    std::optional<PlannedRoute> route;
    if (!shipments.empty()) {
      route = co_await PlannedRoute::make(services, business, guid, {.added = shipments});
    }
    const auto transaction = co_await services.db.begin(call.cause());
    co_await check_crew(*transaction, business, driver, vehicle);
    co_await lock_free_shipments(*transaction, business, shipments);
    auto params = params_of(business, guid);
    params.add(text_at(body, "name")).add(driver).add(vehicle);
    params.add(sql_timestamp(text_at(body, "plannedDate").value_or(""))).add(text_at(body, "notes"));
    const auto rows = co_await transaction->run(sql::create, std::move(params));
    if (route) {
      auto put_in = params_of(business, guid);
      put_in.add_array(shipments);
      co_await transaction->run(sql::add_shipments, std::move(put_in));
      if (!co_await route->write(*transaction)) continue;
    }
    co_await transaction->commit();
    auto data = json_object(rows);
    data.pop_back();
    data += ",\"shipmentCount\":" + std::to_string(shipments.size()) + "}";
    co_return Answer::created(std::move(data), "/api/dispatch/" + guid);
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
  if (const auto date = text_at(body, "plannedDate")) {
    changes["planned_date"] = sql_timestamp(*date);
  }
  const auto drop_unchanged = [&](std::string_view column, const std::optional<std::string>& value) {
    const auto* const change = changes.if_contains(column);
    const bool is_same =
        change != nullptr && (change->is_null() ? !value : value == std::string_view(change->get_string()));
    if (is_same) changes.erase(column);
  };
  drop_unchanged("driver_id", before.driver);
  drop_unchanged("vehicle_id", before.vehicle);
  const auto* const date = changes.if_contains("planned_date");
  if (date != nullptr &&
      parse_sql_timestamp(date->get_string()) == parse_sql_timestamp(before.planned_date)) {
    changes.erase("planned_date");
  }
  if (const auto status = text_at(body, "status"); status && *status != before.status) {
    throw invalid("status", "is " + before.status + "; use PATCH …/status to change it");
  }
  return changes;
}

}  // namespace

asio::awaitable<Answer> update_dispatch(Call& call, Services& services) {
  const auto& body = call.object();
  const auto business = call.principal.business_id.to_string();
  const auto guid = guid_at(body, "guid").value_or("");
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
  const auto named = [&](std::string_view column) { return text_at(changes, column); };
  co_await check_crew(*transaction, business, named("driver_id"), named("vehicle_id"));
  auto params = params_of(business, guid);
  params.add(to_json(changes));
  const auto rows = co_await transaction->run(sql::update, std::move(params));
  co_await transaction->commit();
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> delete_dispatch(Call& call, Services& services) {
  const auto business = call.principal.business_id.to_string();
  const auto guid = call.id().to_string();
  const auto transaction = co_await services.db.begin(call.cause());
  co_await transaction->run(sql::lock_members, params_of(business, guid));
  const auto locked = co_await lock_dispatch(*transaction, business, guid);
  if (locked.status == "in_progress" || locked.status == "completed") {
    throw invalid("status", "is " + locked.status +
                                "; only a dispatch that has not started or was cancelled can be deleted");
  }
  co_await transaction->run(sql::remove, params_of(business, guid));
  co_await transaction->commit();
  co_return Answer::none();
}

}  // namespace waybill::api
