#include "worker/pump.hpp"

#include "tests/worker/worker_parts.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// A pump with the parts of the worker that it feeds, and without leases: the test gives it the shards.
class PumpTest : public WorkerParts {
 protected:
  PumpTest() {
    database_.rows("insert into workers (guid, name) values ($1, 'test')", {worker_.to_string()});
    database_.rows(
        "insert into worker_beats (worker, expires_at, matched_at) values ($1, now() + interval '1 h', "
        "now())",
        {worker_.to_string()});
    preparation_.start();
    pump_.start();
  }
  ~PumpTest() override {
    pump_.stop_at_once();
    stop_parts();
  }

  void settled(const std::vector<storage::EventKey>& events, const worker::NextDue& next_due) override {
    pump_.settled(events, next_due);
  }
  void note_room() override { pump_.note_room(); }

  /// Adds a workflow, holds the shards and waits until the order A-1 has its run. Returns the workflow.
  Guid start_with_a_run() {
    const Guid workflow = add_workflow("order_created");
    pump_.hold(all_shards());
    add_order("A-1");
    EXPECT_TRUE(eventually([&] { return runs("succeeded") == 1; }));
    return workflow;
  }

  void add_order_of(const Guid& business, const std::string& number) {
    database_.rows("insert into orders (business_id, order_number) values ($1, $2)",
                   {business.to_string(), number});
  }
  void keep_a_floor() {
    storage::ClaimedRun run{.run = {}, .previous_status = storage::RunStatus::queued};
    run.run.key.destination = "a";
    floors_.claimed(std::vector<storage::ClaimedRun>(25, run));
    ASSERT_EQ(floors_.get().destinations.size(), 1U);
  }
  std::int64_t runs_of(const Guid& business) {
    return database_.number("select count(*) from all_runs where business_id = $1 and status = 'succeeded'",
                            {business.to_string()});
  }

  worker::Pump pump_{{.sessions = database_.url(), .worker = worker_},
                     catalogue_,
                     guard_,
                     pauses_,
                     runner_,
                     preparation_,
                     floors_,
                     system_clock()};
};

TEST_F(PumpTest, AnEventOfAHeldShardBecomesARun) {
  add_workflow("order_created");
  pump_.hold(all_shards());
  add_order();
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 1; }));
  EXPECT_EQ(pending(), 0);
}

TEST_F(PumpTest, EventsThatCameBeforeTheShardsAreMatched) {
  add_workflow("order_created");
  add_order();
  pump_.hold(all_shards());
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 1; }));
}

TEST_F(PumpTest, EventsOfOtherShardsAreLeftToTheirWorkers) {
  add_workflow("order_created");
  storage::HeldShards others = all_shards();
  const auto shard =
      static_cast<std::int16_t>(database_.number("select shard_of($1)", {business_.to_string()}));
  others.erase(shard);
  pump_.hold(others);
  EXPECT_TRUE(eventually([&] { return pump_.can_match(); }));
  add_order();
  EXPECT_TRUE(throughout([&] { return pending() == 1; }, 200ms));
  EXPECT_EQ(runs("succeeded"), 0);
}

TEST_F(PumpTest, GoesOnAfterItsConnectionBroke) {
  start_with_a_run();
  database_.terminate_connections();
  add_order("A-2");
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 2; }));
}

TEST_F(PumpTest, ForgetsTheFloorsOfTheQueueWhenItsConnectionBroke) {
  start_with_a_run();
  keep_a_floor();
  database_.terminate_connections();
  EXPECT_TRUE(eventually([&] { return floors_.get().destinations.empty(); }));
}

TEST_F(PumpTest, ForgetsTheFloorsOfTheQueueWhenItIsNotified) {
  start_with_a_run();
  keep_a_floor();
  database_.exec("notify waybill_queue");
  EXPECT_TRUE(eventually([&] { return floors_.get().destinations.empty(); }));
}

TEST_F(PumpTest, AFloorOfABusyDestinationRises) {
  const Guid workflow = start_with_a_run();
  queue_runs(32, workflow, "queued", "now() - interval '1 minute'");
  database_.exec("notify waybill_queue");
  EXPECT_TRUE(eventually([&] {
    const auto floors = floors_.get();
    return floors.destinations == std::vector<std::string>{""} && floors.times[0] > Time{};
  }));
}

TEST_F(PumpTest, AChangedWorkflowActsOnTheNextEvent) {
  const Guid workflow = start_with_a_run();
  database_.exec("update workflows set is_active = false where guid = '" + workflow.to_string() + "'");
  add_order("A-2");
  EXPECT_TRUE(eventually([&] { return pending() == 0; }));
  EXPECT_EQ(runs("succeeded"), 1);
}

TEST_F(PumpTest, EventsOfABusinessGoOnWhileTheWorkflowsOfAnotherAreRead) {
  const Guid other = add_business_with_workflow();
  const Guid changed = start_with_a_run();
  {
    const Session blocker = keep_from_reading();
    rename_workflow(changed);
    add_order("A-2");
    for (int n = 1; n <= 20; ++n) {
      add_order_of(other, "B-" + std::to_string(n));
      EXPECT_TRUE(eventually([&] { return runs_of(other) == n; }));
    }
    EXPECT_EQ(runs_of(business_), 1) << "the event waits for the changed workflow";
  }
  EXPECT_TRUE(eventually([&] { return runs_of(business_) == 2; }));
  EXPECT_EQ(pending(), 0);
}

TEST_F(PumpTest, AnEventThatWaitedIsMatchedWithTheChangedWorkflow) {
  const Guid workflow = start_with_a_run();
  {
    const Session blocker = keep_from_reading();
    database_.exec(R"(update workflows set conditions = '{"orderNumber": "A-3"}' where guid = ')" +
                   workflow.to_string() + "'");
    add_order("A-2");
    add_order("A-3");
  }
  EXPECT_TRUE(eventually([&] { return pending() == 0; }));
  EXPECT_EQ(runs_of(business_), 2) << "A-1 and A-3";
}

TEST_F(PumpTest, ManyEventsThatWaitKeepNoEventOfAnotherShardFromBeingFound) {
  const Guid other = add_business_with_workflow();
  const Guid changed = start_with_a_run();
  {
    const Session blocker = keep_from_reading();
    rename_workflow(changed);
    database_.exec("insert into orders (business_id, order_number) select '" + business_.to_string() +
                   "', 'M-' || n from generate_series(1, 6000) n");
    for (int n = 1; n <= 20; ++n) {
      add_order_of(other, "B-" + std::to_string(n));
      EXPECT_TRUE(eventually([&] { return runs_of(other) == n; }));
    }
  }
  EXPECT_TRUE(eventually([&] { return runs_of(business_) == 6001; }));
  EXPECT_TRUE(eventually([&] { return pending() == 0; }));
}

TEST_F(PumpTest, ReadsWorkflowsAnewAfterItsConnectionBrokeMeanwhile) {
  const Guid changed = start_with_a_run();
  {
    const Session blocker = keep_from_reading();
    rename_workflow(changed);
    add_order("A-2");
    database_.terminate_connections();  // also that of the blocker
  }
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 2; }));
  EXPECT_EQ(pending(), 0);
}

TEST_F(PumpTest, TakesNothingAfterItsEnd) {
  pump_.hold(all_shards());
  EXPECT_TRUE(eventually([&] { return pump_.can_match(); }));
  pump_.stop_at_once();
  add_order();
  EXPECT_TRUE(throughout([&] { return pending() == 1; }, 200ms));
}

}  // namespace
}  // namespace waybill::tests
