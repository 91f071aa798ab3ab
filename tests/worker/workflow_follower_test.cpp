#include "worker/events/workflow_follower.hpp"

#include "tests/worker/worker_database.hpp"
#include "worker/delivery/recorder.hpp"
#include "worker/events/event_matching.hpp"
#include "worker/queue/due_runs.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

class UnusedMailer final : public net::Mailer {
  void transmit(net::MailMessage, Done) override { throw std::logic_error("no test sends a mail"); }
};

/// A worker that has not read a new workflow yet, while another one has matched its first event already.
class NewerWorkflow : public WorkerDatabase {
 protected:
  NewerWorkflow() {
    EXPECT_FALSE(catalogue_.find(workflow_));
    add_order();
  }
  ~NewerWorkflow() override {
    preparation_.stop();
    runner_.stop();
    recorder_.flush(5s);
  }

  const Guid workflow_ = add_workflow("order_created");
  worker::Catalogue catalogue_{secrets_};
  net::HttpClient http_{{}};
  UnusedMailer mailer_;
  worker::PauseWriter pauses_{database_.url(), secrets_};
  worker::Recorder recorder_{{.database_url = database_.url(), .worker = worker_},
                             pauses_,
                             [](const auto& /*events*/, auto /*next_due*/) {}};
  worker::Runner runner_{{},
                         catalogue_,
                         {.http = http_, .clock = system_clock(), .mailer = mailer_},
                         recorder_,
                         [](const storage::ClaimedRun&) { return false; }};
  worker::Preparation preparation_{
      {.database_url = database_.url(), .worker = worker_}, catalogue_, runner_, system_clock(), [] {}};
  worker::WorkflowFollower workflows_{catalogue_, pauses_};
  storage::Session session_{database_.url(), "test"};
};

TEST_F(NewerWorkflow, IsNotDeletedForARunThatIsClaimed) {
  database_.rows(
      "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
      "entity_id, trigger_code, action, status, created_at, due_at, origin, request) "
      "select business_id, g.run, $1, 1, id, 0, entity_id, 'order_created', 'nothing', 'queued', at, at, "
      "g.run, "
      "'{}' from events, (select gen_random_uuid() as run) g",
      {workflow_.to_string()});
  worker::DueRuns due({.worker = worker_}, catalogue_, workflows_, runner_, preparation_, system_clock());
  EXPECT_TRUE(due.claim(session_));
  EXPECT_TRUE(recorder_.flush(5s));
  EXPECT_EQ(runs("succeeded"), 1);
  EXPECT_EQ(runs("skipped"), 0);
}

TEST_F(NewerWorkflow, IsNotDeletedForAMatchThatWasPostponed) {
  database_.rows("insert into postponed_matches select business_id, $1, id, at from events",
                 {workflow_.to_string()});
  worker::EventIntake intake({.worker = worker_}, system_clock().now());
  worker::BlastGuard guard({}, pauses_, system_clock());
  worker::EventMatching matching({.worker = worker_}, intake, catalogue_, workflows_, guard, runner_,
                                 system_clock());
  matching.match_postponed(session_);
  EXPECT_EQ(runs("queued"), 1);
  EXPECT_EQ(database_.number("select count(*) from postponed_matches"), 0);
}

}  // namespace
}  // namespace waybill::tests
