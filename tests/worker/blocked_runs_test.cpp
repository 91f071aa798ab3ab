#include <algorithm>
#include <future>
#include <span>
#include <string>

#include "storage/blocking/connection.hpp"
#include "storage/runs/recording.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session_limits.hpp"
#include "storage/sql/runs.sql.hpp"
#include "tests/worker/worker_database.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// A queue in which ordered runs wait for an earlier run of their record, which is due in an hour.
class BlockedRuns : public WorkerDatabase {
 protected:
  BlockedRuns() { session_.execute(storage::index_walking_plans); }

  /// Adds runs of different records, or of one, that became due `due` ago.
  void add_runs(int count, const std::string& status, const std::string& due, const std::string& event_id,
                const std::string& entity = "md5(n::text)::uuid", const std::string& action = "nothing") {
    database_.exec(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, trigger_code, action, status, created_at, due_at, origin, destination, ordered, request) "
        "select '" +
        business_.to_string() + "', gen_random_uuid(), '" + workflow_.to_string() + "', 1, " + event_id +
        ", 0, " + entity + ", 'order_created', '" + action + "', '" + status +
        "', now(), now() - interval '" + due + "', gen_random_uuid(), 'x', " +
        (action == "nothing" ? "true" : "false") + ", '{}' from generate_series(1, " + std::to_string(count) +
        ") n");
  }
  /// Postpones blocked runs. Returns true if some are left for the next turn.
  bool postpone(int tolerated = 0, Duration turn = 500ms) {
    return worker::postpone_blocked(
        duty_session_,
        {.database_url = database_.url(), .secrets = secrets_, .tolerated_blocked = tolerated, .turn = turn});
  }
  std::vector<storage::ClaimedRun> claim() {
    return store_.claim({.lease = 30s, .per_destination = 32, .runs = 256, .bytes = 1 << 20}).runs;
  }
  std::optional<Time> next_due() { return store_.next_due({.within = 1h}); }
  void finish(const storage::ClaimedRun& run) { finish(std::span(&run, 1)); }
  void finish(std::span<const storage::ClaimedRun> runs) {
    storage::Batch batch;
    for (const storage::ClaimedRun& run : runs) {
      batch.outcomes.push_back({.key = queued_key(run.run.key), .state = {}});
      batch.outcomes.back().state.status = storage::RunStatus::succeeded;
    }
    storage::Recording(session_, worker_, batch, ended_).commit();
  }
  std::int64_t due() {
    return database_.number("select count(*) from run_queue where status <> 'held' and due_at <= now()");
  }
  std::int64_t postponed() {
    return database_.number("select count(*) from run_queue where postponed_until = due_at");
  }

  /// Returns how many entries the claims of this session have read to find the runs before an ordered one.
  std::int64_t entries_read() {
    session_.execute("select pg_stat_force_next_flush()");
    return database_.number(
        "select idx_tup_read from pg_stat_user_indexes where indexrelname = 'run_queue_order'");
  }
  std::optional<storage::ClaimedRun> claim_one() {
    auto claimed = store_.claim({.lease = 30s, .per_destination = 1, .runs = 1, .bytes = 1 << 20}).runs;
    return claimed.empty() ? std::nullopt : std::optional(std::move(claimed[0]));
  }
  /// Claims the runs that may go: one, of this event.
  storage::ClaimedRun claim_run_of(std::uint64_t event) {
    auto claimed = claim();
    if (claimed.size() != 1 || claimed[0].run.key.event_id != event) {
      ADD_FAILURE() << claimed.size() << " runs instead of the one of event " << event;
      return {};
    }
    return std::move(claimed[0]);
  }

  const Guid workflow_ = add_workflow("order_created");
  storage::Session session_{database_.url(), "test"};
  storage::EndedRuns ended_;
  storage::blocking::Connection duty_session_{database_.url(), "test"};
  storage::RunStore store_{session_, worker_};
};

TEST_F(BlockedRuns, ArePostponedSoThatLooksNeedNotExamineThem) {
  add_runs(1200, "retrying", "-1 hour", "n");
  add_runs(1200, "queued", "1 minute", "1000000 + n");
  add_runs(1, "queued", "2 seconds", "5000000", "gen_random_uuid()");
  postpone();
  EXPECT_EQ(postponed(), 1200);
  EXPECT_EQ(due(), 1);
  EXPECT_EQ(claim().size(), 1U);
}

TEST_F(BlockedRuns, OfADestinationALookExaminesAThousand) {
  add_runs(1000, "retrying", "-1 hour", "n");
  add_runs(1000, "queued", "1 minute", "1000000 + n");
  add_runs(1, "queued", "2 seconds", "5000000", "gen_random_uuid()");
  EXPECT_EQ(claim().size(), 0U);
  EXPECT_EQ(next_due(), std::nullopt);
  postpone();
  EXPECT_LE(next_due().value(), system_clock().now());
  EXPECT_EQ(claim().size(), 1U);
}

TEST_F(BlockedRuns, AreLeftToTheNextTurnWhenTheTimeIsOver) {
  add_runs(600, "retrying", "-1 hour", "n");
  add_runs(600, "queued", "1 minute", "1000000 + n");
  EXPECT_TRUE(postpone(0, 0s));
  EXPECT_EQ(postponed(), 500);
  EXPECT_FALSE(postpone());
  EXPECT_EQ(postponed(), 600);
}

TEST_F(BlockedRuns, AFewOfABusinessAreNotPostponed) {
  add_runs(20, "retrying", "-1 hour", "n");
  add_runs(20, "queued", "2 seconds", "1000000 + n");
  postpone(20);
  EXPECT_EQ(postponed(), 0);
  postpone(19);
  EXPECT_EQ(postponed(), 20);
}

TEST_F(BlockedRuns, AnOrderedOneIsPostponedAfterTenSeconds) {
  add_runs(2, "retrying", "-1 hour", "n");
  add_runs(2, "queued", "10 seconds", "1000000 + n");
  add_runs(1, "retrying", "-1 hour", "7", "md5('one')::uuid", "update_status");
  add_runs(1, "queued", "10 seconds", "7", "md5('one')::uuid", "update_status");
  postpone(20);
  EXPECT_EQ(postponed(), 2)
      << "the changes of records wait for two seconds only, so they are not written each time";
}

TEST_F(BlockedRuns, AreNotPostponedInTheirFirstSecond) {
  add_runs(1, "retrying", "-1 hour", "n");
  add_runs(1, "queued", "0 seconds", "1000000 + n");
  postpone();
  EXPECT_EQ(due(), 1);
}

TEST_F(BlockedRuns, ARunThatMayGoIsNotPostponed) {
  add_runs(3, "queued", "1 minute", "n", "md5('one')::uuid");
  postpone();
  EXPECT_EQ(due(), 1);
  EXPECT_EQ(claim().size(), 1U);
}

TEST_F(BlockedRuns, TheNextIsDueWhenOneHasEnded) {
  add_runs(2, "queued", "1 minute", "n", "md5('one')::uuid");
  add_runs(1, "waiting", "1 minute", "2 + n", "md5('one')::uuid");
  postpone();
  EXPECT_EQ(postponed(), 2);
  for (std::uint64_t event = 1; event <= 3; ++event) {
    auto claimed = claim();
    ASSERT_EQ(claimed.size(), 1U) << "event " << event;
    EXPECT_EQ(claimed[0].run.key.event_id, event);
    EXPECT_TRUE(claimed[0].run.key.ordered);
    EXPECT_EQ(due(), 0);
    finish(claimed[0]);
  }
  EXPECT_EQ(database_.number("select count(*) from runs"), 3);
}

TEST_F(BlockedRuns, ADelayThatIsNotOverOutlastsTheEndOfTheEarlierRun) {
  add_runs(1, "queued", "1 minute", "n", "md5('one')::uuid");
  add_runs(1, "waiting", "-1 hour", "1 + n", "md5('one')::uuid");
  auto claimed = claim();
  ASSERT_EQ(claimed.size(), 1U);
  finish(claimed[0]);
  EXPECT_EQ(due(), 0);
}

TEST_F(BlockedRuns, TheirSearchForAnEarlierRunReadsNoRunsThatEnded) {
  Session reader(database_.url());
  reader.exec("begin isolation level repeatable read; select 1 from run_queue");
  add_runs(2000, "queued", "1 minute", "n", "md5('one')::uuid");
  database_.exec("delete from run_queue");
  add_runs(100, "queued", "1 second", "1000000 + n", "md5('one')::uuid");
  const std::int64_t before = entries_read();
  const auto first = claim_run_of(1000001);
  EXPECT_LT(entries_read() - before, 5000) << "only that of the first one reads them";
  const std::int64_t after_first = entries_read();
  finish(first);
  claim_run_of(1000002);
  EXPECT_LT(entries_read() - after_first, 1000) << "that of the next one begins at the first one";
}

TEST_F(BlockedRuns, OnlyTheEndOfAnOrderedRunOfAnEventIsRemembered) {
  const Guid record = Guid::parse(database_.value("select md5('one')::uuid")).value();
  add_runs(4, "queued", "1 minute", "n", "md5('one')::uuid");
  database_.exec("update run_queue set replay_of = gen_random_uuid() where event_id = 2");
  database_.exec("update run_queue set ordered = false where event_id = 3");
  database_.exec("update run_queue set event_id = -1 where event_id = 4");
  std::optional<storage::ClaimedRun> first;
  while (auto run = claim_one()) {
    if (run->run.key.event_id == 1)
      first = std::move(run);
    else
      finish(*run);
  }
  EXPECT_EQ(database_.number("select count(*) from run_queue"), 1);
  EXPECT_EQ(ended_.latest(workflow_, record), std::nullopt);
  finish(first.value());
  EXPECT_EQ(ended_.latest(workflow_, record), 1U);
}

TEST_F(BlockedRuns, WaitForARunThatCameAfterTheEndOfAnEarlierOne) {
  for (const char* event : {"1", "5"}) add_runs(1, "queued", "1 minute", event, "md5('one')::uuid");
  finish(claim_run_of(1));
  add_runs(1, "queued", "1 minute", "3", "md5('one')::uuid");
  finish(claim_run_of(3));
  finish(claim_run_of(5));
}

TEST_F(BlockedRuns, WaitForTheFirstOneIfTheOneBetweenIsCancelled) {
  add_runs(3, "queued", "1 minute", "n", "md5('one')::uuid");
  const auto first = claim_run_of(1);
  const Guid second = Guid::parse(database_.value("select guid from run_queue where event_id = 2")).value();
  session_.run(storage::sql::runs::Cancel{.business = business_, .run = second});
  EXPECT_EQ(claim().size(), 0U);
  finish(first);
  claim_run_of(3);
}

TEST_F(BlockedRuns, ARunThatIsPostponedWhileTheEarlierOneIsCancelledIsDue) {
  add_runs(2, "queued", "1 minute", "n", "md5('one')::uuid");
  const Guid first = claim_run_of(1).run.key.guid;
  Session other(database_.url());
  other.exec(
      "begin; update run_queue set due_at = now() + interval '1 hour', "
      "postponed_until = now() + interval '1 hour' where event_id = 2");
  auto end = std::async(std::launch::async, [&] {
    session_.run(storage::sql::runs::Cancel{.business = business_, .run = first});
  });
  ASSERT_TRUE(
      eventually([&] { return database_.number("select count(*) from pg_locks where not granted") > 0; }));
  other.exec("commit");
  end.get();
  claim_run_of(2);
}

TEST_F(BlockedRuns, WithoutAnEventWaitForOthersOfLowerIds) {
  for (const char* event : {"-5", "-1"}) add_runs(1, "queued", "1 minute", event, "md5('one')::uuid");
  finish(claim_run_of(static_cast<std::uint64_t>(-5)));
  add_runs(1, "queued", "1 minute", "-9", "md5('one')::uuid");
  claim_run_of(static_cast<std::uint64_t>(-9));
}

TEST_F(BlockedRuns, ARowThatAnotherSessionHasLockedIsPassedOver) {
  add_runs(2, "queued", "1 minute", "n", "md5('one')::uuid");
  auto claimed = claim();
  ASSERT_EQ(claimed.size(), 1U);
  Session other(database_.url());
  other.exec("begin; update run_queue set due_at = clock_timestamp() where event_id = 2");
  postpone();
  EXPECT_EQ(postponed(), 0);
  other.exec("commit");
  finish(claimed[0]);
  EXPECT_EQ(claim().size(), 1U);
}

TEST_F(BlockedRuns, ARunThatIsPostponedWhileTheEarlierOneEndsIsDue) {
  add_runs(2, "queued", "1 minute", "n", "md5('one')::uuid");
  const auto first = claim_run_of(1);
  Session other(database_.url());
  other.exec(
      "begin; update run_queue set due_at = now() + interval '1 hour', "
      "postponed_until = now() + interval '1 hour' where event_id = 2");
  auto end = std::async(std::launch::async, [&] { finish(first); });
  ASSERT_TRUE(
      eventually([&] { return database_.number("select count(*) from pg_locks where not granted") > 0; }));
  other.exec("commit");
  end.get();
  claim_run_of(2);
}

TEST_F(BlockedRuns, OfReplaysAreDueAfterTheReplayBefore) {
  add_runs(3, "queued", "1 minute", "n", "md5('one')::uuid");
  database_.exec("update run_queue set replay_of = gen_random_uuid() where event_id <> 2");
  auto claimed = claim();
  ASSERT_EQ(claimed.size(), 2U);
  std::ranges::sort(claimed, {}, [](const auto& run) { return run.run.key.event_id; });
  postpone();
  finish(claimed[1]);
  EXPECT_EQ(due(), 0);
  finish(claimed[0]);
  claim_run_of(3);
}

TEST_F(BlockedRuns, TwoThatEndInOneBatchMakeTheNextDue) {
  add_runs(2, "queued", "1 minute", "1", "md5('one')::uuid");
  add_runs(1, "queued", "1 minute", "2", "md5('one')::uuid");
  auto claimed = claim();
  ASSERT_EQ(claimed.size(), 2U) << "runs of one event do not wait for each other";
  postpone();
  EXPECT_EQ(due(), 0);
  finish(claimed);
  claim_run_of(2);
}

TEST_F(BlockedRuns, AChangeOfTheRecordIsPostponedForTwoSecondsAtMost) {
  const Guid later = add_workflow("order_created");
  add_runs(1, "retrying", "-1 hour", "7", "md5('one')::uuid", "update_status");
  add_runs(1, "queued", "1 minute", "7", "md5('one')::uuid", "update_status");
  database_.exec("update run_queue set workflow_id = '" + later.to_string() +
                 "', postponed_until = due_at where status = 'queued'");
  postpone();
  EXPECT_EQ(database_.number("select count(*) from run_queue where postponed_until = due_at "
                             "and due_at between now() and now() + interval '2 seconds'"),
            1);
}

TEST_F(BlockedRuns, TheTimeToLookNextIsThatOfThePostponedOnes) {
  add_runs(1, "running", "-1 hour", "n", "md5('one')::uuid");
  add_runs(1, "queued", "1 minute", "1000000 + n", "md5('one')::uuid");
  database_.exec("update run_queue set postponed_until = due_at where status = 'queued'");
  postpone();
  const auto next = next_due();
  ASSERT_TRUE(next.has_value());
  EXPECT_GT(*next, system_clock().now() + 20s);
  EXPECT_LT(*next, system_clock().now() + 70s);
}

TEST_F(BlockedRuns, ARunThatTheEndOfTheEarlierOneCouldNotSeeIsDueWithinASecond) {
  add_runs(1, "running", "-1 hour", "n", "md5('one')::uuid");
  Session other(database_.url());
  other.exec("begin; delete from run_queue");
  add_runs(1, "queued", "1 minute", "1000000 + n", "md5('one')::uuid");
  postpone();
  other.exec("commit");
  const auto next = next_due();
  ASSERT_TRUE(next.has_value());
  EXPECT_LE(*next, system_clock().now() + 1s);
}

TEST_F(BlockedRuns, ShowNoTimeOfTheirNextAttempt) {
  add_runs(2, "queued", "1 minute", "n", "md5('one')::uuid");
  postpone();
  const std::string shown = "select count(\"nextAttemptAt\") from (" +
                            std::string(storage::sql::runs::Get::statement.text) + "\n) run";
  const auto next_attempts = [&](const std::string& event) {
    const std::string run =
        database_.value("select guid from run_queue where event_id = $1::bigint", {event});
    return database_.number(shown, {business_.to_string(), run, Guid().to_string()});
  };
  EXPECT_EQ(next_attempts("1"), 1);
  EXPECT_EQ(next_attempts("2"), 0);
}

}  // namespace
}  // namespace waybill::tests
