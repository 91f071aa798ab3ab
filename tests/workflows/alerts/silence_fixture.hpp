#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/secret_box.hpp"
#include "storage/blocking/connection.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {

/// Looks at what has come less than usual. The counts of earlier weeks are inserted.
class SilenceTest : public WorkflowTest {
 protected:
  /// A workflow that has fired four times an hour for eight weeks, until some hours ago.
  std::string old_workflow(int quiet_hours) {
    std::string guid = tenant.webhook(url(), "order_created", {{"name", "Tell the ERP"}});
    tenant.sql.rows(
        "update workflow_versions set created_at = now() - interval '60 days' where workflow_id = $1",
        {guid});
    tenant.sql.rows("update workflows set active_since = now() - interval '60 days' where guid = $1", {guid});
    add_firings(guid, 56 * 24, quiet_hours);
    add_events(0);
    tenant.sql.rows("delete from workflow_watches where workflow_id = $1", {guid});
    return guid;
  }

  void add_firings(const std::string& workflow, int first_hours_ago, int last_hours_ago) {
    tenant.sql.rows(
        "insert into workflow_firings (business_id, workflow_id, hour, count, last_at) "
        "select $1, $2, h, 4, least(now(), h + interval '59 minutes') from generate_series("
        "date_trunc('hour', now()) - $3::int * interval '1 hour', "
        "date_trunc('hour', now()) - $4::int * interval '1 hour', interval '1 hour') h "
        "on conflict (business_id, workflow_id, hour) do nothing",
        {tenant.id, workflow, std::to_string(first_hours_ago), std::to_string(last_hours_ago)});
  }

  void add_events(int last_hours_ago) {
    tenant.sql.rows("delete from matched_events where business_id = $1", {tenant.id});
    tenant.sql.rows(
        "insert into matched_events select $1, h, 100, 30, 5, 1 from generate_series("
        "date_trunc('hour', now()) - interval '56 days', "
        "date_trunc('hour', now()) - $2::int * interval '1 hour', interval '1 hour') h",
        {tenant.id, std::to_string(last_hours_ago)});
  }

  void look() {
    for (const char* const table : {"workflow_watches", "source_watches"})
      tenant.sql.rows("update " + std::string(table) + " set due_at = now() where business_id = $1",
                      {tenant.id});
    look_at_due();
  }

  /// As another worker may do at the same time.
  void look_at_due() {
    const SecretBox secrets{SecretBox::Key{}};
    storage::blocking::Connection session(world.database.url(), "test");
    const worker::DutyOptions options{.database_url = world.database.url(), .secrets = secrets};
    while (worker::watch_firings(session, options)) continue;
    while (worker::watch_sources(session, options)) continue;
  }

  void switch_alerts_on(std::string_view cause) {
    ASSERT_EQ(
        tenant.http.put("/api/business/alerts", {{"webhook", {{"url", url("alerts")}}}, {"on", {cause}}})
            .status,
        200);
  }

  json::value overview(const std::string& workflow) {
    const json::value data = tenant.http.get("/api/workflows/overview").data();
    for (const json::value& entry : data.at("workflows").as_array()) {
      if (text_at(entry, "guid") == workflow) return entry;
    }
    return nullptr;
  }

  bool is_silent(const std::string& workflow) { return !overview(workflow).at("silentSince").is_null(); }
};

}  // namespace waybill::tests
