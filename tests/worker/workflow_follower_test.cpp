#include "worker/events/workflow_follower.hpp"

#include "tests/worker/worker_parts.hpp"
#include "worker/events/event_matching.hpp"
#include "worker/queue/due_runs.hpp"
#include "worker/timers/due_timers.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// A follower with its loader, and no pump: the test calls it instead.
class WorkflowFollower : public WorkerParts {
 protected:
  WorkflowFollower() { loader_.start(); }
  ~WorkflowFollower() override { loader_.stop(); }

  /// True once the catalogue has all changes so far.
  bool catches_up() {
    workflows_.follow_now(session_);
    return eventually([&] {
      workflows_.take_loaded();
      return !workflows_.any_behind();
    });
  }
  std::uint64_t epoch() {
    return static_cast<std::uint64_t>(database_.number("select epoch from workflow_epoch"));
  }
  /// Queues a run of the only event.
  void queue_run(const Guid& workflow) {
    database_.rows(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, trigger_code, action, status, created_at, due_at, origin, request, destination) "
        "select business_id, g.run, $1, 1, id, 0, entity_id, 'order_created', 'nothing', 'queued', now(), "
        "now(), g.run, '{}', 'place:' || business_id from events, (select gen_random_uuid() as run) g",
        {workflow.to_string()});
  }
  /// Claims runs until one of all runs has this status.
  bool claims_until_one_is(const std::string& status, worker::DueRuns& due) {
    return eventually([&] {
      due.look_again();
      due.claim(session_);
      return runs(status) == 1;
    });
  }
  std::string name_of(const Guid& workflow) const {
    const worker::WorkflowPtr found = catalogue_.find(workflow);
    return found ? found->name : "";
  }

  worker::WorkflowLoader loader_{database_.url(), catalogue_, [] {}};
  worker::WorkflowFollower workflows_{catalogue_, pauses_, loader_};
  storage::Session session_{database_.url(), "test"};
};

TEST_F(WorkflowFollower, HasAllWorkflowsAfterItsFirstLook) {
  const Guid workflow = add_workflow("order_created");
  workflows_.follow_now(session_);
  EXPECT_TRUE(workflows_.is_current(business_));
  EXPECT_EQ(name_of(workflow), "w");
}

TEST_F(WorkflowFollower, ABusinessIsBehindUntilItsChangesAreRead) {
  const Guid workflow = add_workflow("order_created");
  workflows_.follow_now(session_);
  const std::uint64_t before = epoch();
  {
    const Session blocker = keep_from_reading();
    rename_workflow(workflow);
    workflows_.follow_now(session_);
    EXPECT_FALSE(workflows_.is_current(business_));
    EXPECT_TRUE(workflows_.has_read(business_, before)) << "events before the change go on";
    EXPECT_FALSE(workflows_.has_read(business_, epoch()));
    EXPECT_TRUE(workflows_.is_current(Guid::random()));
    EXPECT_EQ(catalogue_.epoch(), before);
  }
  EXPECT_TRUE(catches_up());
  EXPECT_EQ(name_of(workflow), "w again");
  EXPECT_EQ(catalogue_.epoch(), epoch());
}

TEST_F(WorkflowFollower, AChangeWhileABusinessIsReadDoesNotKeepEarlierEventsWaiting) {
  const Guid workflow = add_workflow("order_created");
  workflows_.follow_now(session_);
  std::uint64_t first = 0;
  {
    const Session blocker = keep_from_reading();
    rename_workflow(workflow);
    workflows_.follow_now(session_);
    first = epoch();
  }
  EXPECT_TRUE(eventually([&] {
    workflows_.take_loaded();
    return workflows_.has_read(business_, first);
  }));
  rename_workflow(workflow);
  workflows_.follow_now(session_);
  EXPECT_TRUE(workflows_.has_read(business_, first));
  EXPECT_TRUE(catches_up());
  EXPECT_EQ(name_of(workflow), "w again again");
}

TEST_F(WorkflowFollower, AChangedTemplateIsAChangeOfItsBusiness) {
  const Guid workflow = add_workflow("order_created");
  database_.exec("update workflows set template_codes = '{t}' where guid = '" + workflow.to_string() + "'");
  workflows_.follow_now(session_);
  const worker::WorkflowPtr before = catalogue_.find(workflow);
  database_.rows(
      "insert into templates (business_id, code, name, entity_type, type, body) "
      "values ($1, 't', 't', 0, 'webhook', 'text')",
      {business_.to_string()});
  workflows_.follow_now(session_);
  EXPECT_FALSE(workflows_.is_current(business_));
  EXPECT_TRUE(catches_up());
  EXPECT_NE(catalogue_.find(workflow), before);
}

TEST_F(WorkflowFollower, EachOfManyChangedBusinessesIsRead) {
  workflows_.follow_now(session_);
  database_.exec("insert into businesses (name) select 'b' || n from generate_series(1, 100) n");
  workflows_.follow_now(session_);
  EXPECT_EQ(workflows_.behind().size(), 100U);
  EXPECT_TRUE(catches_up());
  for (const std::string& guid : database_.connect().column("select guid from workflows"))
    EXPECT_NE(catalogue_.find(Guid::parse(guid).value()), nullptr);
}

TEST_F(WorkflowFollower, AReconnectionForgetsWhatWasNotRead) {
  const Guid workflow = add_workflow("order_created");
  workflows_.connected();
  workflows_.follow_now(session_);
  {
    const Session blocker = keep_from_reading();
    rename_workflow(workflow);
    workflows_.follow_now(session_);
    EXPECT_TRUE(workflows_.connected());
    EXPECT_FALSE(workflows_.is_current(business_));
    EXPECT_FALSE(workflows_.has_read(business_, 0)) << "epochs from before mean nothing";
  }
  workflows_.follow_now(session_);
  EXPECT_TRUE(workflows_.is_current(business_));
  EXPECT_EQ(name_of(workflow), "w again");
}

TEST_F(WorkflowFollower, APauseInMemoryLastsUntilTheCatalogueHasIt) {
  const Guid workflow = add_workflow("order_created");
  workflows_.follow_now(session_);
  pauses_.pause(worker::PauseRequest{business_, workflow, "it was asked for"});
  ASSERT_TRUE(eventually([&] {
    return database_.number("select count(*) from workflows where paused_reason is not null") == 1;
  }));
  {
    const Session blocker = keep_from_reading();
    workflows_.follow_now(session_);
    workflows_.take_loaded();
    EXPECT_TRUE(pauses_.is_pausing(workflow));
  }
  EXPECT_TRUE(eventually([&] {
    workflows_.take_loaded();
    return !pauses_.is_pausing(workflow);
  }));
  EXPECT_TRUE(catalogue_.find(workflow)->paused);
}

TEST_F(WorkflowFollower, APauseEndsInMemoryWhileAnotherBusinessIsBehind) {
  const Guid workflow = add_workflow("order_created");
  const Guid behind = add_business_with_workflow();
  const Guid other =
      Guid::parse(database_.value("select guid from workflows where business_id = $1 and name = 'w'",
                                  {behind.to_string()}))
          .value();
  pauses_.pause(worker::PauseRequest{behind, other, "it was asked for"});
  pauses_.pause(worker::PauseRequest{business_, workflow, "it was asked for"});
  EXPECT_TRUE(eventually([&] {
    pauses_.seen(0, [&](const Guid& business, std::uint64_t /*epoch*/) { return business != behind; });
    return !pauses_.is_pausing(workflow);
  }));
  EXPECT_TRUE(pauses_.is_pausing(other));
}

TEST_F(WorkflowFollower, ATimerWaitsUntilTheChangesOfItsBusinessAreRead) {
  const Guid workflow = add_workflow("timer:order.createdAt:P1D");
  add_order();
  workflows_.follow_now(session_);
  database_.exec(
      "delete from timer_scans; "
      "insert into timers (business_id, workflow_id, entity_id, shard, plan, value, due_at, check_at, "
      "event_id) "
      "select w.business_id, w.guid, o.guid, shard_of(w.business_id), w.timer_plan, now(), now(), now(), 0 "
      "from workflows w join orders o using (business_id) where w.timer_plan is not null");
  ASSERT_EQ(database_.number("select count(*) from timers"), 1);
  worker::EventIntake intake({.worker = worker_}, system_clock().now());
  intake.hold(all_shards());
  intake.follow_leases(session_);
  worker::DueTimers timers({.worker = worker_}, intake, catalogue_, workflows_, guard_, system_clock());
  {
    const Session blocker = keep_from_reading();
    rename_workflow(workflow);
    EXPECT_FALSE(timers.work(session_));
    EXPECT_EQ(database_.number("select count(*) from timers"), 1);
  }
  EXPECT_TRUE(catches_up());
  EXPECT_TRUE(eventually([&] {
    timers.note_due(Time{});
    timers.work(session_);
    return database_.number("select count(*) from timers") == 0;
  })) << "its value is not that of the order, so it is dropped";
}

TEST_F(WorkflowFollower, ARunIsNotClaimedUntilTheChangesBeforeItAreRead) {
  const Guid workflow = add_workflow("order_created");
  add_order();
  workflows_.follow_now(session_);
  worker::DueRuns due({.worker = worker_}, catalogue_, workflows_, runner_, preparation_, floors_,
                      system_clock());
  {
    const Session blocker = keep_from_reading();
    database_.exec("update workflows set paused_reason = 'x', paused_at = now() where guid = '" +
                   workflow.to_string() + "'");
    queue_run(workflow);
    workflows_.follow_now(session_);
    EXPECT_FALSE(due.claim(session_));
    EXPECT_EQ(runs("queued"), 1);
  }
  EXPECT_TRUE(catches_up());
  EXPECT_TRUE(claims_until_one_is("held", due));
}

TEST_F(WorkflowFollower, AChangeThatNoLookHasFoundYetAppliesToALaterRun) {
  const Guid workflow = add_workflow("order_created");
  add_order();
  workflows_.follow_now(session_);
  worker::DueRuns due({.worker = worker_}, catalogue_, workflows_, runner_, preparation_, floors_,
                      system_clock());
  database_.exec("update workflows set paused_reason = 'x', paused_at = now() where guid = '" +
                 workflow.to_string() + "'");
  queue_run(workflow);
  EXPECT_TRUE(due.claim(session_));
  EXPECT_FALSE(workflows_.is_current(business_));
  EXPECT_TRUE(catches_up());
  EXPECT_TRUE(claims_until_one_is("held", due));
  EXPECT_EQ(runs("succeeded"), 0);
}

TEST_F(WorkflowFollower, ARunIsClaimedWhileItsBusinessGoesOnChanging) {
  const Guid workflow = add_workflow("order_created");
  add_order();
  workflows_.follow_now(session_);
  queue_run(workflow);
  worker::DueRuns due({.worker = worker_}, catalogue_, workflows_, runner_, preparation_, floors_,
                      system_clock());
  {
    const Session blocker = keep_from_reading();
    rename_workflow(workflow);
    workflows_.follow_now(session_);
    ASSERT_TRUE(
        eventually([&] { return database_.number("select count(*) from pg_locks where not granted") == 1; }));
    // The reading under way does not cover this change, so the business stays behind after it.
    rename_workflow(workflow);
    workflows_.follow_now(session_);
  }
  EXPECT_TRUE(eventually([&] { return workflows_.take_loaded(); }));
  EXPECT_FALSE(workflows_.is_current(business_));
  queue_run(workflow);
  EXPECT_TRUE(due.claim(session_));
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 1 && runs("queued") == 1; }))
      << "the later run waits for the last change";
}

/// A worker that has not read a new workflow yet, while another one has matched its first event already.
class NewerWorkflow : public WorkflowFollower {
 protected:
  NewerWorkflow() {
    workflows_.follow_now(session_);
    workflow_ = add_workflow("order_created");
    EXPECT_FALSE(catalogue_.find(workflow_));
    add_order();
  }

  Guid workflow_;
};

TEST_F(NewerWorkflow, IsNotDeletedForARunThatIsClaimed) {
  queue_run(workflow_);
  worker::DueRuns due({.worker = worker_}, catalogue_, workflows_, runner_, preparation_, floors_,
                      system_clock());
  {
    const Session blocker = keep_from_reading();
    EXPECT_TRUE(due.claim(session_));
    EXPECT_TRUE(recorder_.flush(5s));
    EXPECT_EQ(runs("queued"), 1) << "it goes back until the workflow is read";
  }
  EXPECT_TRUE(catches_up());
  EXPECT_TRUE(claims_until_one_is("succeeded", due));
  EXPECT_EQ(runs("skipped"), 0);
}

TEST_F(NewerWorkflow, IsNotDeletedForAMatchThatWasPostponed) {
  database_.rows("insert into postponed_matches select business_id, $1, id, at from events",
                 {workflow_.to_string()});
  worker::EventIntake intake({.worker = worker_}, system_clock().now());
  const auto match_postponed = [&] {
    worker::EventMatching matching({.worker = worker_}, intake, catalogue_, workflows_, guard_, runner_,
                                   system_clock());
    matching.match_postponed(session_);
  };
  {
    const Session blocker = keep_from_reading();
    match_postponed();
    EXPECT_EQ(database_.number("select count(*) from postponed_matches"), 1);
  }
  EXPECT_TRUE(catches_up());
  match_postponed();
  EXPECT_EQ(runs("queued"), 1);
  EXPECT_EQ(database_.number("select count(*) from postponed_matches"), 0);
}

}  // namespace
}  // namespace waybill::tests
