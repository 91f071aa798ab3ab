#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/workflows/tenant.hpp"

namespace waybill::tests {

/// The names of an object's members.
std::set<std::string> keys_of(const json::value& object);

/// A driver, a vehicle, a tracking device, a dispatch by the API, with what each needs at least; `fields`
/// replaces or joins it. The guid (of a device its deviceId). Throw std::runtime_error when refused.
std::string make_driver(Http& http, const json::object& fields = {});
std::string make_vehicle(Http& http, const json::object& fields = {});
std::string make_device(Http& http, std::string_view device_id, std::string_view vehicle = {});
std::string make_dispatch(Http& http, const json::object& fields = {});

/// Shipments by plain SQL, one to each of the cities; further columns as SQL expressions. The guids.
std::vector<std::string> insert_shipments(Tenant& tenant, const std::vector<std::string>& cities,
                                          const std::map<std::string, std::string>& columns = {});

}  // namespace waybill::tests
