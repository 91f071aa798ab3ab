#include "worker/outcomes/recorder.hpp"

#include <mutex>
#include <set>

#include <gmock/gmock.h>

#include "tests/worker/no_upstream.hpp"
#include "tests/worker/worker_database.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using storage::RunStatus;
using worker::Recorder;

class RecorderTest : public WorkerDatabase, protected NoUpstream {
 protected:
  RecorderTest() {
    pauses_.start();
    start();
  }

  void start() {
    recorder_ = std::make_unique<Recorder>(Recorder::Options{.sessions = database_.url(), .worker = worker_},
                                           pauses_, static_cast<worker::Upstream&>(*this));
    recorder_->start();
  }

  void settled(const std::vector<storage::EventKey>& events, const worker::NextDue& next_due) override {
    const std::lock_guard lock(mutex_);
    written_.insert(events.begin(), events.end());
    next_due_ = next_due;
  }

  /// The only event of the outbox, without runs.
  storage::SettledEvent pending_event() {
    storage::Session session(database_.url(), "test");
    const auto events = pending_events(session);
    EXPECT_EQ(events.size(), 1U);
    return {.shard = events.at(0).shard, .key = events.at(0).key(), .runs = {}, .epoch = 1};
  }

  /// A run that waits in the queue from `due` on.
  storage::Run waiting_run(const storage::SettledEvent& event, Time due) const {
    storage::Run run;
    run.key = {.business_id = business_,
               .guid = Guid::random(),
               .workflow_id = Guid::random(),
               .workflow_version = 1,
               .event_id = event.key.id,
               .entity_id = Guid::random(),
               .trigger_code = "order_created",
               .action = "nothing",
               .created_at = event.key.at,
               .origin = Guid::random(),
               .request = "{}"};
    run.state.status = RunStatus::waiting;
    run.state.at = due;
    return run;
  }

  /// Records a new event with an ordered run of a record that has succeeded in memory, and returns the run.
  storage::Run record_success(const Guid& record) {
    add_order("A-" + std::to_string(++orders_));
    storage::SettledEvent event = pending_event();
    storage::Run& run = event.runs.emplace_back(waiting_run(event, event.key.at));
    run.key.workflow_id = workflow_;
    run.key.entity_id = record;
    run.key.ordered = true;
    run.state.status = RunStatus::succeeded;
    run.state.attempts = 1;
    recorder_->settle(event);
    EXPECT_TRUE(recorder_->flush(10s));
    return event.runs[0];
  }

  std::string status_of(const storage::Run& run) {
    return database_.value("select status from all_runs where guid = $1", {run.key.guid.to_string()});
  }

  /// Records a new event with an ordered run of a record, and returns the run.
  storage::Run queue_ordered_run(const Guid& record) {
    add_order("A-" + std::to_string(++orders_));
    storage::SettledEvent event = pending_event();
    storage::Run& run = event.runs.emplace_back(waiting_run(event, event.key.at));
    run.key.workflow_id = workflow_;
    run.key.entity_id = record;
    run.key.ordered = true;
    recorder_->settle(event);
    EXPECT_TRUE(recorder_->flush(10s));
    return event.runs[0];
  }

  /// Claims a queued run and records that it succeeded.
  void end(const storage::Run& run) {
    database_.rows("update run_queue set status = 'running', lease_owner = $1 where guid = $2",
                   {worker_.to_string(), run.key.guid.to_string()});
    storage::RunState state = run.state;
    state.status = RunStatus::succeeded;
    recorder_->finish({queued_key(run.key), state});
    EXPECT_TRUE(recorder_->flush(5s));
  }

  /// Returns the event at which the search for the runs before this one ends, 0 for none.
  std::uint64_t ordered_from(const storage::Run& run) {
    return static_cast<std::uint64_t>(database_.number(
        "select coalesce(ordered_from, 0) from run_queue where guid = $1", {run.key.guid.to_string()}));
  }

  bool was_written(const storage::EventKey& event) {
    const std::lock_guard lock(mutex_);
    return written_.contains(event);
  }

  const Guid workflow_ = Guid::random(), record_ = Guid::random();
  int orders_ = 0;
  worker::PauseWriter pauses_{database_.url(), secrets_};
  std::mutex mutex_;
  std::set<storage::EventKey> written_;
  worker::NextDue next_due_;
  std::unique_ptr<Recorder> recorder_;
};

TEST_F(RecorderTest, AnEventIsNotRecordedUnderALaterLeaseOfItsShard) {
  add_order();
  storage::SettledEvent event = pending_event();
  database_.exec("update shards set epoch = 3");
  recorder_->settle(event);
  ASSERT_TRUE(recorder_->flush(10s));
  EXPECT_EQ(pending(), 1);
  event.epoch = 3;
  recorder_->settle(event);
  ASSERT_TRUE(recorder_->flush(10s));
  EXPECT_EQ(pending(), 0);
}

TEST_F(RecorderTest, AnOrderedRunThatEndedInMemoryIsQueuedWhileAnEarlierOneIsOpen) {
  const Guid record = Guid::random();
  const storage::Run earlier = queue_ordered_run(record);
  const storage::Run second = record_success(record), third = record_success(record);
  EXPECT_EQ(status_of(second), "queued") << "a run of the earlier event is not final";
  EXPECT_EQ(status_of(third), "queued");
  EXPECT_EQ(status_of(record_success(Guid::random())), "succeeded");
  end(earlier);
  EXPECT_EQ(status_of(record_success(record)), "queued");
}

TEST_F(RecorderTest, AnEventIsHeldUntilItIsRecorded) {
  add_order();
  storage::SettledEvent event = pending_event();
  const auto hold = std::make_shared<int>();
  event.holds.push_back(hold);
  recorder_->settle(std::move(event));
  ASSERT_TRUE(recorder_->flush(10s));
  EXPECT_EQ(hold.use_count(), 1);
}

TEST_F(RecorderTest, ASettledEventLeavesTheOutboxAndIsReported) {
  add_order();
  const storage::SettledEvent event = pending_event();
  recorder_->settle(event);
  EXPECT_TRUE(recorder_->flush(5s));
  EXPECT_EQ(pending(), 0);
  EXPECT_TRUE(was_written(event.key));
}

TEST_F(RecorderTest, AnEventOfAShardThatWasLostIsNotRecorded) {
  add_order();
  storage::SettledEvent event = pending_event();
  event.runs.push_back(waiting_run(event, event.key.at));
  database_.exec("update shards set owner = gen_random_uuid()");
  recorder_->settle(event);
  EXPECT_TRUE(recorder_->flush(5s));
  EXPECT_EQ(pending(), 1);
  EXPECT_EQ(runs("waiting"), 0);
}

TEST_F(RecorderTest, ReportsWhenTheNextRunIsDue) {
  add_order();
  storage::SettledEvent event = pending_event();
  const Time due = event.key.at + 1h;
  event.runs.push_back(waiting_run(event, due));
  recorder_->settle(event);
  EXPECT_TRUE(recorder_->flush(5s));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(next_due_.run, due);
}

TEST_F(RecorderTest, AnOutcomeOfARunThatIsOverChangesNothing) {
  add_order();
  storage::SettledEvent event = pending_event();
  const storage::Run run = waiting_run(event, event.key.at);
  event.runs.push_back(run);
  recorder_->settle(event);
  EXPECT_TRUE(recorder_->flush(5s));
  end(run);
  storage::RunState state = run.state;
  state.status = RunStatus::dead;
  recorder_->finish({queued_key(run.key), state});
  EXPECT_TRUE(recorder_->flush(5s));
  EXPECT_EQ(runs("succeeded"), 1);
  EXPECT_EQ(runs("dead"), 0);
}

// The answer to a commit can be lost, so an outcome can be written after the same worker has claimed the run
// again.
TEST_F(RecorderTest, AnOutcomeOfAnEarlierClaimChangesNothing) {
  database_.exec("insert into business_defaults (business_id, alert_emails) values ('" +
                 business_.to_string() + "', '{a@example.com}')");
  add_order();
  storage::SettledEvent event = pending_event();
  storage::Run run = event.runs.emplace_back(waiting_run(event, event.key.at));
  recorder_->settle(event);
  ASSERT_TRUE(recorder_->flush(5s));
  database_.rows("update run_queue set status = 'running', lease_owner = $1, claims = 2",
                 {worker_.to_string()});
  run.key.claim = 1;
  for (const RunStatus status : {RunStatus::dead, RunStatus::retrying, RunStatus::held}) {
    run.state.status = status;
    recorder_->finish({queued_key(run.key), run.state});
    ASSERT_TRUE(recorder_->flush(5s));
    EXPECT_EQ(status_of(run), "running") << storage::text(status);
  }
  EXPECT_EQ(database_.number("select count(*) from alerts"), 0);
  run.key.claim = 2;
  run.state.status = RunStatus::dead;
  recorder_->finish({queued_key(run.key), run.state});
  ASSERT_TRUE(recorder_->flush(5s));
  EXPECT_EQ(status_of(run), "dead");
  EXPECT_EQ(database_.number("select count(*) from alerts"), 1);
}

TEST_F(RecorderTest, TheSearchForRunsBeforeAnOrderedOneEndsAtTheLastThatEnded) {
  const storage::Run first = queue_ordered_run(record_);
  EXPECT_EQ(ordered_from(first), 0U);
  const storage::Run second = queue_ordered_run(record_);
  EXPECT_EQ(ordered_from(second), 0U);
  end(first);
  EXPECT_EQ(ordered_from(second), first.key.event_id);
  EXPECT_EQ(ordered_from(queue_ordered_run(record_)), first.key.event_id);
  end(second);
  EXPECT_EQ(ordered_from(queue_ordered_run(record_)), second.key.event_id);
  EXPECT_EQ(ordered_from(queue_ordered_run(Guid::random())), 0U);
}

// A fail-over can open an ended run again, and the connection breaks with it.
TEST_F(RecorderTest, AfterALostConnectionNoOrderedRunCountsAsEnded) {
  end(queue_ordered_run(record_));
  database_.terminate_connections();
  EXPECT_EQ(ordered_from(queue_ordered_run(record_)), 0U);
}

TEST_F(RecorderTest, ABatchIsWrittenAgainAfterTheConnectionBroke) {
  add_order();
  storage::SettledEvent event = pending_event();
  recorder_->settle(event);
  EXPECT_TRUE(recorder_->flush(5s));
  database_.terminate_connections();
  add_order("A-2");
  recorder_->settle(pending_event());
  EXPECT_TRUE(recorder_->flush(10s));
  EXPECT_EQ(pending(), 0);
}

TEST_F(RecorderTest, AFlushEndsWhileTheDatabaseTakesNoWrites) {
  add_order();
  Session other(database_.url());
  other.exec("begin");
  other.exec("lock table pending_events in access exclusive mode");
  recorder_->settle({.shard = 0, .key = {1, {}}, .runs = {}});
  EXPECT_FALSE(recorder_->flush(100ms));
  other.exec("commit");
  EXPECT_TRUE(recorder_->flush(10s));
}

TEST_F(RecorderTest, TheRemainingEntriesAreWrittenAtTheEnd) {
  add_order();
  recorder_->settle(pending_event());
  recorder_.reset();
  EXPECT_EQ(pending(), 0);
}

/// A run of several steps in the queue, which this worker has claimed at its second step.
class OutcomeOfAStep : public RecorderTest {
 protected:
  OutcomeOfAStep() {
    database_.rows(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, trigger_code, action, status, created_at, due_at, lease_owner, origin, request, steps) "
        "values ($1, $2, $6, 1, 1, 0, $3, 'order_created', 'webhook', 'running', now(), "
        "now() + interval '30 seconds', $4, $2, '{}', $5)",
        {business_.to_string(), run_.to_string(), order_, worker_.to_string(),
         storage::to_text({.number = 2, .type = "webhook", .next = "webhook"}), workflow_.to_string()});
  }

  /// Records that the step with this number ended, with a change of the order if there is one.
  void end_step(int number, std::shared_ptr<const storage::RecordChange> change = nullptr) {
    storage::StepProgress progress{.number = number + 1, .type = "webhook", .stored = number};
    if (change) progress = {.number = number, .type = "update_status", .next = "webhook", .stored = number};
    storage::RunState state;
    state.status = change ? RunStatus::running : RunStatus::queued;
    state.change = std::move(change);
    state.progress = std::make_shared<const storage::StepProgress>(std::move(progress));
    recorder_->finish({{business_, workflow_, run_}, std::move(state)});
    EXPECT_TRUE(recorder_->flush(5s));
  }

  std::shared_ptr<const storage::RecordChange> cancellation() const {
    return std::make_shared<const storage::RecordChange>(
        storage::RecordChange{.change = storage::StatusChange{.entity_type = domain::EntityType::order,
                                                              .records = {Guid::parse(order_).value()},
                                                              .status = "cancelled",
                                                              .cause = "{}"}});
  }

  int current_step() {
    return static_cast<int>(database_.number("select (steps::json ->> 'number')::int from run_queue"));
  }
  bool is_held() {
    return database_.number("select count(*) from run_queue where lease_owner is not null") == 1;
  }
  std::string order_status() { return database_.value("select status from orders"); }

  const Guid run_ = Guid::random();
  const std::string order_ = add_order();
};

TEST_F(OutcomeOfAStep, IsRecordedWhileTheRunIsAtThisStep) {
  end_step(2);
  EXPECT_EQ(current_step(), 3);
  EXPECT_FALSE(is_held());
}

// The worker was stopped during the first step, another one ended that step, and this one claimed the run
// again.
TEST_F(OutcomeOfAStep, IsNotRecordedOnceTheRunHasGoneOn) {
  end_step(1);
  EXPECT_EQ(current_step(), 2);
  EXPECT_TRUE(is_held());
}

TEST_F(OutcomeOfAStep, MakesItsChangeWhileTheRunIsAtThisStep) {
  end_step(2, cancellation());
  EXPECT_EQ(order_status(), "cancelled");
  EXPECT_EQ(current_step(), 3);
}

TEST_F(OutcomeOfAStep, ItsChangeReadsNoOtherOrders) {
  database_.exec("insert into orders (business_id, order_number) select '" + business_.to_string() +
                 "', 'B-' || n from generate_series(1, 10000) n");
  database_.exec("delete from pending_events");
  database_.exec("analyze orders");
  database_.exec("select pg_stat_force_next_flush()");
  const auto orders_read = [&] {
    return database_.number(
        "select idx_tup_fetch + seq_tup_read from pg_stat_user_tables where relname = 'orders'");
  };
  const std::int64_t before = orders_read();
  end_step(2, cancellation());
  recorder_.reset();
  ASSERT_TRUE(eventually([&] {
    return database_.number(
               "select count(*) from pg_stat_activity where datname = current_database() and "
               "application_name = 'waybill recorder'") == 0;
  })) << "a session reports what it has read when it ends";
  const std::int64_t read = orders_read() - before;
  EXPECT_GT(read, 0);
  EXPECT_LT(read, 100);
}

TEST_F(OutcomeOfAStep, MakesNoChangeOnceTheRunHasGoneOn) {
  end_step(1, cancellation());
  EXPECT_NE(order_status(), "cancelled");
  EXPECT_EQ(current_step(), 2);
  EXPECT_TRUE(is_held());
}

}  // namespace
}  // namespace waybill::tests
