#include <array>
#include <string>
#include <utility>

#include "api/dispatches/dispatch_handlers.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route/paging.hpp"
#include "api/route/params.hpp"
#include "base/number.hpp"
#include "domain/state_machines.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::dispatches;

constexpr Property relative_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string, .read_only = true},
};
constexpr Schema relative_schema{"DispatchRelative", relative_properties};

constexpr Property shipment_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "trackingNumber", .kind = Kind::string},
    {.name = "status", .kind = Kind::string},
    {.name = "deliveredAt", .kind = Kind::timestamp, .description = "of a delivered one"},
    {.name = "estimatedArrival", .kind = Kind::timestamp, .description = "of any other"},
};
constexpr Schema shipment_schema{"DispatchShipment", shipment_properties};

constexpr Property progress_properties[] = {
    {.name = "completed", .kind = Kind::integer, .description = "delivered, returned or cancelled"},
    {.name = "total", .kind = Kind::integer},
    {.name = "percentage", .kind = Kind::number},
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
       .description = "the present one; PATCH …/status moves it"},
      {.name = "driverId", .kind = Kind::uuid},
      {.name = "driver", .kind = Kind::object, .schema = &relative_schema},
      {.name = "vehicleId", .kind = Kind::uuid},
      {.name = "vehicle", .kind = Kind::object, .schema = &relative_schema},
      {.name = "plannedDate", .kind = Kind::timestamp, .required = create, .nullable = false},
      {.name = "shipmentIds", .kind = Kind::array, .read_only = !create, .items = Kind::uuid},
      {.name = "notes", .kind = Kind::text},
      {.name = "startedAt", .kind = Kind::timestamp, .read_only = true},
      {.name = "shipments", .kind = Kind::array, .read_only = true, .schema = &shipment_schema},
      {.name = "shipmentCount", .kind = Kind::integer, .read_only = true},
      {.name = "progress", .kind = Kind::object, .read_only = true, .schema = &progress_schema},
  });
}
const auto create_properties = body_properties(true);
const auto update_properties = body_properties(false);
const Schema create_schema{"DispatchCreate", create_properties};
const Schema update_schema{"DispatchUpdate", update_properties};

constexpr Property answer_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string},
    {.name = "status", .kind = Kind::string},
    {.name = "driver", .kind = Kind::object, .schema = &relative_schema},
    {.name = "vehicle", .kind = Kind::object, .schema = &relative_schema},
    {.name = "plannedDate", .kind = Kind::timestamp},
    {.name = "startedAt", .kind = Kind::timestamp},
    {.name = "notes", .kind = Kind::text},
    {.name = "progress", .kind = Kind::object, .schema = &progress_schema},
    {.name = "shipments", .kind = Kind::array, .schema = &shipment_schema},
};
constexpr Schema dispatch_schema{"Dispatch", answer_properties};
constexpr Schema entry_schema{"DispatchEntry", std::span(answer_properties).first(9)};

constexpr Property created_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string},
    {.name = "status", .kind = Kind::string},
    {.name = "plannedDate", .kind = Kind::timestamp},
    {.name = "shipmentCount", .kind = Kind::integer},
};
constexpr Schema created_schema{"DispatchCreated", created_properties};
constexpr Schema changed_schema{"DispatchChanged", std::span(created_properties).first(2)};
constexpr Schema containing_schema{"DispatchOfShipment", std::span(created_properties).first(3)};

const Property move_properties[] = {
    {.name = "status", .kind = Kind::one_of, .required = true, .values = domain::dispatch_states().states}};
const Schema move_schema{"DispatchStatusChange", move_properties};
constexpr Property moved_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "status", .kind = Kind::string},
};
constexpr Schema moved_schema{"DispatchStatus", moved_properties};

constexpr Property membership_properties[] = {
    {.name = "dispatchId", .kind = Kind::uuid, .required = true},
    {.name = "shipmentId", .kind = Kind::uuid, .required = true},
};
constexpr Schema membership_schema{"DispatchMembership", membership_properties};

constexpr Property overview_properties[] = {
    {.name = "totalDispatches", .kind = Kind::integer},
    {.name = "activeDispatches", .kind = Kind::integer},
    {.name = "completedToday", .kind = Kind::integer, .description = "today in the business's time zone"},
    {.name = "pendingDeliveries",
     .kind = Kind::integer,
     .description = "shipments of dispatches, not final yet"},
    {.name = "driversActive", .kind = Kind::integer, .description = "drivers on duty"},
    {.name = "onTimeRate", .kind = Kind::number, .description = "of deliveries; 0 to 1"},
};
constexpr Schema overview_schema{"DispatchOverview", overview_properties};

constexpr Parameter page_parameters[] = {page_parameter, page_size_parameter};

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
  co_return Answer::of(json_object(co_await services.db.read(sql::overview, business_params(call))));
}

asio::awaitable<Answer> list_dispatches(Call& call, Services& services) {
  const auto page = page_of(call);
  auto params = business_params(call);
  params.add(page.limit()).add(page.offset());
  const auto rows = co_await services.db.read(sql::list, std::move(params));
  const auto total = parse_number<std::int64_t>(rows.get(0, 0)).value();
  // The first two columns are the total and the sort key.
  const bool is_empty = rows.is_null(0, 2);
  co_return page_answer(json_array(rows.slice(0, is_empty ? 0 : rows.size(), 2)), page, total);
}

asio::awaitable<Answer> get_dispatch(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::get, key_params(call));
  if (rows.empty()) throw not_found("dispatch");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> get_containing(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::in_shipment, key_params(call));
  if (rows.empty()) throw not_found("shipment in a dispatch");
  co_return Answer::of(json_object(rows));
}

const Route routes[] = {
    {.method = Method::get,
     .path = "/api/dispatch/overview",
     .permission = Permission::read,
     .handler = get_overview,
     .summary = "How many dispatches and deliveries there are",
     .tag = "Dispatches",
     .answer = &overview_schema},
    {.method = Method::get,
     .path = "/api/dispatch",
     .permission = Permission::read,
     .handler = list_dispatches,
     .summary = "A page of the dispatches, the newest first",
     .tag = "Dispatches",
     .query = page_parameters,
     .answer = &entry_schema,
     .answer_is_array = true,
     .paginated = true},
    {.method = Method::post,
     .path = "/api/dispatch",
     .permission = Permission::operate,
     .handler = create_dispatch,
     .summary = "Plans a dispatch and its route",
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
     .summary = "Changes a dispatch; driver, vehicle and date only until it starts",
     .tag = "Dispatches",
     .body = &update_schema,
     .body_check = check_dispatch,
     .body_kind = BodyKind::object,
     .answer = &changed_schema},
    {.method = Method::get,
     .path = "/api/dispatch/{id}",
     .permission = Permission::read,
     .handler = get_dispatch,
     .summary = "A dispatch with its shipments in the order of the route",
     .tag = "Dispatches",
     .answer = &dispatch_schema},
    {.method = Method::del,
     .path = "/api/dispatch/{id}",
     .permission = Permission::operate,
     .handler = delete_dispatch,
     .summary = "Deletes a dispatch that has not begun, or was cancelled; its shipments are free again",
     .tag = "Dispatches"},
    {.method = Method::patch,
     .path = "/api/dispatch/{id}/status",
     .permission = Permission::operate,
     .handler = move_dispatch,
     .summary = "Moves a dispatch to a status; starting it sends vehicle, driver and shipments out, ending "
                "it frees them",
     .tag = "Dispatches",
     .body = &move_schema,
     .body_kind = BodyKind::object,
     .answer = &moved_schema},
    {.method = Method::post,
     .path = "/api/dispatch/add-shipment",
     .permission = Permission::operate,
     .handler = add_shipment,
     .summary = "Puts a shipment into a planned dispatch and its route",
     .tag = "Dispatches",
     .body = &membership_schema,
     .body_kind = BodyKind::object},
    {.method = Method::post,
     .path = "/api/dispatch/remove-shipment",
     .permission = Permission::operate,
     .handler = remove_shipment,
     .summary = "Takes a shipment out of a planned dispatch and its route",
     .tag = "Dispatches",
     .body = &membership_schema,
     .body_kind = BodyKind::object},
    {.method = Method::get,
     .path = "/api/dispatch/in-shipment/{id}",
     .permission = Permission::read,
     .handler = get_containing,
     .summary = "The dispatch that a shipment is in",
     .tag = "Dispatches",
     .answer = &containing_schema},
};

}  // namespace

std::span<const Route> dispatch_routes() { return routes; }

}  // namespace waybill::api
