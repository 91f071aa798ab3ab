#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/workflow_fixture.hpp"

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
  /// Makes runs of a workflow that ended that many milliseconds after their events, through the counts of
  /// whole hours as well.
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
  // The same from the runs themselves: slots that are no whole hours.
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

class Cancel : public WorkflowTest {
 protected:
  Response cancel(std::string_view run) {
    return tenant.http.post("/api/workflows/runs/" + std::string(run) + "/cancel");
  }
};

TEST_F(Cancel, AnOpenRunEndsAsSkippedAndTheLedgerBalances) {
  const std::string workflow = tenant.webhook(url(), "order_created", {{"delay", "PT1H"}});
  tenant.insert_order();
  const std::string run = text_at(tenant.run_with_status(workflow, "waiting"), "guid");
  const auto answer = cancel(run);
  EXPECT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(at(answer.data(), "status"), "skipped");
  const json::object ended = tenant.run(run);
  EXPECT_EQ(text_at(ended, "status"), "skipped");
  EXPECT_EQ(text_at(ended, "code"), "CANCELLED");
  EXPECT_FALSE(ended.at("finishedAt").is_null());
  EXPECT_EQ(cancel(run).status, 409);
  EXPECT_EQ(cancel("00000000-0000-4000-8000-000000000000").status, 404);
  EXPECT_EQ(tenant.runs("status=skipped").size(), 1U);
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
  Tenant other(world.waybill, test_name() + "-other");
  EXPECT_EQ(other.http.post("/api/workflows/runs/" + run + "/cancel").status, 404);
}

TEST_F(Cancel, AHeldRunStaysCancelledWhenItsWorkflowIsResumed) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.sql.rows("update workflows set paused_reason = 'x', paused_at = now() where guid = $1", {workflow});
  tenant.insert_order();
  const std::string run = text_at(tenant.run_with_status(workflow, "held"), "guid");
  ASSERT_EQ(cancel(run).status, 200);
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  EXPECT_EQ(text_at(tenant.run(run), "status"), "skipped");
}

TEST_F(Cancel, ARunThatIsBeingPerformedHasOneFinalStatus) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next(tenant.path(), Reply::after(gate));
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.insert_order();
  const std::string run = text_at(tenant.run_with_status(workflow, "running"), "guid");
  EXPECT_EQ(cancel(run).status, 200);
  gate->open();
  EXPECT_EQ(wait_for(1).size(), 1U);
  tenant.settle();
  EXPECT_EQ(text_at(tenant.run(run), "code"), "CANCELLED");
  EXPECT_EQ(tenant.sql.number("select count(*) from all_runs where guid = $1", {run}), 1);
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
}

class ReplayOfAll : public WorkflowTest {
 protected:
  std::int64_t replay(const json::object& body) {
    const auto answer = tenant.http.post("/api/workflows/replay", body);
    EXPECT_EQ(answer.status, 200) << answer.text;
    return at(answer.body, "data.runs").as_int64();
  }
};

TEST_F(ReplayOfAll, APlanCountsWithoutSending) {
  const std::string first = tenant.webhook(url(), "order_created");
  const std::string second = tenant.webhook(url(), "order_created");
  const std::string deleted = tenant.webhook(url("deleted"), "order_created");
  tenant.insert_order();
  for (const auto& workflow : {first, second, deleted}) tenant.run_with_status(workflow, "succeeded");
  ASSERT_EQ(tenant.http.del("/api/workflows/configured/" + deleted).status, 200);
  EXPECT_EQ(replay({{"plan", true}}), 2);
  EXPECT_EQ(replay({{"plan", true}, {"workflowId", first}}), 1);
  EXPECT_EQ(replay({{"plan", true}, {"status", "dead"}}), 0);
  EXPECT_EQ(tenant.runs("status=succeeded").size(), 3U);
  EXPECT_EQ(replay(json::object{}), 2);
  EXPECT_EQ(wait_for(4).size(), 4U);
}

class Versions : public WorkflowTest {
 protected:
  json::array versions() {
    return tenant.http.get("/api/workflows/configured/" + workflow + "/versions").data().as_array();
  }
  json::value present() { return tenant.http.get("/api/workflows/configured/" + workflow).data(); }
  Response restore(std::string_view version) {
    return tenant.http.post("/api/workflows/configured/" + workflow + "/versions/" + std::string(version) +
                            "/restore");
  }

  const std::string workflow = tenant.webhook(
      url(), "order_created",
      {{"name", "first"}, {"conditions", {{"totalValue", {{"gte", 100.5}}}}}, {"delay", "PT2H"}});
};

TEST_F(Versions, AreListedWithTheirAuthorsAndRestored) {
  ASSERT_EQ(tenant.http
                .post("/api/workflows/configure",
                      {{"guid", workflow}, {"name", "second"}, {"conditions", nullptr}, {"delay", nullptr}})
                .status,
            200);
  const auto listed = versions();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].at("version"), 2);
  EXPECT_EQ(text_at(listed[0], "by.type"), "token");
  EXPECT_EQ(text_at(listed[1], "definition.name"), "first");
  EXPECT_EQ(text_at(listed[1], "definition.entityType"), "Order");
  EXPECT_EQ(text_at(listed[1], "definition.triggerId"), trigger_guid("order_created"));

  const auto restored = restore("1");
  EXPECT_EQ(restored.status, 200) << restored.text;
  EXPECT_EQ(at(restored.data(), "version"), 3);
  EXPECT_EQ(text_at(present(), "name"), "first");
  EXPECT_EQ(text_at(present(), "delay"), "PT2H");
  EXPECT_EQ(at(present(), "conditions.totalValue.gte"), 100.5);
  EXPECT_EQ(versions().size(), 3U);
  EXPECT_EQ(at(restore("3").data(), "version"), 3) << "it is the present one";
}

TEST_F(Versions, AreRestoredWithTheValuesOfTheirHeaders) {
  const auto change = [&](const json::object& headers, std::string_view hook) {
    tenant.configure({{"guid", workflow},
                      {"conditions", nullptr},
                      {"delay", nullptr},
                      {"action", {{"type", "webhook"}, {"recipient", url(hook)}, {"headers", headers}}}});
  };
  const auto value = [&] {
    return text_at(tenant.http.get("/api/workflows/configured/" + workflow + "/headers").data(),
                   "headers.X-Key");
  };
  change({{"X-Key", "old"}}, "hook");
  change({{"X-Key", "new"}}, "hook");
  change({}, "hook");
  tenant.configure({{"guid", workflow},
                    {"action",
                     {{"type", "webhook"},
                      {"recipient", "http://127.0.0.1:1/elsewhere"},
                      {"headers", {{"X-Key", "of another host"}}}}}});
  ASSERT_EQ(versions().size(), 5U);
  const Response restored = restore("2");
  EXPECT_EQ(restored.status, 200) << restored.text;
  EXPECT_EQ(at(restored.data(), "version"), 6);
  EXPECT_EQ(text_at(restored.data(), "action.headers.X-Key"), "********");
  EXPECT_EQ(value(), "old");
  tenant.insert_order();
  EXPECT_EQ(wait_for(1).at(0).header("x-key"), "old");
  EXPECT_EQ(restore("3").status, 200);
  EXPECT_EQ(value(), "new");
  const Response listed = tenant.http.get("/api/workflows/configured/" + workflow + "/versions");
  EXPECT_EQ(listed.text.find("sealed"), std::string::npos);

  tenant.sql.rows("update workflow_versions set sealed_credentials = null where workflow_id = $1",
                  {workflow});
  EXPECT_EQ(restore("2").status, 200) << "the value of today";
  EXPECT_EQ(value(), "new");
  change({}, "hook");
  EXPECT_TRUE(restore("2").details().contains("action.headers.X-Key"));
}

TEST_F(Versions, AnUnchangedConfigureMakesNone) {
  const auto state = [&] {
    return tenant.sql.value(
               "select epoch || ' ' || version || ' ' || updated_at from workflows where guid = $1",
               {workflow}) +
           ' ' +
           tenant.sql.value("select count(*) from workflow_switches where workflow_id = $1", {workflow});
  };
  const std::string before = state();
  json::object same = present().as_object();
  const auto answer = tenant.http.post("/api/workflows/configure", same);
  EXPECT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(at(answer.data(), "version"), 1);
  EXPECT_EQ(state(), before);
  EXPECT_EQ(versions().size(), 1U);
  ASSERT_EQ(tenant.http.post("/api/workflows/configure", {{"guid", workflow}, {"ordered", true}}).status,
            200);
  EXPECT_EQ(versions().size(), 2U);
}

TEST_F(Versions, UnknownOnesAreRefused) {
  EXPECT_EQ(restore("2").status, 404);
  EXPECT_TRUE(restore("x").details().contains("version"));
  Tenant other(world.waybill, test_name() + "-other");
  EXPECT_EQ(other.http.get("/api/workflows/configured/" + workflow + "/versions").status, 404);
  EXPECT_EQ(other.http.post("/api/workflows/configured/" + workflow + "/versions/1/restore").status, 404);
  const std::string managed = tenant.managed("shipped");
  EXPECT_EQ(tenant.http.post("/api/workflows/configured/" + managed + "/versions/1/restore").status, 403);
}

}  // namespace
}  // namespace waybill::tests
