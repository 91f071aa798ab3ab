#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {

/// The entries of this kind, "timer" or "schedule", in the explanation of a record, newest first: the reason,
/// or "fired" and the run.
inline std::vector<std::string> explained(Tenant& tenant, std::string_view kind, const std::string& record) {
  const Response response = tenant.http.get("/api/workflows/explain?entityId=" + record);
  EXPECT_EQ(response.status, 200) << response.text;
  std::vector<std::string> entries;
  for (const json::value& entry : response.data().as_array()) {
    if (!at(entry, "eventId").is_null()) continue;
    EXPECT_EQ(at(entry, "kind"), json::value(kind));
    EXPECT_EQ(at(entry, "triggers"), json::value(json::array{kind}));
    const json::value& workflow = at(entry, "workflows").as_array().at(0);
    EXPECT_EQ(workflow.as_object().contains("dueAt"), at(workflow, "reason") != json::value("no_value"));
    const bool fired = at(workflow, "fired").as_bool();
    EXPECT_EQ(fired, at(workflow, "reason").is_null());
    entries.push_back(fired ? "fired " + text_at(workflow, "runId") : text_at(workflow, "reason"));
  }
  return entries;
}

}  // namespace waybill::tests
