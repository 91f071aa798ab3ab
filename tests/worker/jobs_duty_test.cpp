#include <string>

#include "storage/blocking/connection.hpp"
#include "tests/worker/worker_database.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

class JobsDuty : public WorkerDatabase {
 protected:
  /// Adds a job with a file. The times are SQL expressions.
  std::string add(const std::string& started, const std::string& file_until) {
    const auto job = database_.value(
        "insert into jobs (business_id, guid, kind, operation, role, status, started_at, finished_at, "
        "file_bytes, "
        "file_until) values ('" +
        business_.to_string() + "', gen_random_uuid(), 'export', 'exportCustomer', 'viewer', 'done', " +
        started + ", now(), 1, " + file_until + ") returning guid");
    database_.exec("insert into job_contents values ('" + business_.to_string() + "', '" + job +
                   "', 'file/000', '\\x00')");
    return job;
  }
  std::string add_running(const std::string& due, const std::string& lease_until) {
    return database_.value(
        "insert into jobs (business_id, guid, kind, operation, role, due_at, lease_owner, lease_until) "
        "values ('" +
        business_.to_string() + "', gen_random_uuid(), 'erasure', 'eraseCustomer', 'operator', " + due +
        ", gen_random_uuid(), " + lease_until + ") returning guid");
  }
  const worker::DutyOptions options_{.database_url = database_.url(), .secrets = secrets_};
  storage::blocking::Connection session_{database_.url(), "test"};
};

TEST_F(JobsDuty, FilesGoAfterTheirTimeAndJobsAfterThirtyDays) {
  const auto kept = add("now() - interval '29 days'", "now() + interval '1 hour'");
  const auto without_file = add("now() - interval '29 days'", "now() - interval '1 second'");
  add("now() - interval '31 days'", "now() - interval '1 second'");
  const auto old = "update jobs set started_at = now() - interval '31 days' where guid = '" +
                   add_running("now()", "now()") + "'";
  database_.exec(old);
  for (int pass = 0; pass < 2; ++pass) worker::expire(session_, options_);
  EXPECT_EQ(database_.number("select count(*) from jobs"), 3) << "a running one stays";
  EXPECT_EQ(database_.value("select string_agg(job_id::text, ' ') from job_contents"), kept);
  EXPECT_EQ(database_.value("select file_bytes from jobs where guid = '" + without_file + "'"), "");
}

TEST_F(JobsDuty, TimesOfAWrongClockAreBroughtBack) {
  const auto late = add_running("now() + interval '1 day'", "now() + interval '1 day'");
  const auto usual = add_running("now() + interval '1 minute'", "now() + interval '15 s'");
  const auto waiting = add_running("now() + interval '1 day'", "now()");
  database_.exec("update jobs set lease_owner = null, lease_until = null where guid = '" + waiting + "'");
  const auto done = add("now()", "now() + interval '1 year'");
  worker::bring_back_runs(session_, options_);
  EXPECT_EQ(database_.number("select count(*) from jobs where guid = '" + late +
                             "' and due_at <= now() and lease_until <= now() + interval '1 minute'"),
            1);
  EXPECT_EQ(database_.number("select count(*) from jobs where guid = '" + waiting +
                             "' and due_at <= now() and lease_until is null"),
            1);
  EXPECT_EQ(database_.number("select count(*) from jobs where guid = '" + done +
                             "' and due_at is null and file_until <= now() + interval '1 day'"),
            1);
  EXPECT_EQ(database_.number("select count(*) from jobs where guid = '" + usual + "' and due_at > now()"), 1);
}

}  // namespace
}  // namespace waybill::tests
