#include <regex>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// The metrics listener of a process that was started with `--metrics-listen 127.0.0.1:0`.
Http metrics_of(Waybill& waybill) {
  const auto line = waybill.process().wait_for_line("metrics=http://127.0.0.1:");
  if (!line) throw std::runtime_error("no metrics listener");
  constexpr std::string_view host = "metrics=http://127.0.0.1:";
  return {"127.0.0.1", std::stoi(line->substr(line->find(host) + host.size()))};
}

/// The value of a series, -1 if it does not exist.
double metric(Http& metrics, std::string_view series) {
  const std::string text = "\n" + metrics.get("/metrics").text;
  const std::string wanted = "\n" + std::string(series) + " ";
  const std::size_t at = text.find(wanted);
  return at == std::string::npos ? -1 : std::stod(text.substr(at + wanted.size()));
}

Waybill::Options with_metrics(std::string command) {
  Waybill::Options options;
  options.command = std::move(command);
  options.arguments = {"--metrics-listen", "127.0.0.1:0"};
  return options;
}

/// A database with an API and no worker.
class Readiness : public testing::Test {
 protected:
  void expect_ready(const char* path = "/readyz") {
    EXPECT_TRUE(eventually([&] { return http.get(path).status == 200; })) << http.get(path).text;
  }
  void expect_not_ready(const char* path = "/readyz") {
    EXPECT_TRUE(eventually([&] { return http.get(path).status == 503; }));
    const Response response = http.get(path);
    EXPECT_EQ(response.error_code(), "UNAVAILABLE");
    EXPECT_NE(response.header("retry-after"), "");
    EXPECT_EQ(http.get("/healthz").status, 200);
  }
  // Waits longer than the second for which a result is cached.
  void expect_still_ready(const char* path) {
    EXPECT_TRUE(throughout([&] { return http.get(path).status == 200; }, 1500ms));
  }
  void age_pending(std::string_view age) {
    database.exec("update pending_events set at = now() - interval '" + std::string(age) + "'");
  }

  TestDatabase database;
  Waybill api{database.url(), with_metrics("api")};
  Http http = api.http();
};

TEST_F(Readiness, ReportsWorkersOnlyOnRequest) {
  Tenant tenant(api, "waiting");
  tenant.insert_order();
  age_pending("61 seconds");
  expect_ready();
  expect_not_ready("/readyz?worker");
  Waybill::Options options;
  options.command = "worker";
  options.secret_key_file = api.secret_key_file();
  Waybill worker(database.url(), options);
  expect_ready("/readyz?worker");
  EXPECT_EQ(worker.stop(), 0);
  expect_not_ready("/readyz?worker");
  expect_ready("/readyz?worker=false");
}

TEST_F(Readiness, ReadinessOfWorkersFailsWhileEventsWaitForMoreThanAMinute) {
  const std::string other = "00000000-0000-4000-8000-000000000001";
  database.exec("insert into workers (guid, name) values ('" + other +
                "', 'lives'); insert into worker_beats (worker, expires_at, matched_at) values ('" + other +
                "', now() + interval '1 hour', now())");
  expect_ready("/readyz?worker");
  Tenant tenant(api, "waiting");
  tenant.insert_order();
  age_pending("50 seconds");
  expect_still_ready("/readyz?worker");
  age_pending("61 seconds");
  expect_not_ready("/readyz?worker");
}

TEST_F(Readiness, LeavesTheLagToTheWorkers) {
  Tenant tenant(api, "waiting");
  tenant.insert_order();
  age_pending("61 seconds");
  expect_not_ready("/readyz?worker");
  Http metrics = metrics_of(api);
  EXPECT_EQ(metric(metrics, "waybill_match_lag_seconds"), 0) << "an API process would never set it back";
}

TEST_F(Readiness, ReadinessOfWorkersFailsWhileAWorkerThatLivesIsAMinuteBehind) {
  const auto set_lag = [&](std::string_view lag) {
    database.exec(
        "with owner as (insert into workers (guid, name) values (gen_random_uuid(), 'lives') returning "
        "guid), "
        "owned as (update shards set owner = owner.guid from owner where shard = 3 returning owner) "
        "insert into worker_beats (worker, expires_at, matched_at) "
        "select guid, now() + interval '1 hour', now() - interval '" +
        std::string(lag) + "' from owner");
  };
  set_lag("50 seconds");
  expect_ready("/readyz?worker");
  set_lag("61 seconds");
  expect_not_ready("/readyz?worker");
  database.exec("update shards set owner = null");
  expect_ready("/readyz?worker");
}

TEST_F(Readiness, FailsWhileAMigrationIsMissingButNotForANewerSchema) {
  expect_ready();
  database.exec("create table removed as select * from schema_migrations order by name desc limit 1");
  database.exec("delete from schema_migrations where name in (select name from removed)");
  expect_not_ready();
  database.exec("insert into schema_migrations select * from removed");
  database.exec("insert into schema_migrations (name, checksum) values ('9999_newer', repeat('0', 64))");
  expect_ready();
}

TEST_F(Readiness, FailsWhileTheDatabaseIsReadOnly) {
  Http client = api.business("writes");
  ASSERT_EQ(client.post("/api/v1/Customers", {{"name", "taken"}}).status, 201);
  expect_ready();
  postgres().admin().exec("alter database " + database.name() + " set default_transaction_read_only = on");
  database.terminate_connections();
  expect_not_ready();
  const Response refused = client.post("/api/v1/Customers", {{"name", "refused"}});
  EXPECT_EQ(refused.status, 503) << "not 500";
  postgres().admin().exec("alter database " + database.name() + " reset default_transaction_read_only");
  database.terminate_connections();
  expect_ready();
}

TEST_F(Readiness, FailsWhileTheDatabaseIsUnreachable) {
  expect_ready();
  Session admin = postgres().admin();
  admin.exec("alter database " + database.name() + " allow_connections false");
  database.terminate_connections();
  expect_not_ready();
  admin.exec("alter database " + database.name() + " allow_connections true");
  expect_ready();
}

TEST_F(Readiness, QueriesTheDatabaseAtMostOnceASecond) {
  Http metrics = metrics_of(api);
  const auto started = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(http.get("/readyz").status, 200);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  const double queries = metric(metrics, R"(waybill_statement_seconds_count{statement="system.readiness"})");
  EXPECT_GE(queries, 1);
  EXPECT_LE(queries, seconds.count() + 1);
}

TEST(Metrics, ShowEventsRunsAndRequests) {
  TestDatabase database;
  database.make_duties_due();
  Waybill waybill(database.url(), with_metrics("up"));
  Http metrics = metrics_of(waybill);
  Tenant tenant(waybill, "measured");
  Receiver receiver;
  const std::string workflow = tenant.webhook(receiver.url("/good"), "order_created");
  tenant.insert_order();
  tenant.run_with_status(workflow, "succeeded");
  receiver.answer("/bad", Reply::with_status(500));
  tenant.webhook(receiver.url("/bad"), "order_updated", {{"delay", "PT1H"}});
  tenant.update_orders("notes = 'x' where true");
  tenant.settle();

  // A worker counts after its commits.
  const auto expect = [&](std::string_view name, double value) {
    EXPECT_TRUE(eventually([&] { return metric(metrics, name) == value; }))
        << name << " is " << metric(metrics, name);
  };
  expect("waybill_events_matched_total", 2);
  expect("waybill_runs_planned_total", 2);
  expect(R"(waybill_runs_total{outcome="succeeded"})", 1);
  expect("waybill_run_age_seconds_count", 1);
  expect("waybill_first_try_seconds_count", 1);
  expect(R"(waybill_try_seconds_count{action="webhook"})", 1);
  EXPECT_GE(metric(metrics, "waybill_event_age_seconds_count"), 1);
  EXPECT_GE(metric(metrics, "waybill_match_batch_events_count"), 1);
  EXPECT_GE(metric(metrics, "waybill_match_lag_seconds"), 0);
  EXPECT_LT(metric(metrics, "waybill_match_lag_seconds"), 10);
  expect("waybill_runs_in_flight", 0);
  expect("waybill_breakers_open", 0);
  expect("waybill_database_up", 1);
  EXPECT_TRUE(
      eventually([&] { return metric(metrics, R"(waybill_duty_seconds_count{duty="check_ledger"})") >= 1; }));
  expect("waybill_ledger_unbalanced_total", 0);

  ASSERT_EQ(tenant.http.get("/healthz").status, 200);
  ASSERT_EQ(tenant.http.get("/api/v1/Orders/nonsense").status, 400);
  ASSERT_EQ(tenant.http.get("/nowhere").status, 404);
  EXPECT_GE(metric(metrics, R"(waybill_http_answers_total{route="GET /healthz",status="200"})"), 1);
  EXPECT_EQ(
      metric(metrics, R"(waybill_http_answers_total{route="GET /api/v1/Orders/{orderId}",status="400"})"), 1);
  EXPECT_EQ(metric(metrics, R"(waybill_http_answers_total{route="none",status="404"})"), 1);
  const std::string text = metrics.get("/metrics").text;
  EXPECT_EQ(text.find(tenant.id), std::string::npos) << "no series names a business";

  // The queue is counted every 15 s, and first when a worker starts.
  Waybill::Options options = with_metrics("worker");
  options.secret_key_file = waybill.secret_key_file();
  Waybill worker(database.url(), options);
  Http metrics_of_worker = metrics_of(worker);
  EXPECT_TRUE(
      eventually([&] { return metric(metrics_of_worker, R"(waybill_queue_depth{status="waiting"})") == 1; }));
  EXPECT_EQ(metric(metrics_of_worker, R"(waybill_queue_depth{status="held"})"), 0);
}

}  // namespace
}  // namespace waybill::tests
