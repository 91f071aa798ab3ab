#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/schedule_ticks.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"
#include "tests/workflows/timing/explained.hpp"

namespace waybill::tests {

/// Workflows with a schedule.
class Schedules : public WorkflowTest {
 protected:
  json::object definition(const json::object& more = {}) const {
    json::object body{{"name", "scheduled"},
                      {"entityType", "Order"},
                      {"schedule", {{"cron", "0 8 1 1 *"}}},
                      {"action", {{"type", "webhook"}, {"recipient", url()}}}};
    for (const auto& [name, value] : more) body[name] = value;
    return body;
  }
  std::string scheduled(const json::object& more = {}) {
    const std::string guid = text_at(tenant.configure(definition(more)), "guid");
    EXPECT_TRUE(eventually([&] { return !next_tick(guid).empty(); }));
    return guid;
  }
  /// The definition with steps in place of its action.
  json::object with_steps(const json::array& steps) const {
    json::object body = definition({{"steps", steps}});
    body.erase("action");
    return body;
  }
  std::string scheduled_steps(const json::array& steps) {
    const std::string guid = text_at(tenant.configure(with_steps(steps)), "guid");
    EXPECT_TRUE(eventually([&] { return !next_tick(guid).empty(); }));
    return guid;
  }
  json::value details(const json::object& body) {
    const Response refused = tenant.http.post("/api/workflows/configure", body);
    EXPECT_EQ(refused.status, 400) << refused.text;
    return at(refused.body, "error.details");
  }
  std::string next_tick(const std::string& workflow) {
    return tenant.sql.value("select coalesce(next_at::text, '') from schedules where workflow_id = $1",
                            {workflow});
  }
  /// Moves the next tick into the past, and waits until it has been performed.
  void tick(const std::string& workflow, const std::string& ago = "1 minute", bool was_on = true) {
    make_tick_due(tenant, workflow, ago, was_on);
    EXPECT_TRUE(eventually([&] {
      return tenant.sql.number("select count(*) from schedules where workflow_id = $1 and next_at > now()",
                               {workflow}) == 1;
    }));
  }
  std::vector<std::string> explained(const std::string& record) {
    return tests::explained(tenant, "schedule", record);
  }
  json::value backtested(const json::object& body, const char* from, const char* to) {
    const Response response =
        tenant.http.post("/api/workflows/backtest", {{"definition", body}, {"from", from}, {"to", to}});
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data();
  }
  std::string first_tick(std::string_view hour_and_minute, std::string_view zone, std::string_view after,
                         std::string_view weekdays = "array[0,1,2,3,4,5,6]") {
    return tenant.sql.value("select to_char(next_tick(" + std::string(hour_and_minute) +
                            ", (select array_agg(i) from generate_series(1, 31) i), "
                            "(select array_agg(i) from generate_series(1, 12) i), " +
                            std::string(weekdays) + ", false, '" + std::string(zone) + "', '" +
                            std::string(after) + "') at time zone 'UTC', 'YYYY-MM-DD HH24:MI')");
  }
};

}  // namespace waybill::tests
