#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/runs/queued_keys.hpp"
#include "storage/runs/recording.hpp"
#include "storage/sql/queue.sql.hpp"
#include "storage/sql/workflows.sql.hpp"
#include "storage/statement/binary.hpp"
#include "tests/worker/worker_database.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using storage::RunStatus;

/// A queue with many runs of one business, which the planner assumes to be empty, as after a vacuum between
/// two bursts.
class QueuePlans : public WorkerDatabase {
 protected:
  QueuePlans() {
    database_.exec("alter table run_queue set (autovacuum_enabled = off)");
    queue_runs(20000, workflow_, "running", "now() + interval '1 hour'");
    database_.exec("update run_queue set lease_owner = '" + worker_.to_string() + "', ordered = true");
    // The planner takes the smallest of the indexes that look equally good.
    database_.exec("reindex index run_queue_by_workflow");
    forget_rows();
  }

  /// Sets the statistics of an empty table that has many pages.
  void forget_rows() {
    database_.exec(
        "update pg_class set reltuples = 0, relpages = pg_relation_size(oid) / 8192 "
        "where relname like 'run_queue%'");
  }

  std::vector<storage::QueuedKey> some_runs() {
    std::vector<storage::QueuedKey> keys;
    for (const auto& row : database_.rows("select guid from run_queue where event_id % 400 = 0"))
      keys.push_back({business_, workflow_, Guid::parse(row.at(0).value()).value()});
    return keys;
  }

  /// Returns how many index pages `statements` read.
  template <typename Statements>
  std::int64_t pages_read(const Statements& statements) {
    session_.execute("select pg_stat_force_next_flush()");
    const std::int64_t before = pages();
    statements();
    session_.execute("select pg_stat_force_next_flush()");
    return pages() - before;
  }

  /// Returns how many index pages it takes to record outcomes with this status.
  std::int64_t pages_to_record(RunStatus status) {
    storage::Batch batch;
    for (const storage::QueuedKey& key : some_runs())
      batch.outcomes.push_back({.key = key, .state = {.status = status, .at = system_clock().now()}});
    return pages_read([&] { storage::Recording(session_, worker_, batch, ended_).commit(); });
  }

  static constexpr std::int64_t few = 50L * 30;  // for 50 runs; a search reads up to three pages of an index

  const Guid workflow_ = add_workflow("order_created");
  storage::Session session_{database_.url(), "test"};
  storage::EndedRuns ended_;

 private:
  /// The session that fills the queue has pages of its own to report, too.
  std::int64_t pages() {
    database_.exec("select pg_stat_force_next_flush()");
    return database_.number(
        "select idx_blks_hit + idx_blks_read from pg_statio_user_tables where relname = 'run_queue'");
  }
};

TEST_F(QueuePlans, ARunThatEndsIsFoundWithoutReadingOthers) {
  EXPECT_LT(pages_to_record(RunStatus::succeeded), few);
  EXPECT_EQ(runs("succeeded"), 50);
}

TEST_F(QueuePlans, ARunThatDiesIsFoundWithoutReadingOthers) {
  EXPECT_LT(pages_to_record(RunStatus::dead), few);
  EXPECT_EQ(runs("dead"), 50);
}

TEST_F(QueuePlans, TheNextRunOfARecordIsFoundWithoutReadingOthers) {
  database_.exec("update run_queue set entity_id = md5((event_id / 2)::text)::uuid");
  database_.exec(
      "update run_queue set status = 'queued', lease_owner = null, due_at = now() "
      "where event_id % 400 = 1");
  forget_rows();
  // The changes of all rows have left entries of earlier ones in the indexes.
  EXPECT_LT(pages_to_record(RunStatus::succeeded), few + few / 3);
  EXPECT_EQ(database_.number("select count(*) from run_queue where ordered_from is not null"), 49);
}

TEST_F(QueuePlans, ARunToRetryIsFoundWithoutReadingOthers) {
  EXPECT_LT(pages_to_record(RunStatus::retrying), few);
  EXPECT_EQ(runs("retrying"), 50);
}

TEST_F(QueuePlans, LockedRunsAreFoundWithoutReadingOthers) {
  storage::QueuedKeys keys;
  for (const storage::QueuedKey& key : some_runs()) keys.add(key);
  EXPECT_LT(pages_read([&] {
              session_.run_with_fresh_plan(
                  storage::sql::queue::Locked{.businesses = storage::binary_array(keys.businesses),
                                              .workflows = storage::binary_array(keys.workflows),
                                              .runs = storage::binary_array(keys.runs)});
            }),
            few);
}

/// The planner knows that most queued runs are of one workflow.
TEST_F(QueuePlans, TheNewestRunOfEachWorkflowIsFoundWithoutReadingThoseOfOthers) {
  add_workflow("order_created");
  database_.exec("reindex index run_queue_pkey");
  database_.exec("analyze run_queue");
  EXPECT_LT(
      pages_read([&] {
        for (const auto& workflow : session_.run(storage::sql::workflows::Activity{.business = business_})) {
          EXPECT_EQ(workflow.last_run_at.has_value(), workflow.guid == workflow_);
        }
      }),
      50);
}

}  // namespace
}  // namespace waybill::tests
