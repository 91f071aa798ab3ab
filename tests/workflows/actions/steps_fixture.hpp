#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {

/// Workflows of several steps.
class StepsTest : public WorkflowTest {
 protected:
  json::object definition(const json::array& steps, const json::object& more = {}) {
    json::object body{{"name", "steps"},
                      {"entityType", "Order"},
                      {"triggerId", trigger_guid("order_created")},
                      {"steps", steps}};
    for (const auto& [key, value] : more) body[key] = value;
    return body;
  }
  std::string workflow(const json::array& steps, const json::object& more = {}) {
    return text_at(tenant.configure(definition(steps, more)), "guid");
  }
  json::object hook(std::string_view name, const json::object& more = {}) const {
    json::object step{{"type", "webhook"}, {"recipient", url(name)}};
    for (const auto& [key, value] : more) step[key] = value;
    return step;
  }
  static json::object wait(std::string_view delay) { return {{"type", "wait"}, {"delay", delay}}; }
  static json::object sets(std::string_view values) {
    return {{"type", "update_record"}, {"set", json::parse(values)}};
  }
  /// "NUMBER TYPE STATUS CODE" of the steps of a run.
  static std::vector<std::string> steps_of(const json::object& run) {
    std::vector<std::string> shown;
    for (const json::value& step : run.at("steps").as_array()) {
      std::string text = std::to_string(at(step, "number").as_int64()) + ' ' + text_at(step, "type") + ' ' +
                         text_at(step, "status");
      if (at(step, "code").is_string()) text += ' ' + text_at(step, "code");
      shown.push_back(std::move(text));
    }
    return shown;
  }
  json::object replay(const json::object& run, const json::object& body = {}) {
    const Response response =
        tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", body);
    EXPECT_EQ(response.status, 201) << response.text;
    const std::string guid = text_at(response.body, "data.guid");
    json::object replayed;
    EXPECT_TRUE(eventually([&] {
      replayed = tenant.run(guid);
      return !replayed.at("finishedAt").is_null();
    }));
    return replayed;
  }
  json::value refused(const json::array& steps, const json::object& more = {}) {
    const Response response = tenant.http.post("/api/workflows/configure", definition(steps, more));
    EXPECT_EQ(response.status, 400) << response.text;
    return at(response.body, "error.details");
  }
};

}  // namespace waybill::tests
