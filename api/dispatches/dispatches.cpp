#include <array>
#include <string>

#include "api/dispatches/dispatch_handlers.hpp"
#include "api/endpoint/paging.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route_plans/route_planning.hpp"
#include "domain/records/state_machines.hpp"
#include "storage/sql/dispatches.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property relative_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string, .read_only = true},
};
constexpr Schema relative_schema{"DispatchRelative", relative_properties};

constexpr Property relative_answer_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
};
constexpr Schema assigned_driver_schema{"DispatchDriver", relative_answer_properties};
constexpr Schema assigned_vehicle_schema{"DispatchVehicle", relative_answer_properties};

const Property shipment_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "trackingNumber", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states},
    {.name = "deliveredAt",
     .kind = Kind::timestamp,
     .optional = true,
     .description = "Only of a delivered shipment."},
    {.name = "estimatedArrival",
     .kind = Kind::timestamp,
     .optional = true,
     .description = "Only of a shipment that is not delivered. Null if its place is unknown."},
};
constexpr Schema shipment_schema{"DispatchShipment", shipment_properties};

constexpr Property progress_properties[] = {
    {.name = "completed",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Shipments that are delivered, returned or cancelled."},
    {.name = "total", .kind = Kind::integer, .nullable = false},
    {.name = "percentage", .kind = Kind::number, .nullable = false},
};
constexpr Schema progress_schema{"DispatchProgress", progress_properties};

/// `create` is true for a new dispatch, false for a change, whose body has the guid.
auto body_properties(bool create) {
  return std::to_array<Property>({
      {.name = "guid", .kind = Kind::uuid, .required = !create, .nullable = false, .read_only = create},
      {.name = "name", .kind = Kind::string, .required = create, .nullable = false, .min_length = 1},
      {.name = "status",
       .kind = Kind::one_of,
       .nullable = false,
       .read_only = create,
       .values = domain::dispatch_states().states,
       .description = "The present status. PATCH …/status changes it."},
      {.name = "driverId", .kind = Kind::uuid},
      {.name = "driver", .kind = Kind::object, .schema = &relative_schema},
      {.name = "vehicleId", .kind = Kind::uuid},
      {.name = "vehicle", .kind = Kind::object, .schema = &relative_schema},
      {.name = "plannedDate", .kind = Kind::timestamp, .required = create, .nullable = false},
      {.name = "notes", .kind = Kind::text},
      {.name = "startedAt", .kind = Kind::timestamp, .read_only = true},
      {.name = "shipments", .kind = Kind::array, .read_only = true, .schema = &shipment_schema},
      {.name = "shipmentCount", .kind = Kind::integer, .read_only = true},
      {.name = "progress", .kind = Kind::object, .read_only = true, .schema = &progress_schema},
      {.name = "shipmentIds", .kind = Kind::array, .items = Kind::uuid},
  });
}
const auto create_properties = body_properties(true);
const auto update_properties = body_properties(false);
const Schema create_schema{"DispatchCreate", create_properties};
// The last property is that of a new dispatch alone.
const Schema update_schema{"DispatchUpdate",
                           std::span(update_properties).first(update_properties.size() - 1)};

const Property answer_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::dispatch_states().states},
    {.name = "driver", .kind = Kind::object, .schema = &assigned_driver_schema},
    {.name = "vehicle", .kind = Kind::object, .schema = &assigned_vehicle_schema},
    {.name = "plannedDate", .kind = Kind::timestamp, .nullable = false},
    {.name = "startedAt", .kind = Kind::timestamp},
    {.name = "notes", .kind = Kind::text},
    {.name = "progress", .kind = Kind::object, .nullable = false, .schema = &progress_schema},
    {.name = "shipments", .kind = Kind::array, .nullable = false, .schema = &shipment_schema},
};
constexpr Schema dispatch_schema{"Dispatch", answer_properties};
constexpr Schema entry_schema{"DispatchEntry", std::span(answer_properties).first(9)};

const Property created_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::dispatch_states().states},
    {.name = "plannedDate", .kind = Kind::timestamp, .nullable = false},
    {.name = "shipmentCount", .kind = Kind::integer, .nullable = false},
};
constexpr Schema created_schema{"DispatchCreated", created_properties};
constexpr Schema changed_schema{"DispatchChanged", std::span(created_properties).first(2)};
constexpr Schema containing_schema{"DispatchOfShipment", std::span(created_properties).first(3)};

const Property move_properties[] = {
    {.name = "status", .kind = Kind::one_of, .required = true, .values = domain::dispatch_states().states}};
const Schema move_schema{"DispatchStatusChange", move_properties};
const Property moved_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::dispatch_states().states},
};
constexpr Schema moved_schema{"DispatchStatus", moved_properties};

constexpr Property membership_properties[] = {
    {.name = "dispatchId", .kind = Kind::uuid, .required = true},
    {.name = "shipmentId", .kind = Kind::uuid, .required = true},
};
constexpr Schema membership_schema{"DispatchMembership", membership_properties};

constexpr Property overview_properties[] = {
    {.name = "totalDispatches", .kind = Kind::integer, .nullable = false},
    {.name = "activeDispatches", .kind = Kind::integer, .nullable = false},
    {.name = "completedToday",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Dispatches that were completed today, in the time zone of the business."},
    {.name = "pendingDeliveries",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Shipments of dispatches that are not delivered, returned or cancelled."},
    {.name = "driversActive",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Drivers with the status on_duty."},
    {.name = "onTimeRate",
     .kind = Kind::number,
     .nullable = false,
     .description = "The fraction of deliveries that were on time."},
};
constexpr Schema overview_schema{"DispatchOverview", overview_properties};

const Parameter list_query[] = {
    {.name = "status", .kind = Kind::one_of, .values = domain::dispatch_states().states},
    page_parameter,
    page_size_parameter,
};

void check_dispatch(const json::object& body, FieldErrors& errors) {
  check_not_blank(body, "name", errors);
  check_related_guid(body, "driverId", "driver.guid", errors);
  check_related_guid(body, "vehicleId", "vehicle.guid", errors);
}

void check_new_dispatch(const json::object& body, FieldErrors& errors) {
  check_related_guid(body, "driverId", "driver.guid", errors);
  check_related_guid(body, "vehicleId", "vehicle.guid", errors);
}

asio::awaitable<Answer> get_overview(Call& call, Services& services) {
  co_return Answer::of(
      json_object(co_await services.db.read(sql::dispatches::Overview{.business = call.business()})));
}

asio::awaitable<Answer> list_dispatches(Call& call, Services& services) {
  const auto page = page_of(call);
  const auto rows = co_await services.db.read(sql::dispatches::List{.business = call.business(),
                                                                    .limit = page.limit(),
                                                                    .offset = page.offset(),
                                                                    .status = call.parameter("status")});
  const auto first = rows.front();
  co_return page_answer(first.created_at ? json_array(rows.more()) : "[]", page, first.total);
}

asio::awaitable<Answer> get_dispatch(Call& call, Services& services) {
  co_await plan_if_outdated(call, services, call.id());
  const auto rows =
      co_await services.db.read(sql::dispatches::Get{.business = call.business(), .dispatch = call.id()});
  if (rows.empty()) throw not_found("dispatch");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> get_containing(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      sql::dispatches::InShipment{.business = call.business(), .shipment = call.id()});
  if (rows.empty()) throw not_found("shipment in a dispatch");
  co_return Answer::of(json_object(rows));
}

const Endpoint dispatch_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/dispatch/overview",
     .permission = Permission::read,
     .handler = get_overview,
     .operation_id = "getDispatchOverview",
     .summary = "Returns the numbers of dispatches and deliveries",
     .description = "Active dispatches are those in progress.",
     .tag = "Dispatches",
     .answer = &overview_schema,
     .from_standby = true},
    {.method = Method::get,
     .path = "/api/dispatch",
     .permission = Permission::read,
     .handler = list_dispatches,
     .operation_id = "listDispatches",
     .summary = "Lists dispatches, newest first",
     .description = "With the number of shipments and the driver and vehicle of each.",
     .tag = "Dispatches",
     .query = list_query,
     .answer = &entry_schema,
     .answer_is_array = true,
     .paginated = true},
    {.method = Method::post,
     .path = "/api/dispatch",
     .permission = Permission::operate,
     .handler = create_dispatch,
     .operation_id = "createDispatch",
     .summary = "Creates a dispatch and plans its route",
     .description = "A shipment is in at most one open dispatch (409). The route begins and ends at the "
                    "address of the business.",
     .tag = "Dispatches",
     .body = &create_schema,
     .body_check = check_new_dispatch,
     .body_kind = BodyKind::object,
     .answer = &created_schema,
     .status = 201},
    {.method = Method::put,
     .path = "/api/dispatch",
     .permission = Permission::operate,
     .handler = update_dispatch,
     .operation_id = "updateDispatch",
     .summary = "Updates a dispatch",
     .description = "Driver, vehicle and date can change until the dispatch starts. add-shipment and "
                    "remove-shipment change its shipments.",
     .tag = "Dispatches",
     .body = &update_schema,
     .body_check = check_dispatch,
     .body_kind = BodyKind::object,
     .answer = &changed_schema},
    {.method = Method::get,
     .path = "/api/dispatch/{id}",
     .permission = Permission::read,
     .handler = get_dispatch,
     .operation_id = "getDispatch",
     .summary = "Returns a dispatch with its shipments in the order of the route",
     .description = "With driver, vehicle and planned date.",
     .tag = "Dispatches",
     .answer = &dispatch_schema},
    {.method = Method::del,
     .path = "/api/dispatch/{id}",
     .permission = Permission::operate,
     .handler = delete_dispatch,
     .operation_id = "deleteDispatch",
     .summary = "Deletes a dispatch that has not started or was cancelled",
     .description = "Its shipments can be assigned again.",
     .tag = "Dispatches"},
    {.method = Method::patch,
     .path = "/api/dispatch/{id}/status",
     .permission = Permission::operate,
     .handler = move_dispatch,
     .operation_id = "updateDispatchStatus",
     .summary = "Moves a dispatch to another status",
     .description = "The start makes the vehicle in_use, the driver on_duty and the shipments "
                    "out_for_delivery; the end makes vehicle and driver available.",
     .tag = "Dispatches",
     .body = &move_schema,
     .body_kind = BodyKind::object,
     .answer = &moved_schema},
    {.method = Method::post,
     .path = "/api/dispatch/add-shipment",
     .permission = Permission::operate,
     .handler = add_shipment,
     .operation_id = "addShipmentToDispatch",
     .summary = "Adds a shipment to a dispatch that has not started",
     .description = "The route is planned again. A shipment is in at most one open dispatch (409).",
     .tag = "Dispatches",
     .body = &membership_schema,
     .body_kind = BodyKind::object},
    {.method = Method::post,
     .path = "/api/dispatch/remove-shipment",
     .permission = Permission::operate,
     .handler = remove_shipment,
     .operation_id = "removeShipmentFromDispatch",
     .summary = "Removes a shipment from a dispatch that has not started",
     .description = "The route is planned again.",
     .tag = "Dispatches",
     .body = &membership_schema,
     .body_kind = BodyKind::object},
    {.method = Method::get,
     .path = "/api/dispatch/in-shipment/{id}",
     .permission = Permission::read,
     .handler = get_containing,
     .operation_id = "getDispatchOfShipment",
     .summary = "Returns the dispatch of a shipment",
     .description = "Drivers and offices find the tour of a parcel by it.",
     .tag = "Dispatches",
     .answer = &containing_schema},
};

}  // namespace

std::span<const Endpoint> dispatch_endpoints() { return dispatch_endpoint_table; }

}  // namespace waybill::api
