#include "worker/planning/run_steps.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/exact_number.hpp"
#include "base/observe.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {
namespace {

using storage::RunState;
using storage::RunStatus;
using storage::StepProgress;

constexpr const char* cancelled_code = "CANCELLED_BY_EVENT";

json::value text_or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value();
}

/// Appends the result of a step that ended at `now` to a JSON array.
void append_result(std::string& results, json::object result, std::string_view name, Time now) {
  result["finishedAt"] = format_timestamp(now);
  if (!name.empty()) result["name"] = name;
  results.pop_back();
  if (results.size() > 1) results += ',';
  append_json(results, result);
  results += ']';
}

/// Adds the result of the current step to the results, and those of the steps in ways not taken: all later
/// ones if the run ends, otherwise those before the next step.
void add_results(StepProgress& step, const RunState& state, bool ends_run, Time now) {
  const int last = step.number + step.between;
  json::object result{{"number", step.number},
                      {"type", step.type},
                      {"status", storage::text(state.status)},
                      {"code", text_or_null(state.code)},
                      {"error", text_or_null(state.error)},
                      {"startedAt", format_timestamp(step.started_at.value_or(now))},
                      {"finishedAt", nullptr}};
  for (const auto& [name, value] : step.outcome) result[name] = value;
  if (step.type == "wait" && !step.name.empty() && state.status == RunStatus::succeeded)
    result.emplace("timedOut", false);
  append_result(step.results, std::move(result), step.name, now);
  step.ended.push_back(storage::text(state.status));
  for (const storage::PassedStep& passed : step.passed) {
    if (!ends_run && passed.number > last) break;
    append_result(step.results,
                  {{"number", passed.number},
                   {"type", passed.type},
                   {"status", storage::text(RunStatus::skipped)},
                   {"code", "NOT_CHOSEN"},
                   {"error", nullptr},
                   {"startedAt", nullptr},
                   {"finishedAt", nullptr}},
                  passed.name, now);
    step.ended.push_back(storage::text(RunStatus::skipped));
    // A run that has ended is at the step of its last result.
    if (ends_run) step.number = passed.number;
  }
}

/// The result of a choice that is over; null if the results have none.
const json::object* find_result(const json::array& results, int number) {
  for (const json::value& each : results) {
    if (each.at("number") == number) return &each.as_object();
  }
  return nullptr;
}

void set_end(RunState& state, RunStatus status, const char* code, const char* error, Time now) {
  state.status = status;
  state.code = code;
  state.error = error;
  state.at = now;
}

/// Begins steps of one run.
class Beginning {
 public:
  Beginning(const Workflow& workflow, const StepView& view, storage::Run& run, Time now)
      : workflow_(workflow), view_(view), run_(run), now_(now) {}

  /// Begins the current step. A state other than running means that the step has ended or waits.
  void begin() {
    const std::size_t count = workflow_.steps.size();
    const auto number = static_cast<std::size_t>(run_.state.progress->number);
    if (number > count) {
      set_end(run_.state, RunStatus::dead, "CONFIGURATION_ERROR",
              "The stored version of the workflow has no such step.", now_);
      return;
    }
    const matching::Step& step = workflow_.steps[number - 1];
    if (run_.state.progress->awaits) return look_for_end(step);
    if (run_.state.progress->until) {  // a run is claimed at the end of its wait
      run_.state.status = RunStatus::succeeded;
      return;
    }
    auto progress = std::make_shared<StepProgress>(*run_.state.progress);
    progress->type = step.type;
    progress->name = step.name;
    progress->used_by = step.used_by;
    progress->goes_on = step.goes_on;
    results_.reset();
    set_next(*progress);
    if (!progress->started_at) progress->started_at = now_;
    run_.state.progress = progress;
    run_.key.action = step.type;
    if (needs_erased(*progress)) {
      set_end(run_.state, RunStatus::skipped, erased_code.data(),
              "A step to come uses an answer that was erased.", now_);
      return;
    }
    if (use_earlier_texts(step)) return;
    if (step.uses_steps || is_of_list()) read_values();
    const auto verdict = step.when ? step.when->judge({view_.entity, view_.previous, view_.created, &values_})
                                   : domain::Verdict::hold;
    if (verdict == domain::Verdict::too_much_work) {
      run_.state = unjudged_state(std::move(run_.state), now_);
    } else if (step.type == actions::choose_type) {
      choose(step, verdict == domain::Verdict::hold, *progress);
    } else if (verdict == domain::Verdict::fail) {
      set_end(run_.state, RunStatus::skipped, "CONDITION", "The conditions of the step did not hold.", now_);
    } else if (step.type == "stop") {
      progress->next.clear();
      run_.state.status = RunStatus::succeeded;
    } else if (step.action == nullptr) {
      wait(step, *progress);
    } else if (is_loop(*step.action, run_.key.depth)) {
      run_.state = loop_state(std::move(run_.state), now_);
    } else {
      render(step);
    }
  }

 private:
  /// A step that an earlier run has begun sends the same texts again, unless they can show values of a step
  /// that this run has performed itself.
  bool use_earlier_texts(const matching::Step& step) {
    if (step.action == nullptr || !view_.earlier_texts || repeats(step.last_used)) return false;
    auto texts = view_.earlier_texts(run_.state.progress->number, step.last_used);
    if (!texts) return false;
    const json::object request = json::parse(texts->request).as_object();
    run_.key.destination = place_in_queue(workflow_, step.action->destination(request, run_.key.business_id));
    run_.key.addresses = addresses_of(workflow_, *step.action, request);
    run_.key.request = std::move(texts->request);
    run_.key.body = std::move(texts->body);
    if (is_loop(*step.action, run_.key.depth)) run_.state = loop_state(std::move(run_.state), now_);
    return true;
  }

  /// Ends a wait for an event if the event, or the end of its time, has come.
  void look_for_end(const matching::Step& step) {
    auto progress = std::make_shared<StepProgress>(*run_.state.progress);
    run_.state.progress = progress;
    const bool lacks_end = had_no_working_day(step, *progress);
    const LaterEvents later = view_.later_events(
        progress->looked_to, {.cancel_on = workflow_.cancel_on ? &*workflow_.cancel_on : nullptr,
                              .awaited = step.awaited ? &*step.awaited : nullptr,
                              .until = lacks_end ? now_ : progress->until.value_or(now_)});
    progress->looked_to = later.looked_to;
    if (later.is_cancelled) {
      run_.state = cancelled_state(std::move(run_.state), later.looked_to, now_);
    } else if (!later.ended_by && !later.has_more && lacks_end) {
      await_working_day(step, *progress);
    } else if (later.ended_by || (!later.has_more && progress->until.value_or(now_) <= now_)) {
      if (later.ended_by) {
        progress->watch_after = later.ended_by;
        progress->outcome["eventId"] = *later.ended_by;
      }
      progress->outcome["timedOut"] = !later.ended_by;
      run_.state.status = RunStatus::succeeded;
    } else {
      run_.state.status = RunStatus::waiting;
      run_.state.at = later.has_more ? now_ : *progress->until;
    }
  }

  /// Begins a wait for an event. The run is due at once: what came before is looked at when the wait is
  /// stored, so that no event is missed. If the calendar has no working day for the end of its time, `until`
  /// is its beginning.
  void await(const matching::Step& step, StepProgress& progress) {
    if (matching::holds_at_once(step, view_.entity)) {
      progress.outcome["timedOut"] = false;
      run_.state.status = RunStatus::succeeded;
      return;
    }
    progress.awaits = true;
    progress.until = end_of_wait(step).value_or(*progress.started_at);
    run_.state.status = RunStatus::waiting;
    run_.state.at = now_;
  }

  /// True if the calendar had no working day for the end of a wait for an event when this began.
  static bool had_no_working_day(const matching::Step& step, const StepProgress& progress) {
    return step.working_days != 0 && progress.until && progress.started_at &&
           *progress.until <= *progress.started_at;
  }

  /// Continues a wait whose end was not known, by the present calendar.
  void await_working_day(const matching::Step& step, StepProgress& progress) {
    const auto end = view_.working_day(*progress.started_at, step.working_days);
    if (!end) {
      run_.state = no_working_day_state(std::move(run_.state));
      return;
    }
    progress.until = *end;
    run_.state.status = RunStatus::waiting;
    run_.state.at = std::max(*end, now_);
  }

  /// The end of a wait that begins now; nullopt if its field has no value, or the calendar no working day.
  std::optional<Time> end_of_wait(const matching::Step& step) const {
    if (step.working_days == 0) return matching::end_of_wait(step, view_.entity, &values_, now_);
    const auto start = matching::start_of_wait(step, view_.entity, &values_, now_);
    return start ? view_.working_day(*start, step.working_days) : std::nullopt;
  }

  void wait(const matching::Step& step, StepProgress& progress) {
    if (step.awaited) {
      await(step, progress);
      return;
    }
    const auto end = end_of_wait(step);
    if (!end && !matching::start_of_wait(step, view_.entity, &values_, now_)) {
      set_end(run_.state, RunStatus::skipped, "NO_VALUE", "The field of the wait has no value.", now_);
    } else if (!end) {
      run_.state = no_working_day_state(std::move(run_.state));
    } else if (*end <= now_) {
      run_.state.status = RunStatus::succeeded;
    } else if (*end > view_.expires_at) {
      set_end(run_.state, RunStatus::dead, "EXPIRED",
              "The run would have waited longer than its event is kept.", now_);
    } else {
      progress.until = *end;
      run_.state.status = RunStatus::waiting;
      run_.state.at = *end;
    }
  }

  void render(const matching::Step& step) {
    json::object request;
    render_action(workflow_, *step.action, step.definition,
                  {.entity = view_.entity,
                   .previous = view_.previous,
                   .entity_type = run_.key.entity_type,
                   .entity_id = run_.key.entity_id,
                   .event_id = run_.key.event_id,
                   .at = view_.event.at,
                   .trigger = run_.key.trigger_code,
                   .triggers = view_.triggers,
                   .steps = step.uses_steps ? &values_.at("steps").as_object() : nullptr},
                  run_, request);
    const bool is_mail = step.action->notification() == actions::Notification::email;
    if (!is_mail || is_final(run_.state.status)) return;
    // Only an erasure takes the texts of an attempted mail: whom they reached is not known any more.
    const bool is_attempted = attempts_of_step(run_.state) > 0;
    if (is_attempted || (has_no_recipient(*step.action, request) && view_.is_erased && view_.is_erased()))
      skip_erased();
  }

  /// Skips a mail to a person who was erased.
  void skip_erased() {
    auto progress = std::make_shared<StepProgress>(*run_.state.progress);
    progress->ends_alone = true;
    run_.state.progress = std::move(progress);
    run_.state = erased_state(std::move(run_.state), now_);
    run_.key.request = storage::deferred_request;
    run_.key.body.reset();
    run_.key.addresses.clear();
  }

  /// Finds the step after the current one. `chosen` is the way that the current one, a choice, takes.
  void set_next(StepProgress& progress, std::optional<bool> chosen = std::nullopt) {
    const auto taken = [&](int choice) {
      if (choice == progress.number) return chosen.value_or(true);
      const json::object* const result = find_result(results(), choice);
      const auto* const way = result == nullptr ? nullptr : result->if_contains("way");
      return way != nullptr && *way == json::value(actions::way_names.front());
    };
    const int next = matching::next_number(workflow_.steps, progress.number, taken);
    const bool is_last = static_cast<std::size_t>(next) > workflow_.steps.size();
    progress.next = is_last ? "" : step_at(next).type;
    progress.between = next - progress.number - 1;
    progress.passed.clear();
    const matching::Step& step = step_at(progress.number);
    if (chosen) {
      const auto [first, count] = way_not_taken(step, progress.number, *chosen);
      pass_over(progress, first, count);
    }
    for (auto way = step.way; way; way = step_at(way->choice).way) {
      const matching::Step& choice = step_at(way->choice);
      if (!way->is_then) continue;
      const auto [first, count] = way_not_taken(choice, way->choice, true);
      pass_over(progress, first, count);
    }
  }

  /// The number of the first step of the way that a choice does not take, and the number of its steps.
  static std::pair<int, int> way_not_taken(const matching::Step& choice, int number, bool takes_then) {
    return takes_then ? std::pair(number + 1 + choice.then_steps, choice.otherwise_steps)
                      : std::pair(number + 1, choice.then_steps);
  }

  void pass_over(StepProgress& progress, int first, int count) const {
    for (int number = first; number < first + count; ++number)
      progress.passed.push_back({number, step_at(number).type, step_at(number).name});
  }

  const matching::Step& step_at(int number) const {
    return workflow_.steps[static_cast<std::size_t>(number - 1)];
  }

  void choose(const matching::Step& step, bool takes_then, StepProgress& progress) {
    set_next(progress, takes_then);
    progress.outcome["way"] = actions::way_names[takes_then ? 0 : 1];
    const auto [first, count] = way_not_taken(step, progress.number, takes_then);
    if (count > 0) progress.outcome["passed"] = json::array{first, first + count - 1};
    run_.state.status = RunStatus::succeeded;
  }

  /// True if the step or one after it uses an answer that was erased. Steps in ways not taken do not count.
  bool needs_erased(const StepProgress& progress) const {
    if (progress.results.find(R"("erased")") == std::string::npos) return false;
    return std::ranges::any_of(results(), [&](const json::value& result) {
      const auto* const users = result.as_object().if_contains("usedBy");
      return result.as_object().contains("erased") && users != nullptr &&
             std::ranges::any_of(users->as_array(), [&](const json::value& user) {
               const int number = user.to_number<int>();
               return number >= progress.number && !is_passed(number);
             });
    });
  }

  /// True for a step in a way that a choice did not take.
  bool is_passed(int number) const {
    return std::ranges::any_of(results(), [&](const json::value& result) {
      const auto* const passed = result.as_object().if_contains("passed");
      return passed != nullptr && number >= passed->as_array().front().to_number<int>() &&
             number <= passed->as_array().back().to_number<int>();
    });
  }

  /// True if this run, a replay, has performed the step itself, or a step before it.
  bool repeats(int number) const {
    if (const int first = run_.state.progress->first; first > 0) return first <= number;
    if (number == 0) return false;
    // An earlier version has stored the progress.
    const json::value tries = json::parse(run_.state.tries);
    return std::ranges::any_of(tries.as_array(), [&](const json::value& attempt) {
      const auto* const of = attempt.as_object().if_contains("step");
      return of != nullptr && of->to_number<int>() <= number;
    });
  }

  /// Reads the values of the earlier steps.
  void read_values() {
    json::object steps;
    for (const json::value& result : results()) {
      const auto* const name = result.as_object().if_contains("name");
      if (name != nullptr) steps[name->as_string()] = matching::step_values(result.as_object());
    }
    values_.clear();
    values_["steps"] = std::move(steps);
    if (const auto* const count = is_of_list() ? view_.entity.if_contains("count") : nullptr)
      values_["count"] = *count;
  }

  /// The results of the steps before the current one.
  const json::array& results() const {
    if (!results_) results_ = exact_list(run_.state.progress->results);
    return *results_;
  }

  bool is_of_list() const { return run_.key.entity_id == storage::no_record; }

  const Workflow& workflow_;
  const StepView& view_;
  storage::Run& run_;
  const Time now_;
  mutable std::optional<json::array> results_;
  json::object values_;  // domain::Subject::run of the current step
};

}  // namespace

RunState end_step(RunState state, Time now) {
  if (!state.progress || !is_final(state.status)) return state;
  auto progress = std::make_shared<StepProgress>(*state.progress);
  const bool is_ended = state.code == erased_code || state.code == cancelled_code;
  const bool fails =
      (state.status == RunStatus::dead && !progress->goes_on) || (is_ended && !progress->ends_alone);
  const bool ends_run = fails || progress->next.empty();
  add_results(*progress, state, ends_run, now);
  progress->outcome.clear();
  progress->passed.clear();
  progress->ends_alone = false;
  state.at = now;
  if (!fails) {
    state.code.reset();
    state.error.reset();
    state.status = ends_run ? RunStatus::succeeded : RunStatus::queued;
  }
  if (!ends_run) {
    progress->number += 1 + std::exchange(progress->between, 0);
    progress->type = std::move(progress->next);
    progress->next.clear();
    progress->goes_on = false;
    progress->attempts_before = state.attempts;
    progress->started_at.reset();
    progress->until.reset();
    progress->awaits = false;
    progress->looked_to = 0;
    progress->name.clear();
    progress->used_by.clear();
  }
  state.progress = std::move(progress);
  return state;
}

void count_steps(const RunState& state) {
  if (!state.progress) return;
  for (const std::string_view status : state.progress->ended) {
    observe(status == storage::text(RunStatus::succeeded) ? Observable::step_succeeded
            : status == storage::text(RunStatus::dead)    ? Observable::step_dead
                                                          : Observable::step_skipped);
  }
}

int step_to_begin(const RunState& state) {
  if (!state.progress) return 1;
  return state.progress->number + (state.progress->until && !state.progress->awaits ? 1 : 0);
}

std::string_view type_to_begin(const storage::Run& run) {
  const StepProgress* const progress = run.state.progress.get();
  if (progress == nullptr || !storage::is_deferred(run.key)) return run.key.action;
  return progress->until && !progress->awaits ? progress->next : progress->type;
}

void end_wait(RunState& state, Time now) {
  if (!state.progress || !state.progress->until || state.progress->awaits || state.progress->next.empty())
    return;
  state.status = RunStatus::succeeded;
  state = end_step(std::move(state), now);
  state.status = RunStatus::running;
}

RunState cancelled_state(RunState state, std::uint64_t event, Time now) {
  const std::string error = "Event " + std::to_string(event) + " of the record cancelled the run.";
  set_end(state, RunStatus::skipped, cancelled_code, error.c_str(), now);
  return state;
}

void begin_steps(const Workflow& workflow, const StepView& view, storage::Run& run, Time now) {
  const bool was_paced = actions::find_action(type_to_begin(run)) != nullptr;
  if (!run.state.progress) {
    auto first = std::make_shared<StepProgress>();
    first->attempts_before = run.state.attempts;
    run.state.progress = std::move(first);
  }
  const bool is_first = step_to_begin(run.state) == 1 && !run.state.progress->awaits;
  Beginning beginning(workflow, view, run, now);
  for (;;) {
    beginning.begin();
    if (!is_final(run.state.status)) return;
    run.state = end_step(std::move(run.state), now);
    if (is_final(run.state.status) || is_first) return;
    const bool needs_window = workflow.pacing.window && !was_paced;
    if (needs_window && actions::find_action(run.state.progress->type) != nullptr) return;
    run.state.status = RunStatus::running;
  }
}

}  // namespace waybill::worker
