#include <array>
#include <string>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/changes.hpp"
#include "api/records/columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route_plans/route_planning.hpp"
#include "storage/sql/vehicles.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view types[] = {"van", "car", "truck", "motorcycle", "bicycle", "other"};
constexpr std::string_view statuses[] = {"available", "in_use", "maintenance", "inactive"};

constexpr Property capacity_properties[] = {
    {.name = "weight", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
    {.name = "volume", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
};
constexpr Schema capacity_schema{"VehicleCapacity", capacity_properties};

constexpr Property driver_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string, .read_only = true},
};
constexpr Schema driver_schema{"VehicleDriverChoice", driver_properties};

constexpr Property current_driver_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
};
constexpr Schema current_driver_schema{"VehicleDriver", current_driver_properties};

constexpr Property tracker_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "lastUpdate", .kind = Kind::timestamp},
};
constexpr Schema tracker_schema{"VehicleTracker", tracker_properties};

constexpr double first_year = 1886;
constexpr double last_year = 2100;

/// `create` is true for a new vehicle, false for a change, whose body has the guid.
constexpr auto vehicle_properties(bool create) {
  return std::to_array<Property>({
      {.name = "guid", .kind = Kind::uuid, .required = !create, .nullable = false, .read_only = create},
      {.name = "name", .kind = Kind::string, .required = create, .nullable = false, .min_length = 1},
      {.name = "licensePlate", .kind = Kind::string, .required = create, .nullable = false, .min_length = 1},
      {.name = "type", .kind = Kind::one_of, .required = create, .nullable = false, .values = types},
      {.name = "status", .kind = Kind::one_of, .nullable = false, .values = statuses},
      {.name = "make", .kind = Kind::string},
      {.name = "model", .kind = Kind::string},
      {.name = "year", .kind = Kind::integer, .minimum = first_year, .maximum = last_year},
      {.name = "capacity", .kind = Kind::object, .schema = &capacity_schema},
      {.name = "currentDriverId", .kind = Kind::uuid},
      {.name = "currentDriver",
       .kind = Kind::object,
       .schema = &driver_schema,
       .description = "The driver of the dispatch in progress, or the driver that an update set."},
      {.name = "tracker", .kind = Kind::object, .read_only = true, .schema = &tracker_schema},
  });
}
constexpr auto create_properties = vehicle_properties(true);
constexpr auto update_properties = vehicle_properties(false);
constexpr Schema create_schema{"VehicleCreate", create_properties};
constexpr Schema update_schema{"VehicleUpdate", update_properties};

constexpr Property answer_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "licensePlate", .kind = Kind::string, .nullable = false},
    {.name = "make", .kind = Kind::string},
    {.name = "model", .kind = Kind::string},
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = types},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = statuses},
    {.name = "year", .kind = Kind::integer},
    {.name = "capacity", .kind = Kind::object, .schema = &capacity_schema},
    {.name = "currentDriver", .kind = Kind::object, .schema = &current_driver_schema},
    {.name = "tracker", .kind = Kind::object, .schema = &tracker_schema},
};
constexpr Schema vehicle_schema{"Vehicle", answer_properties};

constexpr Property summary_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "licensePlate", .kind = Kind::string, .nullable = false},
};
constexpr Schema created_schema{"VehicleCreated", summary_properties};
constexpr Schema changed_schema{"VehicleChanged", std::span(summary_properties).first(2)};

constexpr auto columns = std::to_array<BodyColumn>({
    {"name", "name"},
    {"licensePlate", "license_plate"},
    {"type", "type"},
    {"make", "make"},
    {"model", "model"},
    {"year", "year"},
    {"capacity.weight", "capacity_weight"},
    {"capacity.volume", "capacity_volume"},
    {"status", "status"},
});

void check_vehicle(const json::object& body, FieldErrors& errors) {
  check_not_blank(body, "name", errors);
  check_not_blank(body, "licensePlate", errors);
  check_related_guid(body, "currentDriverId", "currentDriver.guid", errors);
}

void check_new_vehicle(const json::object& body, FieldErrors& errors) {
  check_related_guid(body, "currentDriverId", "currentDriver.guid", errors);
}

asio::awaitable<Answer> list_vehicles(Call& call, Services& services) {
  co_return Answer::of(
      json_array(co_await services.db.read(sql::vehicles::List{.business = call.business()})));
}

asio::awaitable<Answer> get_vehicle(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::vehicles::Get{.business = call.business(), .vehicle = call.id()});
  if (rows.empty()) throw not_found("vehicle");
  co_return Answer::of(json_object(rows));
}

json::object changes_of(const json::object& body) {
  auto changes = changed_columns(body, columns);
  add_related_guid(body, "currentDriverId", "currentDriver.guid", "current_driver_id", changes);
  return changes;
}

std::optional<std::string> decimal_at(const json::object& body, std::string_view path) {
  const auto* const value = find_value(body, path);
  return value == nullptr ? std::nullopt : decimal_text(*value);
}

std::optional<std::int32_t> year_of(const json::object& body) {
  const auto* const value = find_value(body, "year");
  return value == nullptr ? std::nullopt : std::optional(value->to_number<std::int32_t>());
}

asio::awaitable<Answer> create_vehicle(Call& call, Services& services) {
  const auto& body = call.object();
  const auto driver = guid_at(body, "currentDriverId");
  const auto made = co_await services.db.write(
      sql::vehicles::Create{.business = call.business(),
                            .name = text_at(body, "name").value(),
                            .license_plate = text_at(body, "licensePlate").value(),
                            .type = text_at(body, "type").value(),
                            .make = text_at(body, "make"),
                            .model = text_at(body, "model"),
                            .year = year_of(body),
                            .capacity_weight = decimal_at(body, "capacity.weight"),
                            .capacity_volume = decimal_at(body, "capacity.volume"),
                            .status = text_at(body, "status"),
                            .current_driver = driver ? driver : guid_at(body, "currentDriver.guid")},
      call.cause());
  if (made.empty()) throw not_found("driver");
  co_return Answer::created(json_object(made.all()), "/api/vehicle/" + made.front().guid.to_string());
}

asio::awaitable<Answer> update_vehicle(Call& call, Services& services) {
  const auto& body = call.object();
  const auto changed =
      co_await services.db.write(sql::vehicles::Update{.business = call.business(),
                                                       .vehicle = guid_at(body, "guid").value(),
                                                       .changes = to_json(changes_of(body))},
                                 call.cause());
  if (changed.empty()) throw not_found("vehicle");
  if (!changed.front().has_driver) throw not_found("driver");
  co_return Answer::of(json_object(changed.more()));
}

/// Locks the vehicle after its planned dispatches, in their order of decision 10, and deletes it. Returns
/// false if another dispatch has named it in between.
asio::awaitable<bool> remove_vehicle(storage::Transaction& transaction, const Guid& business,
                                     const Guid& vehicle) {
  const auto plans =
      co_await transaction.run(sql::vehicles::LockPlans{.business = business, .vehicle = vehicle});
  std::vector<Guid> locked;
  for (const auto& plan : plans) locked.push_back(plan.guid);
  const auto found = co_await transaction.run(sql::vehicles::Lock{.business = business, .vehicle = vehicle});
  if (found.empty()) throw not_found("vehicle");
  // A further statement: it sees what was committed while the others waited for their locks.
  const auto removed = co_await transaction.run(
      sql::vehicles::Remove{.business = business, .vehicle = vehicle, .plans = locked});
  const auto state = removed.front();
  if (state.is_out) throw conflict("The vehicle is on a dispatch in progress.");
  co_return !state.is_in_other_plan;
}

asio::awaitable<Answer> delete_vehicle(Call& call, Services& services) {
  for (int attempt = 0; attempt < PlannedRoute::attempts; ++attempt) {
    const auto transaction = co_await services.db.begin(call.cause());
    if (!co_await remove_vehicle(*transaction, call.business(), call.id())) continue;
    co_await transaction->commit();
    co_return Answer::none();
  }
  throw dispatch_keeps_changing();
}

constexpr Endpoint vehicle_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/vehicles",
     .permission = Permission::read,
     .handler = list_vehicles,
     .operation_id = "listVehicles",
     .summary = "Lists up to 1 000 vehicles by name",
     .description = "Each with its status and its device.",
     .tag = "Vehicles",
     .answer = &vehicle_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/vehicle",
     .permission = Permission::operate,
     .handler = create_vehicle,
     .operation_id = "createVehicle",
     .summary = "Creates a vehicle",
     .description = "A vehicle can carry a tracking device and be assigned to dispatches.",
     .tag = "Vehicles",
     .body = &create_schema,
     .body_check = check_new_vehicle,
     .body_kind = BodyKind::object,
     .answer = &created_schema,
     .status = 201},
    {.method = Method::put,
     .path = "/api/vehicle",
     .permission = Permission::operate,
     .handler = update_vehicle,
     .operation_id = "updateVehicle",
     .summary = "Updates a vehicle",
     .description = "Fields that are left out keep their values.",
     .tag = "Vehicles",
     .body = &update_schema,
     .body_check = check_vehicle,
     .body_kind = BodyKind::object,
     .answer = &changed_schema},
    {.method = Method::get,
     .path = "/api/vehicle/{guid}",
     .permission = Permission::read,
     .handler = get_vehicle,
     .operation_id = "getVehicle",
     .summary = "Returns a vehicle",
     .description = "A vehicle of another business is 404.",
     .tag = "Vehicles",
     .answer = &vehicle_schema},
    {.method = Method::del,
     .path = "/api/vehicle/{guid}",
     .permission = Permission::operate,
     .handler = delete_vehicle,
     .operation_id = "deleteVehicle",
     .summary = "Deletes a vehicle that is not on an active dispatch",
     .description = "Planned dispatches with the vehicle are left without one.",
     .tag = "Vehicles"},
};

}  // namespace

std::span<const Endpoint> vehicle_endpoints() { return vehicle_endpoint_table; }

}  // namespace waybill::api
