#include <string>

#include "storage/runs/recording.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session_limits.hpp"
#include "tests/worker/worker_database.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// A queue in which ordered runs wait for an earlier run of their record, which is due in an hour.
class BlockedRuns : public WorkerDatabase {
 protected:
  BlockedRuns() { session_.execute(storage::index_walking_plans); }

  /// Adds queued runs of different records, or of one, that became due `due` ago.
  void add_runs(int count, const std::string& status, const std::string& due, const std::string& event_id,
                const std::string& entity = "md5(n::text)::uuid") {
    database_.exec(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, trigger_code, action, status, created_at, due_at, origin, destination, ordered, request) "
        "select '" +
        business_.to_string() + "', gen_random_uuid(), '" + workflow_.to_string() + "', 1, " + event_id +
        ", 0, " + entity + ", 'order_created', 'nothing', '" + status + "', now(), now() - interval '" + due +
        "', gen_random_uuid(), 'x', true, '{}' from generate_series(1, " + std::to_string(count) + ") n");
  }
  void add_blocked(int count) {
    add_runs(count, "retrying", "-1 hour", "n");
    add_runs(count, "queued", "1 minute", "1000000 + n");
  }
  std::size_t claim() {
    return store_.claim({.lease = 30s, .per_destination = 32, .runs = 256, .bytes = 1 << 20}).size();
  }
  void finish(const storage::ClaimedRun& run) {
    storage::Batch batch;
    batch.outcomes.push_back({.business_id = run.run.key.business_id, .guid = run.run.key.guid, .state = {}});
    batch.outcomes.back().state.status = storage::RunStatus::succeeded;
    storage::Recording(session_, worker_, batch).commit();
  }
  std::int64_t due() {
    return database_.number("select count(*) from run_queue where status <> 'held' and due_at <= now()");
  }

  const Guid workflow_ = add_workflow("order_created");
  storage::Session session_{database_.url(), "test"};
  storage::RunStore store_{session_, worker_};
};

TEST_F(BlockedRuns, ArePostponedAThousandAtATimeAndKeepNoOtherRunFromItsTurn) {
  add_blocked(2500);
  add_runs(1, "queued", "1 second", "5000000", "gen_random_uuid()");
  EXPECT_EQ(claim(), 0U) << "more are due before it than a look examines";
  store_.postpone_blocked();
  EXPECT_EQ(due(), 1501);
  EXPECT_EQ(claim(), 0U);
  store_.postpone_blocked();
  EXPECT_EQ(claim(), 1U);
  store_.postpone_blocked();
  EXPECT_EQ(due(), 0);
}

TEST_F(BlockedRuns, AreNotPostponedInTheirFirstSecond) {
  add_runs(1, "retrying", "-1 hour", "n");
  add_runs(1, "queued", "0 seconds", "1000000 + n");
  store_.postpone_blocked();
  EXPECT_EQ(due(), 1);
}

TEST_F(BlockedRuns, ARunThatMayGoIsNotPostponed) {
  add_runs(3, "queued", "1 minute", "n", "md5('one')::uuid");
  store_.postpone_blocked();
  EXPECT_EQ(due(), 1);
  EXPECT_EQ(claim(), 1U);
}

TEST_F(BlockedRuns, TheNextIsDueWhenOneHasEnded) {
  add_runs(3, "queued", "1 minute", "n", "md5('one')::uuid");
  store_.postpone_blocked();
  for (int left = 2; left >= 0; --left) {
    auto claimed = store_.claim({.lease = 30s, .per_destination = 32, .runs = 256, .bytes = 1 << 20});
    ASSERT_EQ(claimed.size(), 1U) << left << " are left";
    EXPECT_EQ(claimed[0].run.key.event_id, static_cast<std::uint64_t>(3 - left));
    EXPECT_EQ(due(), 0);
    finish(claimed[0]);
  }
  EXPECT_EQ(database_.number("select count(*) from runs"), 3);
}

TEST_F(BlockedRuns, TheTimeToLookNextIsThatOfThePostponedOnes) {
  add_runs(1, "running", "-1 hour", "n", "md5('one')::uuid");
  add_runs(1, "queued", "1 minute", "1000000 + n", "md5('one')::uuid");
  store_.postpone_blocked();
  const auto next = store_.next_due({}, {});
  ASSERT_TRUE(next.has_value());
  EXPECT_GT(*next, system_clock().now() + 20s);
  EXPECT_LT(*next, system_clock().now() + 40s);
}

}  // namespace
}  // namespace waybill::tests
