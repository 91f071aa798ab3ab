#include "worker/timers/timer_claims.hpp"

#include <chrono>
#include <random>
#include <string>

#include "domain/workflows/switches.hpp"
#include "storage/sql/history.sql.hpp"
#include "storage/sql/schedules.sql.hpp"
#include "storage/sql/upcoming.sql.hpp"
#include "tests/worker/worker_database.hpp"

namespace waybill::tests {
namespace {

/// Workflows that were switched at random seconds of an hour ten days ago.
class SwitchedWorkflows : public WorkerDatabase {
 protected:
  /// The SQL of a second of the hour.
  std::string sql_of(int second) const {
    return "('" + hour_ + "'::timestamptz + interval '" + std::to_string(second) + " s')";
  }
  void switch_at_random(std::mt19937& random, const std::string& workflow) {
    database_.exec("delete from workflow_switches where workflow_id = '" + workflow + "'");
    const int count = 1 + static_cast<int>(random() % 8);
    bool is_on = random() % 2 == 0;
    for (int number = 0, second = 0; number < count; ++number, is_on = !is_on) {
      second += 1 + static_cast<int>(random() % 400);
      const std::string at = sql_of(second), state = is_on ? "true" : "false";
      database_.exec("update workflows set is_active = " + state +
                     (is_on ? ", active_since = " + at : std::string()) + " where guid = '" + workflow + "'");
      database_.exec("update workflow_switches set at = " + at + " where workflow_id = '" + workflow +
                     "' and at > " + sql_of(3600));
    }
  }
  /// The state at a second of the hour, as the matcher decides it for an event.
  bool was_on(const std::string& workflow, Time at) {
    const auto switches = domain::parse_switches(database_.value(
        "select string_agg((extract(epoch from at) * 1000000)::bigint || case when is_active then '+' else "
        "'-' end, ',' order by at) from workflow_switches where workflow_id = $1",
        {workflow}));
    const bool is_active =
        database_.number("select is_active::integer from workflows where guid = $1", {workflow}) == 1;
    const Time since(Duration(database_.number(
        "select (extract(epoch from active_since) * 1000000)::bigint from workflows where guid = $1",
        {workflow})));
    return domain::was_on(is_active, since, switches, at, system_clock().now());
  }

  const std::string hour_ = database_.value(
      "select to_char(date_trunc('hour', now() - interval '10 days') at time zone 'UTC', "
      "'YYYY-MM-DD HH24:MI:SS') || '+00'");
};

TEST_F(SwitchedWorkflows, FireTheTimersAndTicksThatCameDueWhileTheyWereOn) {
  const std::string timed = add_workflow("timer:order.createdAt:P1D").to_string();
  const std::string scheduled = add_workflow(R"(schedule:order:{"cron":"0 9 * * *"})").to_string();
  storage::Session session(database_.url(), "test");
  std::mt19937 random(5);  // NOLINT(bugprone-random-generator-seed): a fixed sequence
  std::vector<std::int16_t> shards;
  for (const auto& [shard, held] : all_shards()) shards.push_back(shard);
  for (int round = 0; round < 12; ++round) {
    switch_at_random(random, timed);
    switch_at_random(random, scheduled);
    database_.exec("delete from timers");
    database_.exec(
        "insert into timers (business_id, workflow_id, entity_id, shard, plan, value, due_at, check_at, "
        "event_id) select business_id, guid, gen_random_uuid(), shard_of(business_id), timer_plan, d.at, "
        "d.at, d.at, n from workflows, generate_series(0, 14) n, lateral (select " +
        sql_of(0) + " + n * interval '199 s' as at) d where guid = '" + timed + "'");
    worker::TimerClaims claims;
    const auto batch = claims.take(session, shards);
    EXPECT_EQ(batch.timers.size(), 15U);
    for (const auto& claimed : batch.timers)
      EXPECT_EQ(claimed.was_on, was_on(timed, claimed.timer.due)) << round;
    for (int second = 0; second < 3000; second += 599) {
      database_.exec("update schedules set next_at = " + sql_of(second) + ", check_at = now()");
      const auto tick =
          session.run(storage::sql::schedules::Claim{.passed_over = std::vector<Guid>()}).front();
      const Time at = tick.next_at.value();
      EXPECT_EQ(tick.was_on, was_on(scheduled, at)) << round << ' ' << second;
      if (tick.on_again) EXPECT_GT(Time(*tick.on_again), at);
    }
  }
}

// A clock that was wrong for a while has dated the switch on.
TEST_F(SwitchedWorkflows, FireAndShowWhatCameDueBeforeASwitchOnThatIsDatedInTheFuture) {
  const Guid order = Guid::parse(add_order()).value();
  const Guid timed = add_workflow("timer:order.createdAt:P1D");
  const Guid scheduled = add_workflow(R"(schedule:order:{"cron":"0 9 * * *"})");
  database_.exec(
      "update workflows set active_since = now() + interval '1 day'; "
      "update workflow_switches set at = now() + interval '1 day'; "
      "update schedules set next_at = now() - interval '1 hour', check_at = now(); "
      "delete from timers; "
      "insert into timers (business_id, workflow_id, entity_id, shard, plan, value, due_at, check_at, "
      "event_id) "
      "select business_id, guid, '" +
      order.to_string() +
      "', shard_of(business_id), timer_plan, now(), now() - interval '1 hour', now(), 1 from workflows where "
      "guid = '" +
      timed.to_string() + "'");
  storage::Session session(database_.url(), "test");
  const auto tick = session.run(storage::sql::schedules::Claim{.passed_over = std::vector<Guid>()}).front();
  EXPECT_TRUE(tick.was_on);
  const auto timers = session.run(storage::sql::history::Timers{
      .business = business_, .record = order, .limit = 10, .no_record = Guid()});
  ASSERT_EQ(timers.size(), 1);
  EXPECT_TRUE(timers.front().is_active);
  const auto schedules = session.run(
      storage::sql::history::Schedules{.business = business_, .entity_type = std::int16_t{0}, .limit = 10});
  ASSERT_EQ(schedules.size(), 1);
  EXPECT_TRUE(schedules.front().is_active);
  for (const Guid& workflow : {timed, scheduled}) {
    EXPECT_EQ(session
                  .run(storage::sql::upcoming::OfWorkflow{
                      .business = business_, .workflow = workflow, .no_record = Guid(), .limit = 10})
                  .size(),
              1);
  }
  EXPECT_EQ(session
                .run(storage::sql::upcoming::OfRecord{
                    .business = business_, .record = order, .no_record = Guid(), .limit = 10})
                .size(),
            1);
  EXPECT_EQ(session
                .run(storage::sql::upcoming::Ticks{
                    .business = business_, .entity_type = std::int16_t{0}, .no_record = Guid(), .limit = 10})
                .size(),
            1);
  std::vector<std::int16_t> shards;
  for (const auto& [shard, held] : all_shards()) shards.push_back(shard);
  worker::TimerClaims claims;
  const auto batch = claims.take(session, shards);
  ASSERT_EQ(batch.timers.size(), 1U);
  EXPECT_TRUE(batch.timers.front().was_on);
}

}  // namespace
}  // namespace waybill::tests
