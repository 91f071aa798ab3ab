// Events that cancel the open runs of their record.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/workflows/actions/steps_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;

class CancellingEvents : public StepsTest {
 protected:
  static json::object on(std::string_view code, const json::object& more = {}) {
    json::object events{{"triggers", json::array{code}}};
    for (const auto& [key, value] : more) events[key] = value;
    return {{"cancelOn", std::move(events)}};
  }
  json::object with(json::object definition, const json::object& more) const {
    for (const auto& [key, value] : more) definition[key] = value;
    return definition;
  }
  std::string reminder(const json::object& more) {
    return tenant.webhook(url(), "order_created", with({{"delay", "PT1H"}}, more));
  }
  void expect_cancelled(std::string_view flow, std::size_t count = 1) {
    ASSERT_TRUE(eventually(
        [&] { return tenant.runs("status=skipped&workflowId=" + std::string(flow)).size() == count; }));
    for (const json::object& run : tenant.runs("status=skipped&workflowId=" + std::string(flow)))
      EXPECT_EQ(text_at(run, "code"), "CANCELLED_BY_EVENT");
    EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
  }
};

TEST_F(CancellingEvents, EndTheOpenRunsOfTheirRecordAlone) {
  const std::string flow = reminder(on("order_shipped"));
  const std::string other_flow = reminder({});
  const std::string order = tenant.create_order(), other = tenant.create_order();
  tenant.settle();
  tenant.put_order(order, {{"notes", "cancels nothing"}});
  tenant.settle();
  EXPECT_EQ(tenant.runs("status=waiting").size(), 4U);
  tenant.move_order(order, "shipped");
  tenant.settle();
  expect_cancelled(flow);
  EXPECT_EQ(text_at(tenant.runs("status=skipped").at(0), "error"),
            "Event " + tenant.sql.value("select max(id) from events where entity_id = $1", {order}) +
                " of the record cancelled the run.");
  EXPECT_EQ(text_at(tenant.runs("status=skipped").at(0), "entityId"), order);
  EXPECT_EQ(tenant.runs("status=waiting&workflowId=" + other_flow).size(), 2U);
  EXPECT_EQ(tenant.runs("status=waiting&workflowId=" + flow).size(), 1U);
}

TEST_F(CancellingEvents, EndARunWhoseRowAnotherSessionIsWriting) {
  const std::string flow = reminder(on("order_shipped"));
  const std::string order = tenant.create_order();
  tenant.run_with_status(flow, "waiting");
  Session writer(world.database.url());
  writer.exec("begin; update run_queue set due_at = due_at where workflow_id = '" + flow + "'");
  tenant.move_order(order, "shipped");
  ASSERT_TRUE(eventually([&] { return writer.blocks_others(tenant.sql); }));
  writer.exec("commit");
  expect_cancelled(flow);
}

TEST_F(CancellingEvents, EndRunsThatAreQueuedWaitingRetryingOrHeld) {
  receiver.answer(tenant.path("down"), Reply::with_status(503));
  const json::object cancel = on("order_shipped");
  const std::string queued =
      tenant.webhook(url(), "order_created",
                     with({{"ordered", true}, {"triggers", {"order_created", "order_updated"}}}, cancel));
  const std::string retrying = tenant.webhook(url("down"), "order_created", cancel);
  const std::string held = tenant.webhook(url(), "order_created", cancel);
  const std::string waiting = workflow({hook("first"), wait("PT1H"), hook("second")}, cancel);
  tenant.sql.exec("update workflows set paused_reason = 'a test', paused_at = now() where guid in ('" + held +
                  "', '" + queued + "')");
  const std::string order = tenant.create_order();
  tenant.put_order(order, {{"notes", "a second run"}});
  tenant.run_with_status(retrying, "retrying");
  tenant.run_with_status(held, "held");
  tenant.run_with_status(waiting, "waiting");
  tenant.move_order(order, "shipped");
  for (const std::string& flow : {retrying, held, waiting}) expect_cancelled(flow);
  expect_cancelled(queued, 2);
  EXPECT_THAT(steps_of(tenant.run_with_status(waiting, "skipped")),
              ElementsAre("1 webhook succeeded", "2 wait skipped CANCELLED_BY_EVENT"));
}

TEST_F(CancellingEvents, ThatAlsoFireEndEarlierRunsAndBeginTheirOwn) {
  const std::string flow =
      tenant.webhook(url(), "order_updated", with({{"delay", "PT3S"}}, on("order_updated")));
  const std::string order = tenant.create_order();
  for (int i = 0; i < 5; ++i) tenant.put_order(order, {{"notes", std::to_string(i)}});
  const auto sent = wait_for(1);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(at(sent[0].json_body(), "data.entity.notes"), "4");
  tenant.settle();
  expect_cancelled(flow, 4);
  EXPECT_EQ(receiver.count(tenant.path()), 1U);
}

TEST_F(CancellingEvents, LetAnAttemptUnderWayArriveAndNoFurtherOne) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next(tenant.path("first"), Reply::after(gate));
  const std::string flow = workflow({hook("first"), hook("second")}, on("order_shipped"));
  const std::string order = tenant.create_order();
  wait_for(1, "first");
  tenant.move_order(order, "shipped");
  expect_cancelled(flow);
  gate->open();
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path("second")), 0U);
  EXPECT_EQ(tenant.sql.number("select count(*) from all_runs where workflow_id = $1", {flow}), 1);
}

TEST_F(CancellingEvents, CountOnlyIfTheirConditionsHold) {
  const std::string flow = reminder(
      on("order_updated", {{"conditions", {{"notes", {{"changed", true}}}, {"totalValue", {{"lt", 500}}}}}}));
  const std::string order = tenant.create_order({{"totalValue", 400}});
  tenant.settle();
  tenant.put_order(order, {{"externalReference", "x"}});
  tenant.settle();
  EXPECT_EQ(tenant.runs("status=waiting&workflowId=" + flow).size(), 1U);
  tenant.put_order(order, {{"notes", "x"}});
  expect_cancelled(flow);
}

TEST_F(CancellingEvents, EndRunsThatHaveJustBegun) {
  constexpr int orders = 50;
  const std::string flow = reminder(on("order_cancelled"));
  for (int i = 0; i < orders; ++i) {
    const std::string order = tenant.insert_order();
    tenant.sql.rows("update orders set status = 'cancelled' where guid = $1", {order});
  }
  tenant.settle();
  EXPECT_EQ(tenant.sql.number("select count(*) from run_queue where workflow_id = $1", {flow}), 0);
  expect_cancelled(flow, orders);
}

TEST_F(CancellingEvents, PreventARunThatTheyOvertake) {
  const std::string flow = tenant.webhook(url(), "order_created", on("order_cancelled"));
  set_suspended(true);
  const std::string order = tenant.insert_order();
  tenant.sql.rows("update orders set status = 'cancelled' where guid = $1", {order});
  set_suspended(false);
  expect_cancelled(flow);
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
}

TEST_F(CancellingEvents, OfTheRunItselfDoNotCount) {
  const std::string flow =
      workflow({sets(R"({"notes": "mine"})"), wait("PT1S"), hook("told")}, on("order_updated"));
  tenant.create_order();
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
  tenant.run_with_status(flow, "succeeded");
}

TEST_F(CancellingEvents, PreventChangesOfRecordsThatAreNotMade) {
  const std::string flow = workflow({wait("PT1H"), sets(R"({"notes": "changed"})")}, on("order_shipped"));
  const std::string order = tenant.create_order({{"notes", "kept"}});
  tenant.run_with_status(flow, "waiting");
  tenant.move_order(order, "shipped");
  expect_cancelled(flow);
  EXPECT_EQ(tenant.sql.value("select notes from orders where guid = $1", {order}), "kept");
}

TEST_F(CancellingEvents, ThatWouldAlsoEndAWaitCancel) {
  const std::string flow =
      workflow({json::object{{"type", "wait"}, {"for", {{"triggers", {"order_shipped"}}}}, {"atMost", "P1D"}},
                hook("told")},
               on("order_shipped"));
  const std::string order = tenant.create_order();
  tenant.run_with_status(flow, "waiting");
  tenant.move_order(order, "shipped");
  expect_cancelled(flow);
  EXPECT_EQ(receiver.count(tenant.path("told")), 0U);
}

TEST_F(CancellingEvents, ConcernAReplayOnlyFromThenOn) {
  const std::string flow = reminder(on("order_updated"));
  const std::string order = tenant.create_order();
  tenant.settle();
  tenant.put_order(order, {{"notes", "1"}});
  expect_cancelled(flow);
  const json::object replayed = replay(tenant.runs("workflowId=" + flow).at(0));
  EXPECT_EQ(text_at(replayed, "status"), "succeeded") << "the event came before the replay";
}

TEST_F(CancellingEvents, LetTheNextOrderedRunGo) {
  receiver.answer_next(tenant.path("one"), Reply::with_status(503));
  const std::string flow = workflow(
      {hook("one", {{"when", {{"notes", "first"}}}}), hook("two")},
      with({{"ordered", true}, {"triggerId", nullptr}, {"triggers", {"order_created", "order_updated"}}},
           on("order_updated", {{"conditions", {{"notes", "second"}}}})));
  const std::string order = tenant.create_order({{"notes", "first"}});
  tenant.run_with_status(flow, "retrying");
  tenant.put_order(order, {{"notes", "second"}});
  EXPECT_EQ(wait_for(1, "two").size(), 1U);
  expect_cancelled(flow);
}

TEST_F(CancellingEvents, AreThoseOfTheVersionThatTheRunBeganWith) {
  const std::string flow = reminder(on("order_updated"));
  const std::string first = tenant.create_order();
  tenant.settle();
  tenant.configure({{"guid", flow}, {"cancelOn", on("order_shipped").at("cancelOn")}});
  const std::string second = tenant.create_order();
  tenant.settle();
  for (const std::string& order : {first, second}) tenant.put_order(order, {{"notes", "1"}});
  expect_cancelled(flow);
  tenant.move_order(second, "shipped");
  expect_cancelled(flow, 2);
}

TEST_F(CancellingEvents, AreStoredShownRestoredAndRemoved) {
  const json::object cancel = on("order_deleted", {{"conditions", {{"totalValue", {{"gt", 5}}}}}});
  const std::string flow = reminder(cancel);
  EXPECT_EQ(tenant.workflow(flow).at("cancelOn"), cancel.at("cancelOn"));
  const auto version = [&] { return tenant.workflow(flow).at("version").to_number<int>(); };
  const json::object again = tenant.configure({{"guid", flow}, {"cancelOn", cancel.at("cancelOn")}});
  EXPECT_EQ(version(), 1) << "nothing has changed";
  EXPECT_FALSE(again.contains("warnings"));
  tenant.configure({{"guid", flow}, {"cancelOn", nullptr}});
  EXPECT_EQ(tenant.workflow(flow).at("cancelOn"), nullptr);
  ASSERT_EQ(
      tenant.http.post("/api/workflows/configured/" + flow + "/versions/1/restore", json::object()).status,
      200);
  EXPECT_EQ(tenant.workflow(flow).at("cancelOn"), cancel.at("cancelOn"));
  const json::value versions = tenant.http.get("/api/workflows/configured/" + flow + "/versions").data();
  EXPECT_EQ(at(versions, "0.definition.cancelOn"), cancel.at("cancelOn"));
  EXPECT_EQ(at(versions, "1.definition.cancelOn"), nullptr);
}

TEST_F(CancellingEvents, AreRefusedWithThePathOfEachError) {
  const auto field = [&](const json::value& cancel, const json::object& more = {}) {
    const json::value details = refused({hook("told")}, with({{"cancelOn", cancel}}, more));
    return std::string(details.as_object().begin()->key());
  };
  EXPECT_EQ(field(json::object()), "cancelOn.triggers");
  EXPECT_EQ(field("order_shipped"), "cancelOn");
  EXPECT_EQ(field({{"triggers", {"nothing"}}}), "cancelOn.triggers[0]");
  EXPECT_EQ(field({{"triggers", {"product_created"}}}), "cancelOn.triggers[0]");
  EXPECT_EQ(field({{"triggers", {"order_shipped"}}, {"conditions", {{"nothing", 1}}}}),
            "cancelOn.conditions.nothing");
  EXPECT_EQ(field({{"triggers", {"order_shipped"}}, {"atMost", "P1D"}}), "cancelOn.atMost");
  EXPECT_EQ(field({{"triggers", {"order_shipped"}}},
                  {{"triggerId", nullptr}, {"schedule", {{"cron", "0 9 * * *"}}}, {"query", json::object()}}),
            "cancelOn");
}

}  // namespace
}  // namespace waybill::tests
