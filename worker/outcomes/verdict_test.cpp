#include "worker/outcomes/verdict.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace waybill::worker {
namespace {

using actions::AttemptResult;
using actions::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;
using storage::RunStatus;

const Time started = parse_timestamp("2026-11-20T05:45:12.345Z").value();
const Time now = started + milliseconds(250);
const domain::RetrySchedule two_retries({seconds(5), seconds(50)});

storage::Run run_after(int attempts) {
  storage::Run run;
  run.key.guid = Guid::parse("33333333-3333-4333-8333-333333333333").value();
  run.state.attempts = attempts;
  run.state.status = RunStatus::running;
  return run;
}

AttemptResult result_of(Outcome outcome) {
  AttemptResult result;
  result.outcome = std::move(outcome);
  result.started_at = started;
  result.duration = milliseconds(250);
  result.error = "a sentence";
  return result;
}

TEST(Judge, EachOutcomeGivesItsStatus) {
  struct Case {
    Outcome outcome;
    RunStatus status;
    std::optional<std::string> code;
    std::optional<std::string> pause;
  };
  const Case cases[] = {
      {actions::Done{}, RunStatus::succeeded, {}, {}},
      {actions::Dead{"ABORTED"}, RunStatus::dead, "ABORTED", {}},
      {actions::Skip{"NO_SUBSCRIPTION"}, RunStatus::skipped, "NO_SUBSCRIPTION", {}},
      {actions::Pause{"GONE", "The destination answered 410 Gone."}, RunStatus::dead, "GONE",
       "The destination answered 410 Gone."},
  };
  for (const Case& expected : cases) {
    const Verdict verdict = judge(run_after(0), result_of(expected.outcome), two_retries, now);
    EXPECT_EQ(verdict.state.status, expected.status);
    EXPECT_EQ(verdict.state.code, expected.code);
    EXPECT_EQ(verdict.pause, expected.pause);
    EXPECT_EQ(verdict.state.attempts, 1);
    EXPECT_EQ(verdict.state.at, now);
  }
}

TEST(Judge, SuccessClearsCodeAndErrorOfEarlierAttempts) {
  storage::Run run = run_after(1);
  run.state.code = "TIMEOUT";
  run.state.error = "too late";
  const auto state = judge(run, result_of(actions::Done{}), two_retries, now).state;
  EXPECT_EQ(state.code, std::nullopt);
  EXPECT_EQ(state.error, std::nullopt);
}

TEST(Judge, ARetryIsDueByTheScheduleWithin20Percent) {
  const auto first = judge(run_after(0), result_of(actions::Retry{"HTTP_503"}), two_retries, now).state;
  EXPECT_EQ(first.status, RunStatus::retrying);
  EXPECT_EQ(first.code, "HTTP_503");
  EXPECT_EQ(first.error, "a sentence");
  EXPECT_GE(first.at, now + seconds(4));
  EXPECT_LE(first.at, now + seconds(6));
  const auto second = judge(run_after(1), result_of(actions::Retry{"HTTP_503"}), two_retries, now).state;
  EXPECT_GE(second.at, now + seconds(40));
  EXPECT_LE(second.at, now + seconds(60));
}

TEST(Judge, RetryAfterIsALowerBound) {
  const auto state =
      judge(run_after(0), result_of(actions::Retry{"HTTP_429", seconds(600)}), two_retries, now).state;
  EXPECT_GE(state.at, now + seconds(600));
}

TEST(Judge, AScheduleOfNDelaysHasNPlus1Attempts) {
  const auto state = judge(run_after(2), result_of(actions::Retry{"DNS"}), two_retries, now).state;
  EXPECT_EQ(state.status, RunStatus::dead);
  EXPECT_EQ(state.code, "DNS");
  EXPECT_EQ(state.attempts, 3);
  EXPECT_EQ(state.at, now);
}

TEST(Judge, TheScheduleCountsTheAttemptsOfTheStep) {
  storage::Run run = run_after(7);
  run.state.progress = std::make_shared<storage::StepProgress>(
      storage::StepProgress{.number = 2, .type = "webhook", .attempts_before = 6, .started_at = started});
  EXPECT_EQ(judge(run, result_of(actions::Retry{"DNS"}), two_retries, now).state.status, RunStatus::retrying);
  run.state.attempts = 8;
  const auto state = judge(run, result_of(actions::Retry{"DNS"}), two_retries, now).state;
  EXPECT_EQ(state.status, RunStatus::dead);
  EXPECT_NE(state.progress->results.find("DNS"), std::string::npos);
}

TEST(AppendAttempt, AddsAnEntryInTheShapeOfTheContract) {
  AttemptResult result = result_of(actions::Retry{"HTTP_500"});
  result.duration = std::chrono::microseconds(12'345);
  result.status_code = 500;
  result.response = "no \"luck\"\n";
  const std::string one = append_attempt("[]", 1, 0, result);
  const json::object expected{{"number", 1},
                              {"startedAt", "2026-11-20T05:45:12.345Z"},
                              {"durationMs", 12.3},
                              {"statusCode", 500},
                              {"response", "no \"luck\"\n"},
                              {"error", "a sentence"}};
  EXPECT_EQ(json::parse(one).at(0), expected);
  const json::array two = json::parse(append_attempt(one, 2, 3, result_of(actions::Done{}))).as_array();
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0], expected);
  EXPECT_EQ(two[1].at("number"), 2);
  EXPECT_EQ(two[1].at("step"), 3);
  EXPECT_TRUE(two[1].at("statusCode").is_null());
  EXPECT_TRUE(two[1].at("response").is_null());
}

TEST(Judge, KeepsEarlierAttempts) {
  storage::Run run = run_after(0);
  run.state = judge(run, result_of(actions::Retry{"DNS"}), two_retries, now).state;
  const auto state = judge(run, result_of(actions::Done{}), two_retries, now).state;
  const json::array tries = json::parse(state.tries).as_array();
  ASSERT_EQ(tries.size(), 2U);
  EXPECT_EQ(tries[0].at("number"), 1);
  EXPECT_EQ(tries[1].at("number"), 2);
}

storage::RunState after_move(int attempts) {
  const Verdict verdict = judge(run_after(attempts),
                                result_of(storage::StatusChange{.entity_type = domain::EntityType::order,
                                                                .records = {Guid{}},
                                                                .status = "shipped",
                                                                .when_all_shipments = {},
                                                                .cause = "{}"}),
                                two_retries, now);
  return verdict.state;
}

TEST(JudgeChange, BeforeTheChangeTheRunIsUnchanged) {
  const storage::RunState state = after_move(1);
  EXPECT_EQ(state.status, RunStatus::running);
  EXPECT_EQ(state.attempts, 1);
  EXPECT_EQ(state.tries, "[]");
  ASSERT_TRUE(state.change);
  EXPECT_EQ(std::get<storage::StatusChange>(state.change->change).status, "shipped");
  EXPECT_EQ(state.change->started_at, started);
}

TEST(JudgeChange, TheResultOfTheChangeEndsTheRun) {
  using Kind = storage::ChangeResult::Kind;
  struct Case {
    Kind kind;
    RunStatus status;
    std::optional<std::string> code;
  };
  for (const Case& expected :
       {Case{Kind::made, RunStatus::succeeded, {}},
        Case{Kind::forbidden, RunStatus::skipped, "FORBIDDEN_MOVE"},
        Case{Kind::not_ready, RunStatus::skipped, "CONDITION"},
        Case{Kind::not_found, RunStatus::skipped, "NO_RECORD"},
        Case{Kind::closed, RunStatus::skipped, "LOCKED"}, Case{Kind::exists, RunStatus::skipped, "EXISTS"},
        Case{Kind::invalid, RunStatus::dead, "INVALID_VALUE"},
        Case{Kind::refused, RunStatus::dead, "UNRECORDABLE"}}) {
    const std::string error = expected.code ? "why" : "";
    const storage::RunState state = judge_change(after_move(0), {.kind = expected.kind, .error = error}, now);
    EXPECT_EQ(state.status, expected.status);
    EXPECT_EQ(state.code, expected.code);
    EXPECT_EQ(state.error.value_or(""), error);
    EXPECT_EQ(state.attempts, 1);
    EXPECT_EQ(state.at, now);
    EXPECT_FALSE(state.change);
    const json::value entry = json::parse(state.tries).as_array().at(0);
    EXPECT_EQ(entry.at("number"), 1);
    EXPECT_EQ(entry.at("durationMs"), 250.0);
    EXPECT_EQ(entry.at("error"), expected.code ? json::value("why") : json::value());
  }
}

TEST(JudgeChange, ALabelEndsWithItsCode) {
  using Kind = storage::ChangeResult::Kind;
  const auto ended = [](Kind kind, const char* code) {
    return judge_change(after_move(0), {.kind = kind, .error = "why", .code = code}, now);
  };
  const storage::RunState skipped = ended(Kind::skipped, "TOO_EXPENSIVE");
  EXPECT_EQ(skipped.status, RunStatus::skipped);
  EXPECT_EQ(skipped.code, "TOO_EXPENSIVE");
  const storage::RunState dead = ended(Kind::failed, "LABEL_REFUSED");
  EXPECT_EQ(dead.status, RunStatus::dead);
  EXPECT_EQ(dead.code, "LABEL_REFUSED");
  EXPECT_EQ(dead.error, "why");
}

TEST(JudgeChange, ARunWaitsForALabelWithoutAnAttempt) {
  storage::RunState before = after_move(2);
  before.error = "an earlier one";
  const storage::RunState state = judge_change(
      before,
      {.kind = storage::ChangeResult::Kind::waits, .awaited = Guid(), .until = now + std::chrono::days(3)},
      now);
  EXPECT_EQ(state.status, RunStatus::waiting);
  EXPECT_EQ(state.code, storage::label_code);
  EXPECT_EQ(state.error, std::nullopt);
  EXPECT_EQ(state.attempts, 2);
  EXPECT_EQ(state.tries, before.tries);
  EXPECT_EQ(state.at, now + std::chrono::days(3));
  EXPECT_FALSE(state.change);
  EXPECT_FALSE(storage::awaits_step(state)) << "it stays in its step";
}

TEST(JudgeChange, ALockConflictDoesNotCountAsAnAttempt) {
  for (const int attempts : {0, 2}) {
    const storage::RunState state = judge_change(
        after_move(attempts), {.kind = storage::ChangeResult::Kind::locked, .error = "held"}, now);
    EXPECT_EQ(state.status, attempts == 0 ? RunStatus::queued : RunStatus::retrying);
    EXPECT_EQ(state.attempts, attempts);
    EXPECT_EQ(state.tries, "[]");
    EXPECT_GT(state.at, now);
    EXPECT_LT(state.at, now + seconds(1));
    EXPECT_FALSE(state.change);
  }
}

}  // namespace
}  // namespace waybill::worker
