#pragma once

#include <set>
#include <string>
#include <string_view>

#include "tests/api/api_test.hpp"

namespace waybill::tests {

/// The required fields of a shipment; `fields` replaces or adds fields.
json::object shipment_body(const json::object& fields = {});

class ShipmentsFixture : public ApiTest {
 protected:
  using Names = std::set<std::string>;

  static constexpr std::string_view collection = "/api/v1/shipments";
  static std::string path_of(std::string_view guid, std::string_view more = "") {
    return std::string(collection) + "/" + std::string(guid) + std::string(more);
  }
  static Names names_of(const json::value& object) {
    Names names;
    for (const auto& [name, value] : object.as_object()) names.insert(std::string(name));
    return names;
  }

  /// The guid of a new shipment.
  std::string create(const json::object& fields = {}) {
    const auto response = http.post(collection, shipment_body(fields));
    EXPECT_EQ(response.status, 201) << response.text;
    return response.header("Location").substr(collection.size() + 1);
  }
  json::value get(std::string_view guid) {
    const auto response = http.get(path_of(guid));
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data();
  }
  std::string carrier(std::string_view code) {
    return tenant.sql.value(
        "select guid from carriers where code = $1 and business_id in ($2, catalogue_business())",
        {std::string(code), tenant.id});
  }
  std::string customer(std::string_view name) {
    return tenant.sql.value(
        "insert into customers (business_id, name, email) values ($1, $2, $2 || "
        "'@example.com') returning guid",
        {tenant.id, std::string(name)});
  }
  Response report(std::string_view guid, const json::object& trace) {
    return http.post(path_of(guid, "/traces"), trace);
  }
  /// Creates it by plain SQL.
  void update(std::string_view guid, std::string_view set) {
    tenant.sql.exec("update shipments set " + std::string(set) + " where guid = '" + std::string(guid) + "'");
  }
};

}  // namespace waybill::tests
