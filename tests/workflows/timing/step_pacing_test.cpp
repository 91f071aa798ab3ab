#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/timing/pacing_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Workflows of several steps with a window, a limit or a rate.
class StepPacing : public PacingTest {
 protected:
  std::string workflow(const json::array& steps, const json::object& more) {
    json::object body{{"name", "steps"},
                      {"entityType", "Order"},
                      {"triggerId", trigger_guid("order_created")},
                      {"steps", steps}};
    for (const auto& [key, value] : more) body[key] = value;
    return text_at(tenant.configure(body), "guid");
  }
  json::object hook(std::string_view name) const { return {{"type", "webhook"}, {"recipient", url(name)}}; }
  static json::object wait(std::string_view delay) { return {{"type", "wait"}, {"delay", delay}}; }
  json::object only_run(const std::string& workflow) {
    const auto runs = tenant.runs("workflowId=" + workflow);
    return runs.size() == 1 ? tenant.run(text_at(runs[0], "guid")) : json::object();
  }
  /// Waits until the only run of the workflow waits for the window, and returns it.
  json::object run_in_window(const std::string& workflow) {
    json::object run;
    EXPECT_TRUE(eventually([&] {
      run = only_run(workflow);
      return !run.empty() && run.at("code") == "WINDOW";
    })) << to_json(run);
    return run;
  }
  std::string status_of_step(const json::object& run, std::size_t number) {
    return text_at(run, "steps." + std::to_string(number - 1) + ".status");
  }
};

class StepWindows : public StepPacing {};
class StepLimits : public StepPacing {};
class StepRates : public StepPacing {};

/// In any time, at most a burst and what the rate allows; a request may arrive half a second late.
void expect_rate(const std::vector<Received>& received, double rate) {
  for (std::size_t first = 0; first < received.size(); ++first) {
    for (std::size_t last = first; last < received.size(); ++last) {
      const std::chrono::duration<double> time = received[last].at - received[first].at;
      EXPECT_LE(static_cast<double>(last - first + 1), rate + rate * (time.count() + 0.5) + 1)
          << first << " to " << last;
    }
  }
}

TEST_F(StepWindows, TheStepAfterAWaitWaitsUntilItOpens) {
  const json::object window = closed_window();
  const std::string flow = workflow({wait("PT0.2S"), hook("hook")}, {{"window", window}});
  const std::string order = tenant.insert_order();
  const json::object run = run_in_window(flow);
  EXPECT_EQ(run.at("status"), "waiting");
  EXPECT_EQ(run.at("attempts"), 0);
  EXPECT_EQ(text_at(run, "nextAttemptAt").substr(11, 5), window.at("from").as_string());
  EXPECT_EQ(status_of_step(run, 1), "succeeded") << "a wait begins and ends outside the window";
  EXPECT_THAT(tenant.http.get("/api/workflows/explain?entityId=" + order).text,
              HasSubstr(R"("reason":"window")"));
  EXPECT_EQ(receiver.count(tenant.path()), 0U);

  ASSERT_EQ(change(flow, {{"window", open_window()}}).status, 200) << "waiting runs follow";
  EXPECT_EQ(wait_for(1).size(), 1U);
  EXPECT_TRUE(tenant.run_with_status(flow, "succeeded").at("code").is_null());
}

TEST_F(StepWindows, AStepThatBeginsAtOnceWaitsToo) {
  const std::string flow =
      workflow({wait("PT0S"), {{"type", "stop"}, {"when", {{"notes", "never"}}}}, hook("hook")},
               {{"window", closed_window()}});
  tenant.insert_order();
  EXPECT_EQ(run_in_window(flow).at("status"), "waiting");
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
}

TEST_F(StepWindows, ALaterStepWaitsWithTheCodeAndSeesTheRecordAsItIsWhenItBegins) {
  const std::string flow =
      workflow({hook("first"), wait("PT1S"), hook("second")}, {{"window", open_window()}});
  const std::string order = tenant.insert_order();
  wait_for(1, "first");
  ASSERT_EQ(change(flow, {{"window", closed_window()}}).status, 200);
  const json::object run = run_in_window(flow);
  EXPECT_EQ(run.at("status"), "waiting") << "the step has no attempt yet";
  EXPECT_EQ(run.at("attempts"), 1);
  EXPECT_THAT(tenant.http.get("/api/workflows/explain?entityId=" + order).text,
              HasSubstr(R"("reason":"window")"));
  tenant.update_orders("notes = 'in the morning' where true");
  ASSERT_EQ(change(flow, {{"window", nullptr}}).status, 200);
  const auto received = wait_for(1, "second");
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(text_at(received[0].json_body(), "data.entity.notes"), "in the morning");
}

TEST_F(StepWindows, StepsThatChangeRecordsWaitToo) {
  const std::string flow =
      workflow({wait("PT0.1S"), {{"type", "update_record"}, {"set", {{"notes", "changed"}}}}},
               {{"window", closed_window()}});
  const std::string order = tenant.insert_order();
  run_in_window(flow);
  const auto notes = [&] {
    return tenant.sql.value("select coalesce(notes, '') from orders where guid = $1", {order});
  };
  EXPECT_NE(notes(), "changed");
  ASSERT_EQ(change(flow, {{"window", open_window()}}).status, 200);
  EXPECT_TRUE(eventually([&] { return notes() == "changed"; }));
}

TEST_F(StepWindows, ARetryOfAStepAndAReplayWait) {
  receiver.answer(tenant.path("second"), Reply{.status = 500});
  const std::string flow = workflow({hook("first"), hook("second")}, {{"window", open_window()}});
  tenant.insert_order();
  wait_for(1, "second");
  ASSERT_EQ(change(flow, {{"window", closed_window()}}).status, 200);
  const json::object run = run_in_window(flow);
  EXPECT_EQ(run.at("status"), "retrying");
  const Response replay =
      tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", {{"fromStep", 1}});
  ASSERT_EQ(replay.status, 201) << replay.text;
  const std::string replayed = text_at(replay.body, "data.guid");
  EXPECT_TRUE(eventually([&] { return tenant.run(replayed).at("code") == "WINDOW"; }));
  EXPECT_EQ(receiver.count(tenant.path("first")), 1U);
}

TEST_F(StepWindows, AWaitingRunCanBeCancelled) {
  const std::string flow = workflow({wait("PT0.1S"), hook("hook")}, {{"window", closed_window()}});
  tenant.insert_order();
  const std::string run = text_at(run_in_window(flow), "guid");
  ASSERT_EQ(tenant.http.post("/api/workflows/runs/" + run + "/cancel", json::object()).status, 200);
  EXPECT_EQ(tenant.run_with_status(flow, "skipped").at("code"), "CANCELLED");
}

TEST_F(StepLimits, ARunThatBeginsWithAWaitIsLimited) {
  const std::string flow =
      workflow({wait("PT0.2S"), hook("hook")}, {{"limit", {{"by", "notes"}, {"count", 2}, {"per", "PT1H"}}}});
  insert_orders(5);
  ASSERT_TRUE(eventually([&] { return with_status(flow, "succeeded") == 2; }));
  ASSERT_TRUE(eventually([&] { return with_status(flow, "skipped") == 3; }));
  for (const json::object& run : tenant.runs("workflowId=" + flow + "&status=skipped"))
    EXPECT_EQ(run.at("code"), "LIMITED");
  EXPECT_EQ(receiver.count(tenant.path()), 2U);
}

TEST_F(StepLimits, ARunThatBeginsWithAChoiceIsLimitedBeforeIt) {
  const json::object stop{{"type", "stop"}};
  const json::object choice{{"type", "choose"},
                            {"when", {{"currency", "EUR"}}},
                            {"then", json::array{wait("PT1H"), hook("then")}},
                            {"otherwise", json::array{stop}}};
  const std::string flow =
      workflow({choice}, {{"limit", {{"by", "currency"}, {"count", 1}, {"per", "PT1H"}}}});
  for (const char* const currency : {"EUR", "EUR", "USD", "USD"})
    tenant.create_order({{"currency", currency}});
  ASSERT_TRUE(eventually([&] { return with_status(flow, "skipped") == 2; }));
  for (const json::object& run : tenant.runs("workflowId=" + flow + "&status=skipped")) {
    EXPECT_EQ(run.at("code"), "LIMITED");
    const json::object shown = tenant.run(text_at(run, "guid"));
    for (const json::value& step : shown.at("steps").as_array())
      EXPECT_NE(text_at(step, "status"), "succeeded") << "no choice was made";
  }
  EXPECT_TRUE(eventually([&] { return with_status(flow, "waiting") == 1; }));
  EXPECT_TRUE(eventually([&] { return with_status(flow, "succeeded") == 1; }));
}

TEST_F(StepRates, ADestinationHasOneRateForAllRunsAndSteps) {
  constexpr int rate = 4;
  const std::string flow =
      workflow({hook("first"), wait("PT0.1S"), hook("second")}, {{"rate", {{"perSecond", rate}}}});
  constexpr std::size_t orders = 6;
  insert_orders(static_cast<int>(orders));
  ASSERT_TRUE(eventually([&] { return with_status(flow, "succeeded") == orders; }));
  std::vector<Received> received = receiver.received(tenant.path("first"));
  for (Received& each : receiver.received(tenant.path("second"))) received.push_back(std::move(each));
  ASSERT_EQ(received.size(), 2 * orders);
  std::ranges::sort(received, {}, &Received::at);
  expect_rate(received, rate);
}

TEST_F(StepRates, EachDestinationOfTheWorkflowHasARateOfItsOwn) {
  Receiver other;
  const std::string flow =
      workflow({hook("hook"), {{"type", "webhook"}, {"recipient", other.url(tenant.path())}}},
               {{"rate", {{"perSecond", 50}}}});
  insert_orders(3);
  ASSERT_TRUE(eventually([&] { return with_status(flow, "succeeded") == 3; }));
  EXPECT_EQ(tenant.sql.number("select count(*) from request_rates where workflow_id = $1", {flow}), 2);
  EXPECT_EQ(tenant.sql.number("select count(*) from request_rates where workflow_id = $1 "
                              "and destination !~ '^127\\.0\\.0\\.1:[0-9]+/'",
                              {flow}),
            0);
}

TEST_F(StepRates, RetriesAndReplaysOfStepsCount) {
  receiver.answer_next(tenant.path("second"), Reply{.status = 500});
  const std::string flow = workflow({hook("first"), hook("second")}, {{"rate", {{"perSecond", 1}}}});
  tenant.insert_order();
  const std::string run = text_at(tenant.run_with_status(flow, "succeeded"), "guid");
  ASSERT_EQ(tenant.http.post("/api/workflows/runs/" + run + "/replay", {{"fromStep", 1}}).status, 201);
  ASSERT_EQ(wait_for(3, "second").size(), 3U);
  std::vector<Received> received = receiver.received(tenant.path("first"));
  for (Received& each : receiver.received(tenant.path("second"))) received.push_back(std::move(each));
  std::ranges::sort(received, {}, &Received::at);
  expect_rate(received, 1);
  EXPECT_THAT(tenant.runs("workflowId=" + flow + "&status=dead"), IsEmpty());
}

}  // namespace
}  // namespace waybill::tests
