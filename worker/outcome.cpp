#include "worker/outcome.hpp"

#include "base/json.hpp"

namespace waybill::worker {
namespace {

using storage::RunStatus;

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

void append_maybe(std::string& out, const std::optional<std::string>& text) {
  if (text) {
    append_json_string(out, *text);
  } else {
    out += "null";
  }
}

}  // namespace

Verdict judge(const storage::Run& run, const actions::TryResult& result,
              const domain::RetrySchedule& schedule, Time now) {
  Verdict verdict{.state = {.status = RunStatus::succeeded,
                            .code = {},
                            .error = result.error,
                            .attempts = run.state.attempts + 1,
                            .tries = append_try(run.state.tries, run.state.attempts + 1, result),
                            .at = now},
                  .pause = {}};
  storage::RunState& state = verdict.state;
  std::visit(Overloaded{[&](const actions::Done&) { state.error.reset(); },
                        [&](const actions::Retry& retry) {
                          state.code = retry.code;
                          const auto next = schedule.next_try(static_cast<std::size_t>(state.attempts), now,
                                                              run.key.guid, retry.retry_after);
                          state.status = next ? RunStatus::retrying : RunStatus::dead;
                          if (next) state.at = *next;
                        },
                        [&](const actions::Never& never) {
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
                        }},
             result.outcome);
  return verdict;
}

std::string append_try(std::string_view tries, int number, const actions::TryResult& result) {
  std::string out(tries.substr(0, tries.size() - 1));
  if (out.size() > 1) out += ',';
  out += R"({"number":)";
  out += std::to_string(number);
  out += R"(,"startedAt":")";
  out += format_timestamp(result.started_at);
  out += R"(","durationMs":)";
  const auto tenths = result.duration.count() / 100;
  out += std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
  out += R"(,"statusCode":)";
  out += result.status_code ? std::to_string(*result.status_code) : "null";
  out += R"(,"response":)";
  append_maybe(out, result.response);
  out += R"(,"error":)";
  append_maybe(out, result.error);
  out += "}]";
  return out;
}

}  // namespace waybill::worker
