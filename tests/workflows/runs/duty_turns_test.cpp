// A duty with much to do leaves the thread to the others after a turn.
#include <string>

#include <gtest/gtest.h>

#include "storage/blocking/connection.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

const std::string large = "00000000-0000-4000-8000-000000000001";
const std::string small = "00000000-0000-4000-8000-000000000002";

/// Two businesses with a workflow each, of the same guid, and duties that perform one portion in a turn.
class DutyTurns : public testing::Test {
 protected:
  DutyTurns() {
    for (const auto& business : {large, small}) {
      database.exec(
          "insert into businesses (guid, name) values ('" + business + "', '" + business + "');" +
          "insert into workflows (business_id, guid, name, entity_type, trigger_code, action) values ('" +
          business + "', '" + business + "', 'w', 0, 'order_created', '{}')");
    }
  }

  void add_runs(const std::string& business, const std::string& status, int count) {
    database.rows(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, trigger_code, action, status, created_at, due_at, origin, request) "
        "select $1::uuid, gen_random_uuid(), $1::uuid, 1, n, 0, gen_random_uuid(), 'order_created', "
        "'webhook', "
        "$2, now(), now() + interval '1 day', gen_random_uuid(), '{}' from generate_series(1, $3::int) n",
        {business, status, std::to_string(count)});
  }
  void add_deleted_products(int count) {
    database.rows(
        "insert into products (business_id, name, deleted_at) select $1::uuid, 'p' || n, now() - interval "
        "'91 days' "
        "from generate_series(1, $2::int) n",
        {large, std::to_string(count)});
  }
  std::int64_t count(const std::string& rows) { return database.number("select count(*) from " + rows); }
  std::int64_t runs(const std::string& business, const std::string& status) {
    return count("run_queue where business_id = '" + business + "' and status = '" + status + "'");
  }

  TestDatabase database;
  const SecretBox secrets{SecretBox::Key{}};
  const worker::DutyOptions options{
      .database_url = database.url(), .secrets = secrets, .turn = Duration::zero()};
  storage::blocking::Connection session{database.url(), "duties"};
};

TEST_F(DutyTurns, ATurnEndsBetweenPortions) {
  add_deleted_products(1'200);
  EXPECT_TRUE(worker::purge_deleted(session, options));
  const std::int64_t left = count("products");
  EXPECT_LT(left, 1'200);
  EXPECT_GT(left, 0);
  while (worker::purge_deleted(session, options)) continue;
  EXPECT_EQ(count("products"), 0);
}

TEST_F(DutyTurns, ADutyWithMoreToDoGoesOnAfterTheOthers) {
  add_deleted_products(1'200);
  database.make_duties_due();
  worker::Duties duties(options);
  duties.start();
  EXPECT_TRUE(eventually([&] { return count("products") == 0; }));
}

TEST_F(DutyTurns, EveryKindOfExpiredRowsHasItsPortion) {
  database.rows(
      "insert into idempotency_keys (business_id, token_id, key, request_hash, created_at)"
      " select $1::uuid, $1::uuid, n::text, sha256('x'), now() - interval '25 hours' from generate_series(1, "
      "6000) n",
      {large});
  database.rows(
      "insert into workflow_firings (business_id, workflow_id, hour, count)"
      " select $1::uuid, $1::uuid, now() - interval '57 days' - n * interval '1 hour', 1 from "
      "generate_series(0, 6000) n",
      {large});
  database.rows(
      "insert into workflow_firings (business_id, workflow_id, hour, count)"
      " values ($1, $1, now() - interval '56 days 23 hours', 1)",
      {large});
  database.rows(
      "insert into matched_events"
      " select $1::uuid, now() - interval '57 days' - n * interval '1 hour', 1, 0, 0, 0 from "
      "generate_series(-1, 6000) n",
      {large});
  database.rows(
      "insert into source_counts"
      " select $1::uuid, 'scans', $1::uuid, now() - interval '57 days' - n * interval '1 hour', 1, now() "
      "from "
      "generate_series(-1, 6000) n",
      {large});
  EXPECT_TRUE(worker::expire(session, options));
  EXPECT_EQ(count("idempotency_keys"), 1'000);
  EXPECT_EQ(count("workflow_firings"), 1'002);
  EXPECT_FALSE(worker::expire(session, options));
  EXPECT_EQ(count("idempotency_keys"), 0);
  EXPECT_EQ(count("workflow_firings"), 1) << "those of 57 days are kept";
  EXPECT_EQ(count("matched_events"), 1);
  EXPECT_EQ(count("source_counts"), 1);
}

TEST_F(DutyTurns, ManyHeldRunsOfABusinessDelayNoOthers) {
  add_runs(large, "held", 6'000);
  add_runs(small, "held", 1);
  EXPECT_TRUE(worker::release_held(session, options));
  EXPECT_EQ(runs(small, "held"), 0);
  EXPECT_EQ(runs(large, "held"), 5'500);
  while (worker::release_held(session, options)) continue;
  EXPECT_EQ(runs(large, "held"), 0);
}

TEST_F(DutyTurns, ManyLeftOverRunsOfADeletedWorkflowEndInPortions) {
  add_runs(large, "waiting", 1'200);
  add_runs(small, "waiting", 1);
  database.exec("update workflows set deleted_at = now()");
  EXPECT_TRUE(worker::release_held(session, options));
  EXPECT_EQ(runs(large, "waiting"), 700);
  EXPECT_EQ(runs(small, "waiting"), 0);
  while (worker::release_held(session, options)) continue;
  EXPECT_EQ(runs(large, "waiting"), 0);
}

TEST_F(DutyTurns, CountsStayTheSameWhenAPartOfTheirRowsIsFolded) {
  database.rows(
      "insert into record_counts (business_id, entity_type, delta) select $1::uuid, 0, 1 from "
      "generate_series(1, 60000)",
      {large});
  const auto orders = [&] {
    return database.number("select sum(delta) from record_counts where business_id = $1 and entity_type = 0",
                           {large});
  };
  const auto before = orders();
  EXPECT_TRUE(worker::fold_counts(session, options));
  EXPECT_EQ(orders(), before);
  EXPECT_GT(count("record_counts"), 10'000);
  while (worker::fold_counts(session, options)) continue;
  EXPECT_EQ(orders(), before);
  EXPECT_EQ(database.number("select count(*) from record_counts where business_id = $1 and entity_type = 0",
                            {large}),
            1);
}

TEST_F(DutyTurns, ResultsOfTimersGoInPortionsBeforeTheirWorkflow) {
  database.rows("update workflows set deleted_at = now() - interval '60 days' where guid = $1", {large});
  database.rows(
      "insert into timer_results (business_id, entity_id, workflow_id, value, due_at, plan, reason)"
      " select $1::uuid, gen_random_uuid(), $1::uuid, now(), now(), 1, 'condition' from generate_series(1, "
      "1500)",
      {large});
  const auto workflow = [&] { return count("workflows where guid = '" + large + "'"); };
  EXPECT_FALSE(worker::expire_history(session, options));
  EXPECT_EQ(workflow(), 1) << "its results are stored";
  EXPECT_TRUE(worker::expire_timers(session, options));
  EXPECT_EQ(count("timer_results"), 500);
  while (worker::expire_timers(session, options)) continue;
  EXPECT_FALSE(worker::expire_history(session, options));
  EXPECT_EQ(workflow(), 0);
}

}  // namespace
}  // namespace waybill::tests
