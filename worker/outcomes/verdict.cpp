#include "worker/outcomes/verdict.hpp"

#include <memory>
#include <tuple>
#include <utility>

#include "actions/answer.hpp"
#include "base/exact_number.hpp"
#include "base/json.hpp"
#include "worker/outcomes/lock_limit.hpp"
#include "worker/planning/run_steps.hpp"

namespace waybill::worker {
namespace {

using storage::RunStatus;

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

void append_or_null(std::string& out, const std::optional<std::string>& text) {
  if (text) {
    append_json_string(out, *text);
  } else {
    out += "null";
  }
}

/// The number of the current step; 0 for a run of one action.
int step_of(const storage::RunState& state) { return state.progress ? state.progress->number : 0; }

/// The final status and code of a run, by the result of its change of records.
std::pair<RunStatus, std::optional<std::string>> ending(const storage::ChangeResult& result) {
  using Kind = storage::ChangeResult::Kind;
  switch (result.kind) {
    case Kind::forbidden:
      return {RunStatus::skipped, "FORBIDDEN_MOVE"};
    case Kind::not_ready:
      return {RunStatus::skipped, "CONDITION"};
    case Kind::closed:
      return {RunStatus::skipped, "LOCKED"};
    case Kind::exists:
      return {RunStatus::skipped, "EXISTS"};
    case Kind::invalid:
      return {RunStatus::dead, "INVALID_VALUE"};
    case Kind::not_found:
      return {RunStatus::skipped, "NO_RECORD"};
    case Kind::refused:
      return {RunStatus::dead, "UNRECORDABLE"};
    case Kind::skipped:
      return {RunStatus::skipped, result.code};
    case Kind::failed:
      return {RunStatus::dead, result.code};
    case Kind::made:
    case Kind::locked:
    case Kind::waits:
      break;
  }
  return {RunStatus::succeeded, std::nullopt};
}

/// The bytes of JSON of the answers in the results of a run's steps.
std::size_t answer_bytes(std::string_view results) {
  std::size_t bytes = 0;
  const json::array parsed = exact_list(results);
  for (const json::value& result : parsed) {
    const auto* const answer = result.as_object().if_contains("answer");
    if (answer != nullptr && !answer->is_null()) bytes += to_json(*answer).size();
  }
  return bytes;
}

/// Keeps the declared values of an answer with the result of the step. The step is dead if the answers of the
/// run would be too large.
void keep_answer(const std::string& answer, storage::RunState& state) {
  if (!state.progress || state.progress->name.empty()) return;
  if (answer_bytes(state.progress->results) + answer.size() > actions::max_stored_answers) {
    state.status = RunStatus::dead;
    state.code = "ANSWER_TOO_LARGE";
    state.error = "The declared values of the run's answers are larger than 16 KiB.";
    return;
  }
  auto progress = std::make_shared<storage::StepProgress>(*state.progress);
  progress->outcome["answer"] = std::get<json::value>(parse_exact_json(answer));
  if (!progress->used_by.empty()) progress->outcome["usedBy"] = json::value_from(progress->used_by);
  state.progress = std::move(progress);
}

}  // namespace

Verdict judge(const storage::Run& run, const actions::AttemptResult& result,
              const domain::RetrySchedule& schedule, Time now) {
  Verdict verdict{
      .state = {.status = RunStatus::succeeded,
                .code = {},
                .error = result.error,
                .attempts = run.state.attempts + 1,
                .tries = append_attempt(run.state.tries, run.state.attempts + 1, step_of(run.state), result),
                .at = now,
                .change = nullptr,
                .progress = run.state.progress},
      .pause = {}};
  storage::RunState& state = verdict.state;
  std::visit(Overloaded{[&](const actions::Done& done) {
                          state.error.reset();
                          verdict.pause = done.pause;
                          if (result.answer) keep_answer(*result.answer, state);
                        },
                        [&](const actions::Retry& retry) {
                          state.code = retry.code;
                          verdict.pause = retry.pause;
                          const auto next =
                              schedule.next_attempt(static_cast<std::size_t>(attempts_of_step(state)), now,
                                                    run.key.guid, retry.retry_after);
                          state.status = next ? RunStatus::retrying : RunStatus::dead;
                          if (next) state.at = *next;
                        },
                        [&](const actions::Dead& never) {
                          state.status = RunStatus::dead;
                          state.code = never.code;
                        },
                        [&](const actions::Skip& skip) {
                          state.status = RunStatus::skipped;
                          state.code = skip.code;
                        },
                        [&](const actions::Pause& pause) {
                          state.status = RunStatus::dead;
                          state.code = pause.code;
                          verdict.pause = pause.reason;
                        },
                        [&](const auto& change) {
                          state = run.state;
                          state.status = RunStatus::running;
                          state.change = std::make_shared<const storage::RecordChange>(
                              storage::RecordChange{.change = change, .started_at = result.started_at});
                        }},
             result.outcome);
  state = end_step(std::move(state), now);
  return verdict;
}

storage::RunState judge_change(const storage::RunState& state, const storage::ChangeResult& result,
                               Time now) {
  storage::RunState next = state;
  next.change = nullptr;
  if (result.kind == storage::ChangeResult::Kind::locked) {
    next.status = attempts_of_step(state) > 0 ? RunStatus::retrying : RunStatus::queued;
    next.at = now + lock_retry_delay;
    return next;
  }
  if (result.kind == storage::ChangeResult::Kind::waits) {
    next.status = RunStatus::waiting;
    next.code = storage::label_code;
    next.error.reset();
    next.at = result.until;
    return next;
  }
  const actions::AttemptResult attempt{
      .outcome = actions::Done{},
      .started_at = state.change->started_at,
      .duration = now - state.change->started_at,
      .status_code = {},
      .response = {},
      .error = result.error.empty() ? std::nullopt : std::optional(result.error)};
  std::tie(next.status, next.code) = ending(result);
  next.error = attempt.error;
  next.attempts = state.attempts + 1;
  next.tries = append_attempt(state.tries, next.attempts, step_of(state), attempt);
  next.at = now;
  if (next.progress && !result.made.empty()) {
    auto progress = std::make_shared<storage::StepProgress>(*next.progress);
    progress->outcome = result.made;
    next.progress = std::move(progress);
  }
  return end_step(std::move(next), now);
}

std::string append_attempt(std::string_view tries, int number, int step,
                           const actions::AttemptResult& result) {
  constexpr std::size_t others = 192;  // bytes of an attempt without its texts
  std::string out;
  out.reserve(tries.size() + others + (result.response ? result.response->size() : 0) +
              (result.error ? result.error->size() : 0));
  out += tries.substr(0, tries.size() - 1);
  if (out.size() > 1) out += ',';
  out += R"({"number":)";
  out += std::to_string(number);
  if (step > 0) out += R"(,"step":)" + std::to_string(step);
  out += R"(,"startedAt":")";
  out += format_timestamp(result.started_at);
  out += R"(","durationMs":)";
  const auto tenths = result.duration.count() / 100;
  out += std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
  out += R"(,"statusCode":)";
  out += result.status_code ? std::to_string(*result.status_code) : "null";
  out += R"(,"response":)";
  append_or_null(out, result.response);
  out += R"(,"error":)";
  append_or_null(out, result.error);
  out += "}]";
  return out;
}

}  // namespace waybill::worker
