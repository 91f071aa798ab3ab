#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// A loud business that uses all the capacity it can get, and a quiet one that occasionally changes a record.
class Fairness : public testing::Test {
 protected:
  static Waybill::Options with_many_workflows() {
    Waybill::Options options;
    options.arguments = {"--workflows-per-business", "1000", "--workflows-per-trigger", "1000"};
    return options;
  }

  /// Latencies of the quiet business's webhooks, the longest first; undelivered webhooks are missing.
  std::vector<std::chrono::milliseconds> quiet_latencies(int count) {
    std::vector<std::chrono::milliseconds> latencies;
    for (int i = 0; i < count; ++i) {
      const auto since = std::chrono::steady_clock::now();
      const std::size_t before = receiver.count("/quiet");
      quiet.insert_order();
      const auto received = receiver.wait_for("/quiet", before + 1);
      if (received.size() <= before) continue;
      latencies.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(received[before].at - since));
    }
    std::ranges::sort(latencies, std::greater<>());
    return latencies;
  }

  World world{with_many_workflows()};
  Receiver receiver;
  Tenant loud{world.waybill, "loud"};
  Tenant quiet{world.waybill, "quiet"};
};

TEST_F(Fairness, ABusinessWithSlowDestinationsLeavesCapacityToOthers) {
  std::vector<std::unique_ptr<Receiver>> slow;
  for (int i = 0; i < 16; ++i) {
    slow.push_back(std::make_unique<Receiver>());
    slow.back()->on_request([](const Received&) { return Reply::of_kind(Reply::Kind::hang); });
    loud.webhook(slow.back()->url(), "order_created");
  }
  quiet.webhook(receiver.url("/quiet"), "order_created");
  loud.sql.rows(
      "insert into orders (business_id, order_number) select $1, gen_random_uuid() from generate_series(1, "
      "125)",
      {loud.id});
  const auto in_flight = [&] {
    std::size_t count = 0;
    for (const auto& each : slow) count += each->connections();
    return count;
  };
  ASSERT_TRUE(eventually([&] { return in_flight() >= 700; })) << in_flight();

  const auto latencies = quiet_latencies(20);
  ASSERT_EQ(latencies.size(), 20U);
  EXPECT_LT(latencies[1], 500ms) << "longest " << latencies[0].count() << " ms";
  EXPECT_LT(in_flight(), 1024U) << "the loud business uses all the capacity";
}

TEST_F(Fairness, TheManyDestinationsOfABusinessShareAFewPlacesInTheQueue) {
  constexpr int count = 260;
  for (int i = 1; i < count; ++i) {
    loud.webhook("http://127.0." + std::to_string(1 + i / 250) + "." + std::to_string(1 + i % 250) + ":1/",
                 "order_created");
  }
  const std::string rated =
      loud.webhook("http://127.0.9.9:1/", "order_created", {{"rate", {{"perSecond", 5}}}});
  loud.insert_order();
  const auto number = [&](std::string_view expression) {
    return loud.sql.value("select " + std::string(expression) + " from run_queue where business_id = '" +
                          loud.id + "' and status = 'retrying'");
  };
  EXPECT_TRUE(eventually([&] { return number("count(*)") == std::to_string(count); })) << number("count(*)");
  EXPECT_EQ(number("count(distinct destination) filter (where destination not like 'more/%')"), "200");
  EXPECT_LE(std::stoi(number("count(distinct destination)")), 251);
  EXPECT_EQ(number("count(*) filter (where destination = 'more/" + rated + "/" + loud.id + "')"), "1")
      << "a workflow with a rate shares no place with others";
}

TEST_F(Fairness, AFastDestinationIsNotDelayedBySlowOnesOfItsBusiness) {
  std::vector<std::unique_ptr<Receiver>> slow;
  for (int i = 0; i < 16; ++i) {
    slow.push_back(std::make_unique<Receiver>());
    slow.back()->on_request([](const Received&) { return Reply::of_kind(Reply::Kind::hang); });
    loud.webhook(slow.back()->url(), "order_created");
  }
  loud.webhook(receiver.url("/fast"), "order_created");
  loud.sql.rows(
      "insert into orders (business_id, order_number) select $1, gen_random_uuid() from generate_series(1, "
      "125)",
      {loud.id});
  // An attempt at a slow destination lasts 15 s; freed capacity does not go to the slow ones alone.
  EXPECT_EQ(receiver.wait_for("/fast", 125, 30s).size(), 125U);
}

TEST_F(Fairness, AnEventThatFiresManyWorkflowsNeedsLittleMemory) {
  constexpr std::size_t workflows = 300;
  std::mutex mutex;
  std::multiset<std::string> ids;
  std::size_t bytes = 0;
  Receiver sink;
  sink.on_request([&](const Received& request) {
    const std::lock_guard lock(mutex);
    ids.insert(request.header("webhook-id"));
    bytes = std::max(bytes, request.body.size());
    return Reply::with_status(200);
  });
  for (std::size_t i = 0; i < workflows; ++i) loud.webhook(sink.url(), "order_created");
  loud.write_long_values();
  loud.insert_order({{"items",
                      "json_build_array(json_build_object('guid', gen_random_uuid(), 'description', "
                      "repeat('x', 600000), 'quantity', 1, 'price', 1))"}});
  EXPECT_TRUE(eventually(
      [&] {
        const std::lock_guard lock(mutex);
        return ids.size() >= workflows;
      },
      60s));
  loud.settle();
  ASSERT_TRUE(eventually([&] {
    return loud.sql.number("select count(*) from runs where business_id = $1 and status = 'succeeded'",
                           {loud.id}) == static_cast<std::int64_t>(workflows);
  }));
  EXPECT_GE(bytes, 600'000U);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), workflows);
  EXPECT_EQ(ids.size(), workflows) << "some requests were sent twice";
  expect_little_memory(world.waybill.process().pid());
  // Each run stores its request, including those rendered from the queue.
  EXPECT_EQ(loud.sql.number("select count(*) from runs where business_id = $1 and length(body) > 600000",
                            {loud.id}),
            static_cast<std::int64_t>(workflows));
}

TEST_F(Fairness, ABurstOfLargeRecordsNeedsLittleMemoryAndDelaysNoOtherBusiness) {
  loud.webhook(receiver.url("/loud"), "order_created", {{"conditions", {{"notes", "never"}}}});
  quiet.webhook(receiver.url("/quiet"), "order_created");
  loud.write_long_values();
  loud.sql.rows(
      "insert into orders (business_id, order_number, items) select $1, gen_random_uuid(), "
      "json_build_array(json_build_object('guid', gen_random_uuid(), 'description', repeat('x', 1000000), "
      "'quantity', 1, 'price', 1)) from generate_series(1, 300)",
      {loud.id});
  const auto latencies = quiet_latencies(10);
  ASSERT_EQ(latencies.size(), 10U);
  EXPECT_LT(latencies[1], 500ms) << "longest " << latencies[0].count() << " ms";
  loud.settle(std::chrono::minutes(1));
  expect_little_memory(world.waybill.process().pid());
}

TEST_F(Fairness, ARunThatIsRenderedLateUsesTheVersionAtTheTimeOfItsEvent) {
  constexpr int workflows = 230;
  std::string last;
  for (int i = 0; i < workflows; ++i) {
    last = loud.webhook(receiver.url("/many"), "order_created",
                        {{"action",
                          {{"type", "webhook"},
                           {"recipient", receiver.url(i + 1 < workflows ? "/many" : "/last")},
                           {"template", "{\"note\": \"first {{notes}}\"}"}}}});
  }
  loud.sql.rows("update workflows set paused_reason = 'held', paused_at = now() where guid = $1", {last});
  loud.insert_order({{"notes", "'as it was'"}});
  EXPECT_EQ(receiver.wait_for("/many", workflows - 1).size(), static_cast<std::size_t>(workflows - 1));
  const json::object held = loud.run_with_status(last, "held");
  EXPECT_TRUE(at(held, "request").is_null()) << "it is not rendered yet";
  loud.configure({{"guid", last},
                  {"action",
                   {{"type", "webhook"},
                    {"recipient", receiver.url("/last")},
                    {"template", "{\"note\": \"second {{notes}}\"}"}}}});
  loud.update_orders("notes = 'as it is now' where true");
  ASSERT_EQ(loud.http.get("/api/workflows/resume-workflow?workflowId=" + last).status, 200);
  const auto received = receiver.wait_for("/last", 1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].body, "{\"note\": \"first as it was\"}");
}

TEST_F(Fairness, ConditionsThatTakeTooLongDelayNoOtherBusiness) {
  constexpr int workflows = 100;
  constexpr int orders = 3;
  json::array any;
  for (int i = 0; i < 1000; ++i)
    any.push_back({{"items.description", {{"contains", "needle " + std::to_string(i)}}}});
  for (int i = 0; i < workflows; ++i)
    loud.webhook(receiver.url("/loud"), "order_created", {{"conditions", {{"any", any}}}});
  quiet.webhook(receiver.url("/quiet"), "order_created");
  loud.write_long_values();
  for (int i = 0; i < orders; ++i) {
    loud.insert_order({{"items",
                        "json_build_array(json_build_object('guid', gen_random_uuid(), 'description', "
                        "repeat('x', 900000), 'quantity', 1, 'price', 1))"}});
  }
  const auto latencies = quiet_latencies(10);
  ASSERT_EQ(latencies.size(), 10U);
  EXPECT_LT(latencies[1], 500ms) << "longest " << latencies[0].count() << " ms";
  EXPECT_TRUE(eventually(
      [&] {
        return loud.sql.number(
                   "select count(*) from runs where business_id = $1 and status = 'dead' and "
                   "code = 'PAYLOAD_TOO_LARGE'",
                   {loud.id}) == std::int64_t{workflows} * orders;
      },
      60s))
      << "each workflow has a run that says so, also those of later turns";
  EXPECT_EQ(receiver.count("/loud"), 0U);
  expect_little_memory(world.waybill.process().pid());
}

TEST_F(Fairness, ATemplateWithEndlessWorkDelaysNoOtherBusiness) {
  // Nested lists: 40 items to the sixth power.
  std::string nested =
      "{{#items}}{{#items}}{{#items}}{{#items}}{{#items}}{{#items}}{{/items}}{{/items}}"
      "{{/items}}{{/items}}{{/items}}{{/items}}{}";
  std::string workflow;
  for (int i = 0; i < 8; ++i) {
    workflow = loud.webhook(
        receiver.url("/loud"), "order_updated",
        {{"action", {{"type", "webhook"}, {"recipient", receiver.url("/loud")}, {"template", nested}}}});
  }
  quiet.webhook(receiver.url("/quiet"), "order_created");
  loud.insert_order(
      {{"items",
        "(select json_agg(json_build_object('guid', gen_random_uuid(), 'description', 'x', 'quantity', 1, "
        "'price', 1)) from generate_series(1, 40))"}});
  loud.settle();
  for (int i = 0; i < 50; ++i) loud.update_orders("notes = '" + std::to_string(i) + "' where true");
  const auto latencies = quiet_latencies(20);
  ASSERT_EQ(latencies.size(), 20U);
  EXPECT_LT(latencies[1], 250ms) << "longest " << latencies[0].count() << " ms";
  ASSERT_TRUE(eventually([&] {
    return loud.sql.number("select count(*) from runs where business_id = $1 and code = 'PAYLOAD_TOO_LARGE'",
                           {loud.id}) == 400;
  }));
  EXPECT_EQ(receiver.count("/loud"), 0U);
}

}  // namespace
}  // namespace waybill::tests
