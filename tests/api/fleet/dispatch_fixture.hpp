#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/api/fixtures/fleet.hpp"

namespace waybill::tests {

inline constexpr std::string_view planned = "2026-11-20T08:00:00.000Z";

/// A business with a driver and a vehicle.
class DispatchPlanningTest : public ApiTest {
 protected:
  static std::string path_of(std::string_view guid) { return "/api/dispatch/" + std::string(guid); }

  static json::array guids_of(const std::vector<std::string>& guids) {
    json::array array;
    for (const auto& guid : guids) array.emplace_back(guid);
    return array;
  }

  std::string dispatch_with(const std::vector<std::string>& shipments, json::object fields = {}) {
    fields["shipmentIds"] = guids_of(shipments);
    return make_dispatch(http, fields);
  }

  Response move(std::string_view dispatch, std::string_view status) {
    return http.patch(path_of(dispatch) + "/status", {{"status", status}});
  }

  void start(std::string_view dispatch) {
    ASSERT_EQ(move(dispatch, "ready").status, 200);
    const auto response = move(dispatch, "in_progress");
    ASSERT_EQ(response.status, 200) << response.text;
  }

  json::value get(std::string_view dispatch) { return http.get(path_of(dispatch)).data(); }
  std::string status_of(std::string_view dispatch) { return text_at(get(dispatch), "status"); }
  std::string vehicle_status(std::string_view guid) {
    return text_at(http.get("/api/vehicle/" + std::string(guid)).data(), "status");
  }
  std::string driver_status(std::string_view guid) {
    return text_at(http.get("/api/drivers/" + std::string(guid)).data(), "status");
  }
  std::string shipment_status(const std::string& guid) {
    return tenant.sql.value("select status from shipments where guid = $1", {guid});
  }
  void set_shipment(const std::string& guid, const std::string& status) {
    tenant.sql.rows(
        "update shipments set status = $2, delivered_at = case when $2 = 'delivered' then now() end where "
        "guid = $1",
        {guid, status});
  }
  /// Sets the status of a dispatch by plain SQL, for tests of moves from this status.
  void force(const std::string& dispatch, std::string_view status) {
    tenant.sql.rows("update dispatches set status = $2 where guid = $1", {dispatch, std::string(status)});
  }
  Response add(std::string_view dispatch, std::string_view shipment) {
    return http.post("/api/dispatch/add-shipment", {{"dispatchId", dispatch}, {"shipmentId", shipment}});
  }
  Response remove(std::string_view dispatch, std::string_view shipment) {
    return http.post("/api/dispatch/remove-shipment", {{"dispatchId", dispatch}, {"shipmentId", shipment}});
  }

  std::string driver = make_driver(http);
  std::string vehicle = make_vehicle(http);
};

}  // namespace waybill::tests
