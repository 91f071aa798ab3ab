#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "base/clock_tolerance.hpp"
#include "storage/sql/tracking.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t shortest_id = 3;
constexpr std::size_t longest_id = 64;

constexpr Property chosen_vehicle_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string, .read_only = true},
};
constexpr Schema chosen_vehicle_schema{"DeviceVehicleChoice", chosen_vehicle_properties};

constexpr std::string_view device_statuses[] = {"active", "offline", "low_battery", "error"};

constexpr Property assigned_vehicle_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
};
constexpr Schema assigned_vehicle_schema{"DeviceVehicle", assigned_vehicle_properties};

constexpr Property device_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "deviceId", .kind = Kind::string, .nullable = false},
    {.name = "type", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = device_statuses},
    {.name = "assignedVehicle", .kind = Kind::object, .schema = &assigned_vehicle_schema},
    {.name = "lastSeen", .kind = Kind::timestamp},
    {.name = "batteryLevel",
     .kind = Kind::number,
     .description = "Percent, from the newest position that has it."},
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
    {.name = "assignedVehicle", .kind = Kind::object, .schema = &chosen_vehicle_schema},
    {.name = "lastSeen", .kind = Kind::timestamp, .read_only = true},
    {.name = "batteryLevel", .kind = Kind::number, .read_only = true},
};
constexpr Schema add_schema{"TrackingDeviceCreate", add_properties};

constexpr Property added_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "deviceId", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = device_statuses},
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
  co_return Answer::of(
      json_array(co_await services.db.read(sql::tracking::Devices{.business = call.business()})));
}

asio::awaitable<Answer> get_device(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::tracking::Device{.business = call.business(), .device = call.id()});
  if (rows.empty()) throw not_found("device");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> add_device(Call& call, Services& services) {
  const auto& body = call.object();
  const auto vehicle = guid_at(body, "vehicleId");
  const auto added = co_await services.db.write(
      sql::tracking::AddDevice{.business = call.business(),
                               .device_id = text_at(body, "deviceId").value(),
                               .type = text_at(body, "type").value(),
                               .vehicle = vehicle ? vehicle : guid_at(body, "assignedVehicle.guid")},
      call.cause());
  if (added.empty()) throw not_found("vehicle");
  co_return Answer::created(json_object(added.all()),
                            "/api/tracking/devices/" + added.front().guid.to_string());
}

/// The values of positions by column.
struct PositionColumns {
  using Column = std::vector<std::optional<std::string>>;

  std::vector<std::string> devices;
  Column times, latitudes, longitudes, speeds, headings, battery_levels, faults;

  void add(const json::object& position) {
    const auto number = [&](std::string_view name) {
      const auto* const value = find_value(position, name);
      return value == nullptr ? std::nullopt : decimal_text(*value);
    };
    const auto time = text_at(position, "timestamp");
    devices.emplace_back(position.at("deviceId").get_string());
    times.push_back(time ? std::optional(format_sql_timestamp(parse_timestamp(*time).value()))
                         : std::nullopt);
    latitudes.push_back(number("latitude"));
    longitudes.push_back(number("longitude"));
    speeds.push_back(number("speed"));
    headings.push_back(number("heading"));
    battery_levels.push_back(number("batteryLevel"));
    faults.push_back(text_at(position, "error"));
  }
};

/// `place` counts from 1.
Failure unknown_device(const json::value& body, std::int64_t place) {
  const auto index = static_cast<std::size_t>(place - 1);
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
  const auto result =
      co_await services.db.write(sql::tracking::AddPositions{.business = call.business(),
                                                             .devices = columns.devices,
                                                             .times = columns.times,
                                                             .latitudes = columns.latitudes,
                                                             .longitudes = columns.longitudes,
                                                             .speeds = columns.speeds,
                                                             .headings = columns.headings,
                                                             .battery_levels = columns.battery_levels,
                                                             .faults = columns.faults},
                                 call.cause());
  if (const auto unknown = result.front().unknown) throw unknown_device(call.body, *unknown);
  co_return Answer::of(json_object(result.more()));
}

constexpr Endpoint tracking_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/tracking/devices",
     .permission = Permission::read,
     .handler = list_devices,
     .operation_id = "listTrackingDevices",
     .summary = "Lists up to 1 000 tracking devices",
     .description = "Each with its last position, battery level and status.",
     .tag = "Tracking",
     .answer = &device_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/tracking/devices/{guid}",
     .permission = Permission::read,
     .handler = get_device,
     .operation_id = "getTrackingDevice",
     .summary = "Returns a tracking device",
     .description = "A device that has been silent for 15 minutes is offline.",
     .tag = "Tracking",
     .answer = &device_schema},
    {.method = Method::post,
     .path = "/api/tracking/add-device",
     .permission = Permission::operate,
     .handler = add_device,
     .operation_id = "createTrackingDevice",
     .summary = "Creates a tracking device",
     .description =
         "The device id is unique within the business (409). Positions name the device by it. A device "
         "whose vehicle is deleted, or that has none, becomes a new device of the given vehicle.",
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
     .description = "A position is ignored if one with the same device and time exists.",
     .tag = "Tracking",
     .body = &position_schema,
     .body_check = check_device_id,
     .body_kind = BodyKind::one_or_array,
     .answer = &stored_schema},
};

}  // namespace

std::span<const Endpoint> tracking_endpoints() { return tracking_endpoint_table; }

}  // namespace waybill::api
