#include "matching/backtest.hpp"

#include <algorithm>

#include "matching/past.hpp"

namespace waybill::matching {
namespace {

constexpr std::size_t page_size = 1000;

void count(const PastChange& match, Backtest& result) {
  const storage::StoredEvent& event = *match.event;
  ++result.matches;
  ++result.per_day[format_timestamp(event.at).substr(0, 10)];
  const auto newer = [](const Backtest::Match& a, const Backtest::Match& b) {
    return a.event_id > b.event_id;
  };
  const Backtest::Match entry{event.entity_id, event.id, event.at};
  result.sample.insert(std::ranges::upper_bound(result.sample, entry, newer), entry);
  if (result.sample.size() > backtest_sample) result.sample.pop_back();
}

}  // namespace

Backtest backtest(storage::Session& session, const Rule& rule, const storage::PastEvents::Range& range,
                  std::chrono::steady_clock::time_point deadline) {
  PastReader reader(session);
  Backtest result;
  std::vector<storage::StoredEvent> events = reader.events().page(range, nullptr, page_size);
  while (!events.empty()) {
    json::monotonic_resource arena;
    std::vector<PastChange> changes = reader.changes(events, &arena);
    std::vector<PastChange*> matches;
    for (PastChange& change : changes) {
      if (!rule.fires(change.fired)) continue;
      if (rule.conditions.reads_relatives() || rule.conditions.evaluate(change.subject()))
        matches.push_back(&change);
    }
    if (rule.conditions.reads_relatives()) {
      reader.fill_relatives(matches);
      std::erase_if(matches,
                    [&](const PastChange* change) { return !rule.conditions.evaluate(change->subject()); });
    }
    result.events += events.size();
    for (const PastChange* match : matches) count(*match, result);
    if (events.size() < page_size) break;
    if (std::chrono::steady_clock::now() > deadline) {
      result.complete = false;
      break;
    }
    const storage::StoredEvent last = std::move(events.back());
    events = reader.events().page(range, &last, page_size);
  }
  return result;
}

}  // namespace waybill::matching
