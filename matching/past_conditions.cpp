#include "matching/past_conditions.hpp"

#include <optional>
#include <stdexcept>

#include "matching/past.hpp"
#include "matching/rule.hpp"

namespace waybill::matching {
namespace {

std::optional<Rule> readable_rule(const PastConditions& past) {
  try {
    return make_rule(past.trigger, json::parse(past.conditions));
  } catch (const std::exception&) {  // of a newer version, or changed by SQL
    return std::nullopt;
  }
}

}  // namespace

std::vector<domain::ConditionResult> past_conditions(storage::Session& session, const PastConditions& past) {
  const auto rule = past.event < 0 ? std::nullopt : readable_rule(past);
  if (!rule) return {};
  PastReader reader(session);
  const auto stored =
      reader.events().of_record(past.business, past.entity, {.before = past.event + 1, .limit = 1});
  if (stored.events.empty() || static_cast<std::int64_t>(stored.events.front().id) != past.event) return {};
  std::vector<UnreadableEvent> unreadable;
  auto changes = reader.changes(stored.events, {}, &unreadable);
  if (changes.empty()) return {};
  PastChange* const change = &changes.front();
  reader.fill_relatives({&change, 1});
  WorkBudget budget(domain::max_condition_work);
  return rule->conditions.explain(change->subject(), budget);
}

}  // namespace waybill::matching
