#include "worker/planning/run_steps.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/observe.hpp"

namespace waybill::worker {
namespace {

using storage::RunStatus;

const Time step_time = parse_timestamp("2026-11-20T05:45:12.345Z").value();
const Guid step_business = Guid::parse("33333333-3333-4333-8333-333333333333").value();
constexpr const char* webhook = R"({"type": "webhook", "recipient": "https://shop.example/", "method": "POST",
    "contentType": "application/json", "template": null, "headers": {})";

/// A run of a workflow on orders with the given steps.
struct Case {
  explicit Case(const std::string& steps)
      : workflow{.business_id = step_business, .rule = matching::make_rule("order_created", json::object())} {
    workflow.set_action({{"type", "steps"}, {"steps", json::parse(steps)}}, {});
    run.key.action = workflow.steps.front().type;
    run.key.business_id = step_business;
    run.key.entity_id = Guid::parse("44444444-4444-4444-8444-444444444444").value();
    run.key.request = storage::deferred_request;
    run.state.status = RunStatus::running;
  }

  void begin(Time at = step_time) {
    const storage::StoredEvent event{.id = 7,
                                     .business_id = step_business,
                                     .entity_type = domain::EntityType::order,
                                     .entity_id = {},
                                     .at = step_time,
                                     .cause = {},
                                     .detail = {},
                                     .before = {},
                                     .after = {}};
    const StepView view{.event = event,
                        .entity = entity,
                        .previous = previous,
                        .created = true,
                        .triggers = {},
                        .earlier_texts = earlier_texts,
                        .working_day = working_day,
                        .later_events = later_events,
                        .is_erased = [this] { return is_erased; },
                        .expires_at = step_time + std::chrono::days(30)};
    begin_steps(workflow, view, run, at);
  }
  /// Ends the current step and lets the run be claimed again.
  void end(RunStatus status, std::optional<std::string> code = {}, Time at = step_time) {
    run.state.status = status;
    run.state.code = std::move(code);
    ++run.state.attempts;
    run.state = end_step(std::move(run.state), at);
  }
  void claim() { run.state.status = RunStatus::running; }
  int number() const { return run.state.progress->number; }
  /// "NUMBER TYPE STATUS CODE" of the steps that are over.
  std::vector<std::string> results() const {
    std::vector<std::string> shown;
    const json::value all = json::parse(run.state.progress->results);
    for (const json::value& each : all.as_array()) {
      const json::object& step = each.as_object();
      std::string text = std::to_string(step.at("number").as_int64()) + ' ' +
                         std::string(step.at("type").as_string()) + ' ' +
                         std::string(step.at("status").as_string());
      if (step.at("code").is_string()) text += ' ' + std::string(step.at("code").as_string());
      shown.push_back(std::move(text));
    }
    return shown;
  }

  Workflow workflow;
  storage::Run run;
  json::object entity{{"guid", step_business.to_string()}, {"notes", "x"}, {"collectionDate", nullptr}};
  json::object previous;
  bool is_erased = false;
  std::function<std::optional<storage::Rendering>(int, int)> earlier_texts;
  std::function<std::optional<Time>(Time, int)> working_day;
  std::function<LaterEvents(std::uint64_t, const WantedEvents&)> later_events;
};

using Results = std::vector<std::string>;

std::string list(std::initializer_list<std::string> steps) {
  std::string text = "[";
  for (const std::string& step : steps) text += (text.size() > 1 ? "," : "") + step;
  return text + "]";
}

TEST(RunSteps, EachStepBeginsAfterTheEndOfTheOneBefore) {
  Case steps(list({std::string(webhook) + "}", std::string(webhook) + "}"}));
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::running);
  EXPECT_EQ(steps.run.key.action, "webhook");
  EXPECT_EQ(steps.run.key.destination, "shop.example:443/" + step_business.to_string());
  EXPECT_FALSE(storage::is_deferred(steps.run.key));
  steps.end(RunStatus::succeeded);
  EXPECT_EQ(steps.run.state.status, RunStatus::queued);
  EXPECT_EQ(steps.number(), 2);
  EXPECT_EQ(steps.run.state.progress->attempts_before, 1);
  EXPECT_TRUE(storage::awaits_step(steps.run.state));
  steps.claim();
  steps.begin();
  EXPECT_FALSE(storage::awaits_step(steps.run.state));
  steps.end(RunStatus::succeeded);
  EXPECT_EQ(steps.run.state.status, RunStatus::succeeded);
  EXPECT_EQ(steps.results(), (Results{"1 webhook succeeded", "2 webhook succeeded"}));
}

TEST(RunSteps, AStepWhoseConditionsNeedTooMuchWorkIsDead) {
  json::array any;
  for (int i = 0; i < 100; ++i) any.push_back({{"notes", {{"contains", "needle " + std::to_string(i)}}}});
  Case steps(list({std::string(webhook) + R"(, "when": )" + to_json(json::object{{"any", any}}) + "}"}));
  steps.entity["notes"] = std::string(900'000, 'x');
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::dead);
  EXPECT_EQ(steps.run.state.code, "PAYLOAD_TOO_LARGE");
}

TEST(RunSteps, AFailedStepEndsTheRunUnlessItIsToContinue) {
  Case steps(list({std::string(webhook) + R"(, "onFailure": "continue"})", std::string(webhook) + "}",
                   std::string(webhook) + "}"}));
  steps.begin();
  steps.end(RunStatus::dead, "HTTP_500");
  EXPECT_EQ(steps.run.state.status, RunStatus::queued);
  EXPECT_FALSE(steps.run.state.code);
  steps.claim();
  steps.begin();
  steps.end(RunStatus::dead, "GONE");
  EXPECT_EQ(steps.run.state.status, RunStatus::dead);
  EXPECT_EQ(steps.run.state.code, "GONE");
  EXPECT_EQ(steps.results(), (Results{"1 webhook dead HTTP_500", "2 webhook dead GONE"}));
}

TEST(RunSteps, ASkippedStepDoesNotEndTheRun) {
  Case steps(list({std::string(webhook) + "}", std::string(webhook) + R"(, "when": {"notes": "other"}})",
                   R"({"type": "wait", "until": "collectionDate"})", R"({"type": "wait", "delay": "PT0S"})",
                   R"({"type": "stop", "when": {"notes": "other"}})", R"({"type": "stop"})",
                   std::string(webhook) + "}"}));
  steps.begin();
  steps.end(RunStatus::skipped, "EXISTS");
  steps.claim();
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::succeeded);
  EXPECT_EQ(steps.results(),
            (Results{"1 webhook skipped EXISTS", "2 webhook skipped CONDITION", "3 wait skipped NO_VALUE",
                     "4 wait succeeded", "5 stop skipped CONDITION", "6 stop succeeded"}));
}

TEST(RunSteps, TheSecondStepIsBegunWithAnotherStateOfTheRecordThanTheFirst) {
  Case steps(list({R"({"type": "stop", "when": {"notes": "other"}})", std::string(webhook) + "}"}));
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::queued);
  EXPECT_EQ(step_to_begin(steps.run.state), 2);
}

TEST(RunSteps, AWaitEndsWhenTheRunIsClaimed) {
  Case steps(list({R"({"type": "wait", "delay": "PT2H"})", std::string(webhook) + "}"}));
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::waiting);
  EXPECT_EQ(steps.run.state.at, step_time + std::chrono::hours(2));
  EXPECT_TRUE(storage::awaits_step(steps.run.state));
  steps.run.state.progress = storage::parse_progress(storage::to_text(*steps.run.state.progress));
  EXPECT_EQ(step_to_begin(steps.run.state), 2);
  steps.claim();
  steps.begin(step_time + std::chrono::hours(2));
  EXPECT_EQ(steps.run.key.action, "webhook");
  EXPECT_EQ(steps.run.state.status, RunStatus::running);
  EXPECT_EQ(steps.results(), Results{"1 wait succeeded"});
}

constexpr const char* wait_for_update =
    R"({"type": "wait", "name": "w", "for": {"triggers": ["order_updated"]}, "atMost": "PT2H"})";

TEST(RunSteps, AWaitForAnEventIsStoredBeforeTheEventsAreLookedAt) {
  Case steps(list({wait_for_update, std::string(webhook) + "}"}));
  steps.later_events = [](std::uint64_t, const WantedEvents&) -> LaterEvents {
    throw std::logic_error("too early");
  };
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::waiting);
  EXPECT_EQ(steps.run.state.at, step_time) << "it is due at once";
  EXPECT_TRUE(storage::awaits_step(steps.run.state));
  EXPECT_EQ(step_to_begin(steps.run.state), 1);
  EXPECT_EQ(type_to_begin(steps.run), "wait") << "nothing is paced before the wait is over";
  std::vector<std::uint64_t> looked_from;
  steps.later_events = [&](std::uint64_t after, const WantedEvents& wanted) {
    EXPECT_EQ(wanted.until, step_time + std::chrono::hours(2));
    looked_from.push_back(after);
    return LaterEvents{.looked_to = after + 5, .has_more = looked_from.size() == 1};
  };
  for (const Time due : {step_time, step_time + std::chrono::hours(2)}) {
    steps.run.state.progress = storage::parse_progress(storage::to_text(*steps.run.state.progress));
    steps.claim();
    steps.begin();
    EXPECT_EQ(steps.run.state.status, RunStatus::waiting);
    EXPECT_EQ(steps.run.state.at, due) << "at once if there are more events, then at the end";
  }
  EXPECT_EQ(looked_from, (std::vector<std::uint64_t>{0, 5})) << "each event is looked at once";
}

TEST(RunSteps, AWaitForAnEventEndsByTheEventByItsTimeOrWithTheRun) {
  struct End {
    Time at;
    LaterEvents later;
    RunStatus status;
    Results results;
  };
  const Time end = step_time + std::chrono::hours(2);
  for (const End& expected :
       std::vector<End>{{end, {.ended_by = 9, .looked_to = 9}, RunStatus::running, {"1 wait succeeded"}},
                        {end, {.looked_to = 8}, RunStatus::running, {"1 wait succeeded"}},
                        {end, {.looked_to = 8, .has_more = true}, RunStatus::waiting, {}},
                        {step_time,
                         {.is_cancelled = true, .looked_to = 8},
                         RunStatus::skipped,
                         {"1 wait skipped CANCELLED_BY_EVENT"}}}) {
    Case steps(list({wait_for_update, std::string(webhook) + "}"}));
    steps.begin();
    steps.later_events = [&](std::uint64_t, const WantedEvents&) { return expected.later; };
    steps.claim();
    steps.begin(expected.at);
    EXPECT_EQ(steps.run.state.status, expected.status);
    EXPECT_EQ(steps.results(), expected.results);
    if (expected.status != RunStatus::running) continue;
    const json::value results = json::parse(steps.run.state.progress->results);
    EXPECT_EQ(results.at(0).at("timedOut"), !expected.later.ended_by);
    EXPECT_EQ(steps.run.state.progress->watch_after, expected.later.ended_by);
    EXPECT_EQ(results.at(0).as_object().contains("eventId"), expected.later.ended_by.has_value());
    EXPECT_FALSE(steps.run.state.progress->awaits);
  }
}

TEST(RunSteps, ConditionsAloneEndAWaitAtOnceAndUseUpNoEvent) {
  Case steps(
      R"([{"type": "wait", "for": {"conditions": {"notes": "x"}}, "atMost": "PT2H"}, {"type": "stop"}])");
  steps.begin();
  EXPECT_EQ(steps.results(), Results{"1 wait succeeded"});
  EXPECT_EQ(steps.run.state.progress->watch_after, std::nullopt);
  Case changed(
      R"([{"type": "wait", "for": {"conditions": {"notes": {"changed": true}}}, "atMost": "PT2H"}, {"type": "stop"}])");
  changed.begin();
  EXPECT_TRUE(changed.run.state.progress->awaits) << "without an event nothing has changed";
}

TEST(RunSteps, AWaitForAWorkingDayEndsThereOrIsDead) {
  Case steps(R"([{"type": "wait", "workdays": {"days": "P2D", "until": null}}, {"type": "stop"}])");
  steps.working_day = [](Time start, int count) {
    return std::optional(start + count * std::chrono::days(3));
  };
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::waiting);
  EXPECT_EQ(steps.run.state.at, step_time + std::chrono::days(6));
  Case none(R"([{"type": "wait", "workdays": {"days": "P2D", "until": null}}, {"type": "stop"}])");
  none.working_day = [](Time, int) { return std::optional<Time>(); };
  none.begin();
  EXPECT_EQ(none.run.state.status, RunStatus::dead);
  EXPECT_EQ(none.run.state.code, "EXPIRED");
}

constexpr const char* wait_without_calendar =
    R"([{"type": "wait", "name": "w", "workdays": {"days": "P1D", "until": null}, "for": FOR}, {"type": "stop"}])";

std::string waits_without_calendar(std::string_view awaited) {
  std::string steps = wait_without_calendar;
  return steps.replace(steps.find("FOR"), 3, awaited);
}

TEST(RunSteps, AWaitThatNeedNotWaitEndsWithoutAWorkingDay) {
  Case holds(waits_without_calendar(R"({"conditions": {"notes": "x"}})"));
  holds.working_day = [](Time, int) { return std::optional<Time>(); };
  holds.begin();
  EXPECT_EQ(holds.results(), Results{"1 wait succeeded"});
  for (const bool has_come : {true, false}) {
    Case event(waits_without_calendar(R"({"triggers": ["order_updated"]})"));
    event.working_day = [](Time, int) { return std::optional<Time>(); };
    event.begin();
    EXPECT_EQ(event.run.state.status, RunStatus::waiting) << "what came before is looked at";
    event.run.state.progress = storage::parse_progress(storage::to_text(*event.run.state.progress));
    event.later_events = [&](std::uint64_t, const WantedEvents& wanted) {
      EXPECT_EQ(wanted.until, step_time + std::chrono::seconds(1));
      return has_come ? LaterEvents{.ended_by = 9, .looked_to = 9} : LaterEvents{.looked_to = 8};
    };
    event.claim();
    event.begin(step_time + std::chrono::seconds(1));
    if (has_come) {
      EXPECT_EQ(event.results(), (Results{"1 wait succeeded", "2 stop succeeded"}));
    } else {
      EXPECT_EQ(event.run.state.status, RunStatus::dead);
      EXPECT_EQ(event.run.state.code, "EXPIRED");
    }
  }
}

TEST(RunSteps, AWaitForAnEventFollowsACalendarThatGetsWorkingDays) {
  Case steps(waits_without_calendar(R"({"triggers": ["order_updated"]})"));
  std::optional<Time> day;
  steps.working_day = [&](Time start, int) {
    EXPECT_EQ(start, step_time);
    return day;
  };
  steps.later_events = [](std::uint64_t, const WantedEvents&) { return LaterEvents{.looked_to = 8}; };
  steps.begin();
  day = step_time + std::chrono::days(1);
  steps.claim();
  steps.begin(step_time + std::chrono::seconds(1));
  EXPECT_EQ(steps.run.state.status, RunStatus::waiting);
  EXPECT_EQ(steps.run.state.at, *day);
  steps.claim();
  steps.begin(*day);
  EXPECT_EQ(steps.results(), (Results{"1 wait succeeded", "2 stop succeeded"}));
  EXPECT_EQ(json::parse(steps.run.state.progress->results).at(0).at("timedOut"), true);
}

TEST(RunSteps, ASkippedWaitHasNoValueOfTimedOut) {
  Case steps(R"([{"type": "wait", "name": "none", "until": "collectionDate"},
                 {"type": "wait", "name": "other", "delay": "PT2H", "when": {"notes": "other"}},
                 {"type": "wait", "name": "over", "delay": "PT0S"}, {"type": "stop"}])");
  steps.begin();
  steps.claim();
  steps.begin();
  const json::value results = json::parse(steps.run.state.progress->results);
  EXPECT_FALSE(results.at(0).as_object().contains("timedOut"));
  EXPECT_FALSE(results.at(1).as_object().contains("timedOut"));
  EXPECT_EQ(results.at(2).at("timedOut"), false);
}

// The run would be dropped with the partition of its event, without a word.
TEST(RunSteps, AWaitBeyondTheRetentionIsDead) {
  for (const auto* const never : {"9999-12-31T23:59:59.999Z", "2400-01-01T00:00:00.000Z"}) {
    Case far(R"([{"type": "wait", "until": "collectionDate"}, {"type": "stop"}])");
    far.entity["collectionDate"] = never;
    far.begin();
    EXPECT_EQ(far.run.state.status, RunStatus::dead) << never;
    EXPECT_EQ(far.run.state.code, "EXPIRED") << never;
  }
  Case near(R"([{"type": "wait", "until": "collectionDate"}, {"type": "stop"}])");
  near.entity["collectionDate"] = format_timestamp(step_time + std::chrono::days(29));
  near.begin();
  EXPECT_EQ(near.run.state.status, RunStatus::waiting);
}

TEST(RunSteps, AStepThatCannotBeRenderedFails) {
  Case steps(
      list({R"({"type": "update_record", "set": {"collectionDate": "{{notes}}"}, "onFailure": "continue"})",
            R"({"type": "stop"})"}));
  steps.run.key.entity_type = domain::EntityType::order;
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::queued);
  EXPECT_EQ(steps.results(), Results{"1 update_record dead INVALID_VALUE"});
  EXPECT_TRUE(storage::is_deferred(steps.run.key)) << "there is no request";
}

TEST(RunSteps, AStepThatChangesRecordsIsNotPerformedAtTheEndOfALoop) {
  Case steps(list({R"({"type": "update_status", "recipient": "", "template": "ready", "status": "ready"})",
                   R"({"type": "stop"})"}));
  steps.run.key.depth = 8;
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::dead);
  EXPECT_EQ(steps.run.state.code, "LOOP");
}

TEST(RunSteps, AReplaySendsTheTextsOfTheEarlierRun) {
  Case steps(list({std::string(webhook) + "}", std::string(webhook) + R"(, "when": {"notes": "other"}})"}));
  steps.earlier_texts = [](int number, int) -> std::optional<storage::Rendering> {
    if (number != 2) return std::nullopt;
    return storage::Rendering{R"({"url": "https://other.example/"})", "the body"};
  };
  steps.begin();
  steps.end(RunStatus::succeeded);
  steps.claim();
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::running);
  EXPECT_EQ(steps.run.key.body, "the body");
  EXPECT_EQ(steps.run.key.destination, "other.example:443/" + step_business.to_string());
}

/// A replay at the second of three steps, which uses a value of the first, as the third does.
Case replay_after(const std::string& first, const std::string& value, int begins_with) {
  const std::string uses = std::string(webhook) + R"(, "template": "{{)" + value + R"(}}"})";
  Case replay(list({first, uses, uses}));
  auto progress = std::make_shared<storage::StepProgress>();
  progress->number = 2;
  progress->first = begins_with;
  progress->type = "webhook";
  replay.run.state.progress = progress;
  return replay;
}

void set_results(Case& replay, const std::string& results) {
  auto progress = std::make_shared<storage::StepProgress>(*replay.run.state.progress);
  progress->results = results;
  // As another worker reads it.
  replay.run.state.progress = storage::parse_progress(storage::to_text(*progress));
}

TEST(RunSteps, AReplayRendersAnewWhatUsesAValueOfAStepThatItRepeats) {
  const std::string waits =
      R"({"type": "wait", "name": "w", "for": {"triggers": ["order_shipped"]}, "atMost": "PT3S"})";
  const std::string asks = std::string(webhook) + R"(, "name": "w", "answer": {"a": "string"}})";
  const std::string ships = R"({"type": "create_shipment", "name": "w"})";
  struct Repeated {
    std::string step, value, result, body;
  };
  const std::string named = R"([{"number": 1, "name": "w", "startedAt": null, )";
  for (const auto& [step, value, result, body] :
       {Repeated{waits, "steps.w.timedOut", R"("status": "succeeded", "timedOut": true}])", "true"},
        Repeated{waits, "steps.w.status", R"("status": "succeeded", "timedOut": true}])", "succeeded"},
        Repeated{asks, "steps.w.status", R"("status": "dead", "code": "HTTP_500"}])", "dead"},
        Repeated{asks, "steps.w.answer.a", R"("status": "dead", "code": "HTTP_500"}])", ""},
        Repeated{ships, "steps.w.trackingNumber", R"("status": "skipped", "code": "EXISTS"}])", ""}}) {
    for (const int begins_with : {1, 2}) {
      Case replay = replay_after(step, value, begins_with);
      set_results(replay, named + result);
      replay.earlier_texts = [](int, int last_used) {
        EXPECT_EQ(last_used, 1);
        return storage::Rendering{R"({"url": "https://other.example/"})", "of the earlier run"};
      };
      replay.begin();
      EXPECT_EQ(replay.run.state.status, RunStatus::running) << value;
      EXPECT_EQ(replay.run.key.body, begins_with == 1 ? body : "of the earlier run") << value;
    }
  }
}

TEST(RunSteps, AReplayThatAnEarlierVersionHasStoredKnowsWhatItRepeatsByItsAttempts) {
  const std::string asks = std::string(webhook) + R"(, "name": "w", "answer": {"a": "string"}})";
  for (const int tried : {1, 2}) {
    Case replay = replay_after(asks, "steps.w.answer.a", 0);
    set_results(replay, R"([{"number": 1, "name": "w", "status": "succeeded", "answer": {"a": "new"}}])");
    replay.run.state.tries = R"([{"step":)" + std::to_string(tried) + "}]";
    replay.earlier_texts = [](int, int) {
      return storage::Rendering{R"({"url": "https://other.example/"})", "old"};
    };
    replay.begin();
    EXPECT_EQ(replay.run.key.body, tried == 1 ? "new" : "old");
  }
}

TEST(RunSteps, ANumberOfAnAnswerKeepsAllItsDigits) {
  const std::string asks = std::string(webhook) + R"(, "name": "w", "answer": {"a": "any"}})";
  for (const std::string number :
       {"12345678901234.56789", "1.00000000000000000001", "18446744073709551617", "0.30000000000000004"}) {
    Case run = replay_after(asks, "steps.w.answer.a.0.n", 0);
    set_results(run, R"([{"number": 1, "name": "w", "status": "succeeded", "answer": {"a": [{"n": )" +
                         number + "}]}}]");
    run.begin();
    EXPECT_EQ(run.run.key.body, number);
    run.end(RunStatus::succeeded);
    EXPECT_NE(storage::to_text(*run.run.state.progress).find(R"({"n":)" + number + "}"), std::string::npos);
  }
}

TEST(RunSteps, TheStepsThatEndedAreCounted) {
  const auto counted = [](const std::string& outcome) {
    const std::string text = metrics_text(), name = "waybill_steps_total{outcome=\"" + outcome + "\"} ";
    return std::stod(text.substr(text.find(name) + name.size()));
  };
  const double succeeded = counted("succeeded"), skipped = counted("skipped"), dead = counted("dead");
  Case steps(list({std::string(webhook) + "}", std::string(webhook) + R"(, "when": {"notes": "y"}})",
                   std::string(webhook) + "}"}));
  steps.begin();
  steps.end(RunStatus::succeeded);
  steps.claim();
  steps.begin();
  steps.end(RunStatus::dead, "HTTP_500");
  count_steps(steps.run.state);
  EXPECT_EQ(counted("succeeded"), succeeded + 1);
  EXPECT_EQ(counted("skipped"), skipped + 1);
  EXPECT_EQ(counted("dead"), dead + 1);
}

/// Performs the run of a workflow with a window as claims do: an action begins when the window is open.
class WindowSimulation {
 public:
  explicit WindowSimulation(Case& steps) : steps_(steps) { steps.workflow.pacing.window.emplace(); }

  /// The window is open for the first ten minutes of each hour.
  static bool is_open(Time at) { return at - start_of_hour(at) < std::chrono::minutes(10); }

  /// Returns the times of the attempts. `fails` decides whether an attempt does.
  std::vector<Time> perform(const std::function<bool()>& fails) {
    std::vector<Time> attempts;
    for (int claims = 0; claims < 200 && !storage::is_final(steps_.run.state.status); ++claims) {
      storage::RunState& state = steps_.run.state;
      steps_.claim();
      if (actions::find_action(type_to_begin(steps_.run)) != nullptr && !is_open(at_)) {
        end_wait(state, at_);
        EXPECT_FALSE(state.progress && state.progress->until) << "the wait is over";
        at_ = start_of_hour(at_) + std::chrono::hours(1);
        continue;
      }
      if (storage::is_deferred(steps_.run.key)) steps_.begin(at_);
      if (state.status == RunStatus::waiting) {
        at_ = std::max(at_, state.at);
      } else if (state.status == RunStatus::running) {
        attempts.push_back(at_);
        at_ += std::chrono::minutes(3);
        if (fails()) continue;
        steps_.end(RunStatus::succeeded, {}, at_);
        steps_.run.key.request = storage::deferred_request;
      }
    }
    return attempts;
  }

 private:
  static Time start_of_hour(Time at) {
    return Time(std::chrono::floor<std::chrono::hours>(at.time_since_epoch()));
  }

  Case& steps_;
  Time at_ = step_time;
};

TEST(RunSteps, EveryAttemptOfAnActionIsWithinTheWindowAndWaitsAreNot) {
  const std::vector<std::string> kinds{std::string(webhook) + "}",
                                       std::string(webhook) + R"(, "when": {"notes": "other"}})",
                                       R"({"type": "wait", "delay": "PT0S"})",
                                       R"({"type": "wait", "delay": "PT25M"})",
                                       R"({"type": "wait", "delay": "PT3H7M"})",
                                       R"({"type": "wait", "until": "collectionDate"})",
                                       R"({"type": "stop", "when": {"notes": "other"}})"};
  std::mt19937 random(20'261'127);
  const auto below = [&](std::size_t count) { return random() % count; };
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> chosen(1 + below(8));
    std::string text = "[";
    for (std::string& step : chosen) {
      step = kinds[below(kinds.size())];
      text += (text.size() > 1 ? "," : "") + step;
    }
    SCOPED_TRACE(text += "]");
    Case steps(text);
    const auto attempts = WindowSimulation(steps).perform([&] { return below(4) == 0; });
    EXPECT_EQ(steps.run.state.status, RunStatus::succeeded);
    for (const Time at : attempts) EXPECT_TRUE(WindowSimulation::is_open(at)) << format_timestamp(at);
    EXPECT_GE(attempts.size(), static_cast<std::size_t>(std::ranges::count(chosen, kinds[0])));
    const json::value results = json::parse(steps.run.state.progress->results);
    ASSERT_EQ(results.as_array().size(), chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const json::object& wait = results.as_array()[i].as_object();
      const json::object step = json::parse(chosen[i]).as_object();
      if (!step.contains("delay")) continue;
      EXPECT_EQ(parse_timestamp(wait.at("finishedAt").as_string()).value() -
                    parse_timestamp(wait.at("startedAt").as_string()).value(),
                parse_duration(step.at("delay").as_string()).value())
          << "the window prolongs no wait";
    }
  }
}

TEST(RunSteps, AStepThatTheStoredVersionLacksEndsTheRun) {
  Case steps(list({R"({"type": "stop"})"}));
  steps.run.state.progress =
      std::make_shared<storage::StepProgress>(storage::StepProgress{.number = 2, .type = "webhook"});
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::dead);
  EXPECT_EQ(steps.run.state.code, "CONFIGURATION_ERROR");
}

/// Makes workflows with nested choices, and the results that their runs must have.
class RandomChoices {
 public:
  explicit RandomChoices(unsigned seed) : random_(seed) {}

  json::array steps(int depth) {
    json::array list;
    const int count = pick(depth == 0 ? 4 : 3) + (depth == 0 ? 1 : 0);
    for (int i = 0; i < count && made_ < matching::max_steps; ++i) {
      ++made_;
      const int kind = pick(depth < matching::max_choice_depth ? 6 : 4);
      const json::value when = json::object{{"notes", pick(2) == 0 ? "x" : "y"}};
      if (kind >= 4) {
        json::object choice{{"type", "choose"}, {"when", when}};
        choice["then"] = steps(depth + 1);
        choice["otherwise"] = steps(depth + 1);
        list.push_back(std::move(choice));
      } else if (kind == 3) {
        list.push_back({{"type", "stop"}, {"when", pick(3) == 0 ? when : json::object{{"notes", "y"}}}});
      } else if (kind == 2) {
        list.push_back({{"type", "wait"}, {"until", pick(2) == 0 ? "collectionDate" : "createdAt"}});
      } else {
        json::object hook = json::parse(std::string(webhook) + "}").as_object();
        if (pick(2) == 0) hook["when"] = when;
        list.push_back(std::move(hook));
      }
    }
    return list;
  }

  /// The results of a run for a record with the notes "x"; every attempt succeeds.
  static Results expected(const json::array& steps) {
    Results results;
    int number = 0;
    bool ended = false;
    perform(steps, number, ended, results);
    return results;
  }

 private:
  int pick(int count) { return std::uniform_int_distribution<>(0, count - 1)(random_); }

  static bool holds(const json::object& step) {
    const auto* const when = step.if_contains("when");
    return when == nullptr || when->at("notes") == "x";
  }

  /// Adds the results of a list. Once the run has ended, its steps have none.
  static void perform(const json::array& steps, int& number, bool& ended, Results& results) {
    for (const json::value& each : steps) {
      const json::object& step = each.as_object();
      const std::string type(step.at("type").as_string());
      const std::string prefix = std::to_string(++number) + ' ' + type + ' ';
      if (ended) {
        if (type == "choose") number += static_cast<int>(actions::count_steps(json::array{each})) - 1;
      } else if (type == "choose") {
        results.push_back(prefix + "succeeded");
        const bool takes_then = holds(step);
        if (!takes_then) pass_over(step.at("then").as_array(), number, results);
        perform(step.at(takes_then ? "then" : "otherwise").as_array(), number, ended, results);
        if (takes_then) pass_over(step.at("otherwise").as_array(), number, results);
      } else if (type == "wait") {
        const bool has_value = step.at("until") == "createdAt";
        results.push_back(prefix + (has_value ? "succeeded" : "skipped NO_VALUE"));
      } else if (!holds(step)) {
        results.push_back(prefix + "skipped CONDITION");
      } else {
        results.push_back(prefix + "succeeded");
        ended = type == "stop";
      }
    }
  }

  static void pass_over(const json::array& steps, int& number, Results& results) {
    actions::for_each_step(steps, {}, [&](const json::object& step, const std::string&) {
      results.push_back(std::to_string(++number) + ' ' + std::string(step.at("type").as_string()) +
                        " skipped NOT_CHOSEN");
    });
  }

  std::mt19937 random_;
  std::size_t made_ = 0;
};

TEST(RunSteps, RunsTakeTheWaysThatAReferenceTakes) {
  for (unsigned seed = 0; seed < 3'000; ++seed) {
    const json::array steps = RandomChoices(seed).steps(0);
    Case run(to_json(steps));
    run.entity["createdAt"] = format_timestamp(step_time - std::chrono::hours(1));
    int turns = 0;
    while (!storage::is_final(run.run.state.status)) {
      ASSERT_LT(++turns, 200) << seed;
      run.claim();
      // A run can be claimed by a process that knows it from the database alone.
      if (run.run.state.progress)
        run.run.state.progress = storage::parse_progress(storage::to_text(*run.run.state.progress));
      run.begin();
      if (run.run.state.status == RunStatus::running) run.end(RunStatus::succeeded);
      run.run.key.request = storage::deferred_request;
    }
    EXPECT_EQ(run.run.state.status, RunStatus::succeeded) << to_json(steps);
    ASSERT_EQ(run.results(), RandomChoices::expected(steps)) << to_json(steps);
  }
}

TEST(RunSteps, AChoiceReadsTheAnswerOfAnEarlierStep) {
  const std::string asks =
      std::string(webhook) + R"(, "name": "stock", "answer": {"count": "number", "eta": "timestamp?"}})";
  const std::string steps =
      list({asks, R"({"type": "choose", "when": {"steps.stock.answer.count": {"gte": 3}},
                     "then": [{"type": "wait", "until": "steps.stock.answer.eta"}], "otherwise": [{"type": "stop"}]})"});
  for (const int count : {3, 2}) {
    Case run(steps);
    run.begin();
    auto progress = std::make_shared<storage::StepProgress>(*run.run.state.progress);
    EXPECT_EQ(progress->used_by, (std::vector{2, 3}));
    progress->outcome["answer"] = {{"count", count},
                                   {"eta", format_timestamp(step_time + std::chrono::hours(5))}};
    run.run.state.progress = progress;
    run.end(RunStatus::succeeded);
    run.claim();
    run.begin();
    if (count == 3) {
      EXPECT_EQ(run.run.state.status, RunStatus::waiting);
      EXPECT_EQ(run.run.state.at, step_time + std::chrono::hours(5));
    } else {
      EXPECT_EQ(run.run.state.status, RunStatus::succeeded);
      EXPECT_EQ(run.results(), (Results{"1 webhook succeeded", "2 choose succeeded",
                                        "3 wait skipped NOT_CHOSEN", "4 stop succeeded"}));
    }
  }
}

TEST(RunSteps, AMailToAnErasedPersonIsSkippedAndLaterStepsBegin) {
  const std::string mail = R"({"type": "send_email", "recipient": "{{email}}", "subject": "S", "body": "B"})";
  for (const bool is_erased : {false, true}) {
    Case run(list({R"({"type": "wait", "delay": "PT1H"})", mail, std::string(webhook) + "}"}));
    run.is_erased = is_erased;
    run.begin();
    run.claim();
    run.begin(step_time + std::chrono::hours(1));
    EXPECT_EQ(run.run.state.status, RunStatus::running);
    EXPECT_EQ(run.run.key.action, is_erased ? "webhook" : "send_email") << "the attempt finds no recipient";
    if (is_erased) EXPECT_EQ(run.results(), (Results{"1 wait succeeded", "2 send_email skipped ERASED"}));
  }
}

TEST(RunSteps, AnAttemptedMailWhoseTextsWereErasedIsSkipped) {
  Case run(R"([{"type": "send_email", "recipient": "shop@example.com", "subject": "S", "body": "B"}])");
  run.begin();
  EXPECT_EQ(run.run.state.status, RunStatus::running);
  ++run.run.state.attempts;
  run.run.key.request = storage::deferred_request;
  run.begin();
  EXPECT_EQ(run.run.state.status, RunStatus::succeeded);
  EXPECT_EQ(run.results(), Results{"1 send_email skipped ERASED"});
  EXPECT_TRUE(storage::is_deferred(run.run.key));
}

TEST(RunSteps, AStepThatUsesAnErasedAnswerEndsTheRun) {
  Case run(list({std::string(webhook) + R"(, "name": "who", "answer": {"mail": "string"}})",
                 std::string(webhook) + R"(, "template": "{\"to\": \"{{steps.who.answer.mail}}\"}"})"}));
  auto progress = std::make_shared<storage::StepProgress>();
  progress->number = 2;
  progress->type = "webhook";
  progress->results = R"([{"number": 1, "type": "webhook", "status": "succeeded", "code": null, "name": "who",
                           "answer": null, "erased": true, "usedBy": [2]}])";
  run.run.state.progress = progress;
  run.begin();
  EXPECT_EQ(run.run.state.status, RunStatus::skipped);
  EXPECT_EQ(run.run.state.code, "ERASED");

  progress->results = R"([{"number": 1, "type": "webhook", "status": "succeeded", "code": null, "name": "who",
                           "answer": null, "erased": true}])";
  run.run.state = {.status = RunStatus::running, .progress = progress};
  run.begin();
  EXPECT_EQ(run.run.state.status, RunStatus::running) << "an answer that no step uses";
}

TEST(RunSteps, AStepBeforeOneThatUsesAnErasedAnswerEndsTheRunUnlessThatOneIsNotChosen) {
  const std::string plain = std::string(webhook) + "}";
  const std::string uses =
      std::string(webhook) + R"(, "template": "{\"to\": \"{{steps.who.answer.mail}}\"}"})";
  for (const bool takes_then : {true, false}) {
    Case run(list({std::string(webhook) + R"(, "name": "who", "answer": {"mail": "string"}})",
                   R"({"type": "choose", "when": {"notes": "x"}, "then": [)" + uses + R"(], "otherwise": [)" +
                       plain + "]}",
                   plain}));
    auto progress = std::make_shared<storage::StepProgress>();
    progress->number = takes_then ? 2 : 4;
    progress->type = takes_then ? "choose" : "webhook";
    progress->results =
        R"([{"number": 1, "type": "webhook", "status": "succeeded", "code": null, "name": "who",
             "answer": null, "erased": true, "usedBy": [3]})";
    if (!takes_then) progress->results += R"(,{"number": 2, "way": "otherwise", "passed": [3, 3]})";
    progress->results += ']';
    run.run.state.progress = progress;
    run.begin();
    EXPECT_EQ(run.run.state.status, takes_then ? RunStatus::skipped : RunStatus::running);
    if (takes_then) EXPECT_EQ(run.run.state.code, "ERASED");
  }
}

TEST(RunSteps, AChoiceOfARunForSeveralRecordsReadsTheirCount) {
  for (const int count : {1, 2}) {
    Case run(R"([{"type": "choose", "when": {"count": {"gte": 2}}, "then": [{"type": "stop"}],
                  "otherwise": [{"type": "wait", "delay": "PT1H"}]}])");
    run.run.key.entity_id = storage::no_record;
    run.entity = {{"count", count}, {"items", json::array(static_cast<std::size_t>(count))}};
    run.begin();
    run.claim();
    run.begin();
    EXPECT_EQ(run.run.state.status, count == 2 ? RunStatus::succeeded : RunStatus::waiting);
  }
}

}  // namespace
}  // namespace waybill::worker
