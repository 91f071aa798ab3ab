#include <optional>
#include <string>

#include "storage/blocking/connection.hpp"
#include "storage/runs/step_progress.hpp"
#include "storage/sql/duties.sql.hpp"
#include "storage/sql/queue.sql.hpp"
#include "storage/sql/suspensions.sql.hpp"
#include "storage/sql/workflows.sql.hpp"
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

/// Runs of several steps that made three attempts before their current step.
class StatusOfAReleasedRun : public WorkerDatabase {
 protected:
  void add_run(int attempts, const std::string& status) {
    queue_runs(1, workflow_, status, "now() + interval '1 hour'");
    database_.rows(
        "update run_queue set attempts = $1, steps = $2, lease_owner = $3",
        {std::to_string(attempts), storage::to_text({.number = 2, .type = "webhook", .attempts_before = 3}),
         status == "running" ? std::optional(worker_.to_string()) : std::nullopt});
  }
  /// The status after a release of a run with this status, which has made so many attempts.
  template <typename Release>
  std::string status_after(int attempts, const std::string& status, const Release& release) {
    database_.exec("delete from run_queue");
    add_run(attempts, status);
    release();
    return database_.value("select status from run_queue");
  }
  template <typename Release>
  void expect_status_of_its_step(const std::string& status, const Release& release) {
    EXPECT_EQ(status_after(3, status, release), "queued") << "no attempt of the step yet";
    EXPECT_EQ(status_after(4, status, release), "retrying");
  }

  const Guid workflow_ = add_workflow("order_created");
  storage::blocking::Connection session_{database_.url(), "test"};
};

TEST_F(StatusOfAReleasedRun, IsThatOfItsStepWhenTheWorkflowIsResumed) {
  expect_status_of_its_step("held", [&] {
    session_.run(
        storage::sql::workflows::ReleaseRuns{.business = business_, .workflow = workflow_, .limit = 10});
  });
}

TEST_F(StatusOfAReleasedRun, IsThatOfItsStepWhenTheBusinessIsResumed) {
  expect_status_of_its_step("held", [&] {
    session_.run(storage::sql::suspensions::ReleaseRuns{.business = business_, .limit = 10});
  });
}

TEST_F(StatusOfAReleasedRun, IsThatOfItsStepWhenADutyReleasesIt) {
  expect_status_of_its_step("held", [&] { session_.run(storage::sql::duties::ReleaseHeld{.limit = 10}); });
}

TEST_F(StatusOfAReleasedRun, IsThatOfItsStepWhenTheWorkflowIsDeleted) {
  database_.exec("update workflows set deleted_at = now()");
  expect_status_of_its_step("retrying",
                            [&] { session_.run(storage::sql::duties::EndLeftOver{.limit = 10}); });
}

TEST_F(StatusOfAReleasedRun, IsThatOfItsStepWhenItsWorkerStops) {
  expect_status_of_its_step("running",
                            [&] { session_.run(storage::sql::queue::Release{.worker = worker_}); });
}

}  // namespace
}  // namespace waybill::tests
