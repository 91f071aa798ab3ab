#include "tests/api/fleet.hpp"

#include <stdexcept>

namespace waybill::tests {
namespace {

std::string make(Http& http, std::string_view path, json::object body, const json::object& fields) {
  for (const auto& [name, value] : fields) body[name] = value;
  const auto response = http.post(path, body);
  if (response.status != 201) throw std::runtime_error("POST " + std::string(path) + ": " + response.text);
  return text_at(response.data(), "guid");
}

}  // namespace

std::set<std::string> keys_of(const json::value& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.as_object()) keys.insert(std::string(key));
  return keys;
}

std::string make_driver(Http& http, const json::object& fields) {
  return make(http, "/api/drivers", {{"name", "Dora"}}, fields);
}

std::string make_vehicle(Http& http, const json::object& fields) {
  return make(http, "/api/vehicle", {{"name", "Van 1"}, {"licensePlate", "AA-01-BB"}, {"type", "van"}},
              fields);
}

std::string make_device(Http& http, std::string_view device_id, std::string_view vehicle) {
  json::object fields;
  if (!vehicle.empty()) fields["vehicleId"] = vehicle;
  make(http, "/api/tracking/add-device", {{"deviceId", device_id}, {"type", "gps_tracker"}}, fields);
  return std::string(device_id);
}

std::string make_dispatch(Http& http, const json::object& fields) {
  return make(http, "/api/dispatch", {{"name", "Morning"}, {"plannedDate", "2026-11-20T08:00:00Z"}}, fields);
}

std::vector<std::string> insert_shipments(Tenant& tenant, const std::vector<std::string>& cities,
                                          const std::map<std::string, std::string>& columns) {
  std::map<std::string, std::string> all{{"business_id", "$1"},
                                         {"tracking_number", "'WB' || gen_random_uuid()"},
                                         {"recipient_name", "'Ada'"},
                                         {"recipient_street", "'Rua 1'"},
                                         {"recipient_city", "$2"}};
  for (const auto& [column, value] : columns) all[column] = value;
  std::string names;
  std::string values;
  for (const auto& [column, value] : all) {
    names.append(names.empty() ? "" : ", ").append(column);
    values.append(values.empty() ? "" : ", ").append(value);
  }
  const auto insert = "insert into shipments (" + names + ") values (" + values + ") returning guid";
  std::vector<std::string> guids;
  guids.reserve(cities.size());
  for (const auto& city : cities) guids.push_back(tenant.sql.value(insert, {tenant.id, city}));
  return guids;
}

}  // namespace waybill::tests
