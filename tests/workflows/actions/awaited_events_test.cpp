// Steps that wait for an event of their record.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/workflows/actions/steps_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AwaitedEvents : public StepsTest {
 protected:
  static json::object waits_for(const json::object& awaited, const json::object& more = {}) {
    json::object step{{"type", "wait"}, {"for", awaited}, {"atMost", "P1D"}};
    for (const auto& [key, value] : more) step[key] = value;
    return step;
  }
  static json::object for_trigger(std::string_view code, const json::object& more = {}) {
    return waits_for({{"triggers", json::array{code}}}, more);
  }
  /// Waits until a run of the workflow waits for an event, and has looked at the events before.
  std::string waiting_run(std::string_view flow) {
    std::string guid;
    EXPECT_TRUE(eventually([&] {
      const auto rows = tenant.sql.rows(
          "select guid from run_queue where workflow_id = $1 and status = 'waiting' and watched_step > 0 "
          "and due_at > now() + interval '1 hour'",
          {std::string(flow)});
      if (rows.empty()) return false;
      guid = rows.at(0).at(0).value();
      return true;
    }));
    return guid;
  }
  /// True if the run waits on after all events are recorded.
  bool is_waiting(std::string_view run) {
    tenant.settle();
    return eventually([&] {
      return tenant.sql.number(
                 "select count(*) from run_queue where guid = $1 and status = 'waiting' "
                 "and due_at > now() + interval '1 hour'",
                 {std::string(run)}) == 1;
    });
  }
  static const json::value& step_at(const json::object& run, std::size_t number) {
    return run.at("steps").as_array().at(number - 1);
  }
};

TEST_F(AwaitedEvents, EndAWaitAndTheRunGoesOnWithItsOwnEvent) {
  const std::string flow = workflow(
      {for_trigger("order_shipped", {{"name", "shipped"}}),
       hook("told", {{"template", R"({"late": {{steps.shipped.timedOut}}, "event": "{{event.type}}",)"
                                  R"( "status": "{{status}}", "ended": "{{steps.shipped.status}}"})"}})});
  const std::string order = tenant.create_order();
  const std::string run = waiting_run(flow);
  tenant.put_order(order, {{"notes", "no end of the wait"}});
  EXPECT_TRUE(is_waiting(run));
  tenant.move_order(order, "shipped");
  const json::value told = wait_for(1, "told").at(0).json_body();
  EXPECT_EQ(at(told, "late"), false);
  EXPECT_EQ(at(told, "event"), "order_created");
  EXPECT_EQ(at(told, "status"), "shipped");
  EXPECT_EQ(at(told, "ended"), "succeeded");
  const json::object ended = tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(at(step_at(ended, 1), "timedOut"), false);
  EXPECT_EQ(at(step_at(ended, 1), "eventId").as_int64(),
            tenant.sql.number("select max(id) from events where entity_id = $1", {order}));
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
}

TEST_F(AwaitedEvents, ThatDoNotComeEndTheWaitByItsTime) {
  const std::string flow =
      workflow({for_trigger("order_shipped", {{"name", "shipped"}, {"atMost", "PT1S"}}),
                hook("late", {{"when", {{"steps.shipped.timedOut", true}}}}), hook("after")});
  tenant.create_order();
  EXPECT_THAT(steps_of(tenant.run_with_status(flow, "succeeded")),
              ElementsAre("1 wait succeeded", "2 webhook succeeded", "3 webhook succeeded"));
  EXPECT_EQ(at(step_at(tenant.run(text_at(tenant.runs("workflowId=" + flow).at(0), "guid")), 1), "timedOut"),
            true);
}

TEST_F(AwaitedEvents, CountAlsoIfTheyCameBeforeTheStepBegan) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next(tenant.path("first"), Reply::after(gate));
  const std::string flow = workflow({hook("first"), for_trigger("order_shipped"), hook("told")});
  const std::string order = tenant.create_order();
  wait_for(1, "first");
  tenant.move_order(order, "shipped");
  tenant.settle();
  gate->open();
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
}

TEST_F(AwaitedEvents, EndOneWaitEach) {
  const std::string flow =
      workflow({for_trigger("order_updated"), for_trigger("order_updated"), hook("told")});
  const std::string order = tenant.create_order();
  const std::string run = waiting_run(flow);
  tenant.put_order(order, {{"notes", "1"}});
  ASSERT_TRUE(eventually([&] { return tenant.run(run).at("steps").as_array().size() == 2; }));
  EXPECT_TRUE(is_waiting(run));
  tenant.put_order(order, {{"notes", "2"}});
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
}

TEST_F(AwaitedEvents, ThatTwoWaitsNeedMayBothHaveComeBefore) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next(tenant.path("first"), Reply::after(gate));
  const std::string flow = workflow({hook("first"), waits_for({{"conditions", {{"notes", "1"}}}}),
                                     waits_for({{"conditions", {{"notes", "2"}}}}), hook("told")});
  const std::string order = tenant.create_order();
  wait_for(1, "first");
  for (const char* const notes : {"1", "2", "3"}) tenant.put_order(order, {{"notes", notes}});
  gate->open();
  EXPECT_EQ(wait_for(1, "told").size(), 1U) << "the record has had both values, one after the other";
}

TEST_F(AwaitedEvents, AreNotUsedUpByConditionsThatHoldAlready) {
  const std::string flow =
      workflow({waits_for({{"conditions", {{"notes", "now"}}}}),
                waits_for({{"triggers", {"order_updated"}}, {"conditions", {{"notes", {{"to", "then"}}}}}}),
                hook("told", {{"template", R"({"previous": "{{previous.notes}}"})"}})});
  const std::string order = tenant.create_order({{"notes", "now"}});
  const std::string run = waiting_run(flow);
  EXPECT_THAT(steps_of(tenant.run(run)), ElementsAre("1 wait succeeded", "2 wait waiting"));
  tenant.put_order(order, {{"notes", "other"}});
  EXPECT_TRUE(is_waiting(run));
  tenant.put_order(order, {{"notes", "then"}});
  EXPECT_EQ(wait_for(1, "told").at(0).body, R"({"previous": ""})") << "that of the run's own event";
}

TEST_F(AwaitedEvents, AreNotThoseThatTheRunItselfCauses) {
  const std::string flow =
      workflow({sets(R"({"notes": "mine"})"), for_trigger("order_updated"), hook("told")});
  const std::string order = tenant.create_order();
  const std::string run = waiting_run(flow);
  EXPECT_TRUE(is_waiting(run));
  workflow({sets(R"({"tags": {"add": ["other"]}})")}, {{"triggerId", trigger_guid("order_status_changed")}});
  tenant.move_order(order, "processing");
  EXPECT_EQ(wait_for(1, "told").size(), 1U) << "the change of another workflow counts";
}

TEST_F(AwaitedEvents, OfAPausedWorkflowEndTheWaitAndTheRunIsHeld) {
  const std::string flow = workflow({for_trigger("order_shipped", {{"name", "shipped"}}), hook("told")});
  const std::string order = tenant.create_order();
  const std::string run = waiting_run(flow);
  tenant.sql.exec("update workflows set paused_reason = 'a test', paused_at = now() where guid = '" + flow +
                  "'");
  tenant.move_order(order, "shipped");
  tenant.run_with_status(flow, "held");
  EXPECT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + flow).status, 200);
  EXPECT_EQ(at(step_at(tenant.run_with_status(flow, "succeeded"), 1), "timedOut"), false);
}

TEST_F(AwaitedEvents, MayComeAfterARunThatKeepsItsVersion) {
  const std::string flow = workflow({for_trigger("order_shipped"), hook("old")});
  const std::string order = tenant.create_order();
  waiting_run(flow);
  tenant.configure({{"guid", flow}, {"steps", {hook("new")}}});
  tenant.move_order(order, "shipped");
  EXPECT_EQ(wait_for(1, "old").size(), 1U);
}

TEST_F(AwaitedEvents, CountForAReplayFromThenOn) {
  const std::string flow = workflow({for_trigger("order_updated"), hook("told")});
  const std::string order = tenant.create_order();
  waiting_run(flow);
  tenant.put_order(order, {{"notes", "1"}});
  const json::object run = tenant.run_with_status(flow, "succeeded");
  const Response response =
      tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", {{"fromStep", 1}});
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_TRUE(is_waiting(waiting_run(flow))) << "the event before the replay does not count";
  tenant.put_order(order, {{"notes", "2"}});
  EXPECT_EQ(wait_for(2, "told").size(), 2U);
}

TEST_F(AwaitedEvents, CountForRunsOfTimers) {
  const std::string flow =
      workflow({for_trigger("order_updated"), hook("told")},
               {{"triggerId", nullptr}, {"timer", {{"field", "createdAt"}, {"offset", "PT2S"}}}});
  const std::string order = tenant.create_order();
  tenant.put_order(order, {{"notes", "before the run"}});
  EXPECT_TRUE(is_waiting(waiting_run(flow)));
  tenant.put_order(order, {{"notes", "after"}});
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
}

TEST_F(AwaitedEvents, OfAnOrderedWorkflowHoldBackTheNextRunAndConfigureSaysSo) {
  const json::object configured = tenant.configure(definition(
      {for_trigger("order_shipped"), hook("told")},
      {{"ordered", true}, {"triggers", {"order_created", "order_updated"}}, {"triggerId", nullptr}}));
  ASSERT_EQ(configured.at("warnings").as_array().size(), 1U);
  EXPECT_THAT(std::string(configured.at("warnings").at(0).as_string()), HasSubstr("ordered"));
  const std::string order = tenant.create_order();
  waiting_run(text_at(configured, "guid"));
  tenant.put_order(order, {{"notes", "next"}});
  tenant.settle();
  EXPECT_EQ(tenant.runs("status=queued").size(), 1U);
  tenant.move_order(order, "shipped");
  EXPECT_EQ(wait_for(2, "told").size(), 2U) << "it ends the waits of both runs";
  EXPECT_FALSE(tenant.configure(definition({hook("told")})).contains("warnings"));
}

TEST_F(AwaitedEvents, OfASuspendedBusinessCountOnceItIsResumed) {
  const std::string flow = workflow({for_trigger("order_shipped"), hook("told")});
  const std::string order = tenant.create_order();
  waiting_run(flow);
  set_suspended(true);
  tenant.sql.rows("update orders set status = 'shipped' where guid = $1", {order});
  set_suspended(false);
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
}

TEST_F(AwaitedEvents, OfADeletedRecordDoNotComeAndTheRunEnds) {
  const std::string flow = workflow({for_trigger("order_shipped"), hook("told")});
  const std::string order = tenant.create_order();
  waiting_run(flow);
  tenant.sql.exec("update orders set deleted_at = now() where guid = '" + order + "'");
  tenant.sql.rows("update run_queue set due_at = now() where workflow_id = $1", {flow});
  tenant.sql.exec("notify waybill_queue");
  EXPECT_EQ(text_at(tenant.run_with_status(flow, "skipped"), "code"), "NO_RECORD");
}

TEST_F(AwaitedEvents, AreNeitherLostNorUsedTwiceWhenTheyComeAsTheWaitBegins) {
  constexpr int orders = 150;
  const std::string flow =
      workflow({hook("first"), for_trigger("order_updated", {{"name", "a"}}),
                for_trigger("order_updated", {{"name", "b"}}),
                hook("told", {{"template", R"({"a": {{steps.a.timedOut}}, "b": {{steps.b.timedOut}}})"}})});
  std::vector<std::string> created;
  for (int i = 0; i < orders; ++i) created.push_back(tenant.insert_order());
  // The first event of some orders comes before their wait, that of others as it begins.
  for (const std::string& order : created)
    tenant.sql.rows("update orders set notes = '1' where guid = $1", {order});
  tenant.settle();
  EXPECT_EQ(tenant.runs("status=succeeded").size(), 0U) << "one event ends one wait";
  for (const std::string& order : created)
    tenant.sql.rows("update orders set notes = '2' where guid = $1", {order});
  const auto told = wait_for(orders, "told", std::chrono::seconds(30));
  ASSERT_EQ(told.size(), static_cast<std::size_t>(orders));
  for (const Received& request : told) EXPECT_EQ(request.body, R"({"a": false, "b": false})");
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path("told")), static_cast<std::size_t>(orders));
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
}

TEST_F(AwaitedEvents, AreShownAsGivenAndRefusedWithThePathOfEachError) {
  const json::object step =
      waits_for({{"triggers", {"order_shipped"}}, {"conditions", {{"totalValue", {{"gt", 5}}}}}},
                {{"name", "w"}, {"atMost", "P2D"}, {"workdays", true}});
  const std::string flow = workflow({step, hook("told")});
  const json::object shown = tenant.workflow(flow).at("steps").at(0).as_object();
  for (const auto& [name, value] : step) EXPECT_EQ(shown.at(name), value) << name;

  const auto paths = [&](const json::object& bad, const json::object& more = {}) {
    std::vector<std::string> found;
    const json::value details = refused({bad}, more);
    for (const auto& detail : details.as_object()) found.emplace_back(detail.key());
    return found;
  };
  EXPECT_THAT(paths({{"type", "wait"}, {"for", json::object()}}),
              ElementsAre("steps[0].for.triggers", "steps[0].atMost"));
  EXPECT_THAT(paths(for_trigger("order_deleted")), ElementsAre("steps[0].for.triggers[0]"));
  EXPECT_THAT(paths(for_trigger("shipment_delivered")), ElementsAre("steps[0].for.triggers[0]"));
  EXPECT_THAT(paths(for_trigger("order_shipped", {{"atMost", "PT0S"}})), ElementsAre("steps[0].atMost"));
  EXPECT_THAT(paths(for_trigger("order_shipped", {{"atMost", "P90D"}})), ElementsAre("steps[0].atMost"));
  EXPECT_THAT(paths(for_trigger("order_shipped", {{"atMost", "PT2H"}, {"workdays", true}})),
              ElementsAre("steps[0].atMost"));
  EXPECT_THAT(paths(for_trigger("order_shipped", {{"delay", "PT2H"}})), ElementsAre("steps[0].delay"));
  EXPECT_THAT(paths(waits_for({{"conditions", {{"nothing", 1}}}})),
              ElementsAre("steps[0].for.conditions.nothing"));
  EXPECT_THAT(paths(waits_for({{"triggers", {"order_shipped"}}, {"when", 1}})),
              ElementsAre("steps[0].for.when"));
  EXPECT_THAT(
      paths(for_trigger("order_shipped"),
            {{"triggerId", nullptr}, {"schedule", {{"cron", "0 9 * * *"}}}, {"query", json::object()}}),
      ElementsAre("steps[0].for"));
}

TEST_F(AwaitedEvents, AreAssumedToComeByATestUnlessItSaysOtherwise) {
  const std::string order = tenant.create_order();
  const json::array steps{for_trigger("order_shipped", {{"name", "w"}}),
                          hook("late", {{"when", {{"steps.w.timedOut", true}}}})};
  const auto matches = [&](const json::object& answers) {
    const Response response =
        tenant.http.post("/api/workflows/test",
                         {{"definition", definition(steps)}, {"entityId", order}, {"answers", answers}});
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data().at("steps").at(1).at("matches").as_bool();
  };
  EXPECT_FALSE(matches({}));
  EXPECT_TRUE(matches({{"w", {{"timedOut", true}}}}));
  const Response wrong = tenant.http.post(
      "/api/workflows/test",
      {{"definition", definition(steps)}, {"entityId", order}, {"answers", {{"w", {{"x", 1}}}}}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(at(wrong.body, "error.details").as_object().begin()->key(), "answers.w");
}

TEST_F(AwaitedEvents, ThatAreNotWaitedForEndATestedWaitAtOnce) {
  const std::string order = tenant.create_order();
  const json::object wait = waits_for({{"conditions", {{"status", "pending"}}}}, {{"name", "w"}});
  const auto test = [&](const json::array& steps, const json::object& answers) {
    return tenant.http.post("/api/workflows/test",
                            {{"definition", definition(steps)}, {"entityId", order}, {"answers", answers}});
  };
  const json::object times_out{{"w", {{"timedOut", true}}}};
  const json::array alone{wait, hook("late", {{"when", {{"steps.w.timedOut", true}}}})};
  const Response holds = test(alone, {});
  ASSERT_EQ(holds.status, 200) << holds.text;
  EXPECT_LE(parse_timestamp(text_at(holds.data().at("steps").at(0), "until")).value(), system_clock().now());
  EXPECT_EQ(at(holds.data().at("steps").at(1), "matches"), false);
  const Response contradicted = test(alone, times_out);
  EXPECT_EQ(contradicted.status, 400);
  EXPECT_EQ(at(contradicted.body, "error.details").as_object().begin()->key(), "answers.w");
  const Response later = test({{{"type", "wait"}, {"delay", "P1D"}}, wait}, times_out);
  ASSERT_EQ(later.status, 200) << "the record may be another one by then";
  EXPECT_GT(parse_timestamp(text_at(later.data().at("steps").at(1), "until")).value(), system_clock().now());
}

}  // namespace
}  // namespace waybill::tests
