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
    const std::string numbers = " from generate_series(1, " + std::to_string(count) + ") n";
    const std::string run = "'" + business_.to_string() + "', md5(n::text || '-" + std::to_string(count);
    database_.exec(
        "insert into limited_runs (business_id, run, workflow_id, value, begun_at, expires_at) select " +
        run + "')::uuid, '" + workflow_.to_string() + "', 'x', now(), now() - interval '1 minute'" + numbers);
    database_.exec(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, trigger_code, action, status, created_at, due_at, origin, request) select " +
        run + "')::uuid, '" + workflow_.to_string() +
        "', 1, n, 0, gen_random_uuid(), 'order_created', 'nothing', 'queued', now(), now(), "
        "gen_random_uuid(), '{}'" +
        numbers + " where n % 2 = 0");
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
