#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {

/// Workflows with a digest.
class DigestTest : public WorkflowTest {
 protected:
  json::object definition(const json::object& digest, const json::object& more = {}) const {
    json::object body{{"name", "digest"},
                      {"entityType", "Order"},
                      {"triggers", {"order_created"}},
                      {"digest", digest},
                      {"action", {{"type", "webhook"}, {"recipient", url()}}}};
    for (const auto& [name, value] : more) body[name] = value;
    if (more.contains("steps")) body.erase("action");
    return body;
  }
  std::string collecting(const json::object& digest, const json::object& more = {}) {
    return text_at(tenant.configure(definition(digest, more)), "guid");
  }
  json::value details(const json::object& body) {
    const Response refused = tenant.http.post("/api/workflows/configure", body);
    EXPECT_EQ(refused.status, 400) << refused.text;
    return at(refused.body, "error.details");
  }

  /// The number of open digests.
  std::int64_t open() {
    return tenant.sql.number("select count(*) from digests where business_id = $1", {tenant.id});
  }
  /// Makes all open digests due now, as if the clock had jumped.
  void jump() {
    tenant.settle();
    tenant.sql.exec("update digests set due_at = now(), check_at = now() where business_id = '" + tenant.id +
                    "'");
  }
  static std::vector<std::string> orders_of(const json::value& body) {
    std::vector<std::string> guids;
    for (const json::value& item : at(body, "data.items").as_array()) guids.push_back(text_at(item, "guid"));
    return guids;
  }
  /// The reason in the explanation of a record for a workflow, or "fired"; with the names of further members.
  json::object explained(const std::string& record, const std::string& workflow) {
    const Response response = tenant.http.get("/api/workflows/explain?entityId=" + record);
    for (const json::value& entry : response.data().as_array()) {
      for (const json::value& each : at(entry, "workflows").as_array()) {
        if (text_at(each, "guid") == workflow) return each.as_object();
      }
    }
    return {};
  }
  json::value ledger(const std::string& period = "") {
    const Response response = tenant.http.get("/api/workflows/ledger" + period);
    EXPECT_EQ(response.status, 200) << response.text;
    EXPECT_EQ(at(response.body, "data.balanced"), json::value(true)) << response.text;
    return response.data();
  }
  void pause(const std::string& workflow) {
    tenant.sql.exec("update workflows set paused_reason = 'a test', paused_at = now() where guid = '" +
                    workflow + "'");
  }
};

}  // namespace waybill::tests
