#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/runs/recording.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session_limits.hpp"
#include "storage/sql/runs.sql.hpp"
#include "tests/worker/worker_database.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using storage::RunStatus;

/// A queue with runs of one event, whose changes of its record take effect in the order of their workflows.
/// The rows of 0.1.0 have no `changing_action`.
class ChangesInQueue : public WorkerDatabase {
 protected:
  ChangesInQueue() { session_.execute(storage::index_walking_plans); }

  Guid queue_run(const Guid& workflow, const std::string& action) {
    const Guid guid = Guid::random();
    store_.queue({{.key = {.business_id = business_,
                           .guid = guid,
                           .workflow_id = workflow,
                           .workflow_version = 1,
                           .event_id = 1,
                           .entity_id = record_,
                           .trigger_code = "order_created",
                           .action = action,
                           .created_at = system_clock().now(),
                           .origin = guid,
                           .replay_of = {},
                           .destination = storage::change_destination(business_),
                           .request = "{}",
                           .body = {}},
                   .state = {.code = {}, .error = {}, .at = system_clock().now() - 1s}}});
    return guid;
  }
  Guid queue_run_of_earlier_binary(const Guid& workflow, const std::string& action) {
    return Guid::parse(
               database_.value(
                   "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, "
                   "entity_type, entity_id, trigger_code, action, status, created_at, due_at, origin, "
                   "request) "
                   "values ($1, gen_random_uuid(), $2, 1, 1, 0, $3, 'order_created', $4, 'queued', now(), "
                   "now(), gen_random_uuid(), '{}') returning guid",
                   {business_.to_string(), workflow.to_string(), record_.to_string(), action}))
        .value();
  }
  /// Claims all runs that may go, and returns the only one.
  std::optional<Guid> claimed() {
    const auto runs = store_.claim({.lease = 30s, .per_destination = 32, .runs = 256, .bytes = 1 << 20}).runs;
    return runs.size() == 1 ? std::optional(runs.front().run.key.guid) : std::nullopt;
  }
  void end(const Guid& run) { database_.rows("delete from run_queue where guid = $1", {run.to_string()}); }

  std::string changing_action(const Guid& run) {
    return database_.value("select changing_action from run_queue where guid = $1", {run.to_string()});
  }

  const Guid record_ = Guid::random();
  const Guid first_ = add_workflow("order_created");
  const Guid second_ = add_workflow("order_created");
  storage::Session session_{database_.url(), "test"};
  storage::RunStore store_{session_, worker_};
};

TEST_F(ChangesInQueue, AreNamedByTheirActions) {
  for (const std::string action : {"update_status", "update_record", "create_shipment"})
    EXPECT_EQ(changing_action(queue_run(first_, action)), action);
  EXPECT_EQ(changing_action(queue_run(first_, "webhook")), "");
}

TEST_F(ChangesInQueue, TakeEffectInTheOrderOfTheirWorkflows) {
  const Guid second = queue_run(second_, "update_record");
  const Guid first = queue_run(first_, "update_status");
  EXPECT_EQ(claimed(), first);
  end(first);
  EXPECT_EQ(claimed(), second);
}

TEST_F(ChangesInQueue, WaitForAnEarlierOneOfAnEarlierBinary) {
  const Guid second = queue_run(second_, "update_record");
  const Guid first = queue_run_of_earlier_binary(first_, "update_status");
  EXPECT_EQ(claimed(), first);
  end(first);
  EXPECT_EQ(claimed(), second);
}

TEST_F(ChangesInQueue, OfAnEarlierBinaryWaitForAnEarlierOne) {
  const Guid second = queue_run_of_earlier_binary(second_, "create_shipment");
  const Guid first = queue_run(first_, "update_record");
  EXPECT_EQ(claimed(), first);
  end(first);
  EXPECT_EQ(claimed(), second);
}

// A later release can have an action that changes records and that no function of SQL names.
TEST_F(ChangesInQueue, AreThoseThatTheirColumnNames) {
  const Guid first = queue_run_of_earlier_binary(first_, "rename_record");
  const Guid second = queue_run(second_, "update_record");
  database_.rows("update run_queue set changing_action = action where guid = $1", {first.to_string()});
  EXPECT_EQ(claimed(), first);
  end(first);
  EXPECT_EQ(claimed(), second);
}

/// A run of several steps that this worker has claimed at its first step.
class StepsInQueue : public ChangesInQueue {
 protected:
  storage::Run claimed_run(const std::string& action) {
    const Guid guid = queue_run(first_, action);
    database_.rows("update run_queue set status = 'running', lease_owner = $2, steps = $3 where guid = $1",
                   {guid.to_string(), worker_.to_string(), storage::to_text({.number = 1, .type = action})});
    return {.key = {.business_id = business_,
                    .guid = guid,
                    .workflow_id = first_,
                    .trigger_code = "order_created",
                    .action = action,
                    .replay_of = {},
                    .destination = "x",
                    .request = "{}",
                    .body = {}},
            .state = {.status = RunStatus::running, .code = {}, .error = {}, .at = system_clock().now()}};
  }
  static storage::StepProgressPtr next_step(const std::string& type) {
    return std::make_shared<const storage::StepProgress>(
        storage::StepProgress{.number = 2, .type = type, .started_at = {}, .until = {}, .stored = 1});
  }
  /// Ends the first step, so that the run waits for one of this type.
  void go_on(storage::Run run, const std::string& type) {
    run.state.status = RunStatus::queued;
    run.state.progress = next_step(type);
    storage::Batch batch;
    batch.outcomes.push_back({.key = queued_key(run.key), .state = run.state});
    storage::EndedRuns ended;
    storage::Recording(session_, worker_, batch, ended).commit();
  }
  std::size_t begin(storage::Run run, const std::string& type) {
    run.key.action = type;
    run.state.progress = next_step(type);
    const storage::Run* const runs[] = {&run};
    return store_.begin_steps(runs, 30s).size();
  }
};

TEST_F(StepsInQueue, ThatWaitToChangeARecordAreNamed) {
  const storage::Run run = claimed_run("webhook");
  go_on(run, "update_status");
  EXPECT_EQ(changing_action(run.key.guid), "update_status");
}

TEST_F(StepsInQueue, ThatWaitToSendAreNotNamed) {
  const storage::Run run = claimed_run("update_status");
  go_on(run, "webhook");
  EXPECT_EQ(changing_action(run.key.guid), "");
}

TEST_F(StepsInQueue, ThatBeginToChangeARecordAreNamed) {
  const storage::Run run = claimed_run("webhook");
  EXPECT_EQ(begin(run, "create_shipment"), 1U);
  EXPECT_EQ(changing_action(run.key.guid), "create_shipment");
}

TEST_F(StepsInQueue, ThatBeginToSendAreNotNamed) {
  const storage::Run run = claimed_run("update_status");
  EXPECT_EQ(begin(run, "webhook"), 1U);
  EXPECT_EQ(changing_action(run.key.guid), "");
}

TEST_F(StepsInQueue, NeitherBeginNorEndByAnEarlierClaim) {
  storage::Run run = claimed_run("webhook");
  database_.exec("update run_queue set claims = 2");
  run.key.claim = 1;
  EXPECT_EQ(begin(run, "update_status"), 0U);
  go_on(run, "update_status");
  EXPECT_EQ(database_.value("select status || ' ' || action from run_queue"), "running webhook");
  EXPECT_EQ(database_.number("select count(*) from run_step_texts"), 0);
  run.key.claim = 2;
  EXPECT_EQ(begin(run, "update_status"), 1U);
}

TEST_F(StepsInQueue, LeaveTheEndOfALeaseThatIsLongEnough) {
  const std::map<std::string, std::string> is_left = {{"29 s", "f"}, {"31 s", "t"}, {"1 hour", "f"}};
  for (const auto& [rest, expected] : is_left) {
    const storage::Run run = claimed_run("webhook");
    const std::string guid = run.key.guid.to_string();
    const auto end = database_.value(
        "update run_queue set due_at = now() + $2::interval where guid = $1 returning due_at", {guid, rest});
    EXPECT_EQ(begin(run, "webhook"), 1U);
    EXPECT_EQ(database_.value("select due_at = $2::timestamptz from run_queue where guid = $1", {guid, end}),
              expected)
        << rest;
    EXPECT_EQ(database_.value(
                  "select due_at - now() between '29 s' and '33 s' from run_queue where guid = $1", {guid}),
              "t")
        << rest;
  }
}

TEST_F(StepsInQueue, WaitAtTheDestinationThatThePlannedRunHas) {
  const storage::Run run = claimed_run("webhook");
  go_on(run, "webhook");
  EXPECT_EQ(database_.value("select destination from run_queue"),
            storage::step_destination(business_, run.key.guid));
}

}  // namespace
}  // namespace waybill::tests
