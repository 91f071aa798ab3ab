#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/secret_box.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/events/leases.hpp"
#include "storage/events/outbox.hpp"
#include "storage/session/session.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {

/// A database with one business and one worker, which owns all shards. For tests of single parts of a worker.
class WorkerDatabase : public testing::Test {
 protected:
  WorkerDatabase() {
    database_.exec("insert into businesses (guid, name) values ('" + business_.to_string() + "', 'Acme')");
    database_.exec("update shards set owner = '" + worker_.to_string() + "', epoch = 1");
  }

  /// Creates a workflow of orders whose runs do nothing and succeed.
  Guid add_workflow(const std::string& trigger, const std::string& conditions = "{}",
                    const std::string& action = "nothing") {
    return Guid::parse(
               database_.value("insert into workflows (business_id, name, entity_type, trigger_code, action, "
                               "conditions) values ($1, 'w', 0, $2, jsonb_build_object('type', $3::text), "
                               "$4::jsonb) returning guid",
                               {business_.to_string(), trigger, action, conditions}))
        .value();
  }

  /// Queues runs of a workflow that do nothing. `due`, `run` and `destination` are SQL expressions with the
  /// number n of the run: its due time, guid and destination.
  void queue_runs(int count, const Guid& workflow, const std::string& status, const std::string& due,
                  const std::string& run = "gen_random_uuid()", const std::string& destination = "''") {
    database_.exec(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, trigger_code, action, status, created_at, due_at, origin, request, destination) select "
        "'" +
        business_.to_string() + "', " + run + ", '" + workflow.to_string() +
        "', 1, n, 0, gen_random_uuid(), 'order_created', 'nothing', '" + status + "', now(), " + due +
        ", gen_random_uuid(), '{}', " + destination + " from generate_series(1, " + std::to_string(count) +
        ") n");
  }

  std::string add_order(const std::string& number = "A-1") {
    return database_.value("insert into orders (business_id, order_number) values ($1, $2) returning guid",
                           {business_.to_string(), number});
  }

  std::int64_t pending() { return database_.number("select count(*) from pending_events"); }

  std::int64_t runs(const std::string& status) {
    return database_.number("select count(*) from all_runs where status = $1", {status});
  }

  /// Returns how many rows the scans of a whole table have read, those of `session` included.
  std::int64_t rows_scanned(storage::blocking::Connection& session, const std::string& table) {
    session.execute("select pg_stat_force_next_flush()");
    return database_.number("select seq_tup_read from pg_stat_user_tables where relname = $1", {table});
  }

  /// All shards, as held by their owner.
  static storage::HeldShards all_shards() {
    storage::HeldShards all;
    for (std::size_t shard = 0; shard < storage::shard_count; ++shard)
      all[static_cast<std::int16_t>(shard)] = {.epoch = 1, .orphaned = false};
    return all;
  }

  /// The events of the outbox, by shard, then by id.
  std::vector<storage::PendingEvent> pending_events(storage::Session& session) {
    storage::ScanBounds bounds{.watermarks = {}, .separated = {}, .in_flight = {}, .shard_limit = 1000};
    for (const auto& [shard, held] : all_shards()) bounds.watermarks.push_back({shard, 0});
    return storage::Outbox(session).scan(bounds, false).events;
  }

  const Guid business_ = Guid::random();
  const Guid worker_ = Guid::random();
  TestDatabase database_;
  const SecretBox secrets_{SecretBox::Key{}};
};

}  // namespace waybill::tests
