#include "storage/runs/step_progress.hpp"

#include <stdexcept>

#include "base/exact_number.hpp"
#include "base/json.hpp"

namespace waybill::storage {
namespace {

json::value time_json(std::optional<Time> time) {
  return time ? json::value(format_timestamp(*time)) : json::value();
}

std::optional<Time> time_of(const json::value& value) {
  return value.is_string() ? parse_timestamp(value.get_string()) : std::nullopt;
}

}  // namespace

std::string to_text(const StepProgress& progress) {
  json::object stored{{"number", progress.number},
                      {"type", progress.type},
                      {"goesOn", progress.goes_on},
                      {"next", progress.next},
                      {"attemptsBefore", progress.attempts_before},
                      {"startedAt", time_json(progress.started_at)},
                      {"until", time_json(progress.until)}};
  // Runs of plain steps keep the form that earlier versions read.
  if (progress.first > 0) stored["from"] = progress.first;
  if (!progress.name.empty()) stored["name"] = progress.name;
  if (!progress.used_by.empty()) stored["usedBy"] = json::value_from(progress.used_by);
  json::array passed;
  for (const PassedStep& step : progress.passed)
    passed.push_back({{"number", step.number}, {"type", step.type}, {"name", step.name}});
  if (!passed.empty()) {
    stored["passed"] = std::move(passed);
    stored["between"] = progress.between;
  }
  if (progress.awaits) {
    stored["awaits"] = true;
    stored["lookedTo"] = progress.looked_to;
  }
  if (progress.watch_after) stored["watchAfter"] = *progress.watch_after;
  std::string text = to_json(stored);
  text.pop_back();
  return text + R"(,"results":)" + progress.results + '}';
}

StepProgressPtr parse_progress(std::string_view text) {
  constexpr std::size_t deepest = 40;  // of an answer, the results and the text itself
  try {
    const auto parsed = parse_exact_json(text, deepest);
    if (const auto* const error = std::get_if<JsonError>(&parsed)) throw std::runtime_error(error->message);
    const json::object& stored = std::get<json::value>(parsed).as_object();
    auto progress = std::make_shared<StepProgress>();
    progress->number = progress->stored = stored.at("number").to_number<int>();
    progress->type = stored.at("type").as_string();
    progress->goes_on = stored.at("goesOn").as_bool();
    progress->next = stored.at("next").as_string();
    progress->attempts_before = stored.at("attemptsBefore").to_number<int>();
    if (const auto* const first = stored.if_contains("from")) progress->first = first->to_number<int>();
    progress->started_at = time_of(stored.at("startedAt"));
    progress->until = time_of(stored.at("until"));
    if (const auto* const name = stored.if_contains("name")) progress->name = name->as_string();
    if (const auto* const numbers = stored.if_contains("usedBy")) {
      for (const json::value& number : numbers->as_array())
        progress->used_by.push_back(number.to_number<int>());
    }
    if (const auto* const passed = stored.if_contains("passed")) {
      progress->between = stored.at("between").to_number<int>();
      for (const json::value& step : passed->as_array())
        progress->passed.push_back({.number = step.at("number").to_number<int>(),
                                    .type = std::string(step.at("type").as_string()),
                                    .name = std::string(step.at("name").as_string())});
    }
    progress->awaits = stored.contains("awaits");
    if (progress->awaits) progress->looked_to = stored.at("lookedTo").to_number<std::uint64_t>();
    if (const auto* const event = stored.if_contains("watchAfter"))
      progress->watch_after = event->to_number<std::uint64_t>();
    progress->results = to_json(json::value(stored.at("results").as_array()));
    return progress;
  } catch (const std::exception& error) {
    throw std::invalid_argument("unreadable steps of a run: " + std::string(error.what()));
  }
}

}  // namespace waybill::storage
