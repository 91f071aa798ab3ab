#include <string>

#include "storage/blocking/connection.hpp"
#include "tests/worker/worker_database.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

class LedgerDuty : public WorkerDatabase {
 protected:
  void check() { worker::check_ledger(session_, {.database_url = database_.url(), .secrets = secrets_}); }

  storage::blocking::Connection session_{database_.url(), "test"};
};

// A check that was planned while few events waited would read all waiting ones for each run, for hours, and
// its snapshot would keep all dead rows that long. A kept plan stands for events that arrive during the
// check.
TEST_F(LedgerDuty, TakesTimeInProportionToTheRunsHoweverManyEventsArrive) {
  const std::string business = "'" + business_.to_string() + "'::uuid";
  const auto add_events = [&](const std::string& first, const std::string& last) {
    database_.exec("insert into pending_events (shard, id, business_id, at) select shard_of(" + business +
                   "), n, " + business + ", now() from generate_series(" + first + ", " + last + ") n");
  };
  add_events("1", "1");
  database_.exec("vacuum analyze pending_events");
  session_.execute("set plan_cache_mode = force_generic_plan");
  check();
  add_events("2", "30000");
  database_.exec(
      "insert into runs (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, "
      "trigger_code, action, status, attempts, created_at, finished_at, origin, destination, request, tries) "
      "select " +
      business +
      ", (left(first_guid(now())::text, 14) || substr(gen_random_uuid()::text, 15))::uuid, "
      "gen_random_uuid(), "
      "1, -n, 0, gen_random_uuid(), 'order_created', 'nothing', 'succeeded', 1, now(), now(), "
      "gen_random_uuid(), '', '{}', '[]' from generate_series(1, 30000) n");
  session_.execute("set statement_timeout = '5s'");
  EXPECT_NO_THROW(check());
}

}  // namespace
}  // namespace waybill::tests
