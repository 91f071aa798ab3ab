#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

class Watching : public WorkflowTest {
 protected:
  json::object listed() {
    const auto listed = tenant.http.get("/api/workflows/Order/configured");
    for (const auto& entry : listed.data().as_array()) {
      if (text_at(entry, "guid") == workflow) return entry.as_object();
    }
    return {};
  }
  json::object overview() { return tenant.http.get("/api/workflows/overview").data().as_object(); }
  json::array stats(const std::string& query) {
    const auto answer = tenant.http.get("/api/workflows/stats?" + query);
    EXPECT_EQ(answer.status, 200) << answer.text;
    return answer.data().as_array();
  }
  /// Inserts finished runs of a workflow with these latencies, and adds them to the counts of whole hours.
  void insert_runs(const std::string& of, const std::string& hours_ago, const std::string& status, int count,
                   const std::string& latency_ms) {
    tenant.sql.rows(
        "with made as (select date_trunc('hour', now(), 'UTC') - $3::int * interval '1 hour' as at, n, "
        "  $6::float8 * n * interval '1 millisecond' as latency from generate_series(1, $5::int) n), "
        "stored as (insert into runs (business_id, guid, workflow_id, workflow_version, event_id, "
        "  entity_type, entity_id, trigger_code, action, status, attempts, created_at, finished_at, origin, "
        "  destination, request, tries) "
        "  select $1, (left(first_guid(at)::text, 14) || substr(gen_random_uuid()::text, 15))::uuid, $2, 1, "
        "n, "
        "  0, $2, 'order_created', 'webhook', $4, 1, at, at + latency, $2, '', '{}', '[]' from made) "
        "insert into run_counts (business_id, unit, start, workflow_id, status, runs, latencies, newest_at) "
        "select $1, unit, date_trunc(unit, at, 'UTC'), $2, $4, count(*), "
        "  case when $4 = 'succeeded' then jsonb_build_object(latency_bucket(latency), 1) end, max(at) "
        "from made, unnest(array['day', 'hour']) unit group by unit, at, latency, n",
        {tenant.id, of, hours_ago, status, std::to_string(count), latency_ms});
  }

  const std::string workflow = tenant.webhook(url(), "order_created");
};

TEST_F(Watching, TheListShowsStateAndRunsOfTheLastDay) {
  const json::object before = listed();
  EXPECT_EQ(text_at(before, "status"), "active");
  EXPECT_TRUE(before.at("pausedReason").is_null());
  EXPECT_TRUE(before.at("lastRunAt").is_null());
  EXPECT_EQ(before.at("succeeded24h"), 0);
  tenant.insert_order();
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  insert_runs(workflow, "30", "dead", 2, "5");
  insert_runs(workflow, "3", "dead", 3, "5");
  const json::object after = listed();
  EXPECT_EQ(after.at("succeeded24h"), 1);
  EXPECT_EQ(after.at("dead24h"), 3) << "those of 30 hours ago do not count";
  EXPECT_EQ(after.at("lastRunAt"), run.at("createdAt"));

  tenant.sql.rows("update workflows set paused_reason = 'x', paused_at = now() where guid = $1", {workflow});
  EXPECT_EQ(text_at(listed(), "status"), "paused");
  EXPECT_EQ(text_at(listed(), "pausedReason"), "x");
}

TEST_F(Watching, TheOverviewHasTheFiringsOfEachHourOfTheLastDay) {
  const auto per_hour = [this] {
    return overview().at("workflows").as_array().at(0).at("perHour").as_array();
  };
  EXPECT_EQ(per_hour(), json::array(24, json::value(0)));
  tenant.sql.rows(
      "insert into workflow_firings (business_id, workflow_id, hour, count, held) "
      "select $1, $2, date_trunc('hour', now(), 'UTC') - h * interval '1 hour', h + 1, 1 "
      "from unnest(array[0, 2, 23, 24]) h",
      {tenant.id, workflow});
  json::array expected(24, json::value(0));
  expected[0] = 25;
  expected[21] = 4;
  expected[23] = 2;
  EXPECT_EQ(per_hour(), expected)
      << "the present hour is the last, and the hour before the first is left out";
  EXPECT_FALSE(listed().contains("perHour"));
}

TEST_F(Watching, ReadsShowAnUnusedTimerAndScheduleAsNull) {
  const json::value versions =
      tenant.http.get("/api/workflows/configured/" + workflow + "/versions").data().as_array().at(0);
  for (const json::object& read :
       {tenant.workflow(workflow), listed(), overview().at("workflows").as_array().at(0).as_object(),
        versions.at("definition").as_object()}) {
    for (const char* const name : {"timer", "schedule", "query", "each", "runWhenEmpty"}) {
      ASSERT_TRUE(read.contains(name)) << name << " in " << json::serialize(read);
      EXPECT_TRUE(read.at(name).is_null()) << name;
    }
  }
  const Response same = tenant.http.post("/api/workflows/configure", tenant.workflow(workflow));
  EXPECT_EQ(at(same.data(), "version"), 1) << same.text;
}

TEST_F(Watching, TheOverviewHasAllWorkflowsAndTheirTotals) {
  const json::object before = overview();
  const auto rise = [&](const json::object& shown, const std::string& total) {
    return at(shown, "totals." + total).as_int64() - at(before, "totals." + total).as_int64();
  };
  const std::string off = tenant.webhook(url(), "customer_created", {{"isActive", false}});
  const std::string paused = tenant.webhook(url(), "product_created");
  tenant.sql.rows("update workflows set paused_reason = 'x', paused_at = now() where guid = $1", {paused});
  const std::string waiting = tenant.webhook(url(), "order_updated", {{"delay", "PT1H"}});
  const std::string order = tenant.create_order();
  tenant.run_with_status(workflow, "succeeded");
  insert_runs(workflow, "2", "succeeded", 4, "5");
  insert_runs(off, "2", "dead", 2, "5");
  tenant.put_order(order, {{"notes", "changed"}});
  tenant.run_with_status(waiting, "waiting");
  const json::object shown = overview();
  EXPECT_EQ(rise(shown, "paused"), 1);
  EXPECT_EQ(rise(shown, "off"), 1);
  EXPECT_EQ(rise(shown, "active"), 1);
  EXPECT_EQ(at(shown, "totals.open"), 1);
  EXPECT_EQ(at(shown, "totals.succeeded24h"), 5);
  EXPECT_EQ(at(shown, "totals.dead24h"), 2);
  EXPECT_EQ(shown.at("workflows").as_array().size(), before.at("workflows").as_array().size() + 3);
  Tenant other(world.waybill, test_name() + "-other");
  EXPECT_EQ(at(other.http.get("/api/workflows/overview").data(), "totals.dead24h"), 0);
}

TEST_F(Watching, StatisticsCountRunsInSlotsAndTheirLatencies) {
  insert_runs(workflow, "5", "succeeded", 100, "10");
  insert_runs(workflow, "3", "dead", 7, "10");
  const auto from = tenant.sql.value(
      "select to_char(date_trunc('hour', now() - interval '6 hours') at time zone 'UTC', "
      "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')");
  for (const std::string& query : {"from=" + from, "from=" + from + "&step=PT1H&workflowId=" + workflow}) {
    const auto slots = stats(query);
    ASSERT_EQ(slots.size(), 7U);
    EXPECT_EQ(slots[1].at("succeeded"), 100);
    EXPECT_EQ(slots[3].at("dead"), 7);
    EXPECT_EQ(slots[0].at("succeeded"), 0);
    EXPECT_TRUE(slots[3].at("p50Ms").is_null());
    const double p50 = slots[1].at("p50Ms").to_number<double>();
    const double p95 = slots[1].at("p95Ms").to_number<double>();
    EXPECT_GE(p50, 500 - 0.1);
    EXPECT_LE(p50, 500 * 1.1);
    EXPECT_GE(p95, 950 - 0.1);
    EXPECT_LE(p95, 950 * 1.1);
  }
  // Slots that are not whole hours are counted from the runs themselves.
  const auto halves = stats("from=" + from + "&step=PT30M");
  EXPECT_EQ(halves[2].at("succeeded"), 100);
  EXPECT_EQ(halves[2].at("p50Ms"), stats("from=" + from)[1].at("p50Ms"));
  const auto unknown = stats("from=" + from + "&workflowId=" + tenant.id);
  ASSERT_EQ(unknown.size(), 7U);
  for (const json::value& slot : unknown) {
    EXPECT_EQ(slot.at("succeeded"), 0);
    EXPECT_EQ(slot.at("dead"), 0);
  }
}

TEST_F(Watching, StatisticsOfRealRunsMatchTheirList) {
  for (int i = 0; i < 5; ++i) tenant.insert_order();
  tenant.settle();
  ASSERT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=succeeded").size() == 5; }));
  std::int64_t succeeded = 0;
  for (const auto& slot : stats("")) {
    succeeded += slot.at("succeeded").as_int64();
    EXPECT_EQ(slot.at("p95Ms").is_null(), slot.at("succeeded") == 0);
  }
  EXPECT_EQ(succeeded, 5);
}

TEST_F(Watching, StatisticsOfManyWorkflowsUseSumsThatAgreeWithTheCounts) {
  const auto sums = [&](const std::string& column) {
    return tenant.sql.value("select " + column + " from run_sums where business_id = $1", {tenant.id});
  };
  for (int i = 0; i < 20; ++i)
    insert_runs(tenant.sql.value("select gen_random_uuid()"), "5", "succeeded", i + 1, "7");
  const json::array counted = stats("");
  world.database.make_duties_due();
  const Waybill worker(world.database.url(),
                       {.command = "worker", .secret_key_file = world.waybill.secret_key_file()});
  ASSERT_TRUE(eventually([&] { return sums("succeeded") == "210"; }));
  EXPECT_EQ(stats(""), counted);
  tenant.sql.rows("update run_sums set latencies = '{\"80\": 210}' where business_id = $1", {tenant.id});
  const auto at_five = [](const json::array& slots) { return slots.at(slots.size() - 6).at("p50Ms"); };
  EXPECT_EQ(at_five(stats("")), 1024) << "bucket 80";

  insert_runs(workflow, "5", "succeeded", 1, "7");
  EXPECT_EQ(at_five(stats("")), at_five(counted)) << "a sum of other counts is not used";
}

TEST_F(Watching, BadRangesAndSteps) {
  EXPECT_TRUE(tenant.http.get("/api/workflows/stats?step=PT0S").details().contains("step"));
  EXPECT_TRUE(tenant.http.get("/api/workflows/stats?step=1h").details().contains("step"));
  EXPECT_TRUE(
      tenant.http.get("/api/workflows/stats?from=2026-01-02&to=2026-01-01").details().contains("from"));
  const std::string range =
      "/api/workflows/stats?from=2026-01-01T00:00:00Z&to=2026-01-01T16:39:59.999Z&step=";
  EXPECT_EQ(tenant.http.get(range + "PT1M").data().as_array().size(), 1000U);
  EXPECT_TRUE(tenant.http.get(range + "PT59S").details().contains("step"));
}

TEST_F(Watching, ARangeOfWholeSlotsBeginsNoFurtherOne) {
  const std::string from = "from=2026-01-01T00:00:00Z&step=PT1M&to=";
  EXPECT_EQ(stats(from + "2026-01-01T16:40:00Z").size(), 1000U);
  EXPECT_TRUE(tenant.http.get("/api/workflows/stats?" + from + "2026-01-01T16:40:00.001Z")
                  .details()
                  .contains("step"));
  EXPECT_EQ(stats(from + "2026-01-01T00:00:00Z").size(), 1U);
}

}  // namespace
}  // namespace waybill::tests
