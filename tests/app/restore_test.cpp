#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

/// The ids of the requests of a path.
std::multiset<std::string> webhook_ids(const Receiver& receiver, std::string_view path) {
  std::multiset<std::string> ids;
  for (const Received& request : receiver.received(path)) ids.insert(request.header("webhook-id"));
  return ids;
}

class Restore : public testing::Test {
 protected:
  std::unique_ptr<Waybill> start_worker(const std::string& database_url) const {
    Waybill::Options options;
    options.command = "worker";
    options.retry_schedule = "1s,1s,1s";
    options.secret_key_file = api.secret_key_file();
    return std::make_unique<Waybill>(database_url, options);
  }

  /// Copies the database into another cluster, whose transaction ids begin again. Returns its URL.
  std::string restore() {
    const auto programs = server_programs();
    const std::string file = directory / "backup";
    const Finished dumped = run({programs / "pg_dump", "--format=custom", "--file", file, database.url()});
    if (dumped.status != 0) throw std::runtime_error("pg_dump: " + dumped.standard_error);
    other.admin().exec("create database restored");
    const Finished restored =
        run({programs / "pg_restore", "--exit-on-error", "--dbname", other.url("restored"), file});
    if (restored.status != 0) throw std::runtime_error("pg_restore: " + restored.standard_error);
    return other.url("restored");
  }

  TempDirectory directory;
  TestDatabase database;
  Postgres other;
  Waybill api{database.url(), {.command = "api"}};
  Receiver receiver;
  Tenant tenant{api, "restored"};
};

TEST_F(Restore, PendingEventsAndQueuedRunsContinueAndRecordedOnesDoNotFireAgain) {
  if (!std::filesystem::exists(server_programs() / "pg_dump")) GTEST_SKIP() << "pg_dump is not installed";
  tenant.webhook(receiver.url("/hook"), "order_created");
  tenant.webhook(receiver.url("/refused"), "order_updated");
  receiver.answer_next("/refused", Reply::with_status(503));
  auto worker = start_worker(database.url());
  for (int i = 0; i < 5; ++i) tenant.insert_order();
  ASSERT_EQ(receiver.wait_for("/hook", 5).size(), 5U);
  tenant.update_orders("notes = 'x' where order_number = (select min(order_number) from orders)");
  ASSERT_EQ(receiver.wait_for("/refused", 1).size(), 1U);
  ASSERT_TRUE(eventually([&] { return database.number("select count(*) from run_queue") == 1; }));
  ASSERT_TRUE(eventually([&] { return database.number("select count(*) from pending_events") == 0; }));
  ASSERT_EQ(worker->stop(), 0);
  for (int i = 0; i < 3; ++i) tenant.insert_order();

  const std::string restored = restore();
  worker = start_worker(restored);
  EXPECT_EQ(receiver.wait_for("/hook", 8).size(), 8U);
  EXPECT_EQ(receiver.wait_for("/refused", 2).size(), 2U);
  Session session(restored);
  session.exec("insert into orders (business_id, order_number) values ('" + tenant.id + "', 'after')");
  EXPECT_EQ(receiver.wait_for("/hook", 9).size(), 9U);
  EXPECT_TRUE(eventually([&] { return session.number("select count(*) from pending_events") == 0; }));
  EXPECT_TRUE(eventually([&] { return session.number("select count(*) from run_queue") == 0; }));
  EXPECT_EQ(session.number("select count(*) from runs where status = 'succeeded'"), 10);
  const auto hooks = webhook_ids(receiver, "/hook");
  EXPECT_EQ(std::set<std::string>(hooks.begin(), hooks.end()).size(), 9U) << "nothing fires again";
  const auto refused = webhook_ids(receiver, "/refused");
  EXPECT_EQ(std::set<std::string>(refused.begin(), refused.end()).size(), 1U) << "the same run";
}

// docs/operations.md, "Drill".
TEST_F(Restore, ADrillWithSuspendedBusinessesSendsNothingUntilTheyAreResumed) {
  if (!std::filesystem::exists(server_programs() / "pg_dump")) GTEST_SKIP() << "pg_dump is not installed";
  tenant.webhook(receiver.url("/hook"), "order_created");
  receiver.answer("/hook", Reply::with_status(503));
  auto worker = start_worker(database.url());
  tenant.insert_order();
  ASSERT_EQ(receiver.wait_for("/hook", 1).size(), 1U);
  ASSERT_TRUE(
      eventually([&] { return database.number("select count(*) from run_queue where attempts > 0") == 1; }));
  ASSERT_EQ(worker->stop(), 0);
  ASSERT_EQ(database.number("select count(*) from run_queue"), 1) << "attempts were left";
  receiver.answer("/hook", Reply{});
  const std::size_t before = receiver.received("/hook").size();
  for (int i = 0; i < 2; ++i) tenant.insert_order();

  const std::string restored = restore();
  Session session(restored);
  session.exec("update businesses set suspended_at = now()");
  worker = start_worker(restored);
  EXPECT_TRUE(eventually([&] {
    return session.number("select count(*) from run_queue where status = 'held'") == 1 &&
           session.number("select count(*) from suspended_events") == 2;
  }));
  EXPECT_EQ(receiver.received("/hook").size(), before);
  session.exec("update businesses set suspended_at = null");
  EXPECT_EQ(receiver.wait_for("/hook", before + 3).size(), before + 3);
}

/// The numbers of the orders in the events after a cursor, which moves on.
std::vector<std::string> read_feed(Http& http, std::string& cursor) {
  const Response page =
      http.get("/api/events?entityType=Order&limit=500" + (cursor.empty() ? "" : "&after=" + cursor));
  EXPECT_EQ(page.status, 200) << page.text;
  if (page.status != 200) return {};
  cursor = text_at(page.body, "nextCursor");
  std::vector<std::string> numbers;
  for (const auto& event : page.data().as_array()) numbers.push_back(text_at(event, "entity.orderNumber"));
  return numbers;
}

TEST_F(Restore, CursorsOfTheFeedFromBeforeAndAfterTheBackupSkipNothing) {
  if (!std::filesystem::exists(server_programs() / "pg_dump")) GTEST_SKIP() << "pg_dump is not installed";
  // The other cluster will not have begun the transactions that the cursor names.
  tenant.sql.exec(
      "do $$ begin for i in 1..20000 loop perform pg_current_xact_id(); commit; end loop; end $$");
  const auto insert = [&](Session& session, const std::string& number) {
    session.exec("insert into orders (business_id, order_number) values ('" + tenant.id + "', '" + number +
                 "')");
  };
  Session early(database.url());
  early.exec("begin");
  insert(early, "late");
  insert(tenant.sql, "first");
  std::string before;
  EXPECT_EQ(read_feed(tenant.http, before), std::vector<std::string>{"first"});
  early.exec("commit");
  const std::string restored = restore();
  insert(tenant.sql, "lost");
  std::string after = before;
  EXPECT_EQ(read_feed(tenant.http, after), (std::vector<std::string>{"late", "lost"}));

  Waybill other_api(restored, {.command = "api", .secret_key_file = api.secret_key_file()});
  Http http = other_api.http(tenant.http.token());
  EXPECT_EQ(read_feed(http, before), std::vector<std::string>{"late"});
  Session session(restored);
  insert(session, "new");
  EXPECT_EQ(read_feed(http, before), std::vector<std::string>{"new"});
  const auto repeated = read_feed(http, after);
  EXPECT_TRUE(std::ranges::find(repeated, "new") != repeated.end()) << "its id is that of a lost event";
  EXPECT_TRUE(read_feed(http, after).empty());
}

}  // namespace
}  // namespace waybill::tests
