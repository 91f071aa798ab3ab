// Reads of a business that take long do not delay the reads of others.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/server.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

/// An API with one io thread, so that all requests share its connections.
class LongReads : public testing::Test {
 protected:
  static Waybill::Options with_one_thread() {
    Waybill::Options options;
    options.arguments = {"--io-threads", "1"};
    return options;
  }

  /// The number of reads of the API that wait for a lock.
  std::int64_t blocked() {
    return database.number(
        "select count(*) from pg_stat_activity where datname = current_database() "
        "and application_name = 'waybill api' and wait_event_type = 'Lock'");
  }

  /// Cancels the sleeping reads of the API until it is stopped.
  std::jthread canceller() {
    return std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        database.rows(
            "select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() "
            "and application_name = 'waybill api' and wait_event = 'PgSleep'");
        std::this_thread::yield();
      }
    });
  }

  TestDatabase database;
  Waybill waybill{database.url(), with_one_thread()};
  Tenant loud{waybill, "loud"};
  Tenant quiet{waybill, "quiet"};
};

TEST_F(LongReads, SummariesOfABusinessLeaveTheShortReadsOfOthersAlone) {
  const std::string order = loud.create_order();
  const std::string shipment = loud.insert_shipment(order);
  const std::string customer = loud.sql.value(
      "insert into customers (business_id, name) values ($1, 'Ada') returning guid", {loud.id});
  const std::vector<std::string> paths{"/api/v1/shipments/overview", "/api/dispatch/overview",
                                       "/api/v1/Customers/" + customer + "/sales-analytics",
                                       "/api/v1/shipments/" + shipment + "/history",
                                       "/api/v1/shipments/" + shipment + "/traces"};
  for (const std::string& path : paths) {
    ASSERT_EQ(loud.http.get(path).status, 200) << path;
    Session holder = database.connect();
    holder.exec("begin; lock table shipments in access exclusive mode");
    std::vector<std::jthread> reading;
    std::atomic<int> answered = 0;
    for (int i = 0; i < 6; ++i) {
      reading.emplace_back([&, http = loud.http.with_token(loud.http.token())]() mutable {
        if (http.get(path).status == 200) ++answered;
      });
    }
    EXPECT_TRUE(eventually([&] { return blocked() >= 1; })) << path;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(quiet.http.get("/api/drivers").status, 200) << path;
    EXPECT_EQ(answered.load(), 0) << path << " was read before the lock was released";
    holder.exec("rollback");
    reading.clear();
    EXPECT_EQ(answered.load(), 6) << path;
  }
}

TEST_F(LongReads, ASlowListLeavesTheShortReadsOfOthersAlone) {
  const json::object dispatch{{"name", "Morning"}, {"plannedDate", "2026-11-20T08:00:00Z"}};
  ASSERT_EQ(loud.http.post("/api/dispatch", dispatch).status, 201);
  database.exec("alter table dispatches rename to kept_dispatches");
  database.exec("create view dispatches as select d.* from kept_dispatches d, pg_sleep(60)");
  std::vector<std::jthread> reading;
  for (int i = 0; i < 6; ++i)
    reading.emplace_back(
        [http = loud.http.with_token(loud.http.token())]() mutable { http.get("/api/dispatch"); });
  EXPECT_TRUE(eventually([&] {
    return database.number(
               "select count(*) from pg_stat_activity where datname = current_database() "
               "and application_name = 'waybill api' and wait_event = 'PgSleep'") >= 1;
  }));
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(quiet.http.get("/api/v1/Products").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  const std::jthread cancelling = canceller();
  reading.clear();
}

TEST_F(LongReads, AListThatTakesTooLongNamesWhatMakesItSlow) {
  loud.sql.rows("update orders set tags = '[\"vip\"]' where guid = $1", {loud.create_order()});
  database.exec("alter function lower_tags rename to tags_in_lower_case");
  database.exec(
      "create function lower_tags(tags jsonb) returns text[] language sql volatile strict "
      "as $$ select tags_in_lower_case(tags) from pg_sleep(60) $$");
  const std::jthread cancelling = canceller();
  const auto filtered = loud.http.get("/api/v1/Orders?$filter=not%20(tags%20eq%20'vip')");
  EXPECT_EQ(filtered.status, 400) << filtered.text;
  EXPECT_EQ(filtered.details().size(), 1U);
  EXPECT_TRUE(filtered.details().at("$filter").as_string().starts_with("takes longer than")) << filtered.text;
}

TEST_F(LongReads, AHistoryShowsTheNewestThousandChanges) {
  const std::string order = loud.create_order();
  const std::string shipment = loud.insert_shipment(order);
  for (const std::string& path : {"/api/v1/Orders/" + order, "/api/v1/shipments/" + shipment}) {
    loud.sql.rows(
        "insert into status_history (business_id, entity_id, event_id, at, status_from, status_to) "
        "select $1::uuid, $2::uuid, -n, now(), 'pending', 'ready' from generate_series(1, 1005) n",
        {loud.id, path.substr(path.rfind('/') + 1)});
    const json::value history = loud.http.get(path + "/history").body;
    const json::array& changes = at(history, "data").as_array();
    ASSERT_EQ(changes.size(), 1'000U) << path;
    EXPECT_TRUE(changes.back().at("from").is_null()) << "the newest change is that of its event";
    EXPECT_EQ(text_at(changes.front(), "from"), "pending");
  }
}

}  // namespace
}  // namespace waybill::tests
