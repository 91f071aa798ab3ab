#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"
#include "tests/workflows/timing/pacing_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

/// The entries that GET /api/workflows/upcoming lists.
class Upcoming : public PacingTest {
 protected:
  std::vector<json::object> upcoming(const std::string& query) {
    const Response response = tenant.http.get("/api/workflows/upcoming?" + query);
    if (response.status != 200) throw std::runtime_error(response.text);
    std::vector<json::object> entries;
    for (const json::value& entry : response.data().as_array()) entries.push_back(entry.as_object());
    return entries;
  }
  std::vector<json::object> of_record(const std::string& record) { return upcoming("entityId=" + record); }
  std::vector<json::object> of_workflow(const std::string& workflow) {
    return upcoming("workflowId=" + workflow);
  }
  /// The only entry of a workflow, once it has one.
  json::object only(const std::string& workflow) {
    EXPECT_TRUE(eventually([&] { return of_workflow(workflow).size() == 1; })) << workflow;
    return of_workflow(workflow).at(0);
  }
  bool has_none(const std::string& workflow) {
    return eventually([&] { return of_workflow(workflow).empty(); });
  }

  std::string configured(const std::string& hook, json::object more) {
    if (!more.contains("name")) more["name"] = hook;
    more["entityType"] = "Order";
    if (!more.contains("steps")) more["action"] = {{"type", "webhook"}, {"recipient", url(hook)}};
    return text_at(tenant.configure(more), "guid");
  }
  std::string timed(const std::string& hook, const std::string& offset, json::object more = {}) {
    more["timer"] = {{"field", "createdAt"}, {"offset", offset}};
    return configured(hook, std::move(more));
  }
  std::string on_creation(const std::string& hook, json::object more) {
    more["triggers"] = json::array{"order_created"};
    return configured(hook, std::move(more));
  }
  void set_next_tick(const std::string& workflow, const std::string& from_now) {
    ASSERT_TRUE(eventually([&] {
      return tenant.sql.number(
                 "select count(*) from schedules where workflow_id = $1 and next_at is not null",
                 {workflow}) == 1;
    }));
    tenant.sql.exec("update schedules set next_at = now() + interval '" + from_now +
                    "', check_at = now() + interval '" + from_now + "' where workflow_id = '" + workflow +
                    "'");
  }
};

TEST_F(Upcoming, EachEntryHappensAtItsTime) {
  // All are read before the first of them happens, on a busy machine, too.
  receiver.answer(tenant.path("retry"), Reply{.status = 503, .headers = {{"Retry-After", "10"}}});
  const std::map<std::string, std::string> workflows{
      {"timer", timed("timer", "PT10S")},
      {"delay", on_creation("delay", {{"delay", "PT10S"}})},
      {"retry", on_creation("retry", {})},
      {"wait",
       on_creation("wait",
                   {{"steps", json::array{json::object{{"type", "wait"}, {"delay", "PT10S"}},
                                          json::object{{"type", "webhook"}, {"recipient", url("wait")}}}}})},
      {"digest", on_creation("digest", {{"digest", {{"by", "currency"}, {"every", "PT10S"}}}})},
      {"schedule", configured("schedule", {{"schedule", {{"cron", "0 8 1 1 *"}}}})}};
  tenant.create_order();
  set_next_tick(workflows.at("schedule"), "10 seconds");
  std::map<std::string, std::string> times;
  for (const auto& [kind, workflow] : workflows) {
    const json::object entry = only(workflow);
    EXPECT_EQ(text_at(entry, "kind"), kind);
    EXPECT_EQ(text_at(entry, "workflow.guid"), workflow);
    times[kind] = text_at(entry, "at");
  }
  receiver.answer(tenant.path("retry"), Reply{.status = 200});
  for (const auto& [kind, at] : times) {
    SCOPED_TRACE(kind);
    ASSERT_EQ(wait_for(kind == "retry" ? 2 : 1, kind).size(), kind == "retry" ? 2U : 1U);
    ASSERT_TRUE(eventually(
        [&] { return tenant.runs("workflowId=" + workflows.at(kind)).at(0).at("status") == "succeeded"; }));
    const std::string late = tenant.sql.value(
        "select extract(epoch from finished_at - $2::timestamptz) between -0.01 and 8 from runs "
        "where workflow_id = $1",
        {workflows.at(kind), at});
    EXPECT_EQ(late, "t") << at;
    EXPECT_TRUE(kind == "schedule" || has_none(workflows.at(kind))) << "it is over";
  }
}

TEST_F(Upcoming, TheTimeOfATimerHasTheDelayAndTheWindow) {
  const std::string delayed = timed("delayed", "PT1H", {{"delay", "PT30M"}});
  const std::string paced = timed("paced", "PT1S", {{"window", closed_window()}});
  const std::string order = tenant.create_order();
  const std::string at = text_at(only(delayed), "at");
  EXPECT_EQ(tenant.sql.value("select $2::timestamptz - created_at = interval '90 minutes' from orders "
                             "where guid = $1::uuid",
                             {order, at}),
            "t");
  const std::string opens = text_at(only(paced), "at");
  const json::object run = tenant.run_with_status(paced, "waiting");
  EXPECT_EQ(text_at(run, "nextAttemptAt"), opens);
  const json::object entry = only(paced);
  EXPECT_EQ(text_at(entry, "kind"), "window");
  EXPECT_EQ(text_at(entry, "at"), opens);
  EXPECT_EQ(text_at(entry, "runId"), text_at(run, "guid"));
  EXPECT_EQ(text_at(entry, "entityId"), order);
}

TEST_F(Upcoming, AWaitBeforeAClosedWindowLastsUntilItOpens) {
  const json::object window = closed_window();
  const std::string workflow =
      on_creation("steps", {{"window", window},
                            {"steps", json::array{json::object{{"type", "wait"}, {"delay", "PT1H"}},
                                                  json::object{{"type", "webhook"}, {"recipient", url()}}}}});
  const std::string last = on_creation(
      "last",
      {{"window", window}, {"steps", json::array{json::object{{"type", "wait"}, {"delay", "PT1H"}}}}});
  tenant.create_order();
  const json::object entry = only(workflow);
  EXPECT_EQ(text_at(entry, "kind"), "wait");
  EXPECT_EQ(text_at(entry, "at").substr(11, 5), window.at("from").as_string());
  EXPECT_LT(text_at(only(last), "at"), text_at(entry, "at")) << "no attempt follows";
}

TEST_F(Upcoming, WorkingDaysAreCounted) {
  const std::string timer = timed("timer", "P3D", {});
  ASSERT_EQ(
      change(timer, {{"timer", {{"field", "createdAt"}, {"offset", "P3D"}, {"workdays", true}}}}).status,
      200);
  const std::string delayed = on_creation("delayed", {{"delay", "P3D"}, {"workdays", true}});
  const std::string both = timed("both", "PT1H", {{"delay", "P3D"}, {"workdays", true}});
  const std::string order = tenant.create_order();
  const auto counted = [&](const std::string& start) {
    return tenant.sql.value(
        "select to_char(working_day_from(" + start +
            ", 3, b.timezone, b.workdays, b.holidays) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI') "
            "from orders o join businesses b on b.guid = o.business_id where o.guid = $1::uuid",
        {order});
  };
  EXPECT_EQ(text_at(only(timer), "at").substr(0, 16), counted("o.created_at"));
  EXPECT_EQ(text_at(only(delayed), "at").substr(0, 16), counted("o.created_at"));
  EXPECT_EQ(text_at(only(both), "at").substr(0, 16), counted("o.created_at + interval '1 hour'"));
}

TEST_F(Upcoming, HoldsNowFollowsTheRecord) {
  const json::object conditions{{"conditions", {{"notes", "yes"}}}};
  const std::string timer = timed("timer", "PT1H", conditions);
  const std::string order = tenant.create_order({{"notes", "no"}});
  EXPECT_EQ(only(timer).at("holdsNow"), false);
  tenant.put_order(order, {{"notes", "yes"}});
  EXPECT_EQ(only(timer).at("holdsNow"), true);
  EXPECT_EQ(of_record(order), of_workflow(timer));

  const std::string changed =
      configured("changed", {{"triggers", json::array{"order_updated"}},
                             {"delay", "PT1H"},
                             {"conditions", {{"previous.notes", "yes"}, {"customer.name", "Ada Lovelace"}}}});
  tenant.put_order(order, {{"notes", "later"}});
  EXPECT_EQ(only(changed).at("holdsNow"), true) << "with the previous values of its event";
  EXPECT_EQ(only(timer).at("holdsNow"), false);
}

TEST_F(Upcoming, ADelayedRunIsJudgedByItsOwnVersion) {
  const std::string workflow =
      on_creation("delayed", {{"delay", "PT1H"}, {"conditions", {{"notes", "old"}}}});
  tenant.create_order({{"notes", "old"}});
  EXPECT_EQ(only(workflow).at("holdsNow"), true);
  ASSERT_EQ(change(workflow, {{"conditions", {{"notes", "new"}}}}).status, 200);
  const json::object entry = only(workflow);
  EXPECT_EQ(entry.at("holdsNow"), true);
  EXPECT_EQ(at(entry, "workflow.version"), 1);
}

TEST_F(Upcoming, WorkflowsThatArePausedOrSwitchedOffHaveNone) {
  const std::string timer = timed("timer", "PT1H");
  const std::string delayed = on_creation("delayed", {{"delay", "PT1H"}});
  const std::string order = tenant.create_order();
  only(timer);
  only(delayed);
  tenant.sql.exec("update workflows set paused_reason = 'a test', paused_at = now() where business_id = '" +
                  tenant.id + "'");
  EXPECT_TRUE(has_none(timer));
  EXPECT_TRUE(has_none(delayed));
  EXPECT_TRUE(of_record(order).empty());
  tenant.sql.exec("update workflows set paused_reason = null, paused_at = null where business_id = '" +
                  tenant.id + "'");
  only(timer);
  only(delayed);
  ASSERT_EQ(change(timer, {{"isActive", false}}).status, 200);
  EXPECT_TRUE(has_none(timer)) << "a timer that comes due while it is off makes no run";
}

TEST_F(Upcoming, ARecordHasTheSchedulesAndDigestsThatNameIt) {
  const std::string schedule = configured(
      "schedule", {{"schedule", {{"cron", "0 8 1 1 *"}}}, {"query", {{"filter", "currency eq 'EUR'"}}}});
  const std::string digest = on_creation("digest", {{"digest", {{"by", "currency"}, {"every", "PT1H"}}}});
  const std::string named = tenant.create_order({{"currency", "EUR"}});
  only(digest);
  const std::string other = tenant.insert_order({{"currency", "'USD'"}});
  tenant.settle();
  only(schedule);
  const auto kinds = [&](const std::string& record) {
    std::vector<std::string> found;
    for (const json::object& entry : of_record(record)) {
      found.push_back(text_at(entry, "kind"));
      EXPECT_TRUE(entry.at("holdsNow").is_null() && entry.at("entityId").is_null() &&
                  entry.at("runId").is_null());
    }
    return found;
  };
  EXPECT_THAT(kinds(named), ElementsAre("digest", "schedule"));
  EXPECT_THAT(kinds(other), ElementsAre("digest"));
}

TEST_F(Upcoming, TheFirst200BeforeTheGivenTimeAreListedByTime) {
  const std::string workflow = timed("timer", "P10D");
  tenant.sql.exec("insert into orders (business_id, order_number, created_at) select '" + tenant.id +
                  "', 'U-' || n, now() - n * interval '1 minute' from generate_series(1, 210) n");
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from timers where workflow_id = $1", {workflow}) == 210;
  }));
  const auto entries = of_workflow(workflow);
  ASSERT_EQ(entries.size(), 200U);
  std::vector<std::string> times;
  for (const json::object& entry : entries) times.push_back(text_at(entry, "at"));
  EXPECT_TRUE(std::ranges::is_sorted(times));
  EXPECT_EQ(tenant.sql.value("select min(due_at) = $2::timestamptz from timers where workflow_id = $1",
                             {workflow, times.front()}),
            "t");
  EXPECT_EQ(upcoming("workflowId=" + workflow + "&until=" + times.at(9)).size(), 10U);
  EXPECT_TRUE(upcoming("workflowId=" + workflow + "&until=2020-01-01").empty());
}

TEST_F(Upcoming, NeedsARecordOrAWorkflowAndIsEmptyForAnUnknownOne) {
  const std::string guid = "11111111-1111-4111-8111-111111111111";
  const auto status = [&](const std::string& query) {
    return tenant.http.get("/api/workflows/upcoming" + query).status;
  };
  EXPECT_EQ(status(""), 400);
  EXPECT_EQ(status("?entityId=" + guid + "&workflowId=" + guid), 400);
  EXPECT_EQ(status("?entityId=" + guid.substr(1)), 400);
  EXPECT_TRUE(upcoming("entityId=" + guid).empty());
  EXPECT_TRUE(upcoming("workflowId=" + guid).empty());
  EXPECT_EQ(status("?workflowId=" + guid + "&until=soon"), 400);
}

}  // namespace
}  // namespace waybill::tests
