#include "worker/timers/timer_scan.hpp"

#include <string>
#include <vector>

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

}  // namespace
}  // namespace waybill::tests
