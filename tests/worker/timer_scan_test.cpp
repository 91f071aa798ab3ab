#include "worker/timers/timer_scan.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "storage/runs/timers.hpp"
#include "storage/settings/workflow_reader.hpp"
#include "tests/worker/worker_database.hpp"

namespace waybill::tests {
namespace {

/// Scans of three records each of two businesses, whose timers come due in a day.
class TimerScans : public WorkerDatabase {
 protected:
  TimerScans() {
    database_.exec("insert into businesses (name) values ('Other')");
    database_.exec(
        "insert into orders (business_id, order_number) select b.guid, 'A-' || n "
        "from businesses b, generate_series(1, 3) n where b.name in ('Acme', 'Other')");
    database_.exec(
        "insert into workflows (business_id, name, entity_type, trigger_code, action, conditions) "
        "select b.guid, 'w', 0, 'timer:order.createdAt:P1D', '{\"type\": \"nothing\"}', '{}' "
        "from businesses b where b.name in ('Acme', 'Other')");
    storage::read_changed_workflows(session_, 0, [&](const auto& portion) { catalogue_.apply(portion); });
    for (const auto& [shard, held] : all_shards()) shards_.push_back(shard);
  }

  bool go_on() { return scan_.go_on(session_, shards_).found; }

  worker::Catalogue catalogue_{secrets_};
  storage::Session session_{database_.url(), "test"};
  worker::TimerScan scan_{catalogue_, 1};
  std::vector<std::int16_t> shards_;
};

TEST_F(TimerScans, BusinessesTakeTurns) {
  EXPECT_TRUE(go_on());
  EXPECT_TRUE(go_on());
  EXPECT_EQ(database_.number("select count(distinct business_id) from timers"), 2);
  while (go_on()) continue;
  EXPECT_EQ(database_.number("select count(*) from timers"), 6);
  EXPECT_EQ(database_.number("select count(*) from timer_scans"), 0);
}

// A change of timers and a scan of the same workflow would otherwise wait for each other.
TEST_F(TimerScans, AChangeOfTimersLocksThemInTheOrderOfTheirKeysAlsoThoseThatItDeletes) {
  while (go_on()) continue;
  Session observer(database_.url()), holder(database_.url());
  const auto workflow =
      Guid::parse(database_.value("select workflow_id from timers where business_id = $1 limit 1",
                                  {business_.to_string()}))
          .value();
  const auto records = observer.column(
      "select entity_id from timers where workflow_id = $1 order by entity_id", {workflow.to_string()});
  ASSERT_EQ(records.size(), 3U);
  const int plan = static_cast<int>(database_.number("select min(plan) from timers"));
  const Time over = std::chrono::floor<std::chrono::seconds>(system_clock().now()) + std::chrono::hours(48);
  database_.rows(
      "insert into timer_results (business_id, entity_id, workflow_id, value, due_at, plan, run_id) values "
      "($1, $2, $3, $4, $4, $5, gen_random_uuid())",
      {business_.to_string(), records[0], workflow.to_string(), format_timestamp(over),
       std::to_string(plan)});
  std::vector<storage::TimerChange> changes;
  for (const std::size_t i : {0, 1})
    changes.push_back({.business_id = business_,
                       .workflow_id = workflow,
                       .entity_id = Guid::parse(records[i]).value(),
                       .plan = plan,
                       .event_id = 1,
                       .setting = {{.value = over, .due = over}}});
  holder.exec("begin");
  holder.rows("select from timers where entity_id = $1 for update", {records[0]});
  std::jthread changing([&] { storage::change_timers(session_, changes); });
  EXPECT_TRUE(eventually([&] { return holder.blocks_others(observer); }));
  EXPECT_EQ(
      holder.column("select entity_id from timers where entity_id = $1 for update skip locked", {records[1]}),
      std::vector{records[1]});
  holder.exec("rollback");
  changing.join();
  EXPECT_EQ(
      observer.column("select entity_id from timers where event_id = 1 or entity_id = $1", {records[0]}),
      std::vector{records[1]});
}

TEST_F(TimerScans, AChangeThatSetsAndDropsTimersLocksThemInTheOrderOfTheirKeys) {
  while (go_on()) continue;
  Session observer(database_.url()), holder(database_.url());
  const auto workflow =
      Guid::parse(database_.value("select workflow_id from timers where business_id = $1 limit 1",
                                  {business_.to_string()}))
          .value();
  const auto records = observer.column(
      "select entity_id from timers where workflow_id = $1 order by entity_id", {workflow.to_string()});
  ASSERT_EQ(records.size(), 3U);
  const int plan = static_cast<int>(database_.number("select min(plan) from timers"));
  const Time value = std::chrono::floor<std::chrono::seconds>(system_clock().now()) + std::chrono::hours(48);
  storage::TimerChange set{.business_id = business_,
                           .workflow_id = workflow,
                           .entity_id = Guid::parse(records[0]).value(),
                           .plan = plan,
                           .event_id = 1,
                           .setting = {{.value = value, .due = value}}};
  storage::TimerChange dropped = set;
  dropped.entity_id = Guid::parse(records[1]).value();
  dropped.setting.reset();
  holder.exec("begin");
  holder.rows("select from timers where entity_id = $1 for update", {records[0]});
  std::jthread changing([&] {
    storage::Work work(session_);
    storage::change_timers(session_, std::vector{dropped, set});
    work.commit();
  });
  EXPECT_TRUE(eventually([&] { return holder.blocks_others(observer); }));
  EXPECT_EQ(
      holder.column("select entity_id from timers where entity_id = $1 for update skip locked", {records[1]}),
      std::vector{records[1]})
      << "a later one is free while the change waits for the first";
  holder.exec("rollback");
  changing.join();
  EXPECT_EQ(observer.column("select entity_id from timers where workflow_id = $1 order by entity_id",
                            {workflow.to_string()}),
            (std::vector{records[0], records[2]}));
  EXPECT_EQ(observer.value("select event_id from timers where entity_id = $1", {records[0]}), "1");
}

}  // namespace
}  // namespace waybill::tests
