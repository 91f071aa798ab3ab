// Jobs whose process is killed, stopped, or cancelled while it performs them.
#include <csignal>
#include <memory>
#include <string>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/api/fixtures/jobs.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view csv = "name,email\r\nAda,ada@example.com\r\n";
constexpr int replayed_runs = 2'500;  // more than two portions

/// Two API processes on a database of their own, in which writes of a table can be held. There is no worker.
class JobsCrash : public testing::Test {
 protected:
  /// Writes of a table wait as long as the result exists, if `condition` (SQL) is true.
  std::unique_ptr<Session> hold(const std::string& table, const std::string& when,
                                const std::string& condition = "true") {
    database.exec(
        "create or replace function wait_for_test() returns trigger language plpgsql as $$ begin"
        " if " +
        condition +
        " then perform pg_advisory_xact_lock_shared(4711); end if; return null; end $$;"
        "create trigger waits_for_test after " +
        when + " on " + table + " for each statement execute function wait_for_test()");
    auto session = std::make_unique<Session>(database.connect());
    session->exec("select pg_advisory_lock(4711)");
    return session;
  }
  bool is_waiting() {
    return eventually([&] {
      return database.number(
                 "select count(*) from pg_locks l join pg_database d on d.oid = l.database"
                 " where d.datname = current_database() and locktype = 'advisory' and objid = 4711"
                 " and not granted") > 0;
    });
  }
  /// Kills the first process, and ends its leases.
  void kill_first() {
    second = std::make_unique<Waybill>(
        database.url(), Waybill::Options{.command = "api", .secret_key_file = first.secret_key_file()});
    first.process().kill(SIGKILL);
    first.process().wait_exit();
    end_leases();
  }
  void end_leases() { database.exec("update jobs set lease_until = now() where lease_until is not null"); }
  std::string customer() {
    return text_at(
        tenant.http.post("/api/v1/Customers", {{"name", "Ada"}, {"email", "ada@example.com"}}).data(),
        "guid");
  }
  void add_finished_runs() {
    const auto workflow = tenant.webhook("http://127.0.0.1:9/hook", "order_created");
    tenant.sql.rows(
        "insert into runs (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, "
        "trigger_code, action, status, attempts, created_at, finished_at, origin, destination, request, "
        "tries) "
        "select $1, timed_guid(clock_timestamp()), $2, 1, n, 0, $2, 'order_created', 'webhook', 'dead', 1, "
        "now(), now(), $2, '', '{}', '[]' from generate_series(1, $3::int) n",
        {tenant.id, workflow, std::to_string(replayed_runs)});
  }

  void add_open_runs() {
    tenant.sql.rows(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, trigger_code, action, status, created_at, due_at, origin, destination, request) "
        "select $1, timed_guid(clock_timestamp()), $1, 1, n, 0, $1, 'order_created', 'webhook', 'waiting', "
        "now() - interval '1 minute', now() + interval '1 day', $1, '', '{}' "
        "from generate_series(1, $2::int) n",
        {tenant.id, std::to_string(replayed_runs)});
  }

  TestDatabase database;
  Waybill first{database.url(), Waybill::Options{.command = "api"}};
  Tenant tenant{first, "jobs"};
  std::unique_ptr<Waybill> second;
};

TEST_F(JobsCrash, AnUploadOfAKilledProcessFailsAndLeavesNothing) {
  auto held = hold("customer_upload_parts", "insert");
  const auto job = upload_as_a_job(tenant.http, csv);
  ASSERT_TRUE(is_waiting());
  kill_first();
  held.reset();
  auto http = second->http(tenant.http.token());
  error_of(http, job, "INTERRUPTED");
  EXPECT_EQ(database.number("select count(*) from customer_uploads"), 0);
  EXPECT_EQ(database.number("select count(*) from job_contents"), 0);
}

TEST_F(JobsCrash, AnErasureOfAKilledProcessIsCompletedByAnother) {
  const auto guid = customer();
  auto held = hold("customers", "update");
  const auto job = accepted(tenant.http.post("/api/v1/Customers/" + guid + "/erase", {}, as_job));
  ASSERT_TRUE(is_waiting());
  kill_first();
  held.reset();
  auto http = second->http(tenant.http.token());
  result_of(http, job);
  EXPECT_EQ(text_at(http.get("/api/v1/Customers/" + guid).data(), "name"), "Erased");
}

TEST_F(JobsCrash, AJobUnderWayKeepsItsLease) {
  const auto guid = customer();
  auto held = hold("customers", "update");
  const auto job = accepted(tenant.http.post("/api/v1/Customers/" + guid + "/erase", {}, as_job));
  ASSERT_TRUE(is_waiting());
  const auto lease_end = database.value("select lease_until from jobs");
  EXPECT_TRUE(eventually([&] {
    return database.number("select count(*) from jobs where lease_until > '" + lease_end + "'") == 1;
  }));
  held.reset();
  result_of(tenant.http, job);
}

TEST_F(JobsCrash, AReplayOfAKilledProcessGoesOnWithTheNextPortion) {
  add_finished_runs();
  auto held = hold("run_queue", "insert", "(select max(done) from jobs) > 0");
  const auto job = accepted(tenant.http.post("/api/workflows/replay", json::object(), as_job));
  ASSERT_TRUE(is_waiting());
  EXPECT_EQ(at(tenant.http.get(job_path(job)).data(), "progress"),
            json::value({{"done", 1'000}, {"of", replayed_runs}}));
  kill_first();
  held.reset();
  auto http = second->http(tenant.http.token());
  EXPECT_EQ(at(result_of(http, job), "runs"), replayed_runs);
  EXPECT_EQ(database.number("select count(distinct replay_of) from run_queue"), replayed_runs);
  EXPECT_EQ(database.number("select count(*) from run_queue"), replayed_runs) << "none is repeated";
}

TEST_F(JobsCrash, ACancellationOfAKilledProcessGoesOnWithTheNextPortion) {
  add_open_runs();
  auto held = hold("run_queue", "delete", "(select max(done) from jobs) > 0");
  const auto job = accepted(tenant.http.post("/api/workflows/cancel", json::object(), as_job));
  ASSERT_TRUE(is_waiting());
  EXPECT_EQ(at(tenant.http.get(job_path(job)).data(), "progress"),
            json::value({{"done", 1'000}, {"of", replayed_runs}}));
  EXPECT_EQ(database.number("select count(*) from run_queue"), replayed_runs - 1'000);
  kill_first();
  held.reset();
  auto http = second->http(tenant.http.token());
  EXPECT_EQ(at(result_of(http, job), "runs"), replayed_runs);
  EXPECT_EQ(database.number("select count(*) from runs where code = 'CANCELLED'"), replayed_runs);
}

TEST_F(JobsCrash, AnExportOfAKilledProcessIsMadeByAnother) {
  const auto guid = customer();
  auto held = hold("job_contents", "insert", "exists (select from audit_log where action = 'exported')");
  const auto job = accepted(tenant.http.get("/api/v1/Customers/" + guid + "/export", as_job));
  ASSERT_TRUE(is_waiting());
  kill_first();
  held.reset();
  auto http = second->http(tenant.http.token());
  result_of(http, job);
  EXPECT_EQ(text_at(http.get(job_path(job) + "/file").body, "customer.name"), "Ada");
  EXPECT_EQ(database.number("select count(*) from audit_log where action = 'exported'"), 1)
      << "the entry is part of the job's transaction";
}

TEST_F(JobsCrash, ACancelledUploadIsRolledBack) {
  auto held = hold("customer_upload_parts", "insert");
  const auto job = upload_as_a_job(tenant.http, csv);
  ASSERT_TRUE(is_waiting());
  EXPECT_EQ(tenant.http.del(job_path(job)).status, 200);
  held.reset();
  EXPECT_EQ(text_at(ended(tenant.http, job), "status"), "cancelled");
  EXPECT_EQ(database.number("select count(*) from customer_uploads"), 0);
}

TEST_F(JobsCrash, ACancelledReplayEndsAfterThePortionUnderWay) {
  add_finished_runs();
  auto held = hold("run_queue", "insert", "(select max(done) from jobs) > 0");
  const auto job = accepted(tenant.http.post("/api/workflows/replay", json::object(), as_job));
  ASSERT_TRUE(is_waiting());
  EXPECT_EQ(tenant.http.del(job_path(job)).status, 200);
  held.reset();
  const auto found = ended(tenant.http, job);
  EXPECT_EQ(text_at(found, "status"), "cancelled");
  EXPECT_EQ(at(found, "progress"), json::value({{"done", 1'000}, {"of", replayed_runs}}));
  EXPECT_EQ(database.number("select count(*) from run_queue"), 1'000);
}

TEST_F(JobsCrash, AReplayOfASuspendedBusinessWaitsAfterThePortionUnderWay) {
  add_finished_runs();
  auto held = hold("run_queue", "insert", "(select max(done) from jobs) > 0");
  const auto job = accepted(tenant.http.post("/api/workflows/replay", json::object(), as_job));
  ASSERT_TRUE(is_waiting());
  database.exec("update businesses set suspended_at = now()");
  held.reset();
  ASSERT_TRUE(eventually([&] {
    return database.number("select count(*) from jobs where status = 'running' and lease_owner is null") == 1;
  }));
  EXPECT_EQ(database.number("select count(*) from run_queue"), 1'000);
  database.exec("update businesses set suspended_at = null");
  EXPECT_EQ(at(result_of(tenant.http, job), "runs"), replayed_runs);
  EXPECT_EQ(database.number("select count(*) from run_queue"), replayed_runs);
}

TEST_F(JobsCrash, AProcessStopsWhileItPerformsAJob) {
  auto held = hold("customer_upload_parts", "insert");
  const auto job = upload_as_a_job(tenant.http, csv);
  ASSERT_TRUE(is_waiting());
  EXPECT_EQ(first.stop(), 0);
  EXPECT_EQ(database.number("select count(*) from jobs where status = 'running'"), 1);
}

TEST_F(JobsCrash, AnAttemptThatHasLostItsLeaseStoresNothing) {
  auto held = hold("customer_upload_parts", "insert");
  const auto job = upload_as_a_job(tenant.http, csv);
  ASSERT_TRUE(is_waiting());
  ASSERT_TRUE(eventually([&] {
    end_leases();  // again, because the process may have renewed its lease
    return text_at(tenant.http.get(job_path(job)).data(), "status") != "running";
  }));
  error_of(tenant.http, job, "INTERRUPTED");
  held.reset();
  EXPECT_TRUE(eventually([&] {
    return database.number(
               "select count(*) from pg_stat_activity where datname = current_database()"
               " and xact_start is not null and pid <> pg_backend_pid()") == 0;
  }));
  EXPECT_EQ(database.number("select count(*) from customer_uploads"), 0);
}

}  // namespace
}  // namespace waybill::tests
