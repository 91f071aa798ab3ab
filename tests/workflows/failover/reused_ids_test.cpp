#include <set>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// The state after a crash with `synchronous_commit = off` or a fail-over to an asynchronous standby: the
/// last commits are lost, and the sequence gives their numbers to the next events.
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

/// A reader of the feed of events.
class FeedOfOrders {
 public:
  explicit FeedOfOrders(Tenant& tenant) : tenant_(tenant) {}

  /// The numbers of the orders of all further events.
  std::vector<std::string> read() {
    std::vector<std::string> numbers;
    for (bool has_more = true; has_more;) {
      const auto page = tenant_.http.get("/api/events?entityType=Order&limit=500" +
                                         (cursor_.empty() ? "" : "&after=" + cursor_));
      EXPECT_EQ(page.status, 200) << page.text;
      if (page.status != 200) break;
      cursor_ = text_at(page.body, "nextCursor");
      has_more = at(page.body, "hasMore") == true;
      for (const auto& event : page.data().as_array())
        numbers.push_back(text_at(event, "entity.orderNumber"));
    }
    return numbers;
  }

 private:
  Tenant& tenant_;
  std::string cursor_;
};

TEST(ReusedIds, TheFeedShowsEventsWithIdsThatItHasPassed) {
  World world;
  Tenant tenant(world.waybill, "feed");
  FeedOfOrders idle(tenant), asking(tenant);
  const std::int64_t last_kept = insert_orders(tenant, "kept", 2);
  insert_orders(tenant, "lost", 5);
  tenant.settle();
  EXPECT_EQ(idle.read().size(), 7U);
  EXPECT_EQ(asking.read().size(), 7U);
  EXPECT_TRUE(idle.read().empty());

  lose_events_after(tenant.sql, last_kept);
  EXPECT_EQ(asking.read(), (std::vector<std::string>{"kept1", "kept2"})) << "repeated, because it went back";
  EXPECT_TRUE(asking.read().empty());
  ASSERT_EQ(insert_orders(tenant, "new", 3), last_kept + 3);
  EXPECT_EQ(asking.read(), (std::vector<std::string>{"new1", "new2", "new3"}));
  EXPECT_EQ(idle.read(), (std::vector<std::string>{"kept1", "kept2", "new1", "new2", "new3"}));
  EXPECT_TRUE(idle.read().empty());
}

TEST(ReusedIds, TheFeedShowsEventsWithTheIdOfTheEventAtItsPosition) {
  World world;
  Tenant tenant(world.waybill, "same");
  FeedOfOrders feed(tenant);
  const std::int64_t last_kept = insert_orders(tenant, "kept", 1);
  insert_orders(tenant, "lost", 3);
  tenant.settle();
  EXPECT_EQ(feed.read().size(), 4U);
  lose_events_after(tenant.sql, last_kept);
  ASSERT_EQ(insert_orders(tenant, "new", 6), last_kept + 6);
  EXPECT_EQ(feed.read(), (std::vector<std::string>{"kept1", "new1", "new2", "new3", "new4", "new5", "new6"}));
}

TEST(ReusedIds, TheFeedRepeatsNothingAfterItsLastEventHasExpired) {
  World world;
  Tenant tenant(world.waybill, "expired");
  FeedOfOrders feed(tenant);
  insert_orders(tenant, "old", 3);
  tenant.settle();
  EXPECT_EQ(feed.read().size(), 3U);
  tenant.sql.exec("delete from events");
  insert_orders(tenant, "new", 2);
  EXPECT_EQ(feed.read(), (std::vector<std::string>{"new1", "new2"}));
  EXPECT_TRUE(feed.read().empty());
}

}  // namespace
}  // namespace waybill::tests
