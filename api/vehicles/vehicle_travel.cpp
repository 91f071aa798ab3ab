#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/row_json.hpp"
#include "api/threads/analysis.hpp"
#include "base/json.hpp"
#include "domain/places/gazetteer.hpp"
#include "domain/routing/travel.hpp"
#include "storage/sql/vehicles.sql.hpp"

namespace waybill::api {
namespace {

constexpr int history_days = 31;
constexpr int most_fixes = 20'000;  // per day, one each 4 s; a day with more is thinned out
constexpr int newest_positions = 1'000;
constexpr int most_positions = 10'000;

constexpr Property current_properties[] = {
    {.name = "latitude", .kind = Kind::number, .nullable = false},
    {.name = "longitude", .kind = Kind::number, .nullable = false},
    {.name = "speed", .kind = Kind::number},
    {.name = "heading", .kind = Kind::number},
    {.name = "timestamp", .kind = Kind::timestamp, .nullable = false},
};
constexpr Schema current_schema{"VehiclePosition", current_properties};
constexpr Property past_properties[] = {
    {.name = "latitude", .kind = Kind::number, .nullable = false},
    {.name = "longitude", .kind = Kind::number, .nullable = false},
    {.name = "timestamp", .kind = Kind::timestamp, .nullable = false},
};
constexpr Schema past_schema{"PastPosition", past_properties};
constexpr Property location_properties[] = {
    {.name = "vehicleId", .kind = Kind::uuid, .nullable = false},
    {.name = "currentLocation", .kind = Kind::object, .schema = &current_schema},
    {.name = "positions", .kind = Kind::array, .nullable = false, .schema = &past_schema},
};
constexpr Schema location_schema{"VehicleLocation", location_properties};

constexpr Property day_properties[] = {
    {.name = "date",
     .kind = Kind::date,
     .nullable = false,
     .description = "In the time zone of the business."},
    {.name = "distanceTraveled", .kind = Kind::number, .nullable = false, .description = "Kilometres."},
    {.name = "travelTime", .kind = Kind::string, .nullable = false, .description = "Such as 3h 45m."},
    {.name = "startLocation", .kind = Kind::string},
    {.name = "endLocation", .kind = Kind::string},
    {.name = "stops",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Stops of 5 minutes or more within 100 m."},
    {.name = "fuelUsed", .kind = Kind::number},
};
constexpr Schema day_schema{"TravelHistoryEntry", day_properties};

constexpr Parameter range_parameters[] = {
    {.name = "from",
     .kind = Kind::date_or_timestamp,
     .description = "The earliest time. A date is a day in the time zone of the business."},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "The latest time. A date includes the whole day."},
};

/// Returns a bound of the range for PostgreSQL: a date unchanged, a time in UTC.
std::optional<std::string> bound(const Call& call, std::string_view name) {
  const auto text = call.parameter(name);
  if (!text) return std::nullopt;
  if (const auto time = parse_timestamp(*text)) return format_sql_timestamp(*time);
  return std::string(*text);
}

asio::awaitable<Answer> get_location(Call& call, Services& services) {
  const auto from = bound(call, "from");
  const auto to = bound(call, "to");
  const auto rows = co_await services.db.read(
      sql::vehicles::Location{.business = call.business(),
                              .vehicle = call.id(),
                              .starts = from,
                              .ends = to,
                              .most_positions = from || to ? most_positions : newest_positions});
  if (rows.empty()) throw not_found("vehicle");
  co_return Answer::of(json_object(rows));
}

void append_day(std::string& out, std::string_view date, const domain::TravelDay& day) {
  constexpr double hundredths = 100;
  const auto& places = domain::Gazetteer::builtin();
  if (out.size() > 1) out += ',';
  append_json(out, json::object{{"date", date},
                                {"distanceTraveled", std::round(day.kilometres * hundredths) / hundredths},
                                {"travelTime", domain::hours_and_minutes(day.moving)},
                                {"startLocation", places.describe(day.start)},
                                {"endLocation", places.describe(day.end)},
                                {"stops", day.stops},
                                {"fuelUsed", nullptr}});
}

/// The fixes of one day.
std::vector<domain::Fix> read_fixes(storage::Session& session, const Guid& business, const Guid& vehicle,
                                    Time starts, Time ends) {
  const auto rows = session.run(sql::vehicles::TravelFixes{.business = business,
                                                           .vehicle = vehicle,
                                                           .starts = starts,
                                                           .ends = ends,
                                                           .most_positions = most_fixes});
  std::vector<domain::Fix> fixes;
  fixes.reserve(static_cast<std::size_t>(rows.size()));
  for (const auto& row : rows) fixes.push_back({row.seconds, {row.latitude, row.longitude}});
  return fixes;
}

/// Returns the history as JSON, the newest day first; nullopt if the vehicle does not exist. Keeps one day in
/// memory at a time.
std::optional<std::string> read_history(storage::Session& session, const Guid& business,
                                        const Guid& vehicle) {
  const auto rows = session.run(
      sql::vehicles::TravelDays{.business = business, .vehicle = vehicle, .most_days = history_days + 1});
  if (rows.empty()) return std::nullopt;
  struct Day {
    std::string date;
    Time starts, ends;
  };
  std::vector<Day> days;
  for (const auto& row : rows) {
    if (row.date && row.starts && row.ends) days.push_back({std::string(*row.date), *row.starts, *row.ends});
  }
  std::ranges::reverse(days);
  const auto seconds = [](Time time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
  };
  domain::Travel travel;
  std::vector<std::string> dates;
  for (const Day& day : days) {
    const auto fixes = read_fixes(session, business, vehicle, day.starts, day.ends);
    if (fixes.empty()) continue;
    travel.add(seconds(day.starts), seconds(day.ends), fixes);
    dates.push_back(day.date);
  }
  const auto summaries = travel.finish();
  std::string history = "[";
  // The day before the shown ones has the beginning of the way to the first of them.
  const std::size_t shown = std::min<std::size_t>(dates.size(), history_days);
  for (std::size_t i = 1; i <= shown; ++i)
    append_day(history, dates[dates.size() - i], summaries[dates.size() - i]);
  return history += ']';
}

asio::awaitable<Answer> get_history(Call& call, Services& services) {
  auto history = co_await services.analysis.run(
      call.business(), [business = call.business(), vehicle = call.id()](storage::Session& session) {
        return read_history(session, business, vehicle);
      });
  if (!history) throw not_found("vehicle");
  co_return Answer::of(*std::move(history));
}

constexpr Endpoint vehicle_travel_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/vehicle/location/{guid}",
     .permission = Permission::read,
     .handler = get_location,
     .operation_id = "getVehicleLocation",
     .summary = "Returns the location and the positions of a vehicle",
     .description = "The newest 1 000 positions, or up to 10 000 between two times.",
     .tag = "Vehicles",
     .query = range_parameters,
     .answer = &location_schema},
    {.method = Method::get,
     .path = "/api/vehicle/travel-history/{id}",
     .permission = Permission::read,
     .handler = get_history,
     .operation_id = "listTravelHistory",
     .summary = "Lists the travel of a vehicle by day, newest first",
     .description =
         "The last 31 days with positions. The way over midnight is divided by time between two days.",
     .tag = "Vehicles",
     .answer = &day_schema,
     .answer_is_array = true},
};

}  // namespace

std::span<const Endpoint> vehicle_travel_endpoints() { return vehicle_travel_endpoint_table; }

}  // namespace waybill::api
