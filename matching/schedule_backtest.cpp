#include "matching/schedule_backtest.hpp"

#include <algorithm>
#include <bitset>
#include <string>
#include <utility>

#include "matching/scheduled_records.hpp"
#include "storage/sql/schedules.sql.hpp"
#include "storage/statement/binary.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::matching {
namespace {

using std::chrono::steady_clock;

/// The deadline has passed.
struct TooLate {};

/// Limits the next statements of the session to the time until the deadline.
void limit_statements(storage::Session& session, steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
  if (left <= left.zero()) throw TooLate();
  session.execute("set statement_timeout = " + std::to_string(left.count()));
}

/// The runs of one tick.
struct RunsOfTick {
  std::uint64_t count = 0;
  std::uint64_t too_much_work = 0;  // records whose conditions need too much
  std::vector<Guid> records;        // the first of them; empty for one run for all records
};

RunsOfTick runs_of_tick(storage::Session& session, const Rule& rule, const Guid& business,
                        steady_clock::time_point deadline) {
  const domain::Schedule& schedule = *rule.triggers.schedule;
  if (!schedule.each && schedule.run_when_empty) return {.count = 1};
  RunsOfTick runs;
  storage::RecordColumns columns(session);
  ScheduledRecords records(session, columns, rule, business);
  while (!records.at_end()) {
    limit_statements(session, deadline);
    for (const ScheduledRecord& record : records.next()) {
      if (record.problem) continue;
      if (record.is_unjudged) {
        ++runs.too_much_work;
        continue;
      }
      if (!schedule.each) return {.count = 1};
      ++runs.count;
      if (runs.records.size() < backtest_sample) runs.records.push_back(record.guid);
    }
  }
  return runs;
}

Backtest count_ticks(storage::Session& session, const domain::Schedule& schedule, const RunsOfTick& runs,
                     const storage::PastEvents::Range& range) {
  Backtest result;
  std::vector<Time> last;  // ticks, newest last
  auto day = result.per_day.end();
  std::chrono::sys_days its{};
  const domain::CronNumbers numbers = numbers_of(schedule.cron);
  session.stream_binary(storage::sql::schedules::Ticks{.business = range.business_id,
                                                       .minutes = numbers.minutes,
                                                       .hours = numbers.hours,
                                                       .days = numbers.days,
                                                       .months = numbers.months,
                                                       .weekdays = numbers.weekdays,
                                                       .either_day = schedule.cron.either_day,
                                                       .zone = schedule.time_zone,
                                                       .first_time = range.from,
                                                       .end_time = range.to},
                        [&](const storage::Rows& row) {
                          const Time tick = storage::binary_time(row.get(0, 0));
                          const auto date = std::chrono::floor<std::chrono::days>(tick);
                          if (day == result.per_day.end() || date != its) {
                            its = date;
                            day = result.per_day.try_emplace(format_timestamp(tick).substr(0, 10)).first;
                          }
                          day->second += runs.count;
                          result.matches += runs.count;
                          result.too_much_work += runs.too_much_work;
                          if (last.size() == backtest_sample) last.erase(last.begin());
                          last.push_back(tick);
                          return true;
                        });
  for (; !last.empty(); last.pop_back()) {
    for (const Guid& record : runs.records) {
      if (result.sample.size() < backtest_sample)
        result.sample.push_back({.entity_id = record, .event_id = std::nullopt, .at = last.back()});
    }
  }
  return result;
}

}  // namespace

Backtest backtest_schedule(storage::Session& session, const Rule& rule,
                           const storage::PastEvents::Range& range, steady_clock::time_point deadline) {
  Backtest incomplete;
  incomplete.complete = false;
  try {
    limit_statements(session, deadline);
    const RunsOfTick runs = runs_of_tick(session, rule, range.business_id, deadline);
    if (runs.count == 0 && runs.too_much_work == 0) return {};
    limit_statements(session, deadline);
    return count_ticks(session, *rule.triggers.schedule, runs, range);
  } catch (const TooLate&) {
    return incomplete;
  } catch (const storage::StatementError& error) {
    if (!storage::is_canceled(error)) throw;
    return incomplete;
  }
}

}  // namespace waybill::matching
