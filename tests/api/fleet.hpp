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

/// Create a record through the API with the required fields; `fields` replaces or adds fields. Return its
/// guid (of a device the deviceId); throw std::runtime_error if refused.
std::string make_driver(Http& http, const json::object& fields = {});
std::string make_vehicle(Http& http, const json::object& fields = {});
std::string make_device(Http& http, std::string_view device_id, std::string_view vehicle = {});
std::string make_dispatch(Http& http, const json::object& fields = {});

/// Creates a shipment to each city by plain SQL, with further columns as SQL expressions; returns the guids.
std::vector<std::string> insert_shipments(Tenant& tenant, const std::vector<std::string>& cities,
                                          const std::map<std::string, std::string>& columns = {});

}  // namespace waybill::tests
