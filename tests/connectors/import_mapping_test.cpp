// Carriers, service levels and dimensions of imported orders, from the integration's mapping or the defaults
// of the business.
#include <map>

#include "tests/connectors/import_fixture.hpp"

namespace waybill::tests {
namespace {

TEST_F(ImportTest, TheServiceMappingSetsCarrierAndServiceLevel) {
  const auto method = [](const char* name) {
    return json::object{
        {"shipping_lines", json::array{json::object{{"id", 1}, {"method_title", name}, {"total", "4.90"}}}}};
  };
  const auto ups = tenant.sql.value("select guid from carriers where code = 'ups'");
  const auto gls = tenant.sql.value("select guid from carriers where code = 'gls'");
  auto connection = connect(store);
  connection.set(
      "service_mapping = jsonb_build_array(jsonb_build_object('method', 'express*', 'carrierId', '" + ups +
      "', 'serviceLevel', 'express'), jsonb_build_object('method', 'Standard', 'carrierId', '" + gls +
      "', 'serviceLevel', null))");
  const auto express = store.add_order(method("EXPRESS &ndash; before noon"));
  const auto standard = store.add_order(method("standard"));
  const auto other = store.add_order(method("Pickup"));
  connection.sync();
  EXPECT_EQ(connection.order(express, "carrier_id"), ups);
  EXPECT_EQ(connection.order(express, "service_level"), "express");
  EXPECT_EQ(connection.order(standard, "carrier_id"), gls);
  EXPECT_EQ(connection.order(standard, "service_level"), "");
  EXPECT_EQ(connection.order(other, "carrier_id"), "");

  // Carrier and service level follow the shipping method only.
  tenant.sql.rows("update orders set carrier_id = null where guid = $1", {connection.order(express, "guid")});
  store.change_order(express, {{"total", "1.00"}});
  store.change_order(standard, method("Express"));
  connection.sync();
  EXPECT_EQ(connection.order(express, "carrier_id"), "");
  EXPECT_EQ(connection.order(standard, "carrier_id"), ups);
  EXPECT_EQ(connection.order(standard, "service_level"), "express");
}

TEST_F(ImportTest, AMappedCarrierThatWasDeletedIsReportedAndIgnored) {
  const auto own = tenant.sql.value(
      "insert into carriers (business_id, name, code, type) values ($1, 'Bikes', 'bikes', 'courier') "
      "returning guid",
      {tenant.id});
  auto connection = connect(store);
  connection.set(
      "service_mapping = jsonb_build_array(jsonb_build_object('method', 'flat rate', 'carrierId', '" + own +
      "', 'serviceLevel', 'day'))");
  const auto before = store.add_order();
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(connection.order(before, "carrier_id"), own);
  tenant.sql.rows("update carriers set deleted_at = now() where guid = $1", {own});
  const auto after = store.add_order();
  const auto run = connection.sync();
  EXPECT_EQ(run.imported, 1);
  EXPECT_EQ(run.failed, 0);
  EXPECT_EQ(
      run.reason(),
      "The carrier that the service mapping has for Flat Rate was deleted. The order is imported without the "
      "mapping.");
  EXPECT_EQ(run.errors.at(0).at("externalId").as_string(), std::to_string(after));
  EXPECT_EQ(connection.order(after, "carrier_id"), "");
  EXPECT_EQ(connection.order(after, "service_level"), "");
}

TEST_F(ImportTest, AnImportedOrderWithoutAMappingHasTheBusinesssDefaults) {
  const auto ups = tenant.sql.value("select guid from carriers where code = 'ups'");
  tenant.sql.rows(
      "insert into business_defaults (business_id, carrier_id, service_level) values ($1, $2, 'express')",
      {tenant.id, ups});
  const auto id = store.add_order();
  auto connection = connect(store);
  connection.sync();
  EXPECT_EQ(connection.order(id, "carrier_id"), ups);
  EXPECT_EQ(connection.order(id, "service_level"), "express");
}

TEST_F(ImportTest, DefaultsApplyToMappedOrdersAsTheyFit) {
  const auto carrier = [&](const std::string& code) {
    return tenant.sql.value("select guid from carriers where code = $1", {code});
  };
  const auto ups = carrier("ups");        // standard, express
  const auto gls = carrier("gls");        // standard, express
  const auto fedex = carrier("fedex");    // also sameday
  const auto stuart = carrier("stuart");  // standard, sameday
  const auto method = [](const char* name) {
    return json::object{
        {"shipping_lines", json::array{json::object{{"id", 1}, {"method_title", name}, {"total", "4.90"}}}}};
  };
  tenant.sql.rows(
      "insert into business_defaults (business_id, carrier_id, service_level) values ($1, $2, 'express')",
      {tenant.id, ups});
  tenant.sql.rows(
      "insert into carrier_configurations (business_id, carrier_id, account_number, default_service_level,"
      " test_mode) values ($1, $2, 'A-1', 'standard', false)",
      {tenant.id, gls});
  auto connection = connect(store);
  connection.set("service_mapping = '[{\"method\": \"Fedex\", \"carrierId\": \"" + fedex +
                 "\"}, {\"method\": \"Gls\", \"carrierId\": \"" + gls +
                 "\"}, {\"method\": \"Stuart\", \"carrierId\": \"" + stuart +
                 "\"}, {\"method\": \"Slow\", \"serviceLevel\": \"standard\"}," +
                 " {\"method\": \"Today\", \"serviceLevel\": \"sameday\"}]'");
  std::map<std::string, std::int64_t> orders;
  for (const auto* const name : {"Fedex", "Gls", "Stuart", "Slow", "Today", "Other"})
    orders[name] = store.add_order(method(name));
  connection.sync();
  const auto service = [&](const std::string& name) {
    return std::pair(connection.order(orders.at(name), "carrier_id"),
                     connection.order(orders.at(name), "service_level"));
  };
  EXPECT_EQ(service("Fedex"), std::pair(fedex, std::string("express")));
  EXPECT_EQ(service("Gls"), std::pair(gls, std::string("standard"))) << "the default of the account is first";
  EXPECT_EQ(service("Stuart"), std::pair(stuart, std::string())) << "it has no express";
  EXPECT_EQ(service("Slow"), std::pair(ups, std::string("standard")));
  EXPECT_EQ(service("Today"), std::pair(std::string(), std::string("sameday"))) << "UPS does not have it";
  EXPECT_EQ(service("Other"), std::pair(ups, std::string("express")));

  store.change_order(orders.at("Fedex"), method("Gls"));
  store.change_order(orders.at("Other"), method("Stuart"));
  store.change_order(orders.at("Slow"), method("Today"));
  connection.sync();
  EXPECT_EQ(service("Fedex"), std::pair(gls, std::string("express"))) << "GLS has it, too";
  EXPECT_EQ(service("Other"), std::pair(stuart, std::string()));
  EXPECT_EQ(service("Slow"), std::pair(std::string(), std::string("sameday")));
}

TEST_F(ImportTest, ItemsHaveTheDimensionsOfTheirVariantOrProductOrTheDefault) {
  tenant.sql.rows("insert into business_defaults (business_id, length, unit) values ($1, 2, 'in')",
                  {tenant.id});
  tenant.sql.rows(
      "insert into products (business_id, name, sku, length, weight) values ($1, 'A', 'DIM-A', 7, 3),"
      " ($1, 'B', 'DIM-B', null, 4)",
      {tenant.id});
  tenant.sql.rows(
      "insert into products (business_id, name, sku, width, weight, variants) values ($1, 'D', 'DIM-D', 8, 5,"
      " jsonb_build_array(jsonb_build_object('guid', gen_random_uuid(), 'name', 'S', 'sku', 'DIM-S', "
      "'weight', 0.3,"
      " 'dimensions', jsonb_build_object('length', 9, 'width', null)),"
      " jsonb_build_object('guid', gen_random_uuid(), 'name', 'L', 'sku', 'DIM-L', 'weight', 'heavy')))",
      {tenant.id});
  const auto item = [](int id, const char* sku) {
    return json::object{{"id", id},      {"name", sku},     {"sku", sku},
                        {"quantity", 1}, {"total", "1.00"}, {"price", 1}};
  };
  const auto id =
      store.add_order({{"line_items", json::array{item(1, "DIM-A"), item(2, "DIM-B"), item(3, "DIM-C"),
                                                  item(4, "DIM-S"), item(5, "DIM-L")}}});
  auto connection = connect(store);
  connection.sync();
  const auto dimensions = [&](const std::string& sku) {
    const auto items = json::parse(connection.order(id, "items"));
    for (const auto& entry : items.as_array()) {
      if (text_at(entry, "sku") == sku) return at(entry, "dimensions");
    }
    return json::value("missing");
  };
  EXPECT_EQ(dimensions("DIM-A"), json::parse(R"({"length": 7, "width": null, "height": null, "weight": 3})"));
  EXPECT_EQ(dimensions("DIM-B"),
            json::parse(R"({"length": 5.08, "width": 50.8, "height": 25.4, "weight": 4})"));
  EXPECT_EQ(dimensions("DIM-S"), json::parse(R"({"length": 9, "width": 8, "height": null, "weight": 0.3})"))
      << "what a variant has is its own";
  EXPECT_EQ(dimensions("DIM-L"), json::parse(R"({"length": null, "width": 8, "height": null, "weight": 5})"));
  EXPECT_EQ(dimensions("DIM-C"),
            json::parse(R"({"length": 5.08, "width": 50.8, "height": 25.4, "weight": null})"));
}

/// The store counts in kg and cm.
TEST_F(ImportTest, ProductsHaveTheUnitsOfTheBusiness) {
  ASSERT_EQ(
      tenant.http.patch("/api/v1/Products/settings", {{"defaultUnit", "in"}, {"defaultWeightUnit", "g"}})
          .status,
      200);
  store.add_product({{"name", "Mug"},
                     {"sku", "MUG"},
                     {"weight", "0.35"},
                     {"dimensions", {{"length", "25.4"}, {"width", ""}, {"height", "0"}}}});
  auto connection = connect(store, {.sync_products = true});
  connection.sync();
  const auto measures = [&] {
    return tenant.sql.value(
        "select concat_ws(' ', weight, length, coalesce(width, -1), coalesce(height, -1)) from products"
        " where business_id = $1 and sku = 'MUG'",
        {tenant.id});
  };
  EXPECT_EQ(measures(), "350 10 -1 -1");
  connection.sync();
  EXPECT_EQ(connection.events(3), 1) << "nothing has changed";
}

}  // namespace
}  // namespace waybill::tests
