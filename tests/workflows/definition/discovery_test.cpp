#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "tests/harness/packages.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view entity_types[] = {"Order", "Shipment", "Customer", "Product"};

class Discovery : public WorkflowTest {
 protected:
  json::array fields(std::string_view type) {
    return tenant.http.get("/api/workflows/fields/" + std::string(type)).data().as_array();
  }

  std::map<std::string, json::object> events() {
    std::map<std::string, json::object> by_type;
    const auto answer = tenant.http.get("/api/workflows/events");
    for (const auto& event : answer.data().as_array()) by_type[text_at(event, "type")] = event.as_object();
    return by_type;
  }

  /// Validates documents against their schemas with the npm package ajv.
  static void expect_valid(const json::array& documents) {
    const TempDirectory folder;
    const std::string file = folder / "documents.json";
    std::ofstream(file) << json::serialize(documents);
    const auto script = package_folder("openapi") / "validate.js";
    const Finished checked = run({"node", script.string(), file});
    EXPECT_EQ(checked.status, 0) << checked.standard_output << checked.standard_error;
  }

  Response configure(std::string_view type, const json::value& conditions) {
    const auto triggers = tenant.http.get("/api/workflows/triggers/" + std::string(type));
    return tenant.http.post("/api/workflows/configure",
                            {{"name", "all fields"},
                             {"entityType", type},
                             {"triggerId", triggers.data().as_array().front().at("guid")},
                             {"action", {{"type", "webhook"}, {"recipient", url()}}},
                             {"conditions", conditions}});
  }
};

/// The paths of `value` that `sample` does not have. Of a list, the first elements are compared; keys of
/// metadata are free.
std::vector<std::string> members_without(const json::value& value, const json::value& sample) {
  std::vector<std::string> missing;
  const auto add = [&](const std::string& prefix, const std::vector<std::string>& more) {
    for (const auto& path : more) missing.push_back(prefix + path);
  };
  if (value.is_array() && sample.is_array() && !value.get_array().empty() && !sample.get_array().empty())
    add("0.", members_without(value.get_array().front(), sample.get_array().front()));
  if (!value.is_object() || !sample.is_object()) return missing;
  for (const auto& [key, member] : value.get_object()) {
    const auto* const known = sample.get_object().if_contains(key);
    if (known == nullptr) {
      missing.emplace_back(key);
    } else if (key != "metadata") {
      add(std::string(key) + ".", members_without(member, *known));
    }
  }
  return missing;
}

json::value operand(std::string_view op, const json::value& example) {
  if (op == "exists" || op == "changed") return true;
  return op == "in" || op == "nin" ? json::value(json::array{example}) : example;
}

std::string path_of(const json::value& field) {
  const std::string path = text_at(field, "path");
  return path == "metadata.*" ? "metadata.erp.id" : path;
}

TEST_F(Discovery, ConfigureAcceptsEveryListedFieldAndOperatorWithItsExample) {
  for (const std::string_view type : entity_types) {
    json::array all;
    for (const auto& field : fields(type)) {
      for (const auto& op : field.at("operators").as_array()) {
        const std::string_view name = op.as_string();
        all.push_back(
            json::object{{path_of(field), json::object{{name, operand(name, field.at("example"))}}}});
      }
      if (field.at("previous").as_bool())
        all.push_back(json::object{{"previous." + path_of(field), json::object{{"exists", true}}}});
    }
    const auto answer = configure(type, json::object{{"all", std::move(all)}});
    EXPECT_EQ(answer.status, 201) << type << answer.text;
  }
}

TEST_F(Discovery, ConfigureRefusesOperatorsThatAreNotListed) {
  for (const auto& field : fields("Order")) {
    json::object unlisted;
    for (const std::string_view op : {"gt", "contains", "from", "changed"}) {
      const auto& listed = field.at("operators").as_array();
      const bool is_listed =
          std::ranges::any_of(listed, [&](const auto& each) { return each.as_string() == op; });
      if (!is_listed && text_at(field, "type") != "object") unlisted[op] = operand(op, field.at("example"));
    }
    if (unlisted.empty()) continue;
    const auto answer = configure("Order", json::object{{path_of(field), unlisted}});
    EXPECT_EQ(answer.status, 400) << path_of(field);
    EXPECT_EQ(answer.details().size(), unlisted.size()) << answer.text;
  }
}

TEST_F(Discovery, AnUnknownEntityTypeIsRefused) {
  const auto answer = tenant.http.get("/api/workflows/fields/Parcel");
  EXPECT_EQ(answer.status, 400);
  EXPECT_TRUE(answer.details().contains("entityType"));
}

TEST_F(Discovery, FieldsThatAreNotNullableAreColumnsThatAreNotNull) {
  const std::map<std::string, std::map<std::string, std::string>> columns = {
      {"orders", {{"order_number", "orderNumber"}, {"notes", "notes"}, {"total_value", "totalValue"}}},
      {"shipments", {{"tracking_number", "trackingNumber"}, {"instructions", "instructions"}}},
      {"customers", {{"name", "name"}, {"email", "email"}}},
      {"products", {{"name", "name"}, {"sku", "sku"}}}};
  const std::map<std::string, std::string> types = {
      {"orders", "Order"}, {"shipments", "Shipment"}, {"customers", "Customer"}, {"products", "Product"}};
  for (const auto& [table, names] : columns) {
    const auto listed = fields(types.at(table));
    for (const auto& [column, path] : names) {
      const bool nullable = tenant.sql.value(
                                "select is_nullable from information_schema.columns where "
                                "table_name = $1 and column_name = $2 limit 1",
                                {table, column}) == "YES";
      for (const auto& field : listed) {
        if (text_at(field, "path") == path)
          EXPECT_EQ(field.at("nullable").as_bool(), nullable) << table << path;
      }
    }
  }
}

TEST_F(Discovery, EveryTriggerIsListedWithASampleThatMeetsItsSchema) {
  std::size_t triggers = 0;
  for (const std::string_view type : entity_types)
    triggers += tenant.http.get("/api/workflows/triggers/" + std::string(type)).data().as_array().size();
  json::array documents;
  for (const auto& [type, event] : events()) {
    EXPECT_EQ(text_at(event, "sample.type"), type);
    EXPECT_EQ(text_at(event, "triggerId"), trigger_guid(type));
    documents.push_back({{"name", type}, {"schema", event.at("schema")}, {"value", event.at("sample")}});
  }
  EXPECT_EQ(documents.size(), triggers);
  expect_valid(documents);
}

TEST_F(Discovery, DeliveredEventsMeetTheListedSchemas) {
  const auto listed = events();
  for (const std::string trigger : {"order_created", "order_updated", "order_shipped"})
    tenant.webhook(url("orders"), trigger);
  for (const std::string trigger : {"shipment_created", "shipment_trace_added", "shipment_in_transit"})
    tenant.webhook(url("shipments"), trigger);
  for (const std::string trigger : {"customer_created", "customer_updated", "customer_erased"})
    tenant.webhook(url("customers"), trigger);
  for (const std::string trigger : {"product_created", "product_price_changed", "product_updated"})
    tenant.webhook(url("products"), trigger);

  const std::string order = tenant.create_order();
  tenant.put_order(order, {{"tags", {"vip"}}, {"metadata", {{"a", 1}, {"b", true}}}});
  const std::string shipment = tenant.insert_shipment(order);
  ASSERT_EQ(tenant.http
                .post("/api/v1/shipments/" + shipment + "/traces",
                      {{"status", "in_transit"}, {"description", "Scanned"}})
                .status,
            200);
  tenant.insert_order();
  const std::string customer = text_at(
      tenant.http.post("/api/v1/Customers", {{"name", "Grace"}, {"email", "grace@example.com"}}).data(),
      "guid");
  ASSERT_EQ(tenant.http.put("/api/v1/Customers/" + customer, {{"address", {{"city", "Cork"}}}}).status, 200);
  ASSERT_EQ(tenant.http.post("/api/v1/Customers/" + customer + "/erase").status, 200);
  const std::string product =
      text_at(tenant.http.post("/api/v1/Products", {{"name", "Lamp"}, {"sku", "L-1"}}).data(), "guid");
  ASSERT_EQ(tenant.http.put("/api/v1/Products/" + product, {{"price", 12.5}}).status, 200);

  json::array documents;
  std::map<std::string, int> seen;
  tenant.settle();
  tenant.settle();  // the event of the managed workflow's change
  for (const std::string_view hook : {"orders", "shipments", "customers", "products"}) {
    for (const Received& request : receiver.received(tenant.path(hook))) {
      const json::value body = json::parse(request.body);
      const std::string type = text_at(body, "type");
      ++seen[type];
      documents.push_back({{"name", type}, {"schema", listed.at(type).at("schema")}, {"value", body}});
      EXPECT_EQ(members_without(at(body, "data.entity"), at(listed.at(type), "sample.data.entity")),
                std::vector<std::string>())
          << type;
    }
  }
  for (const char* type : {"order_updated", "order_shipped", "shipment_trace_added", "shipment_in_transit",
                           "customer_erased", "product_price_changed"}) {
    EXPECT_GT(seen[type], 0) << type;
  }
  expect_valid(documents);
}

}  // namespace
}  // namespace waybill::tests
