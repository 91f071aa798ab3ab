#include "worker/planning/run_steps.hpp"

#include <memory>
#include <string>
#include <utility>

#include "base/observe.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {
namespace {

using storage::RunState;
using storage::RunStatus;
using storage::StepProgress;

json::value text_or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value();
}

/// `results` (a JSON array) with the result of a step that ended at `now`.
std::string append_result(const StepProgress& step, const RunState& state, Time now) {
  std::string results = step.results;
  results.pop_back();
  if (results.size() > 1) results += ',';
  append_json(results, json::object{{"number", step.number},
                                    {"type", step.type},
                                    {"status", storage::text(state.status)},
                                    {"code", text_or_null(state.code)},
                                    {"error", text_or_null(state.error)},
                                    {"startedAt", format_timestamp(step.started_at.value_or(now))},
                                    {"finishedAt", format_timestamp(now)}});
  return results + ']';
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
    if (run_.state.progress->until) {  // a run is claimed at the end of its wait
      run_.state.status = RunStatus::succeeded;
      return;
    }
    const matching::Step& step = workflow_.steps[number - 1];
    auto progress = std::make_shared<StepProgress>(*run_.state.progress);
    progress->type = step.type;
    progress->goes_on = step.goes_on;
    progress->next = number < count ? workflow_.steps[number].type : "";
    if (!progress->started_at) progress->started_at = now_;
    run_.state.progress = progress;
    run_.key.action = step.type;
    if (use_earlier_texts(step)) return;
    const auto verdict =
        step.when ? step.when->judge({view_.entity, view_.previous, view_.created}) : domain::Verdict::hold;
    if (verdict == domain::Verdict::too_much_work) {
      run_.state = unjudged_state(std::move(run_.state), now_);
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
  /// A step that an earlier run has begun sends the same texts again.
  bool use_earlier_texts(const matching::Step& step) {
    if (step.action == nullptr || !view_.earlier_texts) return false;
    auto texts = view_.earlier_texts(run_.state.progress->number);
    if (!texts) return false;
    const json::object request = json::parse(texts->request).as_object();
    run_.key.destination = place_in_queue(workflow_, step.action->destination(request, run_.key.business_id));
    run_.key.request = std::move(texts->request);
    run_.key.body = std::move(texts->body);
    if (is_loop(*step.action, run_.key.depth)) run_.state = loop_state(std::move(run_.state), now_);
    return true;
  }

  void wait(const matching::Step& step, StepProgress& progress) {
    auto end = matching::start_of_wait(step, view_.entity, now_);
    const bool has_value = end.has_value();
    if (has_value)
      end = step.working_days == 0 ? matching::end_of_wait(step, view_.entity, now_)
                                   : view_.working_day(*end, step.working_days);
    if (has_value && !end) {
      run_.state = no_working_day_state(std::move(run_.state));
    } else if (!end) {
      set_end(run_.state, RunStatus::skipped, "NO_VALUE", "The field of the wait has no value.", now_);
    } else if (*end <= now_) {
      run_.state.status = RunStatus::succeeded;
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
                   .triggers = view_.triggers},
                  run_, request);
  }

  const Workflow& workflow_;
  const StepView& view_;
  storage::Run& run_;
  const Time now_;
};

}  // namespace

RunState end_step(RunState state, Time now) {
  if (!state.progress || !is_final(state.status)) return state;
  auto progress = std::make_shared<StepProgress>(*state.progress);
  progress->results = append_result(*progress, state, now);
  progress->ended.push_back(storage::text(state.status));
  state.at = now;
  if (state.status == RunStatus::dead && !progress->goes_on) {
    state.progress = std::move(progress);
    return state;
  }
  state.code.reset();
  state.error.reset();
  if (progress->next.empty()) {
    state.status = RunStatus::succeeded;
  } else {
    state.status = RunStatus::queued;
    ++progress->number;
    progress->type = std::move(progress->next);
    progress->next.clear();
    progress->goes_on = false;
    progress->attempts_before = state.attempts;
    progress->started_at.reset();
    progress->until.reset();
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
  return state.progress->number + (state.progress->until ? 1 : 0);
}

std::string_view type_to_begin(const storage::Run& run) {
  const StepProgress* const progress = run.state.progress.get();
  if (progress == nullptr || !storage::is_deferred(run.key)) return run.key.action;
  return progress->until ? progress->next : progress->type;
}

void end_wait(RunState& state, Time now) {
  if (!state.progress || !state.progress->until || state.progress->next.empty()) return;
  state.status = RunStatus::succeeded;
  state = end_step(std::move(state), now);
  state.status = RunStatus::running;
}

void begin_steps(const Workflow& workflow, const StepView& view, storage::Run& run, Time now) {
  const bool was_paced = actions::find_action(type_to_begin(run)) != nullptr;
  if (!run.state.progress) {
    auto first = std::make_shared<StepProgress>();
    first->attempts_before = run.state.attempts;
    run.state.progress = std::move(first);
  }
  const bool is_first = step_to_begin(run.state) == 1;
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
