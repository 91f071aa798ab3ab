#include "worker/alerts/silence_causes.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/database_clock.hpp"
#include "base/observe.hpp"
#include "matching/silence_cause.hpp"
#include "worker/alerts/silence_text.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto time_of_turn = 3s;
constexpr auto time_of_workflow = 1s;

std::optional<matching::FailingCondition> find(storage::Session& session, const Guid& business,
                                               std::string_view triggers, std::string_view conditions,
                                               const json::object& silence,
                                               steady_clock::time_point deadline) {
  const json::value* const since = silence.if_contains("since");
  const auto from =
      since != nullptr && since->is_string() ? parse_timestamp(since->get_string()) : std::nullopt;
  const auto parsed = parse_json(conditions);
  const auto* const value = std::get_if<json::value>(&parsed);
  if (!from || value == nullptr) return std::nullopt;
  const matching::Rule rule = matching::make_rule(triggers, *value);
  return matching::failing_condition(session, rule, business, *from, database_clock().now(), deadline);
}

}  // namespace

SilenceCauses::SilenceCauses(std::string database_url)
    : session_(std::move(database_url), "waybill causes of silences", {"set statement_timeout = '1s'"}) {}

void SilenceCauses::begin_turn() { until_ = steady_clock::now() + time_of_turn; }

bool SilenceCauses::has_time() const { return steady_clock::now() < until_; }

void SilenceCauses::explain(const Guid& business, std::string_view triggers, std::string_view conditions,
                            json::object& silence) {
  std::optional<matching::FailingCondition> condition;
  try {
    session_.open();
    condition = find(*session_, business, triggers, conditions, silence,
                     std::min(until_, steady_clock::now() + time_of_workflow));
  } catch (const std::exception& error) {
    // The message is sent without the condition: an unreadable workflow, a slow statement, a lost connection.
    observe(Observable::statement_failed,
            {{"statement", "causes of silences"}, {"error", std::string_view(error.what())}});
    session_.close();
  }
  silence["condition"] = condition_json(condition);
}

}  // namespace waybill::worker
