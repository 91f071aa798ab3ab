#include <string>

#include "storage/blocking/connection.hpp"
#include "tests/worker/worker_database.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

class HeldRunsDuty : public WorkerDatabase {
 protected:
  /// Queues runs after others, with the plans that were made for one run. Returns the number of rows that
  /// scans of the whole queue read to release them.
  std::int64_t rows_read_to_release(int count, const std::string& status) {
    add_runs(1, status);
    database_.exec("vacuum analyze run_queue");
    session_.execute("set plan_cache_mode = force_generic_plan");
    release();
    add_runs(count, status);
    const std::int64_t before = rows_scanned(session_, "run_queue");
    release();
    return rows_scanned(session_, "run_queue") - before;
  }

  const Guid workflow_ = add_workflow("order_created");

 private:
  void add_runs(int count, const std::string& status) {
    queue_runs(count, workflow_, status, "now() + interval '1 hour'");
  }
  void release() {
    while (worker::release_held(session_, {.database_url = database_.url(), .secrets = secrets_})) continue;
  }

  storage::blocking::Connection session_{database_.url(), "test"};
};

// A statement that was planned while few runs were in the queue would scan all of them for each run that it
// changes. A kept plan stands for runs that are added in the meantime.
TEST_F(HeldRunsDuty, ReadsNoOtherRunsForThoseOfAResumedWorkflow) {
  EXPECT_EQ(rows_read_to_release(3000, "held"), 0);
  EXPECT_EQ(runs("queued"), 3001);
}

TEST_F(HeldRunsDuty, ReadsNoOtherRunsForThoseOfADeletedWorkflow) {
  database_.exec("update workflows set deleted_at = now()");
  EXPECT_EQ(rows_read_to_release(3000, "waiting"), 0);
  EXPECT_EQ(runs("queued"), 3001);
}

}  // namespace
}  // namespace waybill::tests
