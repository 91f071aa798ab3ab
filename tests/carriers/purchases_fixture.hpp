#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/server.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {

/// An API without a worker, so that purchases stay as they are requested, and what SQL makes of them.
struct ApiWorld {
  TestDatabase database;
  Waybill waybill{database.url(), {.command = "api"}};
};

/// Calls of purchases that need no gateway: the connection of the carrier is made by SQL.
class PurchaseCalls : public testing::Test {
 protected:
  // The program ends with these tests, because it has many connections to the cluster that all tests share.
  static void SetUpTestSuite() { shared_world = std::make_unique<ApiWorld>(); }
  static void TearDownTestSuite() { shared_world.reset(); }

  void SetUp() override {
    tenant.sql.rows(
        "update businesses set street = '1 Quay', city = 'Bonn', postal_code = '53111', country = 'Germany' "
        "where guid = $1",
        {tenant.id});
    connect(carrier, "easypost");
  }

  std::string builtin(const std::string& code) {
    return tenant.sql.value(
        "select guid from carriers where code = $1 and business_id = catalogue_business()", {code});
  }
  void connect(const std::string& of, const std::string& connector, bool test_mode = false) {
    tenant.sql.rows(
        "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, connector, "
        "service_codes, default_service_level) values ($1, $2, 'ca_1', $4, $3, "
        "'{\"standard\": \"Ground\", \"express\": \"Express\"}', 'express') "
        "on conflict (business_id, carrier_id) do update set connector = excluded.connector",
        {tenant.id, of, connector, test_mode ? "true" : "false"});
  }
  /// The guid of a new shipment; `of`: its carrier, empty for none.
  std::string shipment(const std::string& of, const std::string& level = "") {
    return tenant.sql.value(
        "insert into shipments (business_id, tracking_number, carrier_id, service_level, sender_name, "
        "recipient_name, recipient_street, recipient_city, recipient_postal_code, packages, status) "
        "values ($1, $2, nullif($3, '')::uuid, nullif($4, ''), 'Shop', 'Ada', '2 Street', 'Koeln', '50667', "
        "'[{\"length\": 30.0, \"width\": 20, \"height\": 10, \"weight\": 2}]', 'created') returning guid",
        {tenant.id, "WB" + std::to_string(++numbers), of, level});
  }
  std::string shipment() { return shipment(carrier); }

  static std::string path_of(const std::string& parcel, const std::string& more) {
    return "/api/v1/shipments/" + parcel + more;
  }
  Response buy(const std::string& parcel, const json::object& body = {}) {
    return tenant.http.post(path_of(parcel, "/label"), body);
  }
  Response label(const std::string& parcel, const std::string& query = "") {
    return tenant.http.get(path_of(parcel, "/label" + query));
  }
  json::value shown(const std::string& parcel) { return tenant.http.get(path_of(parcel, "")).data(); }
  /// The guid of a requested purchase.
  std::string requested(const std::string& parcel, const json::object& body = {}) {
    const Response response = buy(parcel, body);
    EXPECT_EQ(response.status, 202) << response.text;
    return text_at(response.data(), "guid");
  }
  std::int64_t purchases_of(const std::string& parcel) {
    return tenant.sql.number("select count(*) from purchases where shipment_id = $1", {parcel});
  }
  std::string stored(const std::string& purchase, const std::string& column) {
    return tenant.sql.value("select " + column + " from purchases where guid = $1", {purchase});
  }
  /// Notes the same as a worker.
  void note(const std::string& parcel, const std::string& status, const std::string& more = "") {
    tenant.sql.rows("update purchases set status = $2, next_at = null, claim_at = null" + more +
                        " where shipment_id = $1 and attempt = (select max(attempt) from purchases where "
                        "shipment_id = $1)",
                    {parcel, status});
    tenant.sql.rows("update shipments set label_status = $2 where guid = $1", {parcel, status});
  }
  void note_unknown(const std::string& parcel) {
    note(parcel, "unknown",
         ", gateway_id = 'shp_1', buy_begun_at = now(), unknown_since = now(), quote = 7.3334, "
         "quote_currency = 'EUR', error_code = 'TIMEOUT', error_text = 'No answer'");
  }
  void note_bought(const std::string& parcel, const std::string& bytes = "%PDF-1.4 label") {
    note(parcel, "bought",
         ", gateway_id = 'shp_1', buy_begun_at = now(), bought_at = now(), price = 7.3334, currency = 'EUR', "
         "tracking_numbers = '{1Z1}', tracking_url = 'https://carrier.example/1Z1', has_label = true");
    tenant.sql.rows(
        "insert into purchase_labels (business_id, purchase_id, shipment_id, format, bytes) "
        "select business_id, guid, shipment_id, 'pdf', convert_to($2, 'UTF8') from purchases "
        "where shipment_id = $1 and status = 'bought'",
        {parcel, bytes});
    tenant.sql.rows("update shipments set carrier_tracking_number = '1Z1' where guid = $1", {parcel});
  }
  Http with_role(const std::string& role) {
    const Response made = tenant.http.post("/api/business/tokens", {{"name", role}, {"role", role}});
    EXPECT_EQ(made.status, 201) << made.text;
    return tenant.http.with_token(text_at(made.data(), "token"));
  }
  std::size_t audit_entries(const std::string& entity) {
    return tenant.http.get("/api/business/audit?entityId=" + entity).data().as_array().size();
  }

  static inline std::unique_ptr<ApiWorld> shared_world;
  ApiWorld& world = *shared_world;
  Tenant tenant{world.waybill, testing::UnitTest::GetInstance()->current_test_info()->name()};
  std::string carrier = builtin("ups");
  int numbers = static_cast<int>(std::hash<std::string>()(tenant.id) % 1'000'000) * 100;
};

}  // namespace waybill::tests
