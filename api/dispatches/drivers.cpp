#include <array>
#include <string>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route_plans/route_planning.hpp"
#include "storage/sql/drivers.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view statuses[] = {"available", "on_duty", "off_duty", "inactive"};

/// The properties of requests and, with `create` false, of answers. `create` requires the name.
constexpr auto driver_properties(bool create) {
  return std::to_array<Property>({
      {.name = "guid", .kind = Kind::uuid, .nullable = false, .read_only = true},
      {.name = "name", .kind = Kind::string, .required = create, .nullable = false, .min_length = 1},
      {.name = "email", .kind = Kind::email, .max_length = 254},
      {.name = "phone", .kind = Kind::string},
      {.name = "licenseNumber", .kind = Kind::string},
      {.name = "status",
       .kind = Kind::one_of,
       .nullable = false,
       .values = statuses,
       .description = "on_duty while a dispatch of the driver is in progress."},
  });
}
constexpr auto new_driver_properties = driver_properties(true);
constexpr auto driver_change_properties = driver_properties(false);
constexpr Schema new_driver_schema{"DriverCreate", new_driver_properties};
constexpr Schema driver_schema{"Driver", driver_change_properties};

constexpr auto columns = std::to_array<BodyColumn>({
    {"name", "name"},
    {"email", "email"},
    {"phone", "phone"},
    {"licenseNumber", "license_number"},
    {"status", "status"},
});

void check_name(const json::object& body, FieldErrors& errors) { check_not_blank(body, "name", errors); }

asio::awaitable<Answer> list_drivers(Call& call, Services& services) {
  co_return Answer::of(
      json_array(co_await services.db.read(sql::drivers::List{.business = call.business()})));
}

asio::awaitable<Answer> get_driver(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::drivers::Get{.business = call.business(), .driver = call.id()});
  if (rows.empty()) throw not_found("driver");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> create_driver(Call& call, Services& services) {
  const auto& body = call.object();
  const auto made =
      co_await services.db.write(sql::drivers::Create{.business = call.business(),
                                                      .name = text_at(body, "name").value(),
                                                      .email = text_at(body, "email"),
                                                      .phone = text_at(body, "phone"),
                                                      .license_number = text_at(body, "licenseNumber"),
                                                      .status = text_at(body, "status")},
                                 call.cause());
  co_return Answer::created(json_object(made.all()), "/api/drivers/" + made.front().guid.to_string());
}

asio::awaitable<Answer> update_driver(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::drivers::Update{.business = call.business(),
                           .driver = call.id(),
                           .changes = to_json(changed_columns(call.object(), columns))},
      call.cause());
  if (rows.empty()) throw not_found("driver");
  co_return Answer::of(json_object(rows));
}

/// Locks the driver after the driver's planned dispatches and vehicles, in their order of decision 10, and
/// deletes the driver. Returns false if another dispatch or vehicle has named the driver in between.
asio::awaitable<bool> remove_driver(storage::Transaction& transaction, const Guid& business,
                                    const Guid& driver) {
  const auto plans =
      co_await transaction.run(sql::drivers::LockPlans{.business = business, .driver = driver});
  std::vector<Guid> locked_plans;
  for (const auto& plan : plans) locked_plans.push_back(plan.guid);
  const auto vehicles =
      co_await transaction.run(sql::drivers::LockVehicles{.business = business, .driver = driver});
  std::vector<Guid> locked_vehicles;
  for (const auto& vehicle : vehicles) locked_vehicles.push_back(vehicle.guid);
  const auto found = co_await transaction.run(sql::drivers::Lock{.business = business, .driver = driver});
  if (found.empty()) throw not_found("driver");
  // A further statement: it sees what was committed while the others waited for their locks.
  const auto removed = co_await transaction.run(sql::drivers::Remove{
      .business = business, .driver = driver, .plans = locked_plans, .vehicles = locked_vehicles});
  const auto state = removed.front();
  if (state.is_out) throw conflict("The driver is on a dispatch in progress.");
  co_return !state.is_named_elsewhere;
}

asio::awaitable<Answer> delete_driver(Call& call, Services& services) {
  for (int attempt = 0; attempt < PlannedRoute::attempts; ++attempt) {
    const auto transaction = co_await services.db.begin(call.cause());
    if (!co_await remove_driver(*transaction, call.business(), call.id())) continue;
    co_await transaction->commit();
    co_return Answer::none();
  }
  throw dispatch_keeps_changing();
}

constexpr Endpoint driver_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/drivers",
     .permission = Permission::read,
     .handler = list_drivers,
     .operation_id = "listDrivers",
     .summary = "Lists up to 1 000 drivers by name",
     .description = "Also those who are off duty or inactive.",
     .tag = "Drivers",
     .answer = &driver_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/drivers",
     .permission = Permission::operate,
     .handler = create_driver,
     .operation_id = "createDriver",
     .summary = "Creates a driver",
     .description = "A driver can be assigned to dispatches.",
     .tag = "Drivers",
     .body = &new_driver_schema,
     .body_kind = BodyKind::object,
     .answer = &driver_schema,
     .status = 201},
    {.method = Method::get,
     .path = "/api/drivers/{guid}",
     .permission = Permission::read,
     .handler = get_driver,
     .operation_id = "getDriver",
     .summary = "Returns a driver",
     .description = "A driver of another business is 404.",
     .tag = "Drivers",
     .answer = &driver_schema},
    {.method = Method::put,
     .path = "/api/drivers/{guid}",
     .permission = Permission::operate,
     .handler = update_driver,
     .operation_id = "updateDriver",
     .summary = "Updates a driver",
     .description = "Fields that are left out keep their values.",
     .tag = "Drivers",
     .body = &driver_schema,
     .body_check = check_name,
     .body_kind = BodyKind::object,
     .answer = &driver_schema},
    {.method = Method::del,
     .path = "/api/drivers/{guid}",
     .permission = Permission::operate,
     .handler = delete_driver,
     .operation_id = "deleteDriver",
     .summary = "Deletes a driver who is not on an active dispatch",
     .description = "Planned dispatches of the driver are left without one.",
     .tag = "Drivers"},
};

}  // namespace

std::span<const Endpoint> driver_endpoints() { return driver_endpoint_table; }

}  // namespace waybill::api
