#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/schedule_ticks.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"
#include "tests/workflows/timing/schedules_fixture.hpp"

namespace waybill::tests {
namespace {

TEST_F(Schedules, HaveOneRunForAllRecordsOfTheQuery) {
  tenant.create_order({{"orderNumber", "A-1"}});
  tenant.create_order({{"orderNumber", "A-2"}});
  tenant.create_order({{"orderNumber", "B-1"}});
  const std::string workflow =
      scheduled({{"query", {{"filter", "startswith(orderNumber,'A')"}, {"orderBy", "orderNumber desc"}}}});
  tick(workflow);
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  const json::value body = received[0].json_body();
  EXPECT_EQ(at(body, "type"), "schedule");
  EXPECT_EQ(at(body, "data.entityType"), "Order");
  EXPECT_EQ(at(body, "data.count"), 2);
  const json::array& items = at(body, "data.items").as_array();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(at(items[0], "orderNumber"), "A-2");
  EXPECT_EQ(at(items[0], "customer.name"), "Ada Lovelace");
  EXPECT_EQ(at(items[1], "orderNumber"), "A-1");
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(at(run, "trigger"), "schedule");
  EXPECT_EQ(at(run, "eventId"), json::value());
  EXPECT_EQ(at(run, "entityId"), json::value());
  const Response ledger = tenant.http.get("/api/workflows/ledger");
  EXPECT_EQ(at(ledger.body, "data.balanced"), json::value(true)) << ledger.text;
}

TEST_F(Schedules, TicksThatAWrongClockHasStoredComeBackAtTheStartOfAWorker) {
  const std::string often = scheduled({{"schedule", {{"cron", "*/5 * * * *"}}}});
  const std::string yearly = scheduled();
  const std::string performed = scheduled();  // its next tick, while the clock was ahead
  const std::string right = next_tick(yearly);
  tick(often);
  EXPECT_EQ(
      tenant.sql.number("select count(*) from schedules where workflow_id = $1 and last_at < now()", {often}),
      1);
  tenant.sql.rows(
      "update schedules set next_at = next_at + interval '10 years', check_at = next_at + interval '10 "
      "years', "
      "last_at = case when workflow_id = $2 then next_at end where workflow_id in ($1, $2)",
      {often, performed});
  Waybill::Options options;
  options.command = "worker";
  options.secret_key_file = world.waybill.secret_key_file();
  const Waybill worker(world.database.url(), options);
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from schedules where workflow_id = $1 and next_at <= now() + interval '5 "
               "minutes' "
               "and check_at = next_at",
               {often}) == 1;
  }));
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from schedules where workflow_id = $1 and next_at = $2::timestamptz + "
               "interval '1 year'",
               {performed, right}) == 1;
  })) << "no tick is performed twice";
  EXPECT_EQ(next_tick(yearly), right);
}

TEST_F(Schedules, GiveTemplatesTheListAtTheRoot) {
  tenant.create_order({{"orderNumber", "A-1"}});
  const std::string workflow = scheduled(
      {{"action",
        {{"type", "webhook"},
         {"recipient", url()},
         {"template",
          R"({"n": {{count}}, "all": "{{#items}}{{orderNumber}};{{/items}}", "on": "{{event.type}}"})"}}}});
  tick(workflow);
  EXPECT_EQ(wait_for(1).at(0).json_body(), json::parse(R"({"n": 1, "all": "A-1;", "on": "schedule"})"));
}

TEST_F(Schedules, AllStepsOfTheOneRunSeeTheListOfTheTick) {
  tenant.create_order({{"orderNumber", "A-1"}});
  const std::string workflow =
      scheduled_steps({{{"type", "webhook"}, {"recipient", url("first")}},
                       {{"type", "wait"}, {"delay", "PT0.3S"}},
                       {{"type", "webhook"},
                        {"recipient", url("last")},
                        {"template", R"({"n": {{count}}, "of": "{{#items}}{{orderNumber}}{{/items}}"})"}}});
  tick(workflow);
  EXPECT_EQ(at(wait_for(1, "first").at(0).json_body(), "data.count"), 1);
  tenant.create_order({{"orderNumber", "A-2"}});
  const Received last = wait_for(1, "last").at(0);
  EXPECT_EQ(last.json_body(), json::parse(R"({"n": 1, "of": "A-1"})"));
  EXPECT_TRUE(last.header("webhook-id").ends_with("_3"));
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(at(run, "steps").as_array().size(), 3U);
  EXPECT_EQ(at(run, "entityId"), json::value());
  const Response replayed =
      tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", {{"fromStep", 3}});
  ASSERT_EQ(replayed.status, 201) << replayed.text;
  EXPECT_EQ(wait_for(2, "last").at(1).body, last.body);
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
}

TEST_F(Schedules, StepsThatNeedARecordAreNamedUnlessThereIsARunForEach) {
  json::object body = with_steps({{{"type", "webhook"}, {"recipient", url()}, {"when", {{"notes", "x"}}}},
                                  {{"type", "wait"}, {"until", "createdAt"}},
                                  {{"type", "update_record"}, {"set", {{"notes", "x"}}}},
                                  {{"type", "stop"}}});
  const json::object refused = details(body).as_object();
  EXPECT_EQ(refused.size(), 3U) << to_json(refused);
  for (const char* const field : {"steps[0].when.notes", "steps[1].until", "steps[2].type"})
    EXPECT_TRUE(refused.contains(field)) << field;
  body["each"] = true;
  tenant.configure(body);
}

TEST_F(Schedules, TheRunsOfATickBeginInTheOrderOfItsQuery) {
  constexpr int orders = 6;
  for (int i = 1; i <= orders; ++i) tenant.create_order({{"orderNumber", "O-" + std::to_string(i)}});
  const json::object query{{"orderBy", "orderNumber desc"}};
  std::vector<std::string> limited;
  for (int i = 0; i < 4; ++i) {
    limited.push_back(scheduled({{"each", true},
                                 {"query", query},
                                 {"limit", {{"by", "currency"}, {"count", 1}, {"per", "PT1H"}}},
                                 {"action", {{"type", "webhook"}, {"recipient", url("limited")}}}}));
  }
  const std::string with_rate = scheduled({{"each", true}, {"query", query}, {"rate", {{"perSecond", 2}}}});
  for (const std::string& workflow : limited) tick(workflow);
  tick(with_rate);
  for (const Received& first : wait_for(limited.size(), "limited"))
    EXPECT_EQ(at(first.json_body(), "data.entity.orderNumber"), "O-6");
  std::vector<std::string> order;
  for (const Received& each : wait_for(orders))
    order.push_back(text_at(each.json_body(), "data.entity.orderNumber"));
  ASSERT_EQ(order.size(), static_cast<std::size_t>(orders));
  std::sort(order.begin(), order.begin() + 2);  // the burst is sent at once
  EXPECT_THAT(order, testing::ElementsAre("O-5", "O-6", "O-4", "O-3", "O-2", "O-1"));
  const auto runs = tenant.runs("workflowId=" + with_rate);
  EXPECT_EQ(at(runs.front(), "createdAt"), at(runs.back(), "createdAt")) << "all have the time of the tick";
}

TEST_F(Schedules, HaveARunForEachRecord) {
  for (int i = 1; i <= 3; ++i) tenant.create_order({{"orderNumber", "E-" + std::to_string(i)}});
  const std::string workflow =
      scheduled({{"each", true},
                 {"conditions", {{"orderNumber", {{"ne", "E-2"}}}}},
                 {"query", {{"orderBy", "orderNumber"}}},
                 {"action", {{"type", "update_record"}, {"set", {{"notes", "seen"}}}}}});
  tick(workflow);
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from orders where business_id = $1 and notes = 'seen'",
                             {tenant.id}) == 2;
  }));
  EXPECT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=succeeded").size() == 2; }));
  const std::string order = tenant.sql.value(
      "select guid from orders where business_id = $1 and order_number = 'E-1'", {tenant.id});
  const Response explained = tenant.http.get("/api/workflows/explain?entityId=" + order);
  ASSERT_EQ(explained.status, 200) << explained.text;
  std::vector<std::string> kinds;
  for (const json::value& entry : explained.data().as_array())
    kinds.push_back(at(entry, "eventId").is_null() ? text_at(entry, "kind") : "event");
  EXPECT_THAT(kinds, testing::UnorderedElementsAre("event", "event", "schedule"));
}

TEST_F(Schedules, ExplainTellsWhyTheyMadeNoRunForARecord) {
  const json::object query{{"filter", "startswith(orderNumber,'A')"}};
  const std::string listed = tenant.create_order({{"orderNumber", "A-1"}});
  const std::string refused = tenant.create_order({{"orderNumber", "A-2"}});
  const std::string other = tenant.create_order({{"orderNumber", "B-1"}});
  tenant.settle();
  const std::string workflow =
      scheduled({{"query", query}, {"conditions", {{"orderNumber", {{"ne", "A-2"}}}}}});
  EXPECT_EQ(explained(listed), std::vector<std::string>{"timer_waiting"});
  EXPECT_EQ(explained(refused), std::vector<std::string>{"condition"});
  EXPECT_EQ(explained(other), std::vector<std::string>());

  tick(workflow);
  ASSERT_EQ(wait_for(1).size(), 1U);
  const std::string run = text_at(tenant.run_with_status(workflow, "succeeded"), "guid");
  EXPECT_EQ(explained(listed), std::vector<std::string>{"fired " + run}) << "the run for all records";
  EXPECT_EQ(explained(refused), std::vector<std::string>{"condition"});

  tenant.http.get("/api/workflows/configured/" + workflow + "/toggle");
  EXPECT_EQ(explained(refused), std::vector<std::string>{"switched_off"});
  EXPECT_EQ(explained(listed), (std::vector<std::string>{"switched_off", "fired " + run}));
  EXPECT_EQ(explained(other), std::vector<std::string>());
}

TEST_F(Schedules, ExplainFindsTheRunOfSeveralStepsThatHasTheRecordInItsList) {
  const std::string order = tenant.create_order({{"orderNumber", "A-1"}});
  const std::string workflow =
      scheduled_steps({{{"type", "webhook"}, {"recipient", url()}, {"template", "{\"count\": {{count}}}"}},
                       {{"type", "wait"}, {"delay", "PT1H"}},
                       {{"type", "webhook"}, {"recipient", url()}}});
  tick(workflow);
  ASSERT_EQ(wait_for(1).size(), 1U);
  ASSERT_EQ(tenant.runs("workflowId=" + workflow).size(), 1U);
  const std::string run = text_at(tenant.runs("workflowId=" + workflow).front(), "guid");
  EXPECT_EQ(explained(order), std::vector<std::string>{"fired " + run});
}

TEST_F(Schedules, TheListsOfRunsAreErasedWithAPerson) {
  const std::string order = tenant.create_order();
  const std::string workflow = scheduled();
  tick(workflow);
  EXPECT_THAT(wait_for(1).at(0).body, testing::HasSubstr("Ada Lovelace"));
  tenant.run_with_status(workflow, "succeeded");
  const std::string customer = tenant.sql.value("select customer_id from orders where guid = $1", {order});
  const Response erased = tenant.http.post("/api/v1/Customers/" + customer + "/erase", json::object{});
  ASSERT_EQ(erased.status, 200) << erased.text;
  EXPECT_EQ(tenant.sql.number("select count(*) from runs where business_id = $1 and body like '%Ada%'",
                              {tenant.id}),
            0);
}

TEST_F(Schedules, TheListsOfRunsOfSeveralStepsAreErasedWithAPerson) {
  const std::string order = tenant.create_order();
  const std::string workflow = scheduled_steps({{{"type", "webhook"}, {"recipient", url("first")}},
                                                {{"type", "wait"}, {"delay", "PT1H"}},
                                                {{"type", "webhook"}, {"recipient", url("last")}}});
  tick(workflow);
  const json::object run = tenant.run_with_status(workflow, "waiting");
  const auto texts_with = [&](const std::string& name) {
    return tenant.sql.number(
        "select count(*) from run_step_texts where business_id = $1 and concat(request, body) like $2",
        {tenant.id, "%" + name + "%"});
  };
  EXPECT_GT(texts_with("Ada Lovelace"), 0);
  const std::string customer = tenant.sql.value("select customer_id from orders where guid = $1", {order});
  const Response erased = tenant.http.post("/api/v1/Customers/" + customer + "/erase", json::object{});
  ASSERT_EQ(erased.status, 200) << erased.text;
  EXPECT_EQ(texts_with("Ada Lovelace"), 0);
  tenant.sql.exec("update run_queue set due_at = now() where guid = '" + text_at(run, "guid") + "'");
  tenant.sql.exec("notify waybill_queue");
  const json::object ended = tenant.run_with_status(workflow, "skipped");
  EXPECT_EQ(at(ended, "code"), "NO_RECORD");
  EXPECT_EQ(receiver.count(tenant.path("last")), 0U);
}

TEST_F(Schedules, RunWithoutRecordsOnlyIfAsked) {
  const std::string silent = scheduled();
  tick(silent);
  EXPECT_TRUE(tenant.runs("workflowId=" + silent).empty());
  const std::string loud = scheduled({{"runWhenEmpty", true}});
  tick(loud);
  const json::value body = wait_for(1).at(0).json_body();
  EXPECT_EQ(at(body, "data.count"), 0);
  EXPECT_EQ(at(body, "data.items"), json::value(json::array()));
  const std::string each = scheduled({{"runWhenEmpty", true}, {"each", true}});
  tick(each);
  EXPECT_TRUE(tenant.runs("workflowId=" + each).empty()) << "there is no record to run for";
}

TEST_F(Schedules, MakeMissedTicksUpOnce) {
  tenant.create_order();
  const std::string workflow = scheduled({{"schedule", {{"cron", "0 * * * *"}}}});
  tick(workflow, "3 days");
  EXPECT_EQ(wait_for(1).size(), 1U);
  tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(receiver.count(tenant.path()), 1U);
}

TEST_F(Schedules, ATickThatWasMissedWhileTheWorkflowWasOnRunsAfterThoseMissedWhileItWasOff) {
  const std::string workflow = scheduled({{"schedule", {{"cron", "* * * * *"}}}, {"runWhenEmpty", true}});
  const std::string of_it = " where guid = '" + workflow + "'; ";
  const std::string switched =
      "insert into workflow_switches (business_id, workflow_id, at, is_active) values ('" + tenant.id +
      "', '" + workflow + "', now() - interval ";
  tenant.sql.exec("update workflows set active_since = now() - interval '5 minutes'" + of_it +
                  "delete from workflow_switches where workflow_id = '" + workflow + "'; " + switched +
                  "'20 minutes', false); " + switched + "'5 minutes', true); " +
                  "update schedules set next_at = date_trunc('minute', now() - interval '10 minutes'), "
                  "check_at = now() where workflow_id = '" +
                  workflow + "'");
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from all_runs where workflow_id = $1 and created_at < now() - interval '3 "
               "minutes'",
               {workflow}) == 1;
  })) << "one run for all missed ticks";
}

TEST_F(Schedules, DoNotRunWhileTheWorkflowIsOff) {
  tenant.create_order();
  const std::string workflow = scheduled();
  const auto toggle = [&] { tenant.http.get("/api/workflows/configured/" + workflow + "/toggle"); };
  toggle();
  tick(workflow);
  EXPECT_TRUE(tenant.runs("workflowId=" + workflow).empty());
  toggle();
  tick(workflow, "1 minute", false);
  EXPECT_TRUE(tenant.runs("workflowId=" + workflow).empty()) << "it was off at the time of the tick";
  ASSERT_EQ(tenant.http.del("/api/workflows/configured/" + workflow).status, 200);
  tenant.sql.exec("update schedules set check_at = now() where workflow_id = '" + workflow + "'");
  scheduled();  // a worker looks for ticks only while there is a schedule
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from schedules where workflow_id = $1", {workflow}) == 0;
  }));
}

TEST_F(Schedules, ObeyTheLimitOfTheQuery) {
  for (int i = 0; i < 3; ++i) tenant.create_order();
  const std::string workflow = scheduled({{"query", {{"limit", 2}}}});
  tick(workflow);
  EXPECT_EQ(at(wait_for(1).at(0).json_body(), "data.count"), 2);
}

TEST_F(Schedules, ReadsOfThemCanBeSentBack) {
  const std::string workflow = scheduled(
      {{"schedule", {{"cron", "0 8 * * 7"}, {"timezone", "Europe/Lisbon"}}}, {"query", {{"limit", 5}}}});
  json::object read = tenant.workflow(workflow);
  EXPECT_EQ(at(read, "schedule"), json::parse(R"({"cron": "0 8 * * 7", "timezone": "Europe/Lisbon"})"));
  EXPECT_EQ(at(read, "query"), json::parse(R"({"filter": "", "orderBy": "", "limit": 5})"));
  EXPECT_EQ(at(read, "each"), json::value(false));
  EXPECT_EQ(at(read, "runWhenEmpty"), json::value(false));
  EXPECT_EQ(at(read, "trigger"), "schedule");
  EXPECT_EQ(at(read, "problem"), json::value());
  const Response sent = tenant.http.post("/api/workflows/configure", read);
  ASSERT_EQ(sent.status, 200) << sent.text;
  EXPECT_EQ(at(sent.body, "data.version"), 1) << "nothing has changed";
  const json::object changed{{"guid", workflow}, {"query", {{"filter", "status eq 'pending'"}}}};
  ASSERT_EQ(tenant.http.post("/api/workflows/configure", changed).status, 200);
  EXPECT_EQ(at(tenant.workflow(workflow), "schedule.cron"), "0 8 * * 7");
  EXPECT_EQ(at(tenant.workflow(workflow), "query.filter"), "status eq 'pending'");
  ASSERT_EQ(tenant.http.post("/api/workflows/configured/" + workflow + "/versions/1/restore", json::object{})
                .status,
            200);
  EXPECT_EQ(at(tenant.workflow(workflow), "query.limit"), 5);
  EXPECT_EQ(at(tenant.workflow(tenant.webhook(url(), "order_created")), "schedule"), json::value());
}

TEST_F(Schedules, BadSchedulesAreNamed) {
  const auto refused = [&](const json::object& more) { return details(definition(more)).as_object(); };
  EXPECT_EQ(refused({{"schedule", {{"cron", "0 0 30 2 *"}}}}).at("schedule.cron"), "never comes due");
  EXPECT_TRUE(refused({{"schedule", {{"cron", "0 8 * * *"}, {"timezone", "Nowhere"}}}})
                  .contains("schedule.timezone"));
  EXPECT_TRUE(refused({{"query", {{"limit", 1001}}}}).contains("query.limit"));
  EXPECT_TRUE(refused({{"query", {{"filter", "size eq 1"}}}}).contains("query.filter"));
  EXPECT_TRUE(refused({{"query", {{"orderBy", "size"}}}}).contains("query.orderBy"));
  EXPECT_TRUE(refused({{"triggerId", trigger_guid("order_created")}}).contains("schedule"));
  EXPECT_TRUE(refused({{"timer", {{"field", "createdAt"}, {"offset", "P1D"}}}}).contains("timer"));
  EXPECT_TRUE(refused({{"delay", "PT1H"}}).contains("delay"));
  const json::object both = refused({{"delay", "PT1H"}, {"schedule", {{"cron", "never"}}}});
  EXPECT_TRUE(both.contains("delay") && both.contains("schedule.cron")) << to_json(both);
  EXPECT_TRUE(
      refused({{"action", {{"type", "update_status"}, {"status", "ready"}}}}).contains("action.type"));
  json::object body = definition();
  body.erase("schedule");
  body["triggerId"] = trigger_guid("order_created");
  body["each"] = true;
  EXPECT_TRUE(details(body).as_object().contains("each"));
}

TEST_F(Schedules, ARunForAllRecordsThatCannotBeRenderedIsDead) {
  tenant.create_order({{"notes", ".."}});
  ASSERT_EQ(tenant.http.put("/api/business/alerts", {{"webhook", {{"url", url("alerts")}}}}).status, 200);
  const std::string workflow = scheduled(
      {{"action", {{"type", "webhook"}, {"recipient", url() + "/{{#items}}{{notes}}{{/items}}/x"}}}});
  tick(workflow);
  const json::object run = tenant.run_with_status(workflow, "dead");
  EXPECT_EQ(text_at(run, "code"), "INVALID_VALUE");
  EXPECT_EQ(at(run, "entityId"), json::value());
  EXPECT_EQ(text_at(wait_for(1, "alerts").at(0).json_body(), "data.run.guid"), text_at(run, "guid"));
  EXPECT_EQ(at(tenant.http.get("/api/workflows/overview").data(), "totals.dead24h"), 1);
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
  tick(workflow, "30 seconds");
  EXPECT_EQ(tenant.runs("workflowId=" + workflow + "&status=dead").size(), 2U) << "the next tick came";
  const Response replayed = tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", {});
  ASSERT_EQ(replayed.status, 201) << replayed.text;
  json::object skipped;
  ASSERT_TRUE(eventually([&] {
    skipped = tenant.run(text_at(replayed.data(), "guid"));
    return text_at(skipped, "status") == "skipped";
  }));
  EXPECT_EQ(text_at(skipped, "code"), "NO_RECORD") << "its list is not stored";
  EXPECT_EQ(text_at(skipped, "error"), "The list of the records is no longer stored.");
}

TEST_F(Schedules, AListThatIsTooLargeEndsItsRun) {
  tenant.write_long_values();
  for (int i = 0; i < 10; ++i) tenant.insert_order({{"notes", "repeat('x', 900000)"}});
  const json::object small{{"type", "webhook"}, {"recipient", url()}, {"template", R"({"n": {{count}}})"}};
  const std::string workflow = scheduled({{"action", small}});
  tick(workflow);
  const json::object run = tenant.run_with_status(workflow, "dead");
  EXPECT_EQ(text_at(run, "code"), "PAYLOAD_TOO_LARGE");
  EXPECT_THAT(text_at(run, "error"), testing::HasSubstr("8 MiB"));
  const std::string less = scheduled({{"action", small}, {"query", {{"limit", 9}}}});
  tick(less);
  EXPECT_EQ(wait_for(1).at(0).json_body(), json::parse(R"({"n": 9})"));
  const std::string each = scheduled(
      {{"each", true},
       {"action", {{"type", "webhook"}, {"recipient", url("each")}, {"template", R"({"n": "1"})"}}}});
  tick(each);
  EXPECT_EQ(wait_for(10, "each").size(), 10U) << "no run has more than one record";
}

TEST_F(Schedules, RecordsBeyondTheFirstPortionAreRead) {
  tenant.sql.rows(
      "insert into orders (business_id, order_number) select $1, 'P-' || lpad(i::text, 4, '0') "
      "from generate_series(1, 150) i",
      {tenant.id});
  const std::string workflow =
      scheduled({{"query", {{"orderBy", "orderNumber"}}},
                 {"action",
                  {{"type", "webhook"},
                   {"recipient", url()},
                   {"template", R"({"n": {{count}}, "all": "{{#items}}{{orderNumber}};{{/items}}"})"}}}});
  tick(workflow);
  const json::value body = wait_for(1).at(0).json_body();
  EXPECT_EQ(at(body, "n"), 150);
  const std::string all = text_at(body, "all");
  EXPECT_EQ(all.size(), 150 * std::string("P-0001;").size());
  EXPECT_TRUE(all.starts_with("P-0001;P-0002;") && all.ends_with("P-0149;P-0150;"));
  const std::string each =
      scheduled({{"each", true}, {"action", {{"type", "update_record"}, {"set", {{"notes", "seen"}}}}}});
  tick(each);
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from orders where business_id = $1 and notes = 'seen'",
                             {tenant.id}) == 150;
  }));
}

TEST_F(Schedules, BusinessesTakeTurns) {
  Tenant quiet(world.waybill, test_name() + "Quiet");
  constexpr int many = 8;
  for (int i = 0; i < many; ++i) scheduled({{"runWhenEmpty", true}});
  quiet.configure(definition({{"runWhenEmpty", true}}));
  const auto ticks = [&](const std::string& condition) {
    return tenant.sql.number("select count(*) from schedules where business_id in ($1, $2) and " + condition,
                             {tenant.id, quiet.id});
  };
  ASSERT_TRUE(eventually([&] { return ticks("next_at is not null") == many + 1; }));
  tenant.sql.rows(
      "update workflows set active_since = now() - interval '30 days' where business_id in ($1, $2)",
      {tenant.id, quiet.id});
  tenant.sql.rows(
      "update schedules set next_at = now() - interval '1 minute', "
      "check_at = now() - case when business_id = $1 then interval '1 hour' else interval '0' end "
      "where business_id in ($1, $2)",
      {tenant.id, quiet.id});
  ASSERT_TRUE(eventually([&] { return ticks("next_at > now()") == many + 1; }));
  const auto runs = [&](const std::string& condition) {
    return tenant.sql.number("select count(*) from all_runs r where r.business_id = $1 " + condition,
                             {tenant.id});
  };
  EXPECT_EQ(runs(""), many);
  EXPECT_LE(runs("and r.event_id < (select event_id from all_runs where business_id = '" + quiet.id + "')"),
            1)
      << "the numbers follow the order of the ticks";
}

/// Schedules in a separate database, in which their queries or runs are made to fail.
class FailingSchedules : public testing::Test {
 protected:
  /// Configures a schedule whose query has a filter; returns the workflow.
  json::value configured(const char* filter) {
    const Response made =
        tenant.http.post("/api/workflows/configure",
                         {{"name", "failing"},
                          {"entityType", "Order"},
                          {"schedule", {{"cron", "0 8 1 1 *"}}},
                          {"query", {{"filter", filter}}},
                          {"action", {{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/"}}}});
    EXPECT_EQ(made.status, 201) << made.text;
    return made.data();
  }
  /// Waits for the dead run of a tick that is due. Returns its code.
  std::string code_of_tick(const std::string& workflow) {
    make_tick_due(tenant, workflow);
    const json::object run = tenant.run_with_status(workflow, "dead");
    EXPECT_EQ(tenant.sql.number("select count(*) from schedules where workflow_id = $1 and next_at > now()",
                                {workflow}),
              1)
        << "the next tick comes";
    return text_at(run, "code");
  }

  World world;
  Tenant tenant{world.waybill, "failing"};
};

TEST_F(FailingSchedules, ATickWhoseQueryIsTooSlowEndsInADeadRun) {
  tenant.create_order();
  tenant.settle();
  tenant.sql.exec(
      "create or replace function source_kind(o orders) returns text language plpgsql as "
      "$$ begin perform pg_sleep(60); return 'api'; end $$");
  const json::value workflow = configured("source/type eq 'api'");
  EXPECT_EQ(at(workflow, "firedLast7Days"), json::value()) << "the count is given up";
  EXPECT_EQ(code_of_tick(text_at(workflow, "guid")), "QUERY_TIMEOUT");
}

TEST_F(FailingSchedules, ATickWhoseRunsTheDatabaseRefusesEndsInADeadRun) {
  tenant.create_order();
  const json::value workflow = configured("");
  tenant.sql.exec("alter table run_queue add constraint refused check (trigger_code <> 'schedule')");
  EXPECT_EQ(code_of_tick(text_at(workflow, "guid")), "UNRECORDABLE");
}

TEST_F(Schedules, SchedulesOfASuspendedBusinessRunWhenItIsResumed) {
  const std::string workflow = scheduled({{"runWhenEmpty", true}});
  set_suspended(true);
  tenant.sql.exec(
      "update schedules set next_at = now() - interval '1 minute', check_at = now() where workflow_id = '" +
      workflow + "'");
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from schedules where workflow_id = $1 and check_at > now() and "
               "next_at < now()",
               {workflow}) == 1;
  }));
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  set_suspended(false);
  tick(workflow);
  EXPECT_EQ(wait_for(1).size(), 1U);
}

}  // namespace
}  // namespace waybill::tests
