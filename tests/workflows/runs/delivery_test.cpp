#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::size_t attempts_of_the_schedule = 4;  // 1s,1s,1s

class Delivery : public WorkflowTest {
 protected:
  // A workflow, an order, and one change of it.
  void change_once(const json::object& more = {}) {
    workflow = tenant.webhook(url(), "order_updated", more);
    order = tenant.insert_order();
    change("first");
  }
  void change(std::string_view notes) {
    tenant.update_orders("notes = '" + std::string(notes) + "' where guid = '" + order + "'");
  }
  std::chrono::milliseconds between(const Received& earlier, const Received& later) const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(later.at - earlier.at);
  }

  std::string workflow;
  std::string order;
};

TEST_F(Delivery, AFailedAttemptIsRetriedWithTheSameIdAndBodyAndBothAreRecorded) {
  receiver.answer_next(tenant.path(), Reply::with_status(503, {}, "come back later"));
  change_once();
  const auto received = wait_for(2);
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[0].header("webhook-id"), received[1].header("webhook-id"));
  EXPECT_EQ(received[0].body, received[1].body);
  EXPECT_GE(between(received[0], received[1]), 800ms);

  const json::object run = tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(at(run, "attempts"), 2);
  EXPECT_EQ(text_at(run, "entityId"), order);
  EXPECT_EQ(text_at(run, "workflowId"), workflow);
  EXPECT_EQ(text_at(run, "trigger"), "order_updated");
  EXPECT_EQ(text_at(run, "entityType"), "Order");
  EXPECT_EQ(at(run, "workflowVersion"), 1);
  EXPECT_EQ(at(run, "nextAttemptAt"), nullptr);
  EXPECT_TRUE(parse_timestamp(text_at(run, "finishedAt")).has_value());
  EXPECT_EQ(at(run, "tries").as_array().size(), 2U);
  EXPECT_EQ(at(run, "tries.0.number"), 1);
  EXPECT_EQ(at(run, "tries.0.statusCode"), 503);
  EXPECT_EQ(text_at(run, "tries.0.response"), "come back later");
  EXPECT_TRUE(parse_timestamp(text_at(run, "tries.0.startedAt")).has_value());
  EXPECT_GE(at(run, "tries.0.durationMs").to_number<double>(), 0);
  EXPECT_EQ(at(run, "tries.1.number"), 2);
  EXPECT_EQ(at(run, "tries.1.statusCode"), 200);
  EXPECT_EQ(text_at(run, "request.url"), url());
  // The body as sent; in the response it may be the text or the value.
  const json::value& body = at(run, "request.body");
  EXPECT_EQ(body.is_string() ? json::parse(body.get_string()) : body, received[0].json_body());
}

TEST_F(Delivery, EveryResponseExcept2xxAnd410IsRetried) {
  const std::vector<int> refusals = {301, 400, 401, 403, 404, 409, 422, 429, 500, 502, 504, 599};
  for (const int status : refusals) {
    const std::string hook = std::to_string(status);
    receiver.answer_next(tenant.path(hook), Reply::with_status(status));
    tenant.webhook(url(hook), "order_created");
  }
  const std::string accepted = tenant.webhook(url("accepted"), "order_created");
  receiver.answer(tenant.path("accepted"), Reply::with_status(299));
  tenant.insert_order();
  for (const int status : refusals) EXPECT_EQ(wait_for(2, std::to_string(status)).size(), 2U) << status;
  EXPECT_EQ(at(tenant.run_with_status(accepted, "succeeded"), "attempts"), 1);
}

TEST_F(Delivery, ABrokenConnectionIsAnAttemptWithAnError) {
  receiver.answer_next(tenant.path(), Reply::of_kind(Reply::Kind::reset));
  receiver.answer_next(tenant.path(), Reply::of_kind(Reply::Kind::close));
  change_once();
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(at(run, "attempts"), 3);
  EXPECT_EQ(at(run, "tries.0.statusCode"), nullptr);
  EXPECT_NE(text_at(run, "tries.0.error"), "");
}

TEST_F(Delivery, ARunIsDeadAfterTheLastAttemptOfTheSchedule) {
  receiver.answer(tenant.path(), Reply::with_status(500));
  change_once();
  const json::object run = tenant.run_with_status(workflow, "dead");
  EXPECT_EQ(receiver.count(tenant.path()), attempts_of_the_schedule);
  EXPECT_EQ(at(run, "attempts"), attempts_of_the_schedule);
  EXPECT_EQ(at(run, "tries").as_array().size(), attempts_of_the_schedule);
  EXPECT_EQ(text_at(run, "code"), "HTTP_500");
}

TEST_F(Delivery, RetryAfterIsALowerBound) {
  receiver.answer_next(tenant.path(), Reply::with_status(429, {{"Retry-After", "3"}}));
  change_once();
  const auto received = wait_for(2);
  ASSERT_EQ(received.size(), 2U);
  EXPECT_GE(between(received[0], received[1]), 3s);
  EXPECT_LT(between(received[0], received[1]), 5s);
}

TEST_F(Delivery, RedirectsAreNotFollowed) {
  receiver.answer(tenant.path(), Reply::with_status(302, {{"Location", url("elsewhere")}}));
  change_once();
  wait_for(2);
  EXPECT_EQ(receiver.count(tenant.path("elsewhere")), 0U);
}

TEST_F(Delivery, A410PausesTheWorkflowAndEndsTheRunAsGone) {
  receiver.answer(tenant.path(), Reply::with_status(410));
  change_once();
  EXPECT_EQ(text_at(tenant.run_with_status(workflow, "dead"), "code"), "GONE");
  const json::object paused = tenant.workflow(workflow);
  EXPECT_EQ(text_at(paused, "status"), "paused");
  EXPECT_NE(text_at(paused, "pausedReason"), "");
  EXPECT_EQ(receiver.count(tenant.path()), 1U);
}

TEST_F(Delivery, TheAbortMessageHeaderEndsOnlyTheRun) {
  receiver.answer_next(tenant.path(), Reply::with_status(500, {{"webhook-delivery", "abort-message"}}));
  change_once();
  EXPECT_EQ(text_at(tenant.run_with_status(workflow, "dead"), "code"), "ABORTED");
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "active");
  change("second");
  EXPECT_EQ(wait_for(2).size(), 2U);
}

TEST_F(Delivery, TheDisableHeaderOfASuccessPausesTheWorkflowAndTheRunSucceeds) {
  receiver.answer_next(tenant.path(), Reply::with_status(200, {{"Webhook-Delivery", "disable"}}));
  change_once();
  EXPECT_EQ(text_at(tenant.run_with_status(workflow, "succeeded"), "code"), "");
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "paused");
}

TEST_F(Delivery, TheDisableHeaderPausesTheWorkflow) {
  receiver.answer_next(tenant.path(), Reply::with_status(500, {{"Webhook-Delivery", "disable"}}));
  change_once();
  EXPECT_EQ(at(tenant.run_with_status(workflow, "held"), "attempts"), 1);
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "paused");
  tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow);
  EXPECT_EQ(at(tenant.run_with_status(workflow, "succeeded"), "attempts"), 2);
}

TEST_F(Delivery, FailuresOfOneBusinessDoNotDelayAnotherAtTheSameHost) {
  receiver.answer(tenant.path(), Reply::with_status(500));
  tenant.webhook(url(), "order_created");
  Tenant other(world.waybill, test_name() + "2");
  other.webhook(receiver.url(other.path()), "order_created");
  for (int i = 0; i < 40; ++i) tenant.insert_order();
  wait_for(5);  // consecutive failures, which open a circuit breaker
  other.insert_order();
  EXPECT_EQ(receiver.wait_for(other.path(), 1, 1s).size(), 1U);
}

TEST_F(Delivery, ABrokenPathDoesNotBlockOtherWorkflowsAtTheSameHost) {
  receiver.answer(tenant.path(), Reply::with_status(500));
  tenant.webhook(url(), "order_created");
  for (int i = 0; i < 40; ++i) tenant.insert_order();
  wait_for(5);  // the breaker opens, with the runs of the broken path first
  tenant.webhook(url("sound"), "order_created");
  for (int i = 0; i < 5; ++i) tenant.insert_order();
  EXPECT_EQ(wait_for(5, "sound", 15s).size(), 5U);
}

TEST_F(Delivery, ALongResponseIsStoredUpTo4KiBAndAFloodIsCutOff) {
  receiver.answer(tenant.path(), Reply::with_status(200, {}, std::string(100'000, 'a')));
  change_once();
  EXPECT_EQ(text_at(tenant.run_with_status(workflow, "succeeded"), "tries.0.response"),
            std::string(4096, 'a'));

  receiver.answer(tenant.path("flood"), {.kind = Reply::Kind::flood, .flood_bytes = 1ULL << 40U});
  const std::string flooded = tenant.webhook(url("flood"), "order_created");
  tenant.insert_order();
  EXPECT_EQ(text_at(tenant.run_with_status(flooded, "succeeded", 5s), "tries.0.response").size(), 4096U);
}

TEST_F(Delivery, AResponseWithInvalidUtf8IsStoredAsValidText) {
  receiver.answer(tenant.path(), Reply::with_status(200, {}, std::string("a\xff\0b", 4)));
  change_once();
  EXPECT_THAT(text_at(tenant.run_with_status(workflow, "succeeded"), "tries.0.response"), HasSubstr("a"));
}

TEST_F(Delivery, ARunInFlightIsListedWithinASecond) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer(tenant.path(), Reply::after(gate));
  change_once();
  wait_for(1);
  const json::object run = tenant.run_with_status(workflow, "running", 1500ms);
  EXPECT_EQ(at(run, "finishedAt"), nullptr);
  gate->open();
  EXPECT_EQ(at(tenant.run_with_status(workflow, "succeeded"), "attempts"), 1);
  EXPECT_EQ(receiver.count(tenant.path()), 1U);
}

TEST_F(Delivery, ARetryingRunShowsItsNextAttempt) {
  receiver.answer_next(tenant.path(), Reply::with_status(503, {{"Retry-After", "3600"}}));
  change_once();
  const json::object run = tenant.run_with_status(workflow, "retrying");
  const Time next = parse_timestamp(text_at(run, "nextAttemptAt")).value_or(Time());
  EXPECT_GT(next, system_clock().now() + 3500s);
  EXPECT_LT(next, system_clock().now() + 3700s);
}

TEST_F(Delivery, AReplaySendsTheSameIdAndBodyAgain) {
  change_once();
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  tenant.sql.exec("delete from orders where guid = '" + order + "'");
  const Response replayed =
      tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", json::object());
  ASSERT_EQ(replayed.status, 201) << replayed.text;
  const auto received = wait_for(2);
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[0].header("webhook-id"), received[1].header("webhook-id"));
  EXPECT_EQ(received[0].body, received[1].body);
  const std::string again = text_at(replayed.body, "data.guid");
  EXPECT_NE(again, text_at(run, "guid"));
  EXPECT_EQ(replayed.header("location"), "/api/workflows/runs/" + again);
  EXPECT_EQ(text_at(tenant.run(again), "replayOf"), text_at(run, "guid"));
  // The same holds for a replay.
  ASSERT_EQ(tenant.http.post("/api/workflows/runs/" + again + "/replay", json::object()).status, 201);
  EXPECT_EQ(wait_for(3).at(2).header("webhook-id"), received[0].header("webhook-id"));
}

TEST_F(Delivery, AFailingOrderedRunDelaysOnlyItsRecord) {
  receiver.answer_next(tenant.path(), Reply::with_status(503));
  workflow = tenant.webhook(url(), "order_updated", {{"ordered", true}});
  order = tenant.insert_order();
  const std::string other = tenant.insert_order();
  change("one");
  wait_for(1);
  change("two");
  change("three");
  tenant.update_orders("notes = 'of another' where guid = '" + other + "'");
  const auto received = wait_for(5);
  std::vector<std::string> notes;
  notes.reserve(received.size());
  for (const Received& request : received) notes.push_back(text_at(request.json_body(), "data.entity.notes"));
  EXPECT_EQ(notes, (std::vector<std::string>{"one", "of another", "one", "two", "three"}));
}

TEST_F(Delivery, ADelayedRunChecksItsConditionsAgain) {
  const std::string definite = tenant.webhook(
      url(), "order_updated", {{"delay", "PT2S"}, {"conditions", {{"deliveryAddress.city", "Lisbon"}}}});
  order = tenant.insert_order({{"delivery_city", "'Lisbon'"}});
  const std::string moved = tenant.insert_order({{"delivery_city", "'Lisbon'"}});
  change("stays");
  tenant.update_orders("notes = 'goes' where guid = '" + moved + "'");
  tenant.settle();
  EXPECT_EQ(tenant.runs("workflowId=" + definite + "&status=waiting").size(), 2U);
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  tenant.update_orders("delivery_city = 'Porto' where guid = '" + moved + "'");
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(text_at(received[0].json_body(), "data.entity.notes"), "stays");
}

TEST_F(Delivery, ADelayedRunChecksTheConditionsOfItsOwnVersion) {
  json::object definition{{"delay", "PT2S"}, {"conditions", {{"deliveryAddress.city", "Lisbon"}}}};
  const std::string delayed = tenant.webhook(url(), "order_updated", definition);
  order = tenant.insert_order({{"delivery_city", "'Lisbon'"}});
  const std::string moved = tenant.insert_order({{"delivery_city", "'Lisbon'"}});
  tenant.update_orders("notes = 'x' where true");
  tenant.settle();
  definition["guid"] = delayed;
  definition["conditions"] = {{"deliveryAddress.city", "Porto"}};
  tenant.webhook(url(), "order_updated", definition);
  tenant.update_orders("delivery_city = 'Porto' where guid = '" + moved + "'");
  ASSERT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + delayed + "&status=skipped").size() == 1; }));
  const auto skipped = tenant.runs("workflowId=" + delayed + "&status=skipped");
  EXPECT_EQ(text_at(skipped[0], "entityId"), moved);
  EXPECT_EQ(at(skipped[0], "workflowVersion"), 1);
  // The move to Porto fires the second version, so the other order may arrive first.
  EXPECT_TRUE(receiver.wait_until(tenant.path(), [&](const std::vector<Received>& received) {
    return std::ranges::any_of(received, [&](const Received& request) {
      return text_at(request.json_body(), "data.entity.guid") == order;
    });
  }));
}

TEST_F(Delivery, DelaysExpireAndConditionsAreCheckedWhileTheWorkflowIsPaused) {
  const std::string delayed = tenant.webhook(
      url(), "order_updated", {{"delay", "PT2S"}, {"conditions", {{"deliveryAddress.city", "Lisbon"}}}});
  order = tenant.insert_order({{"delivery_city", "'Lisbon'"}});
  const std::string moved = tenant.insert_order({{"delivery_city", "'Lisbon'"}});
  tenant.sql.exec("update workflows set paused_reason = 'a test', paused_at = now() where guid = '" +
                  delayed + "'");
  tenant.update_orders("notes = 'x' where true");
  tenant.settle();
  EXPECT_EQ(tenant.runs("workflowId=" + delayed + "&status=waiting").size(), 2U);
  tenant.update_orders("delivery_city = 'Porto' where guid = '" + moved + "'");
  ASSERT_TRUE(eventually([&] { return tenant.runs("workflowId=" + delayed + "&status=held").size() == 1; }));
  EXPECT_EQ(tenant.runs("workflowId=" + delayed + "&status=skipped").size(), 1U);
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + delayed).status, 200);
  const auto received = wait_for(1);
  EXPECT_EQ(text_at(received[0].json_body(), "data.entity.guid"), order);
}

}  // namespace
}  // namespace waybill::tests
