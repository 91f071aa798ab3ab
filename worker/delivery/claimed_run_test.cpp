#include "worker/delivery/claimed_run.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using storage::RunStatus;

constexpr Time now{};
const domain::RetrySchedule schedule = domain::RetrySchedule::standard();

storage::ClaimedRun claimed(RunStatus was = RunStatus::queued, const std::string& action = "webhook") {
  storage::ClaimedRun made{.run = {}, .previous_status = was};
  made.run.key.action = action;
  made.run.key.request = R"({"url": "https://shop.example/"})";
  return made;
}

storage::RunState end_of(storage::ClaimedRun run) {
  return std::get<storage::QueuedOutcome>(open_claimed_run(std::move(run), schedule, now)).state;
}

TEST(ClaimedRun, ARunThatIsDueBecomesATaskWithItsRequest) {
  const auto task = std::get<TaskPtr>(open_claimed_run(claimed(), schedule, now));
  EXPECT_EQ(task->request.at("url").as_string(), "https://shop.example/");
  EXPECT_FALSE(task->event);
  EXPECT_FALSE(task->has_new_texts);
}

TEST(ClaimedRun, ALostAttemptCountsAndTheLastOneEndsTheRun) {
  storage::ClaimedRun run = claimed(RunStatus::running);
  const auto task = std::get<TaskPtr>(open_claimed_run(run, schedule, now));
  EXPECT_EQ(task->run.state.attempts, 1);
  EXPECT_NE(task->run.state.tries.find("The worker was lost"), std::string::npos);
  run.run.state.attempts = 1000;
  const storage::RunState end = end_of(std::move(run));
  EXPECT_EQ(end.status, RunStatus::dead);
  EXPECT_EQ(end.code, "WORKER_LOST");
}

TEST(ClaimedRun, AnOrderedRunThatEndsWithoutAnAttemptIsMarkedForTheNextOne) {
  storage::ClaimedRun run = claimed();
  run.record_gone = run.run.key.ordered = true;
  EXPECT_TRUE(std::get<storage::QueuedOutcome>(open_claimed_run(std::move(run), schedule, now)).ordered);
}

TEST(ClaimedRun, ARunThatWasCalledOffDuringItsDelayIsSkipped) {
  storage::ClaimedRun conditions_failed = claimed(RunStatus::waiting),
                      record_gone = claimed(RunStatus::waiting);
  conditions_failed.conditions_failed = record_gone.record_gone = true;
  EXPECT_EQ(end_of(conditions_failed).code, "CONDITION");
  EXPECT_EQ(end_of(conditions_failed).error, "The conditions no longer held after the delay.");
  conditions_failed.failed_condition = R"(notes eq "a"; the value was "b")";
  EXPECT_EQ(end_of(conditions_failed).error,
            R"(The conditions no longer held after the delay: notes eq "a"; the value was "b".)");
  conditions_failed.is_unjudged = true;
  EXPECT_EQ(end_of(conditions_failed).code, "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(end_of(conditions_failed).status, RunStatus::dead);
  EXPECT_EQ(end_of(record_gone).code, "NO_RECORD");
  EXPECT_EQ(end_of(record_gone).status, RunStatus::skipped);
}

TEST(ClaimedRun, ARunOfSeveralStepsReturnsToTheQueueUnlessItsStepIsToBePerformed) {
  storage::ClaimedRun run = claimed();
  storage::StepProgress step{.number = 2, .type = "webhook"};
  run.run.state.progress = std::make_shared<storage::StepProgress>(step);
  EXPECT_EQ(end_of(run).status, RunStatus::queued) << "the second step begins later";
  step.until = now;
  step.started_at = now;
  run.run.state.progress = std::make_shared<storage::StepProgress>(step);
  run.run.state.status = RunStatus::waiting;
  EXPECT_EQ(end_of(run).status, RunStatus::waiting);
  step.until.reset();
  run.run.state.progress = std::make_shared<storage::StepProgress>(step);
  run.run.state.status = RunStatus::running;
  EXPECT_TRUE(std::holds_alternative<TaskPtr>(open_claimed_run(run, schedule, now)));
}

TEST(ClaimedRun, ALostAttemptCountsForItsStep) {
  storage::ClaimedRun run = claimed(RunStatus::running);
  run.run.state.attempts = 1000;
  run.run.state.progress = std::make_shared<storage::StepProgress>(storage::StepProgress{
      .number = 2, .type = "webhook", .next = "stop", .attempts_before = 1000, .started_at = now});
  run.run.state.status = RunStatus::running;
  const auto task = std::get<TaskPtr>(open_claimed_run(run, schedule, now));
  EXPECT_EQ(task->run.state.attempts, 1001);
  EXPECT_EQ(json::parse(task->run.state.tries).at(0).at("step"), 2);
}

TEST(ClaimedRun, AReplayOfALoopEndsAsALoop) {
  storage::ClaimedRun run = claimed(RunStatus::queued, "update_status");
  run.run.key.depth = 8;
  EXPECT_EQ(end_of(run).code, "LOOP");
  run.run.key.depth = 7;
  EXPECT_TRUE(std::holds_alternative<TaskPtr>(open_claimed_run(run, schedule, now)));
}

TEST(ClaimedRun, ARunWhoseRequestIsUnreadableIsDead) {
  storage::ClaimedRun run = claimed();
  run.run.key.request = "{";
  EXPECT_EQ(end_of(run).code, "UNREADABLE");
}

TEST(ClaimedRun, ARunThatCouldNotBeRenderedKeepsItsEnd) {
  storage::ClaimedRun run = claimed();
  run.run.state.status = RunStatus::dead;
  run.run.state.code = "EVENT_GONE";
  EXPECT_EQ(end_of(run).code, "EVENT_GONE");
}

TEST(ClaimedRun, ARunOutsideItsWindowWaitsWithCodeWindow) {
  storage::ClaimedRun first = claimed(), retry = claimed(RunStatus::retrying);
  first.pace = retry.pace = {.kind = storage::Pace::Kind::window, .until = now + std::chrono::hours(1)};
  retry.run.state.attempts = 2;
  const storage::RunState waits = end_of(first);
  EXPECT_EQ(waits.status, RunStatus::waiting);
  EXPECT_EQ(waits.code, "WINDOW");
  EXPECT_EQ(waits.at, now + std::chrono::hours(1));
  EXPECT_EQ(end_of(retry).status, RunStatus::retrying);
  EXPECT_EQ(end_of(retry).attempts, 2) << "a wait is no attempt";
}

TEST(ClaimedRun, AStepWithoutAnAttemptWaitsForItsWindowLikeAFirstAttempt) {
  storage::ClaimedRun run = claimed();
  run.pace = {.kind = storage::Pace::Kind::window, .until = now + std::chrono::hours(1)};
  run.run.state.attempts = 3;
  storage::StepProgress step{.number = 2, .type = "webhook", .attempts_before = 3};
  run.run.state.status = RunStatus::running;
  run.run.state.progress = std::make_shared<storage::StepProgress>(step);
  EXPECT_EQ(end_of(run).status, RunStatus::waiting);
  EXPECT_EQ(end_of(run).code, "WINDOW");
  EXPECT_TRUE(storage::awaits_step(end_of(run)));
  step.started_at = now;
  run.run.state.progress = std::make_shared<storage::StepProgress>(step);
  EXPECT_EQ(end_of(run).status, RunStatus::waiting);
  EXPECT_FALSE(storage::awaits_step(end_of(run))) << "the step keeps its texts";
  run.run.state.attempts = 4;
  EXPECT_EQ(end_of(run).status, RunStatus::retrying);
}

TEST(ClaimedRun, ARunThatWaitsForItsRateIsQueuedAgain) {
  storage::ClaimedRun run = claimed();
  run.pace = {.kind = storage::Pace::Kind::rate, .until = now + std::chrono::seconds(1)};
  const storage::RunState waits = end_of(run);
  EXPECT_EQ(waits.status, RunStatus::queued);
  EXPECT_EQ(waits.code, std::nullopt);
  EXPECT_EQ(waits.at, now + std::chrono::seconds(1));
  EXPECT_EQ(waits.attempts, 0);
}

TEST(ClaimedRun, ARunBeyondItsLimitIsSkippedAndOneBeyondTheRetentionIsDead) {
  storage::ClaimedRun limited = claimed(), expired = claimed();
  limited.pace.kind = storage::Pace::Kind::limited;
  expired.pace.kind = storage::Pace::Kind::expired;
  EXPECT_EQ(end_of(limited).status, RunStatus::skipped);
  EXPECT_EQ(end_of(limited).code, "LIMITED");
  EXPECT_EQ(end_of(expired).status, RunStatus::dead);
  EXPECT_EQ(end_of(expired).code, "EXPIRED");
}

TEST(ClaimedRun, ARunWhoseWindowHasOpenedLosesTheCode) {
  storage::ClaimedRun run = claimed(RunStatus::waiting);
  run.run.state.code = "WINDOW";
  run.pace.start_before = now + std::chrono::seconds(1);
  const auto task = std::get<TaskPtr>(open_claimed_run(run, schedule, now));
  EXPECT_EQ(task->run.state.code, std::nullopt);
  EXPECT_EQ(task->start_before, now + std::chrono::seconds(1));
}

}  // namespace
}  // namespace waybill::worker
