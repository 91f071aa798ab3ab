#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/schedule_ticks.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"
#include "tests/workflows/timing/pacing_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class Windows : public PacingTest {};
class Limits : public PacingTest {};
class Rates : public PacingTest {};

TEST_F(Windows, ARunThatIsDueOutsideWaitsUntilItOpens) {
  const json::object window = closed_window();
  const std::string workflow = tenant.webhook(url(), "order_created", {{"window", window}});
  const std::string order = tenant.insert_order();
  const json::object run = tenant.run_with_status(workflow, "waiting");
  EXPECT_EQ(run.at("code"), "WINDOW");
  EXPECT_EQ(run.at("attempts"), 0);
  EXPECT_EQ(text_at(run, "nextAttemptAt").substr(11, 5), window.at("from").as_string());
  EXPECT_EQ(text_at(tested(workflow, order), "windowOpensAt"), text_at(run, "nextAttemptAt"));
  const Response explained = tenant.http.get("/api/workflows/explain?entityId=" + order);
  EXPECT_THAT(explained.text, HasSubstr(R"("reason":"window")"));
  EXPECT_EQ(receiver.count(tenant.path()), 0U);

  ASSERT_EQ(change(workflow, {{"window", open_window()}}).status, 200) << "waiting runs follow";
  EXPECT_EQ(wait_for(1).size(), 1U);
  EXPECT_TRUE(tenant.run_with_status(workflow, "succeeded").at("code").is_null());
  EXPECT_TRUE(at(tested(workflow, order), "windowOpensAt").is_null());
}

TEST_F(Windows, RetriesAndReplaysWaitToo) {
  receiver.answer(tenant.path(), Reply{.status = 500});
  const std::string workflow = tenant.webhook(url(), "order_created", {{"window", open_window()}});
  tenant.insert_order();
  wait_for(1);
  ASSERT_EQ(change(workflow, {{"window", closed_window()}}).status, 200);
  ASSERT_TRUE(eventually([&] {
    const auto runs = tenant.runs("workflowId=" + workflow);
    return runs.size() == 1 && runs[0].at("code") == "WINDOW" && runs[0].at("status") == "retrying";
  }));
  const std::string replayed = text_at(tenant.runs("workflowId=" + workflow)[0], "guid");
  const Response replay = tenant.http.post("/api/workflows/runs/" + replayed + "/replay", json::object());
  ASSERT_EQ(replay.status, 201);
  EXPECT_TRUE(
      eventually([&] { return tenant.run(text_at(replay.body, "data.guid")).at("code") == "WINDOW"; }));
}

TEST_F(Windows, AfterADelayTheConditionsAreCheckedAgainButNotForAWindowAlone) {
  const json::object conditions{{"status", "pending"}};
  const std::string delayed =
      tenant.webhook(url("delayed"), "order_created",
                     {{"window", closed_window()}, {"delay", "PT0.2S"}, {"conditions", conditions}});
  const std::string direct = tenant.webhook(url("direct"), "order_created",
                                            {{"window", closed_window()}, {"conditions", conditions}});
  tenant.insert_order();
  ASSERT_TRUE(eventually([&] {
    const auto runs = tenant.runs("workflowId=" + delayed);
    return runs.size() == 1 && runs[0].at("code") == "WINDOW";
  }));
  tenant.run_with_status(direct, "waiting");
  tenant.update_orders("status = 'processing' where true");
  ASSERT_EQ(change(delayed, {{"window", open_window()}}).status, 200);
  ASSERT_EQ(change(direct, {{"window", open_window()}}).status, 200);
  EXPECT_EQ(tenant.run_with_status(delayed, "skipped").at("code"), "CONDITION");
  tenant.run_with_status(direct, "succeeded");
  EXPECT_EQ(receiver.count(tenant.path("delayed")), 0U);
}

TEST_F(Windows, ADeletedRecordEndsAWaitingRun) {
  const std::string workflow = tenant.webhook(url(), "order_created", {{"window", closed_window()}});
  tenant.insert_order();
  tenant.run_with_status(workflow, "waiting");
  tenant.update_orders("deleted_at = now() where true");
  ASSERT_EQ(change(workflow, {{"window", nullptr}}).status, 200);
  EXPECT_EQ(tenant.run_with_status(workflow, "skipped").at("code"), "NO_RECORD");
}

TEST_F(Windows, ADeletedRecordAlsoEndsTheRunsThatWaitForAnEarlierOne) {
  const std::string workflow =
      tenant.webhook(url(), "order_updated", {{"window", closed_window()}, {"ordered", true}});
  tenant.insert_order();
  for (const char* const notes : {"a", "b", "c"})
    tenant.update_orders("notes = '" + std::string(notes) + "' where true");
  ASSERT_TRUE(eventually(
      [&] { return with_status(workflow, "waiting") == 1 && with_status(workflow, "queued") == 2; }));
  tenant.update_orders("deleted_at = now() where true");
  ASSERT_EQ(change(workflow, {{"window", open_window()}}).status, 200);
  ASSERT_TRUE(eventually([&] { return with_status(workflow, "skipped") == 3; }));
  for (const json::object& run : tenant.runs("workflowId=" + workflow))
    EXPECT_EQ(run.at("code"), "NO_RECORD");
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
}

TEST_F(Windows, AnOrderedRunOfADeletedRecordIsSentIfItsWindowWasOpen) {
  receiver.answer_next(tenant.path(), Reply{.status = 500});
  const std::string workflow =
      tenant.webhook(url(), "order_updated", {{"window", open_window()}, {"ordered", true}});
  tenant.insert_order();
  tenant.update_orders("notes = 'a' where true");
  tenant.update_orders("notes = 'b' where true");
  wait_for(1);
  tenant.update_orders("deleted_at = now() where true");
  EXPECT_EQ(wait_for(3).size(), 3U) << "the retry and the run behind it";
  EXPECT_TRUE(eventually([&] { return with_status(workflow, "succeeded") == 2; }));
}

TEST_F(Windows, RunsOfListsWaitToo) {
  const std::string order = tenant.insert_order();
  const std::string workflow =
      text_at(tenant.configure({{"name", "list"},
                                {"entityType", "Order"},
                                {"schedule", {{"cron", "0 8 1 1 *"}}},
                                {"window", closed_window()},
                                {"action", {{"type", "webhook"}, {"recipient", url()}}}}),
              "guid");
  make_tick_due(tenant, workflow);
  EXPECT_EQ(tenant.run_with_status(workflow, "waiting").at("code"), "WINDOW");
  ASSERT_EQ(change(workflow, {{"window", open_window()}}).status, 200);
  EXPECT_EQ(text_at(wait_for(1).at(0).json_body(), "data.items.0.guid"), order);
  tenant.run_with_status(workflow, "succeeded");
}

TEST_F(Windows, ARunThatWouldWaitForLongerThanTheRetentionIsDead) {
  const std::string workflow = tenant.webhook(url(), "order_created", {{"window", closed_window()}});
  tenant.insert_order();
  tenant.run_with_status(workflow, "waiting");
  tenant.sql.rows(
      "update run_queue set created_at = now() - interval '30 days', due_at = now() where workflow_id = $1",
      {workflow});
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.value("select code from runs where workflow_id = $1", {workflow}) == "EXPIRED";
  }));
  EXPECT_EQ(tenant.sql.value("select status from runs where workflow_id = $1", {workflow}), "dead");
}

TEST_F(Windows, WithoutATimeZoneFollowTheBusiness) {
  json::object window = closed_window();
  window.erase("timezone");
  // Asia/Kolkata has had +05:30 all year since 1945.
  tenant.sql.rows("update businesses set timezone = 'UTC' where guid = $1", {tenant.id});
  const std::string workflow = tenant.webhook(url(), "order_created", {{"window", window}});
  EXPECT_TRUE(at(tenant.workflow(workflow), "window.timezone").is_null());
  const std::string order = tenant.insert_order();
  const Time in_utc = parse_timestamp(text_at(tested(workflow, order), "windowOpensAt")).value();
  const Time in_kolkata = in_utc - 5h - 30min + 24h;  // that of today is over
  const auto waits_until = [&](const std::string& record, Time opening) {
    return eventually([&] {
      const auto runs = tenant.runs("entityId=" + record);
      return runs.size() == 1 && runs[0].at("code") == "WINDOW" &&
             parse_timestamp(text_at(runs[0], "nextAttemptAt")) == opening;
    });
  };
  EXPECT_TRUE(waits_until(order, in_utc));
  tenant.sql.rows("update businesses set timezone = 'Asia/Kolkata' where guid = $1", {tenant.id});
  EXPECT_TRUE(waits_until(tenant.insert_order(), in_kolkata));
  EXPECT_TRUE(waits_until(order, in_kolkata)) << "a run that waits follows, too";
}

/// PostgreSQL finds the openings, because it has the time zones.
class Openings : public PacingTest {
 protected:
  /// "OPENS CLOSES" in UTC without the year and the seconds.
  std::string opening(const std::string& zone, const std::string& days, const std::string& from,
                      const std::string& to, const std::string& at) {
    return tenant.sql.value(
        "select concat_ws(' ', to_char(opens_at at time zone 'UTC', 'MM-DD\"T\"HH24:MI'), "
        "to_char(closes_at at time zone 'UTC', 'MM-DD\"T\"HH24:MI')) "
        "from next_opening($1, $2::integer[], $3::text::time, $4::text::time, $5::timestamptz)",
        {zone, days, from, to, at});
  }
};

TEST_F(Openings, AreThePresentOneOrElseTheNext) {
  const auto weekdays = [&](const char* at) {
    return opening("Europe/Lisbon", "{1,2,3,4,5}", "09:00", "18:00", at);
  };
  EXPECT_EQ(weekdays("2026-11-20T08:59Z"), "11-20T09:00 11-20T18:00");
  EXPECT_EQ(weekdays("2026-11-20T17:59Z"), "11-20T09:00 11-20T18:00");
  EXPECT_EQ(weekdays("2026-11-20T18:00Z"), "11-23T09:00 11-23T18:00") << "Friday evening";
  EXPECT_EQ(weekdays("2026-07-01T12:00Z"), "07-01T08:00 07-01T17:00") << "summer time";
}

TEST_F(Openings, OverMidnightBelongToTheDayOnWhichTheyBegin) {
  const auto monday = [&](const char* at) { return opening("Asia/Kolkata", "{1}", "22:00", "06:00", at); };
  EXPECT_EQ(monday("2026-11-23T20:00Z"), "11-23T16:30 11-24T00:30") << "Tuesday, half past one";
  EXPECT_EQ(monday("2026-11-22T20:00Z"), "11-23T16:30 11-24T00:30") << "Monday, half past one: not yet";
  EXPECT_EQ(monday("2026-11-24T00:30Z"), "11-30T16:30 12-01T00:30");
}

TEST_F(Openings, BeginAtTheNextTimeThatExists) {
  EXPECT_EQ(opening("America/New_York", "{7}", "02:30", "05:00", "2026-03-08T04:00Z"),
            "03-08T07:00 03-08T09:00");
  EXPECT_EQ(opening("America/New_York", "{7}", "02:15", "02:45", "2026-03-08T04:00Z"),
            "03-15T06:15 03-15T06:45")
      << "no such time on that day";
  EXPECT_EQ(opening("Australia/Lord_Howe", "{7}", "02:10", "04:00", "2026-10-03T00:00Z"),
            "10-03T15:30 10-03T17:00")
      << "half an hour";
}

TEST_F(Openings, BeginAndEndAtTheFirstOfTwoEqualTimes) {
  EXPECT_EQ(opening("Europe/Berlin", "{7}", "02:30", "04:00", "2026-10-24T22:00Z"),
            "10-25T00:30 10-25T03:00");
  EXPECT_EQ(opening("Europe/Berlin", "{6}", "22:00", "02:30", "2026-10-24T22:00Z"),
            "10-24T20:00 10-25T00:30");
}

TEST_F(Openings, AnUnknownZoneHasNoOpening) {
  EXPECT_EQ(opening("Nowhere", "{1}", "09:00", "18:00", "2026-11-20T08:59Z"), "");
}

TEST_F(Limits, FurtherRunsWithTheSameValueAreSkipped) {
  const std::string workflow =
      tenant.webhook(url(), "order_created", {{"limit", {{"by", "notes"}, {"count", 2}, {"per", "PT1H"}}}});
  insert_orders(5, "'a'");
  insert_orders(1, "'b'");
  insert_orders(3, "null");
  ASSERT_TRUE(eventually([&] { return with_status(workflow, "succeeded") == 6; })) << "2 a, 1 b, 3 without";
  ASSERT_TRUE(eventually([&] { return with_status(workflow, "skipped") == 3; }));
  EXPECT_EQ(receiver.count(tenant.path()), 6U);
  const auto skipped = tenant.runs("workflowId=" + workflow + "&status=skipped");
  EXPECT_EQ(skipped[0].at("code"), "LIMITED");
  const std::string order = text_at(skipped[0], "entityId");
  EXPECT_THAT(tenant.http.get("/api/workflows/explain?entityId=" + order).text,
              HasSubstr(R"("reason":"limited")"));
  EXPECT_EQ(at(tested(workflow, order), "limited"), true);
  EXPECT_EQ(at(tested(workflow, tenant.insert_order()), "limited"), false);
}

TEST_F(Limits, ReplaysNeitherCountNorAreLimited) {
  const std::string workflow =
      tenant.webhook(url(), "order_created", {{"limit", {{"by", "notes"}, {"count", 1}, {"per", "PT1H"}}}});
  insert_orders(2);
  ASSERT_TRUE(eventually([&] { return with_status(workflow, "skipped") == 1; }));
  const std::string skipped = text_at(tenant.runs("workflowId=" + workflow + "&status=skipped")[0], "guid");
  ASSERT_EQ(tenant.http.post("/api/workflows/runs/" + skipped + "/replay", json::object()).status, 201);
  EXPECT_EQ(wait_for(2).size(), 2U);
  EXPECT_EQ(
      tenant.sql.number("select count(*) from limited_runs where workflow_id = $1 and begun_at is not null",
                        {workflow}),
      1);
}

TEST_F(Limits, TheTimeSlides) {
  const std::string workflow =
      tenant.webhook(url(), "order_created", {{"limit", {{"by", "notes"}, {"count", 1}, {"per", "PT1H"}}}});
  insert_orders(1);
  wait_for(1);
  insert_orders(1);
  ASSERT_TRUE(eventually([&] { return with_status(workflow, "skipped") == 1; }));
  tenant.sql.rows("update limited_runs set begun_at = begun_at - interval '1 hour' where workflow_id = $1",
                  {workflow});
  insert_orders(1);
  EXPECT_EQ(wait_for(2).size(), 2U);
}

TEST_F(Limits, ARunThatHasBegunIsNotCountedAgain) {
  receiver.answer_next(tenant.path(), Reply{.status = 500});
  const std::string workflow =
      tenant.webhook(url(), "order_created", {{"limit", {{"by", "notes"}, {"count", 1}, {"per", "PT1H"}}}});
  insert_orders(1);
  EXPECT_EQ(wait_for(2).size(), 2U) << "the retry";
  tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(tenant.sql.number("select count(*) from limited_runs where workflow_id = $1", {workflow}), 1);
}

TEST_F(Limits, RunsThatBeginAtTheSameTimeWaitForEachOther) {
  const std::string workflow = "00000000-0000-4000-8000-000000000001";
  const std::string begin =
      "select count(*) from begin_within_limits(array[$1::uuid], array[$2::uuid], array[$3::uuid], array[1], "
      "array[interval '1 hour'])";
  tenant.sql.rows(
      "insert into limited_runs (business_id, run, workflow_id, value) "
      "select $1, ('00000000-0000-4000-8000-00000000001' || n)::uuid, $2, 'x' from generate_series(1, 2) n",
      {tenant.id, workflow});
  Session other(world.database.url());
  other.exec("begin");
  EXPECT_EQ(other.number(begin, {tenant.id, workflow, "00000000-0000-4000-8000-000000000011"}), 0);
  tenant.sql.exec("set lock_timeout = '100ms'");
  EXPECT_THROW(tenant.sql.number(begin, {tenant.id, workflow, "00000000-0000-4000-8000-000000000012"}),
               std::runtime_error);
  other.exec("commit");
  EXPECT_EQ(tenant.sql.number(begin, {tenant.id, workflow, "00000000-0000-4000-8000-000000000012"}), 1);
  EXPECT_EQ(tenant.sql.number(begin, {tenant.id, workflow, "00000000-0000-4000-8000-000000000011"}), 0);
}

TEST_F(Rates, RunsWaitForTheirTurnAndHoldUpNoOtherWorkflow) {
  const std::string slow = tenant.webhook(url("slow"), "order_created", {{"rate", {{"perSecond", 0.5}}}});
  tenant.webhook(url("fast"), "order_created");
  insert_orders(10);
  EXPECT_EQ(wait_for(10, "fast", 2s).size(), 10U);
  EXPECT_LE(receiver.count(tenant.path("slow")), 3U);
  EXPECT_GE(wait_for(1, "slow").size(), 1U);
  EXPECT_TRUE(eventually([&] { return with_status(slow, "queued") >= 6; }));
  ASSERT_EQ(change(slow, {{"rate", nullptr}}).status, 200);
  EXPECT_EQ(wait_for(10, "slow").size(), 10U) << "without the rate they go on";
}

TEST_F(Rates, RunsQueuedBeforeTheRateObeyIt) {
  const std::string workflow = tenant.webhook(url(), "order_created", {{"delay", "PT1S"}});
  insert_orders(6);
  ASSERT_TRUE(eventually([&] { return with_status(workflow, "waiting") == 6; }));
  ASSERT_EQ(change(workflow, {{"rate", {{"perSecond", 1}}}}).status, 200);
  const auto received = wait_for(3);
  ASSERT_GE(received.size(), 3U);
  EXPECT_GE(received[2].at - received[0].at, 1s);
}

TEST_F(PacingTest, DefinitionsNameEachBadField) {
  const Response refused = tenant.http.post(
      "/api/workflows/configure",
      {{"name", "x"},
       {"entityType", "Order"},
       {"triggerId", trigger_guid("order_created")},
       {"action", {{"type", "webhook"}, {"recipient", url()}}},
       {"window",
        {{"days", json::array{"monday"}}, {"from", "09:00"}, {"to", "09:00"}, {"timezone", "Mars/Olympus"}}},
       {"limit", {{"by", "items.sku"}, {"count", 0}, {"per", "P1Y"}, {"extra", 1}}},
       {"rate", {{"perSecond", 0}}}});
  ASSERT_EQ(refused.status, 400);
  std::set<std::string> fields;
  for (const auto& detail : at(refused.body, "error.details").as_object()) fields.emplace(detail.key());
  EXPECT_EQ(fields, (std::set<std::string>{"window.days[0]", "window.to", "window.timezone", "limit.by",
                                           "limit.count", "limit.per", "limit.extra", "rate.perSecond"}));
  const Response in_test =
      tenant.http.post("/api/workflows/test", {{"entityId", tenant.insert_order()},
                                               {"definition",
                                                {{"entityType", "Order"},
                                                 {"triggerId", trigger_guid("order_created")},
                                                 {"action", {{"type", "webhook"}, {"recipient", url()}}},
                                                 {"rate", {{"perSecond", 1001}}}}}});
  EXPECT_EQ(in_test.status, 400);
  EXPECT_THAT(in_test.text, HasSubstr("definition.rate.perSecond"));
}

TEST_F(PacingTest, ReadsVersionsAndTheAuditLogShowThem) {
  const json::object window = open_window();
  const json::object limit{{"by", "customer.email"}, {"count", 3}, {"per", "P1D"}};
  const json::object rate{{"perSecond", 2.5}};
  const std::string workflow =
      tenant.webhook(url(), "order_created", {{"window", window}, {"limit", limit}, {"rate", rate}});
  json::object read = tenant.workflow(workflow);
  EXPECT_EQ(read.at("window"), json::value(window));
  EXPECT_EQ(read.at("limit"), json::value(limit));
  EXPECT_EQ(read.at("rate"), json::value(rate));
  const auto version = [&] { return at(tenant.workflow(workflow), "version"); };
  ASSERT_EQ(tenant.http.post("/api/workflows/configure", read).status, 200);
  EXPECT_EQ(version(), 1) << "a read that is sent back changes nothing";
  EXPECT_EQ(tenant.sql.value("select trigger_code from workflows where guid = $1", {workflow}),
            "3:order_created")
      << "earlier versions hold it";

  ASSERT_EQ(change(workflow, {{"window", nullptr}, {"limit", nullptr}, {"rate", nullptr}}).status, 200);
  EXPECT_EQ(tenant.sql.value("select trigger_code from workflows where guid = $1", {workflow}),
            "order_created");
  const std::string versions = "/api/workflows/configured/" + workflow + "/versions";
  const json::value list = at(tenant.http.get(versions).body, "data");
  EXPECT_TRUE(at(list, "0.definition.window").is_null());
  EXPECT_EQ(at(list, "1.definition.limit"), json::value(limit));
  ASSERT_EQ(tenant.http.post(versions + "/1/restore", json::object()).status, 200);
  EXPECT_EQ(at(tenant.workflow(workflow), "rate"), json::value(rate));
  ASSERT_EQ(tenant.http.post(versions + "/2/restore", json::object()).status, 200);
  EXPECT_TRUE(at(tenant.workflow(workflow), "rate").is_null());
  EXPECT_THAT(tenant.http.get("/api/business/audit?entityId=" + workflow).text, HasSubstr("perSecond"));
}

TEST_F(PacingTest, TheThirdFormatCountsForItsTriggers) {
  const auto meets = [&](const char* stored) {
    return tenant.sql.value("select meets_trigger($1, 'order_shipped')", {stored});
  };
  for (const char* const stored : {"3:order_shipped", "3:any:order_created,order_shipped", "3:any:order_*"})
    EXPECT_EQ(meets(stored), "t") << stored;
  for (const char* const stored : {"3:order_created", "3:any:order_created,order_updated", "3:any:product_*"})
    EXPECT_EQ(meets(stored), "f") << stored;
}

TEST_F(PacingTest, AnUnreadableWindowIsAProblemAndIsNotLost) {
  const std::string workflow = tenant.webhook(url(), "order_created", {{"window", open_window()}});
  tenant.sql.rows("update workflows set time_window = time_window || '{\"holidays\": true}' where guid = $1",
                  {workflow});
  EXPECT_EQ(at(tenant.workflow(workflow), "problem"), "window.holidays: unknown field");
  EXPECT_EQ(change(workflow, {{"name", "renamed"}}).status, 400);
  tenant.insert_order();
  tenant.settle();
  EXPECT_EQ(tenant.sql.number("select count(*) from postponed_matches where workflow_id = $1", {workflow}),
            1);
}

TEST_F(PacingTest, AWorkflowWithoutThemHasNoRows) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.insert_order();
  tenant.run_with_status(workflow, "succeeded");
  for (const char* const table : {"limited_runs", "request_rates"})
    EXPECT_EQ(tenant.sql.number("select count(*) from " + std::string(table) + " where business_id = $1",
                                {tenant.id}),
              0)
        << table;
}

/// A retention of three days.
class ShortRetention : public testing::Test {
 protected:
  static Waybill::Options options() {
    Waybill::Options options;
    options.arguments = {"--runs-retention-days", "3"};
    return options;
  }
  World world{options()};
  Tenant tenant{world.waybill, "short"};
};

TEST_F(ShortRetention, AWindowOpensWithinTheTimeThatEventsAreKept) {
  const auto configure = [&](const json::object& more) {
    json::object body{{"name", "x"},
                      {"entityType", "Order"},
                      {"triggerId", trigger_guid("order_created")},
                      {"action", {{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/"}}}};
    for (const auto& field : more) body[field.key()] = field.value();
    return tenant.http.post("/api/workflows/configure", body);
  };
  const json::object weekly{{"days", json::array{"mon"}}, {"from", "09:00"}, {"to", "18:00"}};
  const json::object weekdays{
      {"days", json::array{"mon", "tue", "wed", "thu", "fri"}}, {"from", "09:00"}, {"to", "18:00"}};
  EXPECT_THAT(configure({{"window", weekly}}).text, HasSubstr(R"("window":"must open more often)"));
  const Response made = configure({{"window", weekdays}});
  ASSERT_EQ(made.status, 201) << "63 hours";
  const std::string workflow = text_at(made.body, "data.guid");
  const auto delay = [&](const char* text) {
    return tenant.http.post("/api/workflows/configure", {{"guid", workflow}, {"delay", text}}).status;
  };
  EXPECT_EQ(delay("PT9H"), 400);
  EXPECT_EQ(delay("PT8H59M"), 200);
}

TEST_F(ShortRetention, TheWaitsOfStepsCountWithTheWindow) {
  const auto configure = [&](const char* wait) {
    return tenant.http.post(
        "/api/workflows/configure",
        {{"name", "x"},
         {"entityType", "Order"},
         {"triggerId", trigger_guid("order_created")},
         {"delay", "PT4H"},
         {"window",
          {{"days", json::array{"mon", "tue", "wed", "thu", "fri"}}, {"from", "09:00"}, {"to", "18:00"}}},
         {"steps",
          {{{"type", "wait"}, {"delay", wait}},
           {{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/"}}}}});
  };
  EXPECT_THAT(configure("PT5H").text, HasSubstr(R"("window":"must open more often)"));
  EXPECT_EQ(configure("PT4H59M").status, 201);
  EXPECT_THAT(configure("PT68H").text, Not(HasSubstr(R"("window")"))) << "the wait alone is too long";
}

TEST_F(ShortRetention, EachWaitBeforeAnActionCanMissTheWindow) {
  const json::object hook{{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/"}};
  const json::object wait{{"type", "wait"}, {"delay", "PT1H"}};
  const auto status = [&](const json::array& steps) {
    return tenant.http
        .post(
            "/api/workflows/configure",
            {{"name", "x"},
             {"entityType", "Order"},
             {"triggerId", trigger_guid("order_created")},
             {"window",
              {{"days", json::array{"mon", "tue", "wed", "thu", "fri"}}, {"from", "09:00"}, {"to", "18:00"}}},
             {"steps", steps}})
        .status;
  };
  EXPECT_EQ(status({wait, wait, hook, hook}), 201);
  EXPECT_EQ(status({hook, wait}), 201);
  EXPECT_EQ(status({hook, wait, hook}), 400) << "twice 63 hours";
}

TEST(ExpiredLimits, AreDeletedUnlessTheirRunIsOpen) {
  TestDatabase database;
  Session sql(database.url());
  sql.exec(R"(
    insert into businesses (guid, name, email) values ('00000000-0000-4000-8000-0000000000aa', 'b', 'b@example.com');
    insert into limited_runs (business_id, run, workflow_id, value, begun_at, expires_at)
    select '00000000-0000-4000-8000-0000000000aa', ('00000000-0000-4000-8000-00000000000' || n)::uuid,
           '00000000-0000-4000-8000-0000000000bb', 'x', now(), now() + (n - 3) * interval '1 hour' from generate_series(1, 4) n;
    insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code,
                           action, status, created_at, due_at, origin, request)
    values ('00000000-0000-4000-8000-0000000000aa', '00000000-0000-4000-8000-000000000001',
            '00000000-0000-4000-8000-0000000000bb', 1, 1, 0, gen_random_uuid(), 'order_created', 'webhook', 'held', now(), now(), gen_random_uuid(), '{}');
    insert into request_rates values
      ('00000000-0000-4000-8000-0000000000aa', gen_random_uuid(), 'old', 1, 1, now() - interval '2 days'),
      ('00000000-0000-4000-8000-0000000000aa', gen_random_uuid(), 'new', 1, 1, now()))");
  database.make_duties_due();
  const Waybill waybill(database.url());
  EXPECT_TRUE(eventually(
      [&] { return sql.value("select string_agg(destination, ',') from request_rates") == "new"; }));
  EXPECT_EQ(sql.value("select string_agg(right(run::text, 1), ',' order by run) from limited_runs"), "1,4");
  EXPECT_EQ(sql.number("select count(*) from limited_runs where expires_at > now()"), 2)
      << "looked at again later";
}

/// An API and two workers.
class TwoWorkers : public testing::Test {
 protected:
  TwoWorkers() {
    for (int i = 0; i < 2; ++i) {
      Waybill::Options options;
      options.command = "worker";
      options.secret_key_file = api.secret_key_file();
      workers.push_back(std::make_unique<Waybill>(database.url(), options));
    }
  }
  static Waybill::Options api_alone() {
    Waybill::Options options;
    options.command = "api";
    return options;
  }
  void insert_orders(int count) {
    sql.rows("insert into orders (business_id, order_number, notes) select '" + tenant.id +
             "', 'SQL-' || gen_random_uuid(), 'value ' || n % 4 from generate_series(1, " +
             std::to_string(count) + ") n");
  }
  std::int64_t final_runs(const std::string& workflow) {
    return sql.number("select count(*) from runs where workflow_id = $1", {workflow});
  }

  TestDatabase database;
  Waybill api{database.url(), api_alone()};
  Receiver receiver;
  Session sql{database.url()};
  Tenant tenant{api, "two"};
  std::vector<std::unique_ptr<Waybill>> workers;
};

TEST_F(TwoWorkers, NeverExceedALimitEvenIfOneIsKilled) {
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created",
                                              {{"limit", {{"by", "notes"}, {"count", 5}, {"per", "PT1H"}}}});
  insert_orders(300);
  receiver.wait_for("/hook", 1);
  ASSERT_EQ(kill(workers[0]->process().pid(), SIGKILL), 0);
  insert_orders(300);
  ASSERT_TRUE(eventually([&] { return final_runs(workflow) == 600; }));
  std::map<std::string, std::set<std::string>> requests;
  for (const Received& request : receiver.received("/hook"))
    requests[text_at(request.json_body(), "data.entity.notes")].insert(request.header("webhook-id"));
  EXPECT_EQ(requests.size(), 4U);
  for (const auto& [value, ids] : requests) EXPECT_EQ(ids.size(), 5U) << value;
  EXPECT_EQ(sql.number("select count(*) from runs where workflow_id = $1 and code = 'LIMITED'", {workflow}),
            580);
}

TEST_F(TwoWorkers, ShareARate) {
  constexpr int rate = 10;
  constexpr int runs = 40;
  tenant.webhook(receiver.url("/hook"), "order_created", {{"rate", {{"perSecond", rate}}}});
  insert_orders(runs);
  const auto received = receiver.wait_for("/hook", runs, 20s);
  ASSERT_EQ(received.size(), static_cast<std::size_t>(runs));
  // In any time, at most a burst and what the rate allows; a request may arrive half a second late.
  for (std::size_t first = 0; first < received.size(); ++first) {
    for (std::size_t last = first; last < received.size(); ++last) {
      const std::chrono::duration<double> time = received[last].at - received[first].at;
      EXPECT_LE(static_cast<double>(last - first + 1), rate + rate * (time.count() + 0.5) + 1)
          << first << " to " << last;
    }
  }
  const std::chrono::duration<double> all = received.back().at - received.front().at;
  EXPECT_GE(all.count(), 2.4);
  EXPECT_LE(all.count(), 10) << "waiting runs are claimed as soon as they may go";
}

}  // namespace
}  // namespace waybill::tests
