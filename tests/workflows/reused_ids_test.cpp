#include <set>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/workflow_test.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// The state after a crash with `synchronous_commit = off` or a failover to an asynchronous standby: the last
/// commits are lost, and the sequence gives their numbers to the next events.
void lose_events_after(Session& sql, std::int64_t last_id) {
  const std::string id = std::to_string(last_id);
  sql.exec("begin; delete from pending_events where id > " + id + "; delete from events where id > " + id +
           "; select setval('event_ids', " + id + "); commit");
}

std::int64_t insert_orders(Tenant& tenant, std::string_view prefix, int count) {
  tenant.sql.exec("insert into orders (business_id, order_number) select '" + tenant.id + "', '" +
                  std::string(prefix) + "' || n from generate_series(1, " + std::to_string(count) + ") n");
  return tenant.sql.number("select max(id) from events");
}

TEST(ReusedIds, EventsWithTheIdsOfLostEventsInFlightFire) {
  constexpr int count = 40;
  World world;
  Receiver receiver;
  Tenant tenant(world.waybill, "reused");
  const std::int64_t last_kept = insert_orders(tenant, "kept", 1);
  tenant.settle();
  tenant.webhook(receiver.url("/hook"), "order_created");
  const auto gate = std::make_shared<Gate>();
  receiver.answer("/hook", Reply::after(gate));
  const std::int64_t last_lost = insert_orders(tenant, "lost", count);
  ASSERT_FALSE(receiver.wait_for("/hook", 1).empty());

  lose_events_after(tenant.sql, last_kept);
  postgres().admin().exec("select pg_terminate_backend(pid) from pg_stat_activity where datname = '" +
                          world.database.name() + "' and application_name like 'waybill%'");
  ASSERT_EQ(insert_orders(tenant, "new", count), last_lost);
  gate->open();

  const auto numbers = [&](const std::vector<Received>& all) {
    std::set<std::string> orders;
    for (const Received& request : all) {
      const std::string number = text_at(request.json_body(), "data.entity.orderNumber");
      if (number.starts_with("new")) orders.insert(number);
    }
    return orders.size();
  };
  EXPECT_TRUE(receiver.wait_until("/hook", [&](const auto& all) { return numbers(all) == count; }));
  tenant.settle();
  EXPECT_EQ(
      world.database.number("select count(*) from all_runs where event_id > $1", {std::to_string(last_kept)}),
      count)
      << "each new event has its run and no lost event has one";
}

TEST(ReusedIds, WorkflowsWithReusedEpochsAreRead) {
  World world;
  Receiver receiver;
  Tenant tenant(world.waybill, "epochs");
  const std::string lost = tenant.webhook(receiver.url("/lost"), "order_created");
  tenant.insert_order();
  ASSERT_EQ(receiver.wait_for("/lost", 1).size(), 1U);
  tenant.settle();
  // Simulates that the workflow was never committed and that another one has its epoch.
  tenant.sql.exec("begin; delete from workflows where guid = '" + lost +
                  "'; update workflow_epoch set epoch = epoch - 1; commit");
  postgres().admin().exec("select pg_terminate_backend(pid) from pg_stat_activity where datname = '" +
                          world.database.name() + "' and application_name like 'waybill%'");
  Tenant again(world.waybill, "epochs");
  ASSERT_TRUE(eventually([&] { return again.http.get("/api/business/my-business").status == 200; }));
  again.webhook(receiver.url("/new"), "order_created");
  again.insert_order();
  EXPECT_EQ(receiver.wait_for("/new", 1).size(), 1U);
  EXPECT_EQ(receiver.count("/lost"), 1U);
}

}  // namespace
}  // namespace waybill::tests
