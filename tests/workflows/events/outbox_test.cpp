#include <algorithm>
#include <csignal>
#include <set>

#include <gtest/gtest.h>

#include "storage/blocking/connection.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr Deadline without_notify = 1500ms;

// Each test has its own world, because it affects the whole database or its processes.
class Outbox : public testing::Test {
 protected:
  static std::string update(const std::string& order, std::string_view notes) {
    return "update orders set notes = '" + std::string(notes) + "' where guid = '" + order + "'";
  }

  static std::unique_ptr<Waybill> start(const TestDatabase& database, const char* command,
                                        const Waybill* other = nullptr) {
    Waybill::Options options;
    options.command = command;
    if (other != nullptr) options.secret_key_file = other->secret_key_file();
    return std::make_unique<Waybill>(database.url(), options);
  }

  Receiver receiver;
};

TEST_F(Outbox, ATransactionThatBeginsFirstAndCommitsLastIsNotSkipped) {
  World world;
  Tenant tenant(world.waybill, "early");
  tenant.webhook(receiver.url("/hook"), "order_updated");
  const std::string slow = tenant.insert_order();
  const std::string quick = tenant.insert_order();
  Session late = world.database.connect();
  late.exec("begin");
  late.exec(update(slow, "late"));
  // Each round commits and delivers an event with a higher id; the watermark must not pass the open
  // transaction.
  for (std::size_t round = 1; round <= 50; ++round) {
    tenant.sql.exec(update(quick, std::to_string(round)));
    ASSERT_EQ(receiver.wait_for("/hook", round).size(), round);
  }
  late.exec("commit");
  const auto all = receiver.wait_for("/hook", 51, without_notify);
  ASSERT_EQ(all.size(), 51U);
  EXPECT_EQ(text_at(all.back().json_body(), "data.entity.notes"), "late");
}

TEST_F(Outbox, ATransactionThatCommitsAfterManyScansIsNotSkipped) {
  World world;
  Tenant tenant(world.waybill, "newest");
  tenant.webhook(receiver.url("/hook"), "order_updated");
  const std::string order = tenant.insert_order();
  const std::string unknown = "/api/v1/Orders/00000000-0000-4000-8000-000000000000";
  Session late = world.database.connect();
  for (std::size_t round = 1; round <= 20; ++round) {
    late.exec("begin");
    late.exec(update(order, std::to_string(round)));
    // Each write of the API makes the worker scan, and these writes take no transaction id: the open
    // transaction stays the newest.
    for (int look = 0; look < 5; ++look) ASSERT_EQ(tenant.http.put(unknown, {{"notes", "x"}}).status, 404);
    late.exec("commit");
    ASSERT_EQ(receiver.wait_for("/hook", round).size(), round);
  }
}

// No event should ever be passed over, so the test inserts one with an id below the watermarks.
TEST_F(Outbox, APassedOverEventIsFoundAndMatched) {
  World world;
  Tenant tenant(world.waybill, "passed");
  tenant.webhook(receiver.url("/hook"), "order_updated");
  const std::string order = tenant.insert_order();
  const std::string unused = tenant.sql.value("select nextval('event_ids')");
  std::size_t round = 0;
  const auto enough = std::chrono::steady_clock::now() + 500ms;
  while (std::chrono::steady_clock::now() < enough) {
    tenant.sql.exec(update(order, std::to_string(++round)));
    ASSERT_EQ(receiver.wait_for("/hook", round).size(), round);
  }
  tenant.settle();
  tenant.sql.exec("begin; " + update(order, "lost") + "; with e as (update events set id = " + unused +
                  " where id = (select max(id) from events) returning id, at)"
                  " update pending_events p set id = e.id from e where p.at = e.at; commit");
  tenant.sql.exec(update(order, "next"));
  auto all = receiver.wait_for("/hook", round + 1);
  ASSERT_EQ(all.size(), round + 1);
  EXPECT_EQ(text_at(all.back().json_body(), "data.entity.notes"), "next");

  const SecretBox secrets(SecretBox::Key{});
  storage::blocking::Connection duties(world.database.url(), "duties");
  EXPECT_TRUE(eventually([&] {
    // Simulates that a minute has passed, until the worker renews its lease.
    duties.execute("begin");
    duties.execute(
        "insert into worker_beats (worker, expires_at, matched_at)"
        " select guid, clock_timestamp() + interval '10 s', clock_timestamp() + interval '2 min' from "
        "workers");
    worker::read_passed_over(duties, {.database_url = {}, .secrets = secrets});
    duties.execute("commit");
    all = receiver.wait_for("/hook", round + 2, 1s);
    return all.size() == round + 2;
  }));
  EXPECT_EQ(text_at(all.back().json_body(), "data.entity.notes"), "lost");
}

TEST_F(Outbox, AnOpenRepeatableReadTransactionDoesNotStopTheQueue) {
  World world;
  Tenant tenant(world.waybill, "reader");
  tenant.webhook(receiver.url("/hook"), "order_updated");
  const std::string order = tenant.insert_order();
  Session reader = world.database.connect();
  reader.exec("begin isolation level repeatable read");
  reader.exec(
      "select count(*) from pending_events; select count(*) from events; select count(*) from run_queue");
  for (std::size_t change = 1; change <= 300; ++change) {
    tenant.sql.exec(update(order, std::to_string(change)));
  }
  EXPECT_EQ(receiver.wait_for("/hook", 300, 5s).size(), 300U);
  tenant.sql.exec(update(order, "last"));
  EXPECT_EQ(receiver.wait_for("/hook", 301, 1s).size(), 301U);
  tenant.settle();
  reader.exec("commit");
}

TEST_F(Outbox, WithoutNotifyEventsAreFoundByTheNextPoll) {
  TestDatabase database;
  database.exec("alter database " + database.name() + " set waybill.notify = 'off'");
  const Waybill waybill(database.url());
  Tenant tenant(waybill, "polled");
  tenant.webhook(receiver.url("/hook"), "order_updated");
  const std::string order = tenant.insert_order();
  tenant.settle();
  for (std::size_t change = 1; change <= 4; ++change) {
    const auto committed = std::chrono::steady_clock::now();
    tenant.sql.exec(update(order, std::to_string(change)));
    const auto received = receiver.wait_for("/hook", change);
    ASSERT_EQ(received.size(), change);
    EXPECT_LT(received.back().at - committed, without_notify);
  }
}

TEST_F(Outbox, ACommitOfPsqlWakesAnIdleWorker) {
  World world;
  Tenant tenant(world.waybill, "woken");
  tenant.webhook(receiver.url("/hook"), "order_updated");
  const std::string order = tenant.insert_order();
  tenant.settle();
  std::vector<std::chrono::steady_clock::duration> latencies;
  for (std::size_t change = 1; change <= 21; ++change) {
    const auto committed = std::chrono::steady_clock::now();
    tenant.sql.exec(update(order, std::to_string(change)));
    latencies.push_back(receiver.wait_for("/hook", change).back().at - committed);
    tenant.settle();
  }
  std::ranges::sort(latencies);
  // Far below the poll interval of a second, even on a busy machine: the wake-up delivers it.
  EXPECT_LT(latencies[latencies.size() / 2], 100ms);
}

TEST_F(Outbox, RecoversWithin2SecondsAfterAllConnectionsAreTerminated) {
  World world;
  Tenant tenant(world.waybill, "healed");
  tenant.webhook(receiver.url("/hook"), "order_updated");
  const std::string order = tenant.insert_order();
  tenant.settle();
  const auto arrived = [](const std::string& notes) {
    return [notes](const std::vector<Received>& all) {
      return std::ranges::any_of(all, [&](const Received& request) {
        return text_at(request.json_body(), "data.entity.notes") == notes;
      });
    };
  };
  for (const std::string notes : {"one", "two", "three"}) {
    world.database.terminate_connections();
    const auto ended = std::chrono::steady_clock::now();
    const auto left = [&] {
      return std::chrono::ceil<Deadline>(ended + 2s - std::chrono::steady_clock::now());
    };
    world.database.exec(update(order, notes));
    EXPECT_TRUE(receiver.wait_until("/hook", arrived(notes), left()));
    const std::string path = "/api/v1/Orders/" + order;
    EXPECT_TRUE(eventually([&] { return tenant.http.get(path).status == 200; }, left()));
    EXPECT_TRUE(
        eventually([&] { return tenant.http.put(path, {{"notes", notes + "!"}}).status == 200; }, left()));
    EXPECT_TRUE(receiver.wait_until("/hook", arrived(notes + "!"), left()));
  }
}

TEST_F(Outbox, ChangesMadeWithoutAWorkerAreDeliveredWhenOneStarts) {
  const TestDatabase database;
  const auto api = start(database, "api");
  Tenant tenant(*api, "waiting");
  tenant.webhook(receiver.url("/hook"), "order_created");
  for (int i = 0; i < 20; ++i) tenant.insert_order();
  EXPECT_EQ(receiver.count("/hook"), 0U);
  const auto worker = start(database, "worker", api.get());
  EXPECT_EQ(receiver.wait_for("/hook", 20).size(), 20U);
  tenant.settle();
  EXPECT_EQ(worker->stop(), 0);
  EXPECT_EQ(api->stop(), 0);
}

TEST_F(Outbox, ARunInFlightOfAKilledWorkerIsSentByAnotherWithTheSameId) {
  const TestDatabase database;
  const auto api = start(database, "api");
  auto worker = start(database, "worker", api.get());
  Tenant tenant(*api, "killed");
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next("/hook", Reply::after(gate));  // for the worker that is killed at once
  receiver.answer_next("/hook", Reply::after(gate));  // for the worker that takes it from the queue
  tenant.insert_order();
  ASSERT_EQ(receiver.wait_for("/hook", 1).size(), 1U);
  worker->process().kill(SIGKILL);
  worker = start(database, "worker", api.get());
  ASSERT_EQ(receiver.wait_for("/hook", 2).size(), 2U);
  EXPECT_EQ(tenant.run_with_status(workflow, "running").at("attempts"), 0);
  worker->process().kill(SIGKILL);
  worker = start(database, "worker", api.get());
  const auto received =
      receiver.wait_for("/hook", 3, 10s);  // long before the lease of the killed worker ends
  ASSERT_EQ(received.size(), 3U);
  EXPECT_EQ(received[1].header("webhook-id"), received[0].header("webhook-id"));
  EXPECT_EQ(received[2].header("webhook-id"), received[0].header("webhook-id"));
  EXPECT_EQ(received[2].body, received[0].body);
  // An attempt during which a worker is lost counts, so that a run that crashes workers comes to an end.
  const json::object run = tenant.run(tenant.run_with_status(workflow, "succeeded").at("guid").as_string());
  EXPECT_EQ(run.at("attempts"), 2);
  EXPECT_EQ(run.at("tries").at(0).at("error"), "The worker was lost during this attempt.");
  gate->open();
}

TEST_F(Outbox, EventsWithMoreRunsThanABatchHoldsAreAllDelivered) {
  World world;
  Tenant tenant(world.waybill, "many");
  constexpr std::size_t workflows = 25;
  constexpr std::size_t orders = 200;  // together more than the 2 000 runs of a batch
  for (std::size_t i = 0; i < workflows; ++i) tenant.webhook(receiver.url("/hook"), "order_created");
  tenant.sql.exec("insert into orders (business_id, order_number) select '" + tenant.id +
                  "', 'N' || n from generate_series(1, 200) n");
  EXPECT_EQ(receiver.wait_for("/hook", workflows * orders, 30s).size(), workflows * orders);
  // An event may be recorded while runs of it are in flight; these are recorded when they end.
  EXPECT_TRUE(eventually([&] {
    return world.database.number("select count(*) from runs where status = 'succeeded'") ==
           std::int64_t{workflows * orders};
  }));
}

TEST_F(Outbox, DeadDestinationsDelayNoOther) {
  World world;
  Tenant tenant(world.waybill, "slowed");
  std::vector<std::unique_ptr<Receiver>> dead;
  for (const auto kind : {Reply::Kind::hang, Reply::Kind::trickle, Reply::Kind::reset, Reply::Kind::flood}) {
    dead.push_back(std::make_unique<Receiver>());
    dead.back()->answer("/dead", Reply::of_kind(kind));
    tenant.webhook(dead.back()->url("/dead"), "order_updated");
  }
  tenant.webhook(receiver.url("/hook"), "order_updated");
  constexpr std::size_t changes = 500;
  tenant.sql.exec("insert into orders (business_id, order_number) select '" + tenant.id +
                  "', 'N' || n from generate_series(1, 500) n");
  const auto started = std::chrono::steady_clock::now();
  tenant.update_orders("notes = 'x' where true");
  const auto received = receiver.wait_for("/hook", changes);
  ASSERT_EQ(received.size(), changes);
  // Each attempt at a dead destination takes up to 15 s.
  EXPECT_LT(received.back().at - started, 5s);
  for (const auto& request : dead) EXPECT_FALSE(request->wait_for("/dead", 1).empty());
  // New events are delivered without delay.
  const auto late = std::chrono::steady_clock::now();
  tenant.update_orders("notes = 'y' where order_number = 'N1'");
  ASSERT_EQ(receiver.wait_for("/hook", changes + 1).size(), changes + 1);
  EXPECT_LT(receiver.received("/hook").back().at - late, 2s);
}

TEST_F(Outbox, TwoWorkersShareTheWorkAndRecordEachRunOnce) {
  World world;
  const auto second = start(world.database, "worker", &world.waybill);
  constexpr int businesses = 8;
  std::size_t expected = 0;
  std::vector<std::unique_ptr<Tenant>> tenants;
  for (int i = 0; i < businesses; ++i) {
    Tenant& tenant =
        *tenants.emplace_back(std::make_unique<Tenant>(world.waybill, "shared " + std::to_string(i)));
    tenant.webhook(receiver.url("/hook"), "order_created");
    tenant.sql.exec("insert into orders (business_id, order_number) select '" + tenant.id +
                    "', 'N' || n from generate_series(1, 100) n");
    expected += 100;
  }
  receiver.wait_for("/hook", expected);
  for (const auto& tenant : tenants) tenant->settle();
  EXPECT_TRUE(eventually(
      [&] { return world.database.number("select count(*) from runs where status = 'succeeded'") == 800; }));
  EXPECT_EQ(world.database.number("select count(distinct (event_id, workflow_id)) from all_runs"), 800);
  std::set<std::string> ids;
  for (const Received& request : receiver.received("/hook")) ids.insert(request.header("webhook-id"));
  EXPECT_EQ(ids.size(), expected);
}

}  // namespace
}  // namespace waybill::tests
