#include "domain/silence/silence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include <boost/math/special_functions/beta.hpp>

namespace waybill::domain {
namespace {

constexpr std::size_t hours_of_day = 24;
constexpr std::size_t hours_of_week = 7 * hours_of_day;
constexpr std::size_t most_weeks = 8;
constexpr std::size_t least_learned = 14 * hours_of_day;
constexpr std::int64_t least_count = 20;
constexpr double least_per_day = 1;
constexpr double improbable = 1e-4;
constexpr double few_per_day = 40;     // with more a day, a silence must be less probable
constexpr double most_part = 0.65;     // of the expected count; with more, nothing is silent
constexpr double times_looked_at = 2;  // as many chances have times with a count, of which there are many
constexpr double least_hours = 1;      // a shorter time never counts
constexpr double least_hours_scheduled = 26;  // a tick may be an hour off after a change to summer time
constexpr std::size_t most_days = 21;
constexpr double longest_hours = most_days * hours_of_day;
// With fewer usual events, their number does not tell how active a business is.
constexpr double least_events = 10;
constexpr double added_events = 9;     // less than -log(improbable)
constexpr double stopped = 0.5;        // the nearest events stop if they fall below this part of the others
constexpr double most_activity = 1.5;  // more events than this part of the usual ones raise nothing further
constexpr double burst = 2;            // an hour with this many times the count of its neighbours
// The latest counts are as expected if they are this part of so many expected ones.
constexpr double usual_expected = 8;
constexpr double usual_part = 0.9;
constexpr double most_hours_until_look = 6;
constexpr std::int64_t many_per_day = 200;

/// Sums over some hours, and over the same hours of earlier weeks.
struct PartSums {
  double before = 0;                     // counts of the weeks
  double events = 0, events_before = 0;  // the nearest ones
  double others = 0, others_before = 0;

  PartSums& operator+=(const PartSums& more) {
    before += more.before;
    events += more.events;
    events_before += more.events_before;
    others += more.others;
    others_before += more.others_before;
    return *this;
  }
};

/// Sums over the hours of a time.
struct Sums {
  double hours = 0;
  double count = 0;
  PartSums all;
  PartSums day;                 // the earliest day so far
  double expected_of_days = 0;  // of the later days
};

class Judge {
 public:
  explicit Judge(const CountHistory& history)
      : history_(history),
        size_(history.counts.size()),
        learned_(std::min(history.learned, size_)),
        is_near_(tells_demand(history.events)),
        total_(std::accumulate(history.counts.end() - static_cast<std::ptrdiff_t>(learned_),
                               history.counts.end(), std::int64_t{0})),
        per_day_(static_cast<double>(total_ * hours_of_day) / static_cast<double>(learned_)) {}

  bool can_judge() const {
    return learned_ >= least_learned && total_ >= least_count && per_day_ >= least_per_day;
  }

  ExpectedCount last_day() const {
    Sums sums;
    const Weeks weeks = weeks_of(hours_of_day + 1);
    for (std::size_t back = 0; back <= hours_of_day; ++back) add(back, part_of(back), weeks, sums);
    return range(sums, weeks, spread(1));
  }

  /// The least probable time, and true if the latest counts are as many as expected.
  std::pair<std::optional<Silence>, bool> silence() const {
    std::optional<Found> found;
    if (history_.since_last) found = quiet(std::min(*history_.since_last, history_.active));
    // Longer and longer times until now, as far back as the counts were fewer than expected.
    Sums sums;
    Weeks weeks = weeks_of(1);
    for (std::size_t back = 0; back < learned_; ++back) {
      if (const Weeks next = weeks_of(back + 1); next.first != weeks.first || next.last != weeks.last) {
        weeks = next;
        sums = {};
        for (std::size_t i = 0; i < back; ++i) add(i, part_of(i), weeks, sums);
      }
      if (weeks.count() == 0) break;
      add(back, part_of(back), weeks, sums);
      const double expected = expected_of(sums, weeks);
      if (sums.hours > std::min(longest_hours, history_.active)) break;
      if (expected >= usual_expected && sums.count >= usual_part * expected) return {shown(found), !found};
      const auto chance = this->chance(sums, weeks);
      if (chance && (!found || *chance < found->chance)) found = {sums, weeks, *chance};
    }
    return {shown(found), false};
  }

 private:
  /// The weeks before that a time is compared with: those that it does not reach into and that are learned.
  struct Weeks {
    std::size_t first = 1, last = 0;
    double count() const { return last < first ? 0 : static_cast<double>(last - first + 1); }
  };

  /// A time that is a silence.
  struct Found {
    Sums sums;
    Weeks weeks;
    double chance;
  };

  Weeks weeks_of(std::size_t hours) const {
    return {.first = (hours + hours_of_week - 1) / hours_of_week,
            .last = std::min(most_weeks, learned_ < hours ? 0 : (learned_ - hours) / hours_of_week)};
  }

  double part_of(std::size_t back) const { return back == 0 ? history_.present : 1; }

  double at(const std::vector<std::int64_t>& list, std::size_t back) const {
    return back < list.size() ? static_cast<double>(list[list.size() - 1 - back]) : 0;
  }

  bool is_closed(std::size_t back) const {
    return back < history_.closed.size() && history_.closed[history_.closed.size() - 1 - back];
  }

  bool is_last_of_day(std::size_t back) const {
    return (history_.hour_of_day + size_ * hours_of_day - back) % hours_of_day == hours_of_day - 1;
  }

  /// The sum of an hour of the weeks before.
  double before(const std::vector<std::int64_t>& list, std::size_t back, const Weeks& weeks) const {
    double count = 0;
    for (std::size_t week = weeks.first; week <= weeks.last; ++week)
      count += at(list, back + week * hours_of_week);
    return count;
  }

  /// The counts of an hour of the weeks before of which only a part counts. A burst can be in any part of its
  /// hour, so it counts as its two neighbours do.
  double evenly(std::size_t back, const Weeks& weeks) const {
    const auto& counts = history_.counts;
    const double most = std::max(before(counts, back + 1, weeks), before(counts, back - 1, weeks));
    const double own = before(counts, back, weeks);
    return own > burst * most ? most : own;
  }

  /// Adds the last `part` of an hour, of which all counts belong to the time.
  void add(std::size_t back, double part, const Weeks& weeks, Sums& sums) const {
    if (is_last_of_day(back)) end_day(weeks, sums);
    sums.hours += part;
    if (is_closed(back)) return;
    sums.count += at(history_.counts, back);
    const double part_now = back == 0 ? 1 : part;  // the present hour has only those of its part
    const PartSums sums_of_hour{
        .before = part < 1 ? part * evenly(back, weeks) : before(history_.counts, back, weeks),
        .events = part_now * at(history_.events, back),
        .events_before = part * before(history_.events, back, weeks),
        .others = part_now * at(history_.other_events, back),
        .others_before = part * before(history_.other_events, back, weeks)};
    sums.all += sums_of_hour;
    sums.day += sums_of_hour;
  }

  /// Sums a day up, because a business has more to do on one day than on another. A day with too few events
  /// continues with the day before it.
  void end_day(const Weeks& weeks, Sums& sums) const {
    const double events = sums.day.events_before + sums.day.others_before;
    if (weeks.count() == 0 || events < least_events * weeks.count()) return;
    sums.expected_of_days += activity(sums.day, weeks) * sums.day.before / weeks.count();
    sums.day = {};
  }

  /// The events as a part of the usual ones. It is above 1 only if the nearest and the other events both are
  /// more than usual, because a change of many records at once is not demand.
  double activity(const PartSums& sums, const Weeks& weeks) const {
    if (history_.events.empty()) return 1;
    const double expected = sums.before / weeks.count();
    const double least = least_events * weeks.count();
    if (sums.events_before < least)
      return std::min(1.0, part(sums.events + sums.others,
                                (sums.events_before + sums.others_before) / weeks.count(), expected));
    const double own = part(sums.events, sums.events_before / weeks.count(), expected);
    if (sums.others_before < least) return std::min(1.0, own);
    const double others = part(sums.others, sums.others_before / weeks.count(), expected);
    if (own < stopped * std::min(1.0, others)) return std::min(1.0, others);
    return own <= 1 ? own : std::clamp(others, 1.0, std::min(own, most_activity));
  }

  /// Events as a part of the usual ones, which few events tell with a large error. So some events that are as
  /// many as usual are added to both. They are so few that without any event, not more is expected than what
  /// can be missing by chance.
  static double part(double now, double usual, double expected) {
    if (usual <= 0) return 0;
    const double added = added_events * (expected > usual ? usual / expected : 1);
    return (now + added) / (usual + added);
  }

  /// The count that is expected on its days, each with its demand; not more than with the demand in all.
  double expected_of(const Sums& sums, const Weeks& weeks) const {
    if (weeks.count() == 0) return 0;
    const auto expected = [&](const PartSums& part) {
      return activity(part, weeks) * part.before / weeks.count();
    };
    return std::min(sums.expected_of_days + expected(sums.day), expected(sums.all));
  }

  /// The probability of a time that is a silence; nullopt for another time.
  std::optional<double> chance(const Sums& sums, const Weeks& weeks) const {
    if (sums.hours < (history_.is_scheduled ? least_hours_scheduled : least_hours)) return std::nullopt;
    const double expected = expected_of(sums, weeks);
    // With fewer expected counts, even none is not improbable.
    if (expected < -std::log(improbable) || sums.count > most_part * expected) return std::nullopt;
    const double tests =
        std::sqrt(std::max(1.0, per_day_ / few_per_day)) * (sums.count > 0 ? times_looked_at : 1);
    const double found = probability(sums, weeks);
    return found < improbable / tests ? std::optional(found) : std::nullopt;
  }

  /// The probability of at most so many: the counts of the weeks tell the rate, with an error of its own (a
  /// negative binomial distribution). More than random spread makes the numbers count for less.
  double probability(const Sums& sums, const Weeks& weeks) const {
    const double expected = expected_of(sums, weeks);
    if (expected <= 0) return 1;
    const double spread = std::max(this->spread(sums.hours / hours_of_day), spread_of_weeks(sums, weeks));
    return boost::math::ibeta((sums.all.before + 0.5) / spread, sums.count / spread + 1,
                              sums.all.before / (sums.all.before + expected));
  }

  /// The events that tell how active the business was in an hour.
  double reference(std::size_t back) const {
    if (history_.events.empty()) return 1;
    return at(history_.events, back) + (is_near_ ? 0 : at(history_.other_events, back));
  }

  /// The variance of the daily firings divided by their mean, given the events of each day. The days that the
  /// time itself may concern are left out, and so is the tenth of the days with the largest errors: these are
  /// faults of the past. 1 if chance explains the spread.
  double spread(double days_of_time) const {
    const auto first = static_cast<std::size_t>(std::ceil(days_of_time)) + 1;
    double& known = spreads_.at(first);
    if (known == 0) known = spread_from(first);
    return known;
  }

  double spread_from(std::size_t first) const {
    constexpr double random = 1.5;       // chance explains less
    constexpr double kept_part = 0.623;  // the mean of the squares of normal errors below their 90 % quantile
    const std::size_t days = learned_ / hours_of_day;
    std::vector<double> counts(days), activities(days);
    for (std::size_t day = first; day < days; ++day) {
      for (std::size_t hour = 0; hour < hours_of_day; ++hour) {
        const std::size_t back = day * hours_of_day + hour;
        counts[day] += at(history_.counts, back);
        activities[day] += reference(back);
      }
    }
    std::vector<double> errors;
    std::size_t weekdays = 0;
    for (std::size_t weekday = 0; weekday < 7; ++weekday) {
      double count = 0, events = 0, weeks = 0;
      for (std::size_t day = weekday; day < days; day += 7) {
        if (day < first) continue;
        count += counts[day];
        events += activities[day];
        ++weeks;
      }
      if (weeks < 2 || events == 0) continue;
      ++weekdays;
      for (std::size_t day = weekday; day < days; day += 7) {
        if (day < first) continue;
        const double usual = std::max(0.5, count * activities[day] / events);
        errors.push_back((counts[day] - usual) * (counts[day] - usual) / usual);
      }
    }
    if (errors.size() <= weekdays) return 1;
    std::ranges::sort(errors);
    const double free = static_cast<double>(errors.size() - weekdays) / static_cast<double>(errors.size());
    errors.resize(errors.size() - errors.size() / 10);
    const double mean =
        std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
    const double found = mean / kept_part / free;
    return found < random ? 1 : found;
  }

  /// The same of the weeks' firings in the hours of a time, for a workflow that fires in bursts at changing
  /// times. Few weeks spread much by chance, so only a large spread counts.
  double spread_of_weeks(const Sums& sums, const Weeks& weeks) const {
    constexpr double random = 4;
    if (weeks.count() < 3) return 1;
    const auto hours = static_cast<std::size_t>(std::ceil(sums.hours));
    std::array<double, most_weeks + 1> counts{}, events{};
    double all = 0, all_events = 0;
    for (std::size_t week = weeks.first; week <= weeks.last; ++week) {
      for (std::size_t back = 0; back < hours; ++back) {
        counts.at(week) += at(history_.counts, back + week * hours_of_week);
        events.at(week) += reference(back + week * hours_of_week);
      }
      all += counts.at(week);
      all_events += events.at(week);
    }
    if (all_events == 0) return 1;
    double errors = 0;
    for (std::size_t week = weeks.first; week <= weeks.last; ++week) {
      const double usual = std::max(0.5, all * events.at(week) / all_events);
      errors += (counts.at(week) - usual) * (counts.at(week) - usual) / usual;
    }
    const double found = errors / (weeks.count() - 1);
    return found < random ? 1 : found;
  }

  /// The time since the last firing, if it is a silence.
  std::optional<Found> quiet(double hours) const {
    if (hours < history_.present || hours > longest_hours) return std::nullopt;
    const double before = hours - history_.present;  // in the hours before the present one
    const auto whole = static_cast<std::size_t>(before);
    const Weeks weeks = weeks_of(whole + 2);
    if (weeks.count() == 0 || whole + 2 > learned_) return std::nullopt;
    Sums sums;
    for (std::size_t back = 0; back <= whole; ++back) add(back, part_of(back), weeks, sums);
    add(whole + 1, before - static_cast<double>(whole), weeks, sums);
    sums.count = 0;
    const auto chance = this->chance(sums, weeks);
    return chance ? std::optional(Found{sums, weeks, *chance}) : std::nullopt;
  }

  ExpectedCount range(const Sums& sums, const Weeks& weeks, double spread) const {
    if (weeks.count() == 0 || sums.all.before == 0) return {};
    constexpr double errors_of_95_percent = 1.96;
    const double expected = expected_of(sums, weeks);
    const double error = std::sqrt(spread * expected * (1 + expected / sums.all.before));
    return {
        .from = std::max<std::int64_t>(0, std::llround(std::ceil(expected - errors_of_95_percent * error))),
        .to = std::llround(std::floor(expected + errors_of_95_percent * error))};
  }

  std::optional<Silence> shown(const std::optional<Found>& found) const {
    if (!found) return std::nullopt;
    const Sums& sums = found->sums;
    Silence silence{.hours = sums.hours,
                    .count = std::llround(sums.count),
                    .expected = range(sums, found->weeks, spread(sums.hours / hours_of_day)),
                    .events = events_of_time(sums.hours, 0),
                    .expected_events = {.from = std::numeric_limits<std::int64_t>::max()}};
    for (std::size_t week = found->weeks.first; week <= found->weeks.last; ++week) {
      const std::int64_t events = events_of_time(sums.hours, week);
      silence.expected_events.from = std::min(silence.expected_events.from, events);
      silence.expected_events.to = std::max(silence.expected_events.to, events);
    }
    return silence;
  }

  /// The nearest events of a time that ends now, or some weeks ago.
  std::int64_t events_of_time(double hours, std::size_t weeks) const {
    const auto back = static_cast<std::size_t>(std::ceil(hours));
    double events = 0;
    for (std::size_t i = 0; i < back; ++i) events += at(history_.events, weeks * hours_of_week + i);
    return std::llround(events);
  }

  const CountHistory& history_;
  const std::size_t size_;
  const std::size_t learned_;
  const bool is_near_;        // the nearest events are enough
  const std::int64_t total_;  // since the counts mean the same
  const double per_day_;
  mutable std::array<double, most_days + 3> spreads_{};  // by the first day; 0: not known yet
};

/// The most events of an hour of the wall clock in the weeks before.
std::int64_t usual_events(const std::vector<std::int64_t>& events, std::size_t hour) {
  std::int64_t most = 0;
  for (std::size_t week = 1; week <= most_weeks && week * hours_of_week <= hour; ++week)
    most = std::max(most, events[hour - week * hours_of_week]);
  return most;
}

/// A history whose present hour ends with the usual events and without a further count.
CountHistory at_end_of_hour(const CountHistory& history) {
  CountHistory later = history;
  if (later.since_last) *later.since_last += 1 - later.present;
  later.active += 1 - later.present;
  later.present = 1;
  for (auto* const events : {&later.events, &later.other_events})
    if (!events->empty())
      events->back() = std::max(events->back(), usual_events(*events, events->size() - 1));
  return later;
}

/// Adds an hour with the usual events and without a count.
void add_hour(CountHistory& history) {
  for (auto* const events : {&history.events, &history.other_events})
    if (!events->empty()) events->push_back(usual_events(*events, events->size()));
  history.counts.push_back(0);
  if (!history.closed.empty()) history.closed.push_back(false);
  history.hour_of_day = (history.hour_of_day + 1) % hours_of_day;
  if (history.since_last) ++*history.since_last;
  ++history.active;
  ++history.learned;
}

/// The hours in which the workflow cannot become silent, because it would not even without a firing.
double next_look(const CountHistory& history) {
  CountHistory later = at_end_of_hour(history);
  if (Judge(later).silence().first) return 0;
  double over = 1 - history.present;
  while (over < most_hours_until_look) {
    add_hour(later);
    if (Judge(later).silence().first) break;
    ++over;
  }
  return std::min(over, most_hours_until_look);
}

}  // namespace

bool tells_demand(std::span<const std::int64_t> events) {
  return std::accumulate(events.begin(), events.end(), std::int64_t{0}) >=
         static_cast<std::int64_t>(least_events) * static_cast<std::int64_t>(events.size() / hours_of_day);
}

SilenceJudgement judge_silence(const CountHistory& history) {
  SilenceJudgement judgement;
  const Judge judge(history);
  if (history.counts.empty() || !judge.can_judge()) return judgement;
  judgement.last_day = judge.last_day();
  std::tie(judgement.silence, judgement.is_usual) = judge.silence();
  judgement.next_look = next_look(history);
  // A part of many firings that is missing shows in an hour.
  if (judgement.last_day->to >= many_per_day) judgement.next_look = std::min(judgement.next_look, 1.0);
  return judgement;
}

}  // namespace waybill::domain
