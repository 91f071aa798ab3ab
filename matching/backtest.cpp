#include "matching/backtest.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "domain/time/working_days.hpp"
#include "matching/due_times.hpp"
#include "matching/past.hpp"
#include "matching/schedule_backtest.hpp"

namespace waybill::matching {
namespace {

constexpr storage::PageLimits page_limits{.events = 1000};

bool is_late(std::chrono::steady_clock::time_point deadline) {
  return std::chrono::steady_clock::now() > deadline;
}

bool is_newer(const Backtest::Match& a, const Backtest::Match& b) {
  return std::tie(a.at, a.event_id) > std::tie(b.at, b.event_id);
}

/// Counts how often the comparisons of a rule hold.
class ConditionTally {
 public:
  ConditionTally(const Rule& rule, BacktestWanted wanted, Backtest& result)
      : rule_(rule), is_wanted_(wanted.conditions), counts_(result.conditions) {
    if (!is_wanted_) return;
    for (domain::ConditionResult& each : rule.conditions.comparisons())
      counts_.push_back({std::move(each.path), std::move(each.op), std::move(each.expected)});
  }

  /// The comparisons that hold for a record; empty if they are not wanted.
  std::vector<bool> held(const domain::Subject& subject) const {
    if (!is_wanted_) return {};
    WorkBudget budget(domain::max_condition_work);
    return rule_.conditions.held(subject, budget);
  }

  void add(const std::vector<bool>& held) {
    for (std::size_t i = 0; i < held.size(); ++i) {
      ++counts_[i].evaluated;
      if (held[i]) ++counts_[i].held;
    }
  }

 private:
  const Rule& rule_;
  const bool is_wanted_;
  std::vector<Backtest::ConditionCount>& counts_;
};

void count(const Backtest::Match& entry, BacktestWanted wanted, Backtest& result) {
  ++result.matches;
  if (wanted.all) result.all.push_back(entry);
  ++result.per_day[format_timestamp(entry.at).substr(0, 10)];
  result.sample.insert(std::ranges::upper_bound(result.sample, entry, is_newer), entry);
  if (result.sample.size() > backtest_sample) result.sample.pop_back();
}

/// Counts the digests of the events that match.
class DigestHistory {
 public:
  explicit DigestHistory(const domain::Digest& digest) : digest_(digest) {}

  void add(const PastChange& change) {
    const storage::StoredEvent& event = *change.event;
    const std::string value = to_json(digest_.value_of(change.change.entity));
    events_.push_back(
        {.match = {.entity_id = event.entity_id, .event_id = event.id, .at = event.at},
         .value = domain::digest_value_key(value),
         .value_bytes = value.size(),
         .bytes = to_json(change.change.entity).size() + to_json(change.change.previous).size()});
  }

  /// Adds the digests to a result. Events are collected in the order of their ids.
  void finish(BacktestWanted wanted, Backtest& result) {
    std::ranges::sort(events_, {}, [](const Event& event) { return event.match.event_id; });
    std::unordered_map<Guid, domain::DigestExtent> open;
    for (const Event& event : events_) {
      const auto [found, is_new] = open.try_emplace(event.value);
      domain::DigestExtent& extent = found->second;
      if (is_new || !extent.takes(event.match.at, event.bytes)) {
        extent = domain::DigestExtent::begun(event.match.at, event.value_bytes);
        count(event.match, {}, result);
      }
      extent.add(digest_.terms, event.match.at, event.bytes);
      if (wanted.all) result.all.push_back(event.match);
    }
  }

 private:
  struct Event {
    Backtest::Match match;
    Guid value;  // a hash
    std::size_t value_bytes;
    std::size_t bytes;  // of the item, nearly
  };

  const domain::Digest& digest_;
  std::vector<Event> events_;
};

/// Releases a page that is not empty and reads the next.
storage::EventPage next_page(PastReader& reader, const storage::PastEvents::Range& range,
                             storage::EventPage& page) {
  const storage::StoredEvent last = std::move(page.events.back());
  page = {};
  return reader.events().page(range, &last, page_limits);
}

/// Follows the timer of one record after another through their events.
class TimerHistory {
 public:
  TimerHistory(const Rule& rule, const storage::PastEvents::Range& range, DueTimes& times,
               BacktestWanted wanted, Backtest& result)
      : rule_(rule),
        timer_(rule.triggers.timer.value()),
        range_(range),
        times_(times),
        wanted_(wanted),
        result_(result),
        tally_(rule, wanted, result) {}

  /// Adds the next event of the record, or the first of the next record.
  void add(const PastChange& change, PastReader& reader) {
    const storage::StoredEvent& event = *change.event;
    if (event.entity_id != record_) {
      end_record();
      record_ = event.entity_id;
      if (event.before) see(reader.entity_before(event), Time::min(), event.id);
    }
    fire_until(event.at);
    if (change.change.deleted || change.change.erased) {
      due_.reset();
    } else {
      see(change.change.entity, event.at, event.id);
    }
  }

  /// Ends the record of the last event.
  void end_record() {
    fire_until(range_.to);
    due_.reset();
    value_.reset();
    fired_.clear();
  }

 private:
  /// Applies the state that the record has had since `since`.
  void see(const json::object& entity, Time since, std::uint64_t event) {
    const auto value = timer_.value(entity);
    if (value != value_) {
      due_ = value ? times_.of(timer_, *value) : std::nullopt;
      if (due_ && *due_ <= since) due_.reset();
      value_ = value;
    }
    const json::object no_previous;
    const domain::Verdict verdict = rule_.conditions.judge({entity, no_previous, false});
    holds_ = verdict == domain::Verdict::hold;
    held_ = tally_.held({entity, no_previous, false});
    if (verdict == domain::Verdict::too_much_work && since >= range_.from) ++result_.too_much_work;
    event_ = event;
  }

  /// Counts the timer if it came due by `end` with its conditions met.
  void fire_until(Time end) {
    if (!due_ || *due_ > end) return;
    const bool is_first = std::ranges::find(fired_, *value_) == fired_.end();
    const bool is_in_range = is_first && *due_ >= range_.from && *due_ < range_.to;
    if (is_in_range) tally_.add(held_);
    if (holds_ && is_in_range) {
      count({.entity_id = record_, .event_id = event_, .at = *due_}, wanted_, result_);
      fired_.push_back(*value_);
    }
    due_.reset();
  }

  const Rule& rule_;
  const domain::Timer& timer_;
  const storage::PastEvents::Range& range_;
  DueTimes& times_;
  const BacktestWanted wanted_;
  Backtest& result_;
  ConditionTally tally_;
  Guid record_;
  std::optional<Time> value_, due_;
  std::vector<Time> fired_;  // values
  bool holds_ = false;
  std::vector<bool> held_;  // comparisons that hold
  std::uint64_t event_ = 0;
};

/// The length of the time before a period whose events can determine the timers in the period.
Duration look_back(const domain::Timer& timer) {
  const bool follows_events = timer.field->has_role(domain::ColumnRole::bookkeeping);
  if (!follows_events) return std::chrono::days(30);
  if (timer.working_days() > 0) return domain::farthest_working_day + std::chrono::days(1);
  return std::max(timer.offset, Duration::zero());
}

Backtest backtest_timer(storage::Session& session, const Rule& rule, const storage::PastEvents::Range& range,
                        std::chrono::steady_clock::time_point deadline, BacktestWanted wanted) {
  PastReader reader(session);
  Backtest result;
  const domain::Timer& timer = rule.triggers.timer.value();
  DueTimes times(session, range.business_id);
  TimerHistory history(rule, range, times, wanted, result);
  storage::PastEvents::Range read = range;
  read.from -= look_back(timer);
  storage::EventPage page = reader.events().page(read, nullptr, page_limits);
  while (!page.events.empty()) {
    json::monotonic_resource arena;
    std::vector<PastChange> changes = reader.changes(page.events, &arena);
    std::vector<PastChange*> all;
    all.reserve(changes.size());
    for (PastChange& change : changes) all.push_back(&change);
    if (rule.conditions.reads_relatives()) reader.fill_relatives(all);
    std::vector<Time> values;
    for (const PastChange& change : changes) {
      if (const auto value = timer.value(change.change.entity)) values.push_back(*value);
    }
    times.read(timer, values);
    for (const PastChange& change : changes) {
      history.add(change, reader);
      result.complete = result.complete && !is_late(deadline);
      if (!result.complete) return result;
    }
    result.events += static_cast<std::uint64_t>(
        std::ranges::count_if(page.events, [&](const auto& event) { return event.at >= range.from; }));
    if (!page.has_more) break;
    if (!result.complete || is_late(deadline)) {
      result.complete = false;
      break;
    }
    page = next_page(reader, read, page);
  }
  history.end_record();
  return result;
}

}  // namespace

BacktestDifference compare(const Backtest& first, const Backtest& second) {
  const auto key = [](const Backtest::Match& match) {
    return std::tie(match.entity_id, match.event_id, match.at);
  };
  const auto by_key = [&](const Backtest::Match* a, const Backtest::Match* b) { return key(*a) < key(*b); };
  const auto sorted = [&](const Backtest& of) {
    std::vector<const Backtest::Match*> matches;
    matches.reserve(of.all.size());
    for (const Backtest::Match& match : of.all) matches.push_back(&match);
    std::ranges::sort(matches, by_key);
    return matches;
  };
  const auto firsts = sorted(first), seconds = sorted(second);
  BacktestDifference difference;
  const auto add = [&](const auto& of, const auto& other, bool of_first, std::uint64_t& count) {
    for (const Backtest::Match* const match : of) {
      if (std::ranges::binary_search(other, match, by_key)) continue;
      ++count;
      const auto newer = [](const auto& a, const auto& b) { return is_newer(a.match, b.match); };
      const BacktestDifference::Only only{*match, of_first};
      difference.sample.insert(std::ranges::upper_bound(difference.sample, only, newer), only);
      if (difference.sample.size() > backtest_sample) difference.sample.pop_back();
    }
  };
  add(firsts, seconds, true, difference.only_first);
  add(seconds, firsts, false, difference.only_second);
  return difference;
}

Backtest backtest(storage::Session& session, const Rule& rule, const storage::PastEvents::Range& range,
                  std::chrono::steady_clock::time_point deadline, BacktestWanted wanted) {
  if (rule.triggers.schedule) return backtest_schedule(session, rule, range, deadline);
  if (rule.triggers.timer) return backtest_timer(session, rule, range, deadline, wanted);
  PastReader reader(session);
  Backtest result;
  ConditionTally tally(rule, wanted, result);
  std::optional<DigestHistory> digests;
  if (rule.triggers.digest) digests.emplace(*rule.triggers.digest);
  const auto meets = [&](const PastChange& change) {
    result.complete = result.complete && !is_late(deadline);
    if (!result.complete) return false;
    const domain::Verdict verdict = rule.conditions.judge(change.subject());
    tally.add(tally.held(change.subject()));
    if (verdict == domain::Verdict::too_much_work) ++result.too_much_work;
    return verdict == domain::Verdict::hold;
  };
  storage::EventPage page = reader.events().page(range, nullptr, page_limits);
  while (!page.events.empty()) {
    json::monotonic_resource arena;
    std::vector<PastChange> changes = reader.changes(page.events, &arena);
    std::vector<PastChange*> matches;
    for (PastChange& change : changes) {
      if (!rule.fires(change.fired)) continue;
      if (rule.conditions.reads_relatives() || meets(change)) matches.push_back(&change);
    }
    if (rule.conditions.reads_relatives() || digests) reader.fill_relatives(matches);
    if (rule.conditions.reads_relatives()) {
      std::erase_if(matches, [&](const PastChange* change) { return !meets(*change); });
    }
    result.events += page.events.size();
    for (const PastChange* match : matches) {
      if (digests) {
        digests->add(*match);
      } else {
        count({match->event->entity_id, match->event->id, match->event->at}, wanted, result);
      }
    }
    if (!page.has_more) break;
    if (!result.complete || is_late(deadline)) {
      result.complete = false;
      break;
    }
    page = next_page(reader, range, page);
  }
  if (digests) digests->finish(wanted, result);
  return result;
}

}  // namespace waybill::matching
