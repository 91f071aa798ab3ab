#include "matching/silence_cause.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

#include "base/utf8.hpp"
#include "matching/past.hpp"

namespace waybill::matching {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

constexpr storage::PageLimits sample_limits{.events = 1000};
constexpr std::size_t most_read = 5'000;  // events of all types
constexpr auto look_back = std::chrono::days(14);
constexpr std::size_t most_explained = 100;  // events whose values are shown
constexpr std::size_t most_values = 3;
constexpr std::size_t longest_value = 80;  // bytes

bool is_past(Deadline deadline) { return std::chrono::steady_clock::now() > deadline; }

/// Some events that meet the triggers of a rule, newest first, and the comparisons that held for them.
class Sample {
 public:
  Sample(storage::Session& session, const Rule& rule, const storage::PastEvents::Range& range)
      : reader_(session), rule_(rule), page_(reader_.events().latest(range, sample_limits, most_read)) {
    changes_ = reader_.changes(page_.events, &arena_);
    std::erase_if(changes_, [&](const PastChange& change) {
      return change.change.erased || !(rule.is_timed() || rule.fires(change.fired));
    });
    std::vector<PastChange*> all;
    all.reserve(changes_.size());
    for (PastChange& change : changes_) all.push_back(&change);
    if (rule.conditions.reads_relatives()) reader_.fill_relatives(all);
  }

  /// Returns false if the deadline passes.
  bool evaluate(Deadline deadline) {
    for (const PastChange& change : changes_) {
      if (is_past(deadline)) return false;
      WorkBudget budget(domain::max_condition_work);
      held_.push_back(rule_.conditions.held(change.subject(), budget));
    }
    return true;
  }

  std::size_t size() const { return changes_.size(); }

  std::int64_t failures_of(std::size_t comparison) const {
    return std::ranges::count_if(held_, [&](const auto& held) { return !held.at(comparison); });
  }

  /// The values that a comparison has in events for which the whole rule holds, or for which the comparison
  /// fails.
  FailingCondition::Values values(std::size_t comparison, bool of_firing, Deadline deadline) const {
    std::map<std::string, std::int64_t> counts;
    FailingCondition::Values found;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (found.events == static_cast<std::int64_t>(most_explained) || is_past(deadline)) break;
      const domain::Subject subject = changes_[i].subject();
      if (of_firing ? !rule_.conditions.evaluate(subject) : held_[i].at(comparison)) continue;
      WorkBudget budget(domain::max_condition_work);
      const auto results = rule_.conditions.explain(subject, budget);
      ++counts[shown_value(results.at(comparison).actual)];
      ++found.events;
    }
    for (const auto& [text, count] : counts) found.values.push_back({text, count});
    std::ranges::sort(found.values, std::greater(),
                      [](const auto& value) { return std::pair(value.count, value.text); });
    if (found.values.size() > most_values) found.values.resize(most_values);
    return found;
  }

 private:
  PastReader reader_;
  const Rule& rule_;
  storage::EventPage page_;
  json::monotonic_resource arena_;
  std::vector<PastChange> changes_;
  std::vector<std::vector<bool>> held_;
};

/// The part of the events for which a comparison fails; zero without events.
double failing_part(const Sample& sample, std::size_t comparison) {
  if (sample.size() == 0) return 0;
  return static_cast<double>(sample.failures_of(comparison)) / static_cast<double>(sample.size());
}

/// The comparison that fails more often than before, by the largest part.
std::optional<std::size_t> most_failing(const Sample& before, const Sample& now, std::size_t comparisons) {
  std::optional<std::size_t> found;
  double most = 0;
  for (std::size_t i = 0; i < comparisons; ++i) {
    const double more = failing_part(now, i) - failing_part(before, i);
    if (more > most) {
      most = more;
      found = i;
    }
  }
  return found;
}

}  // namespace

std::string shown_value(const json::value& value) {
  std::string text = to_json(value);
  if (text.size() <= longest_value) return text;
  const std::string_view cut = std::string_view(text).substr(0, longest_value);
  return std::string(cut.substr(0, valid_utf8_prefix(cut))) + "…";
}

std::optional<FailingCondition> failing_condition(storage::Session& session, const Rule& rule,
                                                  const Guid& business, Time since, Time until,
                                                  Deadline deadline) {
  const auto comparisons = rule.conditions.comparisons();
  if (comparisons.empty()) return std::nullopt;
  const domain::EntityType type = rule.entity_type();
  Sample now(session, rule, {.business_id = business, .entity_type = type, .from = since, .to = until});
  if (now.size() == 0 || is_past(deadline)) return std::nullopt;
  Sample before(session, rule,
                {.business_id = business, .entity_type = type, .from = since - look_back, .to = since});
  if (!now.evaluate(deadline) || !before.evaluate(deadline)) return std::nullopt;
  const auto most = most_failing(before, now, comparisons.size());
  if (!most) return std::nullopt;
  const auto& comparison = comparisons[*most];
  return FailingCondition{.path = comparison.path,
                          .op = comparison.op,
                          .expected = shown_value(comparison.expected),
                          .failed = now.failures_of(*most),
                          .evaluated = static_cast<std::int64_t>(now.size()),
                          .before = before.values(*most, true, deadline),
                          .now = now.values(*most, false, deadline)};
}

}  // namespace waybill::matching
