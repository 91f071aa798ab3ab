#include <string>

#include "storage/blocking/connection.hpp"
#include "tests/worker/worker_database.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

class LimitsDuty : public WorkerDatabase {
 protected:
  /// Adds runs that no longer count for a limit. Every second one is still in the queue.
  void add_runs(int count) {
    const auto run = [&](const std::string& number) {
      return "md5((" + number + ")::text || '-" + std::to_string(count) + "')::uuid";
    };
    database_.exec(
        "insert into limited_runs (business_id, run, workflow_id, value, begun_at, expires_at) select '" +
        business_.to_string() + "', " + run("n") + ", '" + workflow_.to_string() +
        "', 'x', now(), now() - interval '1 minute' from generate_series(1, " + std::to_string(count) +
        ") n");
    queue_runs(count / 2, workflow_, "queued", "now()", run("2 * n"));
  }
  void expire() {
    while (worker::expire_limits(session_, {.database_url = database_.url(), .secrets = secrets_})) continue;
  }
  std::int64_t scanned() {
    return rows_scanned(session_, "limited_runs") + rows_scanned(session_, "run_queue");
  }

  const Guid workflow_ = add_workflow("order_created");
  storage::blocking::Connection session_{database_.url(), "test"};
};

// A kept plan that was made for few rows would scan all of them for each row that it changes.
TEST_F(LimitsDuty, ReadsNoOtherRunsForThoseThatNoLongerCount) {
  add_runs(2);
  database_.exec("vacuum analyze limited_runs");
  database_.exec("vacuum analyze run_queue");
  session_.execute("set plan_cache_mode = force_generic_plan");
  expire();
  add_runs(3000);
  const std::int64_t before = scanned();
  expire();
  EXPECT_EQ(scanned() - before, 0);
  EXPECT_EQ(database_.number("select count(*) from limited_runs where expires_at > now()"), 1501)
      << "runs in the queue are looked at again later";
}

}  // namespace
}  // namespace waybill::tests
