#pragma once

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {

inline const json::array every_day{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

/// A time of day in UTC, by its distance from now.
inline std::string time_of_day(Duration from_now) {
  return format_timestamp(system_clock().now() + from_now).substr(11, 5);
}

inline json::object open_window() {
  return {{"days", every_day},
          {"from", time_of_day(-std::chrono::hours(2))},
          {"to", time_of_day(std::chrono::hours(2))},
          {"timezone", "UTC"}};
}

inline json::object closed_window() {
  return {{"days", every_day},
          {"from", time_of_day(std::chrono::hours(2))},
          {"to", time_of_day(std::chrono::hours(4))},
          {"timezone", "UTC"}};
}

/// Workflows with a window, a limit or a rate.
class PacingTest : public WorkflowTest {
 protected:
  Response change(const std::string& workflow, json::object fields) {
    fields["guid"] = workflow;
    return tenant.http.post("/api/workflows/configure", fields);
  }
  /// Inserts orders with a note each, all in one transaction.
  void insert_orders(int count, const std::string& note = "'x'") {
    tenant.sql.rows("insert into orders (business_id, order_number, notes) select '" + tenant.id +
                    "', 'SQL-' || gen_random_uuid(), " + note + " from generate_series(1, " +
                    std::to_string(count) + ") n");
  }
  std::size_t with_status(const std::string& workflow, const std::string& status) {
    return tenant.runs("perPage=100&workflowId=" + workflow + "&status=" + status).size();
  }
  json::value tested(const std::string& workflow, const std::string& order) {
    return at(tenant.http.post("/api/workflows/test", {{"workflowId", workflow}, {"entityId", order}}).body,
              "data");
  }
};

}  // namespace waybill::tests
