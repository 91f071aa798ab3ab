#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route/params.hpp"
#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "base/ascii.hpp"
#include "base/number.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::tracking;

constexpr std::size_t shortest_id = 3;
constexpr std::size_t longest_id = 64;

constexpr Property vehicle_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string, .read_only = true},
};
constexpr Schema vehicle_schema{"DeviceVehicleChoice", vehicle_properties};

constexpr std::string_view statuses[] = {"active", "offline", "low_battery", "error"};

constexpr Property assigned_vehicle_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
};
constexpr Schema assigned_vehicle_schema{"DeviceVehicle", assigned_vehicle_properties};

constexpr Property device_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "deviceId", .kind = Kind::string, .nullable = false},
    {.name = "type", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = statuses},
    {.name = "assignedVehicle", .kind = Kind::object, .schema = &assigned_vehicle_schema},
    {.name = "lastSeen", .kind = Kind::timestamp},
    {.name = "batteryLevel", .kind = Kind::number, .description = "Percent."},
};
constexpr Schema device_schema{"TrackingDevice", device_properties};

constexpr Property add_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .read_only = true},
    {.name = "deviceId",
     .kind = Kind::string,
     .required = true,
     .max_length = longest_id,
     .min_length = shortest_id,
     .description = "Letters, digits and the characters : _ -."},
    {.name = "type", .kind = Kind::string, .required = true, .description = "Any text, such as gps_tracker."},
    {.name = "status", .kind = Kind::string, .read_only = true},
    {.name = "vehicleId", .kind = Kind::uuid},
    {.name = "assignedVehicle", .kind = Kind::object, .schema = &vehicle_schema},
    {.name = "lastSeen", .kind = Kind::timestamp, .read_only = true},
    {.name = "batteryLevel", .kind = Kind::number, .read_only = true},
};
constexpr Schema add_schema{"TrackingDeviceCreate", add_properties};

constexpr Property added_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "deviceId", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = statuses},
};
constexpr Schema added_schema{"TrackingDeviceCreated", added_properties};

constexpr Property position_properties[] = {
    {.name = "deviceId",
     .kind = Kind::string,
     .required = true,
     .max_length = longest_id,
     .min_length = shortest_id},
    {.name = "latitude", .kind = Kind::number, .required = true, .minimum = -90, .maximum = 90},
    {.name = "longitude", .kind = Kind::number, .required = true, .minimum = -180, .maximum = 180},
    {.name = "speed",
     .kind = Kind::number,
     .minimum = 0,
     .maximum = 100'000,
     .description = "Kilometres per hour."},
    {.name = "heading",
     .kind = Kind::number,
     .minimum = 0,
     .maximum = 360,
     .description = "Degrees clockwise from north."},
    {.name = "timestamp", .kind = Kind::timestamp, .description = "Default: now."},
    {.name = "batteryLevel", .kind = Kind::number, .minimum = 0, .maximum = 100, .description = "Percent."},
    {.name = "error",
     .kind = Kind::string,
     .description =
         "A fault that the device reports. The device has the status error until a position without it."},
};
constexpr Schema position_schema{"Position", position_properties};

constexpr Property stored_properties[] = {
    {.name = "received", .kind = Kind::integer, .nullable = false},
    {.name = "stored",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of new positions."},
};
constexpr Schema stored_schema{"PositionsStored", stored_properties};

bool is_device_id(std::string_view text) {
  constexpr std::string_view punctuation = ":_-";
  const auto is_allowed = [&](char c) {
    return is_alphanumeric(c) || punctuation.find(c) != std::string_view::npos;
  };
  return std::ranges::all_of(text, is_allowed);
}

void check_device_id(const json::object& body, FieldErrors& errors) {
  const auto id = text_at(body, "deviceId");
  if (id && !is_blank(*id) && !is_device_id(*id)) {
    errors.push_back({"deviceId", "must consist of letters, digits and :_-"});
  }
}

void check_device(const json::object& body, FieldErrors& errors) {
  check_device_id(body, errors);
  check_related_guid(body, "vehicleId", "assignedVehicle.guid", errors);
}

asio::awaitable<Answer> list_devices(Call& call, Services& services) {
  co_return Answer::of(json_array(co_await services.db.read(sql::devices, business_params(call))));
}

asio::awaitable<Answer> get_device(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::device, key_params(call));
  if (rows.empty()) throw not_found("device");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> add_device(Call& call, Services& services) {
  const auto& body = call.object();
  auto params = business_params(call);
  const auto vehicle = guid_at(body, "vehicleId");
  params.add(text_at(body, "deviceId")).add(text_at(body, "type"));
  params.add(vehicle ? vehicle : guid_at(body, "assignedVehicle.guid"));
  const auto rows = co_await services.db.write(sql::add_device, std::move(params), call.cause());
  if (rows.empty()) throw not_found("vehicle");
  co_return Answer::created(json_object(rows), "/api/tracking/devices/" + std::string(rows.get(0, 0)));
}

/// The columns of positions as arrays.
class PositionColumns {
 public:
  void add(const json::object& position) {
    devices_.add(position.at("deviceId").get_string());
    const auto time = text_at(position, "timestamp");
    add_or_null(times_,
                time ? std::optional(format_sql_timestamp(parse_timestamp(*time).value())) : std::nullopt);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto* const value = find_value(position, numbers.at(i));
      add_or_null(numbers_.at(i), value == nullptr ? std::nullopt : decimal_text(*value));
    }
    add_or_null(faults_, text_at(position, "error"));
  }

  void move_to(storage::Params& params) {
    params.add_array(std::move(devices_)).add_array(std::move(times_));
    for (auto& column : numbers_) params.add_array(std::move(column));
    params.add_array(std::move(faults_));
  }

 private:
  static constexpr auto numbers =
      std::to_array<std::string_view>({"latitude", "longitude", "speed", "heading", "batteryLevel"});

  static void add_or_null(storage::ArrayLiteral& column, const std::optional<std::string>& value) {
    if (value) {
      column.add(*value);
    } else {
      column.add_null();
    }
  }

  storage::ArrayLiteral devices_, times_, faults_;
  std::array<storage::ArrayLiteral, numbers.size()> numbers_;
};

Failure unknown_device(const json::value& body, std::string_view position_number) {
  const auto index = parse_number<std::size_t>(position_number).value_or(1) - 1;
  const auto& position = body.is_array() ? body.get_array().at(index) : body;
  const auto prefix = body.is_array() ? "[" + std::to_string(index) + "]." : std::string();
  const std::string id(position.at("deviceId").get_string());
  return {ErrorCode::not_found,
          "There is no tracking device " + id + "; nothing was stored.",
          {{prefix + "deviceId", "is not the id of a device"}}};
}

/// Throws Failure with an error for each position in the future.
void refuse_future_positions(const json::value& body, Time now) {
  FieldErrors errors;
  const auto check = [&](const json::value& position, const std::string& prefix) {
    const auto time = text_at(position.get_object(), "timestamp");
    if (time && parse_timestamp(*time).value() > now + clock_tolerance) {
      errors.push_back({prefix + "timestamp", "must not be more than 5 minutes in the future"});
    }
  };
  if (body.is_array()) {
    std::size_t index = 0;
    for (const auto& position : body.get_array()) check(position, "[" + std::to_string(index++) + "].");
  } else {
    check(body, "");
  }
  if (!errors.empty()) throw invalid(std::move(errors));
}

asio::awaitable<Answer> add_positions(Call& call, Services& services) {
  refuse_future_positions(call.body, services.clock.now());
  PositionColumns columns;
  if (call.body.is_array()) {
    for (const auto& position : call.body.get_array()) columns.add(position.get_object());
  } else {
    columns.add(call.object());
  }
  auto params = business_params(call);
  columns.move_to(params);
  const auto rows = co_await services.db.write(sql::add_positions, std::move(params), call.cause());
  if (!rows.is_null(0, 0)) throw unknown_device(call.body, rows.get(0, 0));
  co_return Answer::of(json_object(rows.slice(0, 1, 1)));
}

constexpr Route routes[] = {
    {.method = Method::get,
     .path = "/api/tracking/devices",
     .permission = Permission::read,
     .handler = list_devices,
     .operation_id = "listTrackingDevices",
     .summary = "Lists up to 1 000 tracking devices",
     .tag = "Tracking",
     .answer = &device_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/tracking/devices/{guid}",
     .permission = Permission::read,
     .handler = get_device,
     .operation_id = "getTrackingDevice",
     .summary = "Returns a tracking device",
     .tag = "Tracking",
     .answer = &device_schema},
    {.method = Method::post,
     .path = "/api/tracking/add-device",
     .permission = Permission::operate,
     .handler = add_device,
     .operation_id = "createTrackingDevice",
     .summary = "Creates a tracking device",
     .tag = "Tracking",
     .body = &add_schema,
     .body_check = check_device,
     .body_kind = BodyKind::object,
     .answer = &added_schema,
     .status = 201},
    {.method = Method::post,
     .path = "/api/tracking/positions",
     .permission = Permission::operate,
     .handler = add_positions,
     .operation_id = "addPositions",
     .summary = "Stores positions of tracking devices, all or none",
     .description = "A position with the device and time of another is ignored.",
     .tag = "Tracking",
     .body = &position_schema,
     .body_check = check_device_id,
     .body_kind = BodyKind::one_or_array,
     .answer = &stored_schema},
};

}  // namespace

std::span<const Route> tracking_routes() { return routes; }

}  // namespace waybill::api
