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

const Time now = parse_timestamp("2026-11-20T05:45:12.345Z").value();
const Guid business = Guid::parse("33333333-3333-4333-8333-333333333333").value();
constexpr const char* webhook = R"({"type": "webhook", "recipient": "https://shop.example/", "method": "POST",
    "contentType": "application/json", "template": null, "headers": {})";

/// A run of a workflow on orders with the given steps.
struct Case {
  explicit Case(const std::string& steps)
      : workflow{.business_id = business, .rule = matching::make_rule("order_created", json::object())} {
    workflow.set_action({{"type", "steps"}, {"steps", json::parse(steps)}}, {});
    run.key.action = workflow.steps.front().type;
    run.key.business_id = business;
    run.key.entity_id = Guid::parse("44444444-4444-4444-8444-444444444444").value();
    run.key.request = storage::deferred_request;
    run.state.status = RunStatus::running;
  }

  void begin(Time at = now) {
    const storage::StoredEvent event{.id = 7,
                                     .business_id = business,
                                     .entity_type = domain::EntityType::order,
                                     .entity_id = {},
                                     .at = now,
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
                        .working_day = working_day};
    begin_steps(workflow, view, run, at);
  }
  /// Ends the current step and lets the run be claimed again.
  void end(RunStatus status, std::optional<std::string> code = {}, Time at = now) {
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
  json::object entity{{"guid", business.to_string()}, {"notes", "x"}, {"collectionDate", nullptr}};
  json::object previous;
  std::function<std::optional<storage::Rendering>(int)> earlier_texts;
  std::function<std::optional<Time>(Time, int)> working_day;
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
  EXPECT_EQ(steps.run.key.destination, "shop.example:443/" + business.to_string());
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
  EXPECT_EQ(steps.run.state.at, now + std::chrono::hours(2));
  EXPECT_TRUE(storage::awaits_step(steps.run.state));
  steps.run.state.progress = storage::parse_progress(storage::to_text(*steps.run.state.progress));
  EXPECT_EQ(step_to_begin(steps.run.state), 2);
  steps.claim();
  steps.begin(now + std::chrono::hours(2));
  EXPECT_EQ(steps.run.key.action, "webhook");
  EXPECT_EQ(steps.run.state.status, RunStatus::running);
  EXPECT_EQ(steps.results(), Results{"1 wait succeeded"});
}

TEST(RunSteps, AWaitForAWorkingDayEndsThereOrIsDead) {
  Case steps(R"([{"type": "wait", "workdays": {"days": "P2D", "until": null}}, {"type": "stop"}])");
  steps.working_day = [](Time start, int count) {
    return std::optional(start + count * std::chrono::days(3));
  };
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::waiting);
  EXPECT_EQ(steps.run.state.at, now + std::chrono::days(6));
  Case none(R"([{"type": "wait", "workdays": {"days": "P2D", "until": null}}, {"type": "stop"}])");
  none.working_day = [](Time, int) { return std::optional<Time>(); };
  none.begin();
  EXPECT_EQ(none.run.state.status, RunStatus::dead);
  EXPECT_EQ(none.run.state.code, "EXPIRED");
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
  steps.earlier_texts = [](int number) -> std::optional<storage::Rendering> {
    if (number != 2) return std::nullopt;
    return storage::Rendering{R"({"url": "https://other.example/"})", "the body"};
  };
  steps.begin();
  steps.end(RunStatus::succeeded);
  steps.claim();
  steps.begin();
  EXPECT_EQ(steps.run.state.status, RunStatus::running);
  EXPECT_EQ(steps.run.key.body, "the body");
  EXPECT_EQ(steps.run.key.destination, "other.example:443/" + business.to_string());
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
  Time at_ = now;
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

}  // namespace
}  // namespace waybill::worker
