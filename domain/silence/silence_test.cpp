#include "domain/silence/silence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

constexpr std::size_t slots_of_hour = 6;  // a slot has 10 minutes, the least time between two looks
constexpr std::size_t hours_of_week = std::size_t{7} * 24;
constexpr std::size_t weeks = 12;
constexpr std::size_t first_judged = 8 * hours_of_week;  // hours; the last four weeks are judged
constexpr std::size_t hours = weeks * hours_of_week;
constexpr std::size_t slots = hours * slots_of_hour;
constexpr std::size_t slots_of_fault = std::size_t{5} * 24 * slots_of_hour;  // longer than a weekend

enum class Shape : std::uint8_t { steady, daytime, office, evenings, nightly, mondays };

/// The part of a day's mean that falls into an hour of the week.
double part_of(Shape shape, std::size_t hour_of_week) {
  const std::size_t hour = hour_of_week % 24, day = hour_of_week / 24;
  const auto bell = [&](double centre, double width) {
    const double distance = (static_cast<double>(hour) + 0.5 - centre) / width;
    return std::exp(-distance * distance / 2) / (width * std::sqrt(2 * std::numbers::pi));
  };
  switch (shape) {
    case Shape::steady:
      return 1.0 / 24;
    case Shape::daytime:
      return 0.1 / 24 + 0.9 * bell(14, 4);
    case Shape::office:
      return day < 5 && hour >= 8 && hour < 18 ? 1.4 / 10 : 0;
    case Shape::evenings:
      return (day >= 5 ? 1.75 : 0.7) * (hour >= 17 && hour < 23 ? 1.0 / 6 : 0);
    case Shape::nightly:
      return hour == 3 ? 1 : 0;
    case Shape::mondays:
      return day == 0 && hour >= 7 && hour < 12 ? 7.0 / 5 : 0;
  }
  return 0;
}

struct MadeUpWorkflow {
  std::size_t business;
  std::size_t type;  // of records
  Shape shape;
  double per_day;
};

/// Three small, two medium and one large business, with five workflows each.
const std::vector<MadeUpWorkflow>& workflows() {
  static const std::vector<MadeUpWorkflow> list{
      {0, 0, Shape::daytime, 40},   {0, 0, Shape::daytime, 15},   {0, 1, Shape::office, 45},
      {0, 1, Shape::daytime, 5},    {0, 2, Shape::steady, 1.5},   {1, 0, Shape::daytime, 60},
      {1, 0, Shape::evenings, 50},  {1, 1, Shape::office, 42},    {1, 1, Shape::mondays, 12},
      {1, 2, Shape::daytime, 0.5},  {2, 0, Shape::steady, 48},    {2, 0, Shape::daytime, 8},
      {2, 1, Shape::office, 70},    {2, 1, Shape::steady, 3},     {2, 3, Shape::nightly, 40},
      {3, 0, Shape::daytime, 420},  {3, 0, Shape::daytime, 90},   {3, 1, Shape::office, 410},
      {3, 1, Shape::daytime, 150},  {3, 3, Shape::nightly, 300},  {4, 0, Shape::steady, 500},
      {4, 0, Shape::evenings, 120}, {4, 1, Shape::daytime, 600},  {4, 2, Shape::daytime, 30},
      {4, 1, Shape::office, 55},    {5, 0, Shape::daytime, 3000}, {5, 0, Shape::steady, 800},
      {5, 1, Shape::office, 1500},  {5, 1, Shape::daytime, 450},  {5, 2, Shape::daytime, 200}};
  return list;
}
constexpr std::size_t businesses = 6;

/// A fault of a workflow that begins at a slot.
struct Fault {
  std::size_t workflow;
  std::size_t from;
  double remaining = 0;       // the part of the firings that still come
  bool import_stops = false;  // the orders of the business stop with them
};

/// Twelve weeks of traffic. The demand of a business differs from day to day, and grows.
class Traffic {
 public:
  Traffic(unsigned seed, std::vector<Fault> faults) : random_(seed), faults_(std::move(faults)) {
    for (auto& events : events_)
      for (auto& type : events) type.resize(hours);
    firings_.resize(workflows().size(), std::vector<std::int64_t>(slots));
    demand_.resize(businesses, std::vector<double>(hours / 24));
    std::normal_distribution<double> daily(0, 0.15);
    for (auto& demand : demand_)
      for (std::size_t day = 0; day < demand.size(); ++day)
        demand[day] = std::exp(daily(random_)) * (1 + 0.002 * static_cast<double>(day));
    for (std::size_t workflow = 0; workflow < workflows().size(); ++workflow) add_firings(workflow);
    for (std::size_t business = 0; business < businesses; ++business) add_other_events(business);
  }

  /// The firings that a workflow has in a slot on average, without a fault.
  double expected(std::size_t workflow, std::size_t slot) const {
    const MadeUpWorkflow& made = workflows()[workflow];
    const std::size_t hour = slot / slots_of_hour;
    if (made.shape == Shape::nightly)
      return part_of(made.shape, hour % hours_of_week) * made.per_day * (slot % slots_of_hour == 0 ? 1 : 0);
    return demand_[made.business][hour / 24] * part_of(made.shape, hour % hours_of_week) * made.per_day /
           slots_of_hour;
  }

  /// The history at the end of a slot.
  CountHistory history(std::size_t workflow, std::size_t slot) const {
    CountHistory history;
    const std::size_t hour = slot / slots_of_hour, first = hour + 1 - std::min(hour + 1, hours_of_history);
    history.present = static_cast<double>(slot % slots_of_hour + 1) / slots_of_hour;
    for (std::size_t h = first; h <= hour; ++h) {
      std::int64_t count = 0;
      for (std::size_t s = h * slots_of_hour; s <= std::min(slot, (h + 1) * slots_of_hour - 1); ++s)
        count += firings_[workflow][s];
      history.counts.push_back(count);
      std::int64_t own = 0, others = 0;
      for (std::size_t type = 0; type < 4; ++type)
        (type == workflows()[workflow].type ? own : others) +=
            events_[workflows()[workflow].business][type][h];
      const double part = h == hour ? history.present : 1;
      history.events.push_back(static_cast<std::int64_t>(static_cast<double>(own) * part));
      history.other_events.push_back(static_cast<std::int64_t>(static_cast<double>(others) * part));
    }
    for (std::size_t s = slot + 1; s-- > first * slots_of_hour;) {
      if (firings_[workflow][s] == 0) continue;
      history.since_last =
          (static_cast<double>(slot - s) + 1.0 / static_cast<double>(firings_[workflow][s] + 1)) /
          slots_of_hour;
      break;
    }
    history.hour_of_day = hour % 24;
    history.learned = hour + 1;
    history.active = static_cast<double>(hour);
    return history;
  }

 private:
  double remaining(std::size_t workflow, std::size_t slot) const {
    for (const Fault& fault : faults_) {
      const bool concerns = fault.workflow == workflow ||
                            (fault.import_stops && workflows()[workflow].type == 0 &&
                             workflows()[workflow].business == workflows()[fault.workflow].business);
      if (concerns && slot >= fault.from && slot < fault.from + slots_of_fault) return fault.remaining;
    }
    return 1;
  }

  std::int64_t draw(double mean) {
    return mean > 0 ? std::poisson_distribution<std::int64_t>(mean)(random_) : 0;
  }

  void add_firings(std::size_t workflow) {
    const MadeUpWorkflow& made = workflows()[workflow];
    for (std::size_t slot = 0; slot < slots; ++slot) {
      firings_[workflow][slot] = draw(expected(workflow, slot) * remaining(workflow, slot));
      // An order that no condition meets any more is an event all the same.
      bool stopped = false;
      for (const Fault& fault : faults_) stopped = stopped || fault.import_stops;
      const std::int64_t others = stopped && remaining(workflow, slot) < 1
                                      ? 0
                                      : draw(expected(workflow, slot) * (1 - remaining(workflow, slot)));
      events_[made.business][made.type][slot / slots_of_hour] += firings_[workflow][slot] + others;
    }
  }

  /// Events that concern no workflow: each type has some, and most have more than the firings.
  void add_other_events(std::size_t business) {
    const double per_day = business < 3 ? 150 : business < 5 ? 1'500 : 8'000;
    for (std::size_t hour = 0; hour < hours; ++hour) {
      for (std::size_t type = 0; type < 4; ++type) {
        double mean = per_day * (type < 2 ? 1 : 0.1) * demand_[business][hour / 24] *
                      part_of(Shape::daytime, hour % hours_of_week);
        for (const Fault& fault : faults_) {
          if (fault.import_stops && type == 0 && workflows()[fault.workflow].business == business &&
              hour >= fault.from / slots_of_hour && hour < (fault.from + slots_of_fault) / slots_of_hour)
            mean *= 0.2;
        }
        events_[business][type][hour] += draw(mean);
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<Fault> faults_;
  std::array<std::array<std::vector<std::int64_t>, 4>, businesses> events_;
  std::vector<std::vector<std::int64_t>> firings_;  // by workflow and slot
  std::vector<std::vector<double>> demand_;         // by business and day
};

/// The slots at which a workflow became silent in the judged weeks.
std::vector<std::size_t> alarms(const Traffic& traffic, std::size_t workflow, bool has_events = true) {
  std::vector<std::size_t> found;
  bool is_silent = false;
  std::size_t usual_at = 0;  // the end of the last silence
  double next = static_cast<double>(first_judged * slots_of_hour);
  for (std::size_t slot = first_judged * slots_of_hour; slot < slots; ++slot) {
    if (static_cast<double>(slot) < next) continue;
    CountHistory history = traffic.history(workflow, slot);
    if (!has_events) {
      history.events.clear();
      history.other_events.clear();
    }
    history.active = std::min(history.active, static_cast<double>(slot - usual_at) / slots_of_hour);
    const SilenceJudgement judgement = judge_silence(history);
    if (judgement.silence && !is_silent) found.push_back(slot);
    if (judgement.is_usual && is_silent) usual_at = slot;
    is_silent = judgement.silence || (is_silent && !judgement.is_usual);
    next = static_cast<double>(slot) + std::max(1.0, std::floor(judgement.next_look * slots_of_hour));
  }
  return found;
}

/// The end of the hour in which a quarter of the usual day's firings has not come.
std::size_t deadline(const Traffic& traffic, const Fault& fault) {
  const double allowed = workflows()[fault.workflow].per_day / 4;
  double missed = 0;
  std::size_t slot = fault.from;
  for (; slot < slots && missed < allowed; ++slot) missed += traffic.expected(fault.workflow, slot);
  return (slot / slots_of_hour + 1) * slots_of_hour;
}

/// 20 faults in different workflows, of at least 40 firings a day, and at least 400 for a halved rate.
std::vector<Fault> planted_faults(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> often, rather_often;
  for (std::size_t i = 0; i < workflows().size(); ++i) {
    if (workflows()[i].per_day >= 400)
      often.push_back(i);
    else if (workflows()[i].per_day >= 40)
      rather_often.push_back(i);
  }
  std::ranges::shuffle(often, random);
  std::ranges::shuffle(rather_often, random);
  std::uniform_int_distribution<std::size_t> time(first_judged * slots_of_hour,
                                                  slots - std::size_t{8} * 24 * slots_of_hour);
  std::vector<Fault> faults;
  faults.reserve(often.size() + rather_often.size());
  for (std::size_t i = 0; i < 5; ++i) faults.push_back({often[i], time(random), 0.5});
  for (std::size_t i = 5; i < often.size(); ++i) faults.push_back({often[i], time(random)});
  for (const std::size_t i : rather_often)
    if (faults.size() < 20) faults.push_back({i, time(random)});
  // The import of the orders of one business stops; its other workflows of orders have no fault of their own.
  const std::size_t first = 5 + random() % 15;
  for (std::size_t i = first; i < faults.size(); ++i) {
    if (workflows()[faults[i].workflow].type != 0) continue;
    const std::size_t business = workflows()[faults[i].workflow].business;
    const bool is_alone =
        std::ranges::count_if(faults, [&](const Fault& fault) {
          return workflows()[fault.workflow].business == business && workflows()[fault.workflow].type == 0;
        }) == 1;
    if (is_alone || i + 1 == faults.size()) {
      faults[i].import_stops = true;
      break;
    }
  }
  return faults;
}

struct Found {
  std::size_t in_time = 0;
  std::size_t faults = 0;
};

Found find_faults(unsigned seed) {
  const std::vector<Fault> faults = planted_faults(seed);
  const Traffic traffic(seed, faults);
  Found found{.faults = faults.size()};
  for (const Fault& fault : faults) {
    const std::vector<std::size_t> all = alarms(traffic, fault.workflow);
    const auto first = std::ranges::lower_bound(all, fault.from);
    if (first != all.end() && *first <= deadline(traffic, fault)) ++found.in_time;
  }
  return found;
}

TEST(Silences, EighteenOfTwentyFaultsAreFoundInTime) {
  const Found found = find_faults(1);
  EXPECT_EQ(found.faults, 20U);
  EXPECT_GE(found.in_time, 18U);
}

/// The alarms of a month of stores and carriers: nothing tells how much they have to do.
TEST(Silences, AMonthWithoutEventsToCompareHasFewFalseAlarms) {
  const Traffic traffic(1002, {});
  std::size_t false_alarms = 0;
  for (const std::size_t workflow : {0UL, 6UL, 15UL, 21UL, 25UL})
    false_alarms += alarms(traffic, workflow, false).size();
  EXPECT_LE(false_alarms, 1U);
}

TEST(Silences, AMonthWithoutFaultsHasAtMostOneFalseAlarm) {
  const Traffic traffic(1001, {});
  std::size_t false_alarms = 0;
  for (std::size_t workflow = 0; workflow < workflows().size(); ++workflow)
    false_alarms += alarms(traffic, workflow).size();
  EXPECT_LE(false_alarms, 1U);
}

/// The history of a workflow that has fired as often in each hour, with ten times as many events, until
/// `quiet` hours ago. Nine weeks have passed since its conditions changed.
CountHistory steady(std::int64_t per_hour, std::size_t quiet, std::size_t every = 1) {
  CountHistory history;
  for (std::size_t hour = 0; hour < hours_of_history; ++hour)
    history.counts.push_back(hour + quiet < hours_of_history && hour % every == 0 ? per_hour : 0);
  history.events.assign(hours_of_history, 10 * per_hour);
  history.other_events.assign(hours_of_history, 10 * per_hour);
  history.present = 1;
  history.since_last = static_cast<double>(quiet) + 0.01;
  history.learned = hours_of_history;
  history.active = hours_of_history;
  return history;
}

std::optional<Silence> silence(const CountHistory& history) { return judge_silence(history).silence; }

TEST(Silences, TenMissingFiringsAreASilence) {
  EXPECT_FALSE(silence(steady(2, 4)));
  const auto found = silence(steady(2, 5));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 0);
  EXPECT_NEAR(found->hours, 5, 0.1);
  EXPECT_LE(found->expected.from, 10);
  EXPECT_GE(found->expected.to, 10);
}

TEST(Silences, FiveFiringsADayNeedTwoDays) {
  const std::size_t every = 4;  // six a day
  EXPECT_FALSE(silence(steady(1, 24, every)));
  EXPECT_TRUE(silence(steady(1, 48, every)));
}

TEST(Silences, LessThanOneFiringADayIsNeverJudged) {
  const SilenceJudgement judgement = judge_silence(steady(1, 20 * 24UL, 26));
  EXPECT_FALSE(judgement.last_day);
  EXPECT_FALSE(judgement.silence);
}

TEST(Silences, FourteenDaysAreLearnedFirst) {
  CountHistory history = steady(4, 12);
  history.learned = 14 * 24UL - 1;
  EXPECT_FALSE(judge_silence(history).last_day);
  EXPECT_FALSE(silence(history));
  history.learned = 15 * 24UL;
  EXPECT_TRUE(judge_silence(history).last_day);
  EXPECT_TRUE(silence(history));
}

TEST(Silences, TwentyFiringsAreLearnedFirst) {
  CountHistory history = steady(1, 0, 24);
  history.learned = 19 * 24UL;
  EXPECT_FALSE(judge_silence(history).last_day);
  history.learned = 21 * 24UL;
  EXPECT_TRUE(judge_silence(history).last_day);
}

TEST(Silences, FiringsBeforeTheConditionsChangedDoNotCount) {
  CountHistory history = steady(10, 0);
  history.learned = 20 * 24UL;
  for (std::size_t back = 0; back < history.learned; ++back)
    history.counts[hours_of_history - 1 - back] = back % 8 == 0 ? 1 : 0;
  EXPECT_FALSE(silence(history)) << "the new conditions hold more seldom";
}

TEST(Silences, ABusinessWithoutEventsHasNone) {
  CountHistory history = steady(4, 24);
  for (auto* const events : {&history.events, &history.other_events})
    std::fill(events->end() - 26, events->end(), 0);
  EXPECT_FALSE(silence(history));
}

TEST(Silences, ADayWithFewEventsHasFewFirings) {
  CountHistory history = steady(10, 0);
  for (auto* const list : {&history.counts, &history.events, &history.other_events})
    for (auto number = list->end() - 24; number != list->end(); ++number) *number /= 5;
  EXPECT_FALSE(silence(history));
}

TEST(Silences, EventsOfOneTypeThatStopAloneAreASilence) {
  CountHistory history = steady(4, 6);
  std::fill(history.events.end() - 6, history.events.end(), 0);
  EXPECT_TRUE(silence(history));
}

TEST(Silences, TheTimeWhileAWorkflowWasOffDoesNotCount) {
  CountHistory history = steady(4, 48);
  EXPECT_TRUE(silence(history));
  history.active = 1;
  EXPECT_FALSE(silence(history));
}

TEST(Silences, AHalvedRateIsOne) {
  CountHistory history = steady(20, 0);
  for (auto number = history.counts.end() - 6; number != history.counts.end(); ++number) *number = 10;
  const auto found = silence(history);
  ASSERT_TRUE(found);
  EXPECT_LT(found->count, found->expected.from);
}

TEST(Silences, AreOverWhenTheWorkflowFiresAsUsual) {
  CountHistory history = steady(4, 48);
  EXPECT_FALSE(judge_silence(history).is_usual);
  for (auto number = history.counts.end() - 3; number != history.counts.end(); ++number) *number = 4;
  history.since_last = 0.1;
  EXPECT_TRUE(judge_silence(history).is_usual);
}

TEST(Silences, ABurstMayComeInAnyPartOfItsHour) {
  CountHistory history = steady(40, 0);
  for (std::size_t back = 0; back < hours_of_history; ++back)
    history.counts[hours_of_history - 1 - back] = back % 24 == 0 && back > 0 ? 40 : 0;
  history.present = 0.9;
  history.since_last = 23.95;
  EXPECT_FALSE(silence(history));
}

TEST(Silences, ClosedHoursAreNone) {
  CountHistory history = steady(4, 10);
  history.closed.assign(hours_of_history, false);
  EXPECT_TRUE(silence(history));
  std::fill(history.closed.end() - 10, history.closed.end(), true);
  EXPECT_FALSE(silence(history));
}

TEST(Silences, AnHourThatTheClockSkipsIsNone) {
  CountHistory history = steady(40, 0);
  history.events.clear();
  history.other_events.clear();
  history.present = 0.1;
  history.counts.back() = 4;
  *(history.counts.end() - 2) = 0;
  EXPECT_TRUE(silence(history));
  history.closed.assign(hours_of_history, false);
  *(history.closed.end() - 2) = true;
  EXPECT_FALSE(silence(history));
}

TEST(Silences, WithoutEventsTheDemandIsAsUsual) {
  CountHistory history = steady(4, 12);
  history.events.clear();
  history.other_events.clear();
  EXPECT_TRUE(silence(history));
  EXPECT_FALSE(tells_demand(history.events) && !history.events.empty());
}

TEST(Silences, ADayWithMoreToDoHidesNoHalvedRate) {
  CountHistory history = steady(20, 0);
  for (auto* const events : {&history.events, &history.other_events})
    for (auto number = events->end() - 9; number != events->end(); ++number) *number = *number * 14 / 10;
  for (auto number = history.counts.end() - 9; number != history.counts.end(); ++number) *number = 14;
  EXPECT_TRUE(silence(history));
}

TEST(Silences, AChangeOfManyRecordsAtOnceRaisesNoExpectation) {
  CountHistory history = steady(20, 0);
  for (auto number = history.events.end() - 9; number != history.events.end(); ++number) *number *= 10;
  EXPECT_FALSE(silence(history)) << "the other events are as many as usual";
}

TEST(Silences, AWeekendWithMuchToDoMakesNoMondaySilent) {
  // Counts on weekdays alone, 8 an hour, and events every day. The present hour is the last of a Monday.
  CountHistory history = steady(8, 0);
  history.hour_of_day = 23;
  for (std::size_t back = 0; back < hours_of_history; ++back)
    if (const std::size_t day = back / 24 % 7; day == 1 || day == 2)
      history.counts[hours_of_history - 1 - back] = 0;
  for (std::size_t back = 0; back < 72; ++back) {
    const double demand = back < 24 ? 0.6 : 1.4;
    for (auto* const list : {&history.counts, &history.events, &history.other_events}) {
      auto& number = (*list)[hours_of_history - 1 - back];
      number = static_cast<std::int64_t>(static_cast<double>(number) * demand);
    }
  }
  EXPECT_FALSE(silence(history));
}

TEST(Silences, ABusinessWithoutEventsHasNoneHoweverLongItLasts) {
  for (const std::size_t quiet : {3UL, 12UL, 48UL, 120UL}) {
    CountHistory history = steady(30, quiet);
    history.events.assign(hours_of_history, 30);
    for (auto* const events : {&history.events, &history.other_events})
      std::fill(events->end() - static_cast<std::ptrdiff_t>(quiet) - 1, events->end(), 0);
    EXPECT_FALSE(silence(history)) << quiet;
  }
}

TEST(Silences, TellTheEventsOfTheirTime) {
  CountHistory history = steady(4, 6);
  history.since_last.reset();
  std::fill(history.events.end() - 6, history.events.end(), 1);
  const auto found = silence(history);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->events, std::llround(found->hours));
  EXPECT_EQ(found->expected_events.from, 40 * std::llround(found->hours));
  EXPECT_EQ(found->expected_events.to, found->expected_events.from);
}

TEST(Silences, NoLookIsNeededBeforeTheNextOne) {
  for (const std::size_t quiet : {0UL, 1UL, 2UL, 3UL}) {
    const double next = judge_silence(steady(2, quiet)).next_look;
    EXPECT_GE(next, 3.0 - static_cast<double>(quiet)) << quiet;
    EXPECT_LE(next, 5.0 - static_cast<double>(quiet)) << quiet;
  }
}

}  // namespace
}  // namespace waybill::domain
