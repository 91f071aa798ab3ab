// Runs, timers and postponed matches of many large records at once.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 60s;

class LargeRecords : public testing::Test {
 protected:
  LargeRecords() { tenant.write_long_values(); }

  /// Inserts orders of 900 kB.
  void insert_orders(int count) {
    tenant.sql.rows(
        "insert into orders (business_id, order_number, items) select $1, gen_random_uuid(), "
        "json_build_array(json_build_object('guid', gen_random_uuid(), 'description', repeat('x', 900000), "
        "'quantity', 1, 'price', 1)) from generate_series(1, $2::int)",
        {tenant.id, std::to_string(count)});
  }

  /// A webhook with a small body.
  static json::object hook(const std::string& url) {
    return {{"type", "webhook"}, {"recipient", url}, {"template", R"({"order": "{{orderNumber}}"})"}};
  }
  static json::object large() { return {{"items.description", {{"startsWith", "xxx"}}}}; }

  /// Expects each of `count` requests once.
  void expect_requests(Receiver& at, std::string_view path, std::size_t count) {
    EXPECT_EQ(at.wait_for(path, count, patience).size(), count) << path;
    tenant.settle(patience);
    EXPECT_TRUE(eventually(
        [&] {
          return tenant.sql.number("select count(*) from run_queue where business_id = $1", {tenant.id}) == 0;
        },
        patience));
    std::set<std::string> ids;
    for (const Received& request : at.wait_for(path, count)) ids.insert(request.header("webhook-id"));
    EXPECT_EQ(ids.size(), count) << path;
    EXPECT_EQ(at.count(path), count) << path;
  }

  World world;
  Receiver receiver;
  Tenant tenant{world.waybill, "large"};
};

TEST_F(LargeRecords, DelayedRunsAreCheckedInLittleMemory) {
  std::vector<std::unique_ptr<Receiver>> receivers;
  for (int i = 0; i < 4; ++i) {
    receivers.push_back(std::make_unique<Receiver>());
    tenant.webhook(
        receivers.back()->url("/delayed"), "order_created",
        {{"delay", "PT2S"}, {"conditions", large()}, {"action", hook(receivers.back()->url("/delayed"))}});
  }
  insert_orders(60);
  for (const auto& each : receivers) expect_requests(*each, "/delayed", 60);
  expect_little_memory(world.waybill.process().pid());
}

TEST_F(LargeRecords, DelayedRunsOfOneRecordAreChecked) {
  constexpr std::size_t workflows = 90;
  for (std::size_t i = 0; i < workflows; ++i) {
    const json::object conditions = i % 3 == 0 ? json::object{{"notes", "never"}} : large();
    tenant.webhook(
        receiver.url("/one"), "order_created",
        {{"delay", "PT1S"},
         {"conditions", i % 3 == 1 ? json::object{{"customer.name", {{"exists", false}}}} : conditions},
         {"action", hook(receiver.url("/one"))}});
  }
  insert_orders(1);
  expect_requests(receiver, "/one", workflows / 3 * 2);
  expect_little_memory(world.waybill.process().pid());
}

TEST_F(LargeRecords, DelayedRunsWhoseRecordsChangedAreSkipped) {
  const std::string workflow = tenant.webhook(
      receiver.url("/changed"), "order_created",
      {{"delay", "PT3S"}, {"conditions", large()}, {"action", hook(receiver.url("/changed"))}});
  insert_orders(20);
  tenant.update_orders("items = '[]' where true");
  EXPECT_TRUE(eventually(
      [&] {
        return tenant.sql.number("select count(*) from runs where workflow_id = $1 and status = 'skipped'",
                                 {workflow}) == 20;
      },
      patience));
  EXPECT_EQ(receiver.count("/changed"), 0U);
}

TEST_F(LargeRecords, TimersFireInLittleMemory) {
  const auto timed = [&](const char* offset) {
    return json::object{{"name", "timed"},
                        {"entityType", "Order"},
                        {"timer", {{"field", "createdAt"}, {"offset", offset}}},
                        {"conditions", large()},
                        {"action", hook(receiver.url("/timer"))}};
  };
  insert_orders(60);
  tenant.settle();
  const std::string workflow = text_at(tenant.configure(timed("P1D")), "guid");
  EXPECT_TRUE(eventually(
      [&] {
        return tenant.sql.number("select count(*) from timers where workflow_id = $1", {workflow}) == 60 &&
               tenant.sql.number("select count(*) from timer_scans where workflow_id = $1", {workflow}) == 0;
      },
      patience));
  tenant.sql.rows(
      "update timers set due_at = clock_timestamp(), check_at = clock_timestamp() where workflow_id = $1",
      {workflow});
  expect_requests(receiver, "/timer", 60);
  EXPECT_EQ(tenant.sql.number("select count(*) from timers where workflow_id = $1", {workflow}), 0);
  expect_little_memory(world.waybill.process().pid());
}

TEST_F(LargeRecords, LaterStepsBeginInLittleMemory) {
  tenant.configure(
      {{"name", "steps"},
       {"entityType", "Order"},
       {"triggerId", trigger_guid("order_created")},
       {"steps", json::array{hook(receiver.url("/first")), json::object{{"type", "wait"}, {"delay", "PT2S"}},
                             hook(receiver.url("/second"))}}});
  insert_orders(60);
  expect_requests(receiver, "/first", 60);
  expect_requests(receiver, "/second", 60);
  expect_little_memory(world.waybill.process().pid());
}

TEST_F(LargeRecords, PostponedMatchesAreMadeUpInLittleMemory) {
  const std::string workflow =
      tenant.webhook(receiver.url("/postponed"), "order_created",
                     {{"conditions", large()}, {"action", hook(receiver.url("/postponed"))}});
  const auto set_type = [&](const std::string& type) {
    tenant.sql.rows(
        "update workflows set action = jsonb_set(action, '{type}', to_jsonb($2::text)) where guid = $1",
        {workflow, type});
  };
  set_type("fax");
  insert_orders(60);
  tenant.settle(patience);
  EXPECT_EQ(tenant.sql.number("select count(*) from postponed_matches where business_id = $1", {tenant.id}),
            60);
  set_type("webhook");
  expect_requests(receiver, "/postponed", 60);
  expect_little_memory(world.waybill.process().pid());
}

// Their events are read in a transaction, and reading stops at 16 MiB.
TEST_F(LargeRecords, EventsOfAResumedBusinessFire) {
  tenant.webhook(receiver.url("/resumed"), "order_created", {{"action", hook(receiver.url("/resumed"))}});
  const auto business = [&](const char* command) {
    const Finished done = run({waybill_binary(), "business", command, "--database-url", world.database.url(),
                               "--business", tenant.name});
    EXPECT_EQ(done.status, 0) << done.standard_error;
  };
  business("suspend");
  ASSERT_TRUE(eventually([&] { return tenant.http.get("/api/v1/Orders").status == 403; }));
  insert_orders(40);
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from suspended_events where business_id = $1", {tenant.id}) ==
           40;
  }));
  business("resume");
  EXPECT_EQ(receiver.wait_for("/resumed", 40, patience).size(), 40U);
}

}  // namespace
}  // namespace waybill::tests
