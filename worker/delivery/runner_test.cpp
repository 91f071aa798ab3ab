#include "worker/delivery/runner.hpp"

#include <deque>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/tracking_sender.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using storage::RunStatus;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const Guid runner_business = Guid::from_name(namespace_url, "business");
const Guid other_business = Guid::from_name(namespace_url, "other business");

class FixedClock final : public Clock {
 public:
  Time now() const override { return parse_timestamp("2026-11-20T05:45:12.345Z").value(); }
};

class KeptOutcomes final : public Outcomes {
 public:
  void settle(storage::SettledEvent event) override { settled.push_back(std::move(event)); }
  void settle(std::vector<storage::SettledEvent> events) override {
    for (storage::SettledEvent& event : events) settled.push_back(std::move(event));
  }
  void finish(storage::QueuedOutcome outcome) override { finished.push_back(std::move(outcome)); }
  void pause(PauseRequest request) override { pauses.push_back(std::move(request)); }
  bool is_pausing(const Guid& workflow) const override { return workflow == pausing; }

  std::vector<storage::SettledEvent> settled;
  std::vector<storage::QueuedOutcome> finished;
  std::vector<PauseRequest> pauses;
  Guid pausing;
};

/// Attempts of `push_tracking`, which end when the test ends them.
class OpenAttempts final : public actions::TrackingSender {
 public:
  void send(actions::TrackingNotice, actions::Action::Finish finish) override { open.push_back(finish); }

  /// Ends the oldest attempt.
  void end(actions::AttemptResult result) {
    const auto finish = std::move(open.front());
    open.pop_front();
    finish(std::move(result));
  }

  std::deque<actions::Action::Finish> open;
};

class NoMailer final : public net::Mailer {
  void transmit(net::MailMessage, Done) override { throw std::logic_error("no test sends a mail"); }
};

class RunnerTest : public testing::Test, protected Upstream {
 protected:
  explicit RunnerTest(Runner::Options options = {.patience = 0s, .destination_patience = 0s})
      : runner_(std::move(options), catalogue_,
                {.http = http_, .clock = clock_, .mailer = mailer_, .tracking = &attempts_}, outcomes_,
                static_cast<Upstream&>(*this)) {
    publish("push_tracking");
  }
  ~RunnerTest() override {
    while (!attempts_.open.empty()) attempts_.end(result(actions::Done()));
  }

  void settled(const std::vector<storage::EventKey>& /*events*/, const NextDue& /*next_due*/) override {}
  bool go_on(storage::ClaimedRun run) override {
    if (takes_steps_) gone_on_.push_back(std::move(run));
    return takes_steps_;
  }
  void note_room() override {}

  /// Adds the workflow to the catalogue, or replaces it.
  void publish(const std::string& action, bool paused = false, bool email_enabled = true) {
    catalogue_.apply({{.business_id = runner_business,
                       .guid = workflow_,
                       .name = "w",
                       .entity_type = domain::EntityType::shipment,
                       .trigger_code = "shipment_updated",
                       .action = R"({"type": ")" + action + R"("})",
                       .conditions = "{}",
                       .is_active = true,
                       .ordered = false,
                       .delay = {},
                       .paused = paused,
                       .version = 1,
                       .active_since = clock_.now(),
                       .deleted = false,
                       .epoch = ++epoch_,
                       .business = {.name = "b", .email_enabled = email_enabled},
                       .sealed_secrets = {},
                       .templates = {},
                       .created_at = clock_.now()}});
  }

  storage::Run run(const std::string& action = "push_tracking", const Guid& of = runner_business) const {
    storage::Run made;
    made.key = {.business_id = of,
                .guid = Guid::random(),
                .workflow_id = workflow_,
                .entity_type = domain::EntityType::shipment,
                .action = action,
                .created_at = clock_.now(),
                .destination = action == "nothing" ? "" : "store:" + of.to_string(),
                .request = R"({"shippedAt": "2026-11-20T05:45:12.345Z"})"};
    made.state.at = clock_.now();
    return made;
  }

  PlannedRun planned(storage::Run of) const {
    json::object request = json::parse(of.key.request).as_object();
    return {.run = std::move(of), .request = std::move(request)};
  }

  /// Submits an event that causes these runs.
  void submit_event(const std::vector<storage::Run>& runs, std::int16_t shard = 0) {
    std::vector<MatchedEvent> events(1);
    events[0].shard = shard;
    for (const storage::Run& each : runs) events[0].runs.push_back(planned(each));
    runner_.submit(std::move(events));
  }

  /// Submits a run that was claimed from the queue.
  void submit_claimed(storage::Run of, RunStatus previous = RunStatus::queued) {
    std::vector<storage::ClaimedRun> claimed;
    claimed.push_back({.run = std::move(of), .claimed_at = claimed_at_, .previous_status = previous});
    runner_.submit(std::move(claimed));
  }

  actions::AttemptResult result(actions::Outcome outcome) const {
    return {.outcome = std::move(outcome), .started_at = clock_.now()};
  }

  const storage::RunState& finished_state() const {
    EXPECT_THAT(outcomes_.finished, SizeIs(1));
    return outcomes_.finished.at(0).state;
  }

  const Guid workflow_ = Guid::from_name(namespace_url, "workflow");
  const FixedClock clock_;
  const SecretBox secrets_{SecretBox::Key{}};
  Catalogue catalogue_{secrets_};
  std::uint64_t epoch_ = 0;
  net::HttpClient http_{{}};
  NoMailer mailer_;
  OpenAttempts attempts_;
  KeptOutcomes outcomes_;
  bool takes_steps_ = true;
  std::chrono::steady_clock::time_point claimed_at_ = std::chrono::steady_clock::now();
  std::vector<storage::ClaimedRun> gone_on_;
  Runner runner_;
};

TEST_F(RunnerTest, AnEventWithoutRunsIsSettledAtOnce) {
  submit_event({});
  EXPECT_THAT(outcomes_.settled, SizeIs(1));
  EXPECT_EQ(runner_.held(), 0U);
}

TEST_F(RunnerTest, AnEventIsSettledWithAllItsRunsAfterTheLastAttempt) {
  submit_event({run(), run()});
  ASSERT_THAT(attempts_.open, SizeIs(2));
  attempts_.end(result(actions::Done()));
  EXPECT_THAT(outcomes_.settled, IsEmpty());
  attempts_.end(result(actions::Dead{"HTTP_404"}));
  ASSERT_THAT(outcomes_.settled, SizeIs(1));
  EXPECT_EQ(outcomes_.settled[0].runs.at(0).state.status, RunStatus::succeeded);
  EXPECT_EQ(outcomes_.settled[0].runs.at(1).state.code, "HTTP_404");
  EXPECT_EQ(runner_.held(), 0U);
}

TEST_F(RunnerTest, AnOrderedRunSendsAllRunsOfItsEventToTheQueue) {
  storage::Run ordered = run();
  ordered.key.ordered = true;
  submit_event({run(), ordered});
  EXPECT_THAT(attempts_.open, IsEmpty());
  ASSERT_THAT(outcomes_.settled, SizeIs(1));
  EXPECT_THAT(outcomes_.settled[0].runs, SizeIs(2));
}

class OrderedRunnerTest : public RunnerTest {
 protected:
  OrderedRunnerTest() : RunnerTest({.patience = 1h, .patience_behind = 1h, .destination_patience = 1h}) {}

  storage::Run ordered_run() const {
    storage::Run made = run();
    made.key.ordered = true;
    made.key.entity_id = record_;
    return made;
  }

  /// Submits the next event of the record. Returns its first run.
  Guid submit_next(const std::vector<storage::Run>& runs, bool may_begin = true, std::int16_t shard = 0) {
    std::vector<MatchedEvent> events(1);
    events[0].shard = shard;
    events[0].may_begin = may_begin;
    for (const storage::Run& each : runs) events[0].runs.push_back(planned(each));
    runner_.submit(std::move(events));
    return runs[0].key.guid;
  }

  std::vector<Guid> settled_runs() const {
    std::vector<Guid> guids;
    for (const storage::SettledEvent& event : outcomes_.settled) guids.push_back(event.runs.at(0).key.guid);
    return guids;
  }

  /// Lets the recorder record all that is settled.
  void record() {
    outcomes_.settled.clear();
    runner_.forget_recorded();
  }

  const Guid record_ = Guid::from_name(namespace_url, "record");
};

TEST_F(OrderedRunnerTest, TheNextRunOfARecordBeginsWhenTheOneBeforeHasSucceeded) {
  const Guid first = submit_next({ordered_run()}), second = submit_next({ordered_run()});
  ASSERT_THAT(attempts_.open, SizeIs(1));
  EXPECT_EQ(runner_.held(), 2U);
  attempts_.end(result(actions::Done()));
  ASSERT_THAT(attempts_.open, SizeIs(1));
  EXPECT_THAT(settled_runs(), ElementsAre(first)) << "its end is on the way before the next attempt";
  attempts_.end(result(actions::Done()));
  EXPECT_THAT(settled_runs(), ElementsAre(first, second));
  EXPECT_EQ(runner_.held(), 0U);
}

TEST_F(OrderedRunnerTest, RunsOfOtherRecordsDoNotWait) {
  submit_next({ordered_run()});
  storage::Run other = ordered_run();
  other.key.entity_id = Guid::from_name(namespace_url, "other record");
  submit_next({other});
  EXPECT_THAT(attempts_.open, SizeIs(2));
}

TEST_F(OrderedRunnerTest, AfterAFailureTheEventsBehindGoToTheQueueInTheirOrder) {
  const Guid first = submit_next({ordered_run()}), second = submit_next({ordered_run()});
  const Guid third = submit_next({ordered_run()});
  attempts_.end(result(actions::Retry{.code = "HTTP_500", .retry_after = {}}));
  EXPECT_THAT(attempts_.open, IsEmpty());
  EXPECT_THAT(settled_runs(), ElementsAre(first, second, third));
  EXPECT_EQ(outcomes_.settled[0].runs[0].state.status, RunStatus::retrying);
  EXPECT_EQ(outcomes_.settled[1].runs[0].state.status, RunStatus::queued);
  EXPECT_EQ(runner_.held(), 0U);
}

TEST_F(OrderedRunnerTest, ARunThatIsDeadInMemoryIsRecordedBeforeTheNextOneBegins) {
  submit_next({ordered_run()});
  submit_next({ordered_run()});
  attempts_.end(result(actions::Dead{"HTTP_404"}));
  EXPECT_THAT(attempts_.open, IsEmpty());
  EXPECT_THAT(outcomes_.settled, SizeIs(2));
}

TEST_F(OrderedRunnerTest, AnEventBehindOneInTheQueueGoesThereUntilThatIsRecorded) {
  submit_next({ordered_run()}, false);
  submit_next({ordered_run()});  // the queue did not have the one before when it was searched
  EXPECT_THAT(attempts_.open, IsEmpty());
  EXPECT_THAT(outcomes_.settled, SizeIs(2));
  outcomes_.settled.clear();  // recorded, but perhaps after the search
  submit_next({ordered_run()});
  EXPECT_THAT(attempts_.open, IsEmpty());
  record();
  submit_next({ordered_run()});
  EXPECT_THAT(attempts_.open, SizeIs(1));
}

TEST_F(OrderedRunnerTest, AnEventThatMustBeQueuedTakesThoseBeforeItAlong) {
  const Guid first = submit_next({ordered_run()}), second = submit_next({ordered_run()});
  storage::Run delayed = ordered_run();
  delayed.state.status = RunStatus::waiting;
  const Guid third = submit_next({delayed}, false);
  EXPECT_THAT(settled_runs(), ElementsAre(first, second, third));
  EXPECT_EQ(outcomes_.settled[0].runs[0].state.status, RunStatus::running);
  attempts_.end(result(actions::Done()));
  EXPECT_EQ(finished_state().status, RunStatus::succeeded);
  EXPECT_THAT(attempts_.open, IsEmpty());
}

TEST_F(OrderedRunnerTest, OtherRunsOfAnEventBehindDoNotWait) {
  submit_next({ordered_run()});
  submit_next({ordered_run(), run()});
  EXPECT_THAT(attempts_.open, SizeIs(2));
}

TEST_F(OrderedRunnerTest, OtherRunsOfAnEventDoNotKeepTheNextOneWaiting) {
  const Guid first = submit_next({ordered_run(), run()});
  attempts_.end(result(actions::Done()));  // of the ordered run
  EXPECT_THAT(outcomes_.settled, IsEmpty()) << "the other run may still end soon";
  submit_next({ordered_run()});
  EXPECT_THAT(settled_runs(), ElementsAre(first));
  EXPECT_EQ(outcomes_.settled[0].runs.at(0).state.status, RunStatus::succeeded);
  EXPECT_EQ(outcomes_.settled[0].runs.at(1).state.status, RunStatus::running);
  EXPECT_THAT(attempts_.open, SizeIs(2));
}

TEST_F(OrderedRunnerTest, AHandOverQueuesTheEventsOfARecordInTheirOrder) {
  const Guid first = submit_next({ordered_run()}, true, 2), second = submit_next({ordered_run()}, true, 2);
  const std::int16_t lost[] = {2};
  runner_.hand_over(lost);
  EXPECT_THAT(settled_runs(), ElementsAre(first, second));
  attempts_.end(result(actions::Done()));
  EXPECT_THAT(attempts_.open, IsEmpty());
  EXPECT_EQ(runner_.held(), 0U);
}

TEST_F(OrderedRunnerTest, TheEventsOfABusinessAreKnownUntilTheyAreRecorded) {
  submit_next({ordered_run()});
  runner_.forget_recorded();
  EXPECT_TRUE(runner_.has_ordered(runner_business));
  attempts_.end(result(actions::Done()));
  runner_.forget_recorded();
  EXPECT_TRUE(runner_.has_ordered(runner_business)) << "it is not recorded";
  record();
  EXPECT_FALSE(runner_.has_ordered(runner_business));
}

TEST_F(OrderedRunnerTest, APostponedMatchOfTheBusinessTakesTheEventsBeforeItAlong) {
  submit_next({ordered_run()});
  submit_next({ordered_run()});
  std::vector<MatchedEvent> events(1);
  events[0].postponed.push_back(
      {.business_id = runner_business, .workflow_id = workflow_, .event_id = 3, .at = clock_.now()});
  runner_.submit(std::move(events));
  ASSERT_THAT(outcomes_.settled, SizeIs(3));
  EXPECT_THAT(outcomes_.settled[2].postponed, SizeIs(1));
}

class ImpatientOrderedTest : public RunnerTest {};

TEST_F(ImpatientOrderedTest, EventsThatWaitTooLongAreQueuedInTheirOrder) {
  std::vector<MatchedEvent> events(2);
  for (MatchedEvent& event : events) {
    event.may_begin = true;
    storage::Run made = run();
    made.key.ordered = true;
    event.runs.push_back(planned(made));
  }
  runner_.submit(std::move(events));
  runner_.spill();
  ASSERT_THAT(outcomes_.settled, SizeIs(2));
  EXPECT_EQ(outcomes_.settled[0].runs.at(0).state.status, RunStatus::running);
  EXPECT_EQ(outcomes_.settled[1].runs.at(0).state.status, RunStatus::queued);
}

TEST_F(RunnerTest, TheEndOfAClaimedOrderedRunIsMarkedForTheNextOne) {
  storage::Run ordered = run();
  ordered.key.ordered = true;
  submit_claimed(std::move(ordered));
  attempts_.end(result(actions::Done()));
  submit_claimed(run());
  attempts_.end(result(actions::Done()));
  ASSERT_THAT(outcomes_.finished, SizeIs(2));
  EXPECT_TRUE(outcomes_.finished[0].ordered);
  EXPECT_FALSE(outcomes_.finished[1].ordered);
}

TEST_F(RunnerTest, AFailedAttemptIsDueAgainByTheSchedule) {
  submit_claimed(run());
  attempts_.end(result(actions::Retry{"HTTP_503"}));
  EXPECT_EQ(finished_state().status, RunStatus::retrying);
  EXPECT_EQ(finished_state().attempts, 1);
  EXPECT_GT(finished_state().at, clock_.now());
}

TEST_F(RunnerTest, ACancelledAttemptDoesNotCount) {
  submit_claimed(run());
  actions::AttemptResult cancelled = result(actions::Done());
  cancelled.cancelled = true;
  attempts_.end(cancelled);
  EXPECT_EQ(finished_state().status, RunStatus::queued);
  EXPECT_EQ(finished_state().attempts, 0);
}

TEST_F(RunnerTest, ARunOfAPausedWorkflowIsHeld) {
  publish("push_tracking", true);
  submit_claimed(run());
  EXPECT_EQ(finished_state().status, RunStatus::held);
  EXPECT_THAT(attempts_.open, IsEmpty());
}

TEST_F(RunnerTest, ARunIsHeldWhileThePauseOfItsWorkflowIsWritten) {
  outcomes_.pausing = workflow_;
  submit_claimed(run());
  EXPECT_EQ(finished_state().status, RunStatus::held);
}

TEST_F(RunnerTest, ARunOfASuspendedBusinessIsHeld) {
  catalogue_.suspend({runner_business});
  submit_claimed(run());
  EXPECT_EQ(finished_state().status, RunStatus::held);
}

TEST_F(RunnerTest, ARunOfADeletedWorkflowIsSkipped) {
  catalogue_.keep_only({});
  submit_claimed(run());
  EXPECT_EQ(finished_state().status, RunStatus::skipped);
  EXPECT_EQ(finished_state().code, "WORKFLOW_DELETED");
  EXPECT_EQ(finished_state().error, "The workflow was deleted.");
}

TEST_F(RunnerTest, ARunOfAnUnreadableWorkflowWaits) {
  publish("an_action_of_a_later_version");
  submit_claimed(run());
  EXPECT_EQ(finished_state().status, RunStatus::queued);
  EXPECT_EQ(finished_state().code, "WORKFLOW_UNREADABLE");
  EXPECT_EQ(finished_state().at, clock_.now() + unreadable_retry_delay);
}

TEST_F(RunnerTest, ANotificationThatTheBusinessSwitchedOffIsSkipped) {
  publish("push_tracking", false, false);
  submit_claimed(run("send_email"));
  EXPECT_EQ(finished_state().status, RunStatus::skipped);
  EXPECT_EQ(finished_state().code, "NOTIFICATIONS_OFF");
}

TEST_F(RunnerTest, ADestinationCanAskForAPauseOfTheWorkflow) {
  submit_claimed(run());
  attempts_.end(result(actions::Pause{"HTTP_410", "the receiver is gone"}));
  EXPECT_EQ(finished_state().status, RunStatus::dead);
  ASSERT_THAT(outcomes_.pauses, SizeIs(1));
  EXPECT_EQ(outcomes_.pauses[0].workflow_id, workflow_);
  EXPECT_EQ(outcomes_.pauses[0].reason, "the receiver is gone");
}

TEST_F(RunnerTest, AnEventThatWaitsTooLongIsQueuedAndItsAttemptIsRecordedByItself) {
  submit_event({run()});
  runner_.spill();
  ASSERT_THAT(outcomes_.settled, SizeIs(1));
  EXPECT_EQ(outcomes_.settled[0].runs.at(0).state.status, RunStatus::running);
  EXPECT_EQ(outcomes_.settled[0].runs.at(0).state.at, clock_.now() + claim_lease);
  attempts_.end(result(actions::Done()));
  EXPECT_EQ(finished_state().status, RunStatus::succeeded);
}

TEST_F(RunnerTest, AHandOverQueuesTheEventsOfTheShards) {
  submit_event({run()}, 1);
  submit_event({run()}, 2);
  const std::int16_t lost[] = {2};
  runner_.hand_over(lost);
  ASSERT_THAT(outcomes_.settled, SizeIs(1));
  EXPECT_EQ(outcomes_.settled[0].shard, 2);
}

TEST_F(RunnerTest, NothingBeginsAfterTheEndOfTheLeases) {
  runner_.allow_until(std::chrono::steady_clock::now());
  submit_event({run()});
  submit_claimed(run());
  EXPECT_THAT(attempts_.open, IsEmpty());
  runner_.allow_until(std::chrono::steady_clock::now() + 1h);
  EXPECT_THAT(attempts_.open, SizeIs(2));
}

TEST_F(RunnerTest, GivingUpQueuesWhatHasNotBegunAndWhatWasClaimedBefore) {
  runner_.allow_until({});
  submit_event({run()});
  submit_claimed(run());
  runner_.give_up();
  runner_.allow_until(std::chrono::steady_clock::now() + 1h);
  EXPECT_THAT(outcomes_.settled, SizeIs(1));
  EXPECT_EQ(finished_state().status, RunStatus::queued);

  submit_claimed(run());  // it was being prepared
  EXPECT_THAT(attempts_.open, IsEmpty());
  EXPECT_THAT(outcomes_.finished, SizeIs(2));
  claimed_at_ = std::chrono::steady_clock::now();
  submit_claimed(run());
  submit_event({run()});
  EXPECT_THAT(attempts_.open, SizeIs(2));
}

TEST_F(RunnerTest, ADrainWaitsForTheAttemptsInFlightAndStartsNoMore) {
  submit_claimed(run());
  EXPECT_FALSE(runner_.drain(0s));
  submit_claimed(run());
  EXPECT_THAT(attempts_.open, SizeIs(1));
  attempts_.end(result(actions::Done()));
  EXPECT_TRUE(runner_.drain(0s));
  runner_.stop();
  ASSERT_THAT(outcomes_.finished, SizeIs(2));
  EXPECT_EQ(outcomes_.finished[1].state.status, RunStatus::queued) << "the run that did not start";
}

TEST_F(RunnerTest, AClaimedRunThatIsGivenBackIsAsBefore) {
  storage::Run waiting = run();
  waiting.state.status = RunStatus::running;
  std::vector<storage::ClaimedRun> claimed;
  claimed.push_back({.run = waiting, .previous_status = RunStatus::retrying});
  claimed.push_back({.run = run(), .previous_status = RunStatus::running});
  runner_.give_back(std::move(claimed), clock_.now() + 1s);
  EXPECT_EQ(finished_state().status, RunStatus::retrying) << "a lost attempt counts when its lease ends";
  EXPECT_EQ(finished_state().at, clock_.now() + 1s);
}

/// A run of two steps whose first one is performed.
storage::Run in_first_step(storage::Run of) {
  of.state.status = RunStatus::running;
  of.state.progress = std::make_shared<storage::StepProgress>(storage::StepProgress{
      .number = 1, .type = "push_tracking", .next = "webhook", .started_at = of.state.at});
  return of;
}

TEST_F(RunnerTest, ARunGoesOnWithItsNextStepAtOnce) {
  submit_claimed(in_first_step(run()));
  attempts_.end(result(actions::Done()));
  EXPECT_THAT(outcomes_.finished, IsEmpty());
  ASSERT_THAT(gone_on_, SizeIs(1));
  EXPECT_TRUE(gone_on_[0].goes_on);
  EXPECT_EQ(gone_on_[0].run.state.progress->number, 2);
  EXPECT_EQ(runner_.held(), 0U);
}

TEST_F(RunnerTest, ARunThatCannotGoOnAtOnceIsQueued) {
  takes_steps_ = false;
  submit_claimed(in_first_step(run()));
  attempts_.end(result(actions::Done()));
  EXPECT_EQ(finished_state().status, RunStatus::queued);
  EXPECT_EQ(finished_state().progress->number, 2);
}

TEST_F(RunnerTest, AttemptsThatEndAtOnceDoNotNest) {
  const std::vector<storage::Run> many(20000, run("nothing"));
  std::vector<MatchedEvent> events;
  for (const storage::Run& each : many) {
    MatchedEvent& event = events.emplace_back();
    event.shard = 0;
    event.runs.push_back(planned(each));
  }
  runner_.submit(std::move(events));
  EXPECT_THAT(outcomes_.settled, SizeIs(many.size()));
}

class SmallRunner : public RunnerTest {
 protected:
  SmallRunner() : RunnerTest({.max_held = 4}) {}
};

TEST_F(SmallRunner, ABusinessThatHoldsItsShareLeavesRoomForOthers) {
  for (int i = 0; i < 5; ++i) submit_event({run()});
  EXPECT_FALSE(runner_.has_memory(runner_business));
  EXPECT_TRUE(runner_.has_memory(other_business));
  EXPECT_THAT(runner_.blocked_businesses(), ElementsAre(runner_business));
  EXPECT_THAT(outcomes_.settled, SizeIs(5 - runner_.held())) << "the rest is in the queue";
  const std::size_t open = attempts_.open.size();
  submit_event({run("push_tracking", other_business)});
  EXPECT_THAT(attempts_.open, SizeIs(open + 1));
}

}  // namespace
}  // namespace waybill::worker
