#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>

#include "storage/session/session.hpp"
#include "storage/sql/imports.sql.hpp"
#include "tests/connectors/import_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

Time an_hour_ago() { return std::chrono::floor<std::chrono::seconds>(system_clock().now()) - 1h; }

/// Workers on one database, and a store that one of them imports.
class ImportWorkers : public testing::Test {
 protected:
  ImportWorkers() {
    create_token(database.url(), "workers");
    business = database.value("select guid from businesses where name = 'workers'");
  }

  Waybill& start() {
    Waybill::Options options{.command = "worker", .arguments = {"--import-interval", "1"}};
    if (!workers.empty()) options.secret_key_file = workers.front()->secret_key_file();
    return *workers.emplace_back(std::make_unique<Waybill>(database.url(), options));
  }

  Connection connect(Connection::Settings settings = {}) {
    return {sql, business, workers.front()->secret_key_file(), store, settings};
  }

  /// The worker that imports now.
  Waybill& importing_worker() {
    const auto pid = sql.number(
        "select split_part(w.name, ':', 2)::int from integrations i join workers w on w.guid = "
        "i.lease_owner");
    for (const auto& worker : workers) {
      if (worker->process().pid() == pid) return *worker;
    }
    throw std::runtime_error("no worker imports");
  }

  /// The store answers no call after this page of a sweep until the gate opens or another worker calls. The
  /// bin is read after the first page.
  void halt_after(std::size_t page) {
    store.after_page([this, page, pages = std::make_shared<std::atomic<std::size_t>>(0)](std::size_t) {
      if (++*pages != page + 1) return;
      Fault held = slow_answer(gate);
      held.spoil = [this, hold = std::move(held.spoil)](Reply& reply) {
        hold(reply);
        ++held_calls;
      };
      store.fail(std::move(held));
    });
  }

  /// Waits until all orders before the halt are imported and the worker waits for the next page.
  bool is_halted_after(Connection& connection, std::int64_t orders, int calls) {
    return eventually([&] { return held_calls >= calls && connection.orders() >= orders; });
  }

  TestDatabase database;
  WooCommerceSimulator store;
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  const AtExit<std::function<void()>> open_gate{[this] { gate->open(); }};
  Session sql{database.url()};
  std::string business;
  std::atomic<int> held_calls = 0;
  std::vector<std::unique_ptr<Waybill>> workers;
};

TEST_F(ImportWorkers, ARunOfAKilledWorkerIsContinuedAndImportsEachOrderOnce) {
  constexpr int orders = 450;
  store.add_orders(orders, an_hour_ago() - 2h, 10s);
  start();
  start();
  auto connection = connect();
  halt_after(1);
  const auto run = connection.request();
  int halts = 0;
  for (std::int64_t imported = 0; imported < 300;) {
    ASSERT_TRUE(is_halted_after(connection, imported + 100, ++halts));
    imported = connection.orders();
    const auto before = connection.value("lease_owner");
    halt_after(2);
    importing_worker().process().kill(SIGKILL);
    start();
    ASSERT_TRUE(eventually([&] { return connection.value("lease_owner") != before; }, 5s))
        << "released at once";
  }
  store.after_page({});
  gate->open();
  const auto finished = connection.finished(run, 60s);
  EXPECT_EQ(finished.imported, orders);
  EXPECT_EQ(finished.failed, 0);
  EXPECT_TRUE(finished.errors.empty());
  EXPECT_EQ(connection.orders(), orders);
  EXPECT_EQ(connection.events(), orders) << "each order was created once and never changed";
  EXPECT_EQ(sql.number("select count(*) from imported_orders"), orders);
}

TEST_F(ImportWorkers, AnIntegrationIsReleasedBeforeAnotherWorkerTakesIt) {
  store.add_orders(120, an_hour_ago(), 1s);
  start();
  start();
  start();
  sql.exec(
      "create table takeovers (at timestamptz);"
      "create function takes_over() returns trigger language plpgsql as "
      "$$ begin insert into takeovers values (now()); return new; end $$;"
      "create trigger takes_over before update on integrations for each row "
      "when (old.lease_owner <> new.lease_owner) execute function takes_over()");
  auto connection = connect({.auto_import = true});
  for (int i = 0; i < 10; ++i) connection.sync();
  EXPECT_EQ(sql.number("select count(*) from takeovers"), 0);
  EXPECT_EQ(connection.events(), 120);
}

TEST_F(ImportWorkers, AStoppedWorkerEndsInTimeAndAnotherContinuesItsRun) {
  store.add_orders(250, an_hour_ago(), 1s);
  start();
  auto connection = connect();
  halt_after(1);
  const auto run = connection.request();
  ASSERT_TRUE(is_halted_after(connection, 100, 1));
  EXPECT_EQ(workers.front()->stop(10s), 0);
  EXPECT_EQ(connection.value("lease_owner"), "");
  EXPECT_EQ(connection.orders(), 100);
  start();
  const auto finished = connection.finished(run);
  EXPECT_EQ(finished.imported, 250);
  EXPECT_TRUE(finished.errors.empty());
  EXPECT_EQ(connection.events(), 250);
}

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
// Sanitizers delay the release of memory.
TEST_F(ImportWorkers, MemoryDoesNotGrowWithTheSizeOfTheStore) {
  store.add_orders(3000, an_hour_ago(), 500ms);
  Waybill& worker = start();
  const auto resident_kb = [&] {
    std::ifstream file("/proc/" + std::to_string(worker.process().pid()) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    }
    return 0L;
  };
  auto connection = connect();
  const auto before = resident_kb();
  EXPECT_EQ(connection.sync(60s).imported, 3000);
  EXPECT_LT(resident_kb() - before, 60 * 1024);
}
#endif

TEST_F(ImportWorkers, OldRunsAndWebhookDeliveriesExpire) {
  sql.rows(
      "insert into integration_runs (business_id, guid, integration_id, started_at, finished_at) "
      "select $1, gen_random_uuid(), gen_random_uuid(), t, t from (values (now() - interval '31 days'), "
      "(now())) v (t)",
      {business});
  sql.rows(
      "insert into inbound_deliveries (business_id, integration_id, delivery_id, received_at) "
      "values ($1, $1, 'old', now() - interval '8 days'), ($1, $1, 'new', now() - interval '6 days')",
      {business});
  database.make_duties_due();
  start();
  EXPECT_TRUE(eventually([&] {
    return sql.number("select count(*) from integration_runs") == 1 &&
           sql.column("select delivery_id from inbound_deliveries") == std::vector<std::string>{"new"};
  }));
}

TEST_F(ImportWorkers, BusinessesTakeTurnsWhenMoreSweepsAreDueThanMayRun) {
  create_token(database.url(), "small");
  sql.exec(
      "insert into integrations (business_id, provider, store_url, api_key, due_at) "
      "select b.guid, 'woocommerce', b.name || n, '', now() - n * interval '1 hour' "
      "from businesses b, generate_series(1, 40) n where b.name = 'workers'; "
      "insert into integrations (business_id, provider, store_url, api_key, due_at) "
      "select guid, 'woocommerce', name, '', now() from businesses where name = 'small'");
  storage::Session session(database.url(), "test");
  const auto claim = [&](const Guid& worker) {
    constexpr int limit = 4;
    std::vector<Guid> runs(limit);
    std::ranges::generate(runs, Guid::random);
    const auto rows = session.run(storage::sql::imports::Claim{.worker = worker,
                                                               .limit = limit,
                                                               .lease = "PT30S",
                                                               .busy = std::vector<Guid>(),
                                                               .new_runs = runs,
                                                               .max_per_business = 10});
    std::map<std::string, int> claimed;
    for (const auto& row : rows) ++claimed[std::string(row.store_url.substr(0, 5))];
    return claimed;
  };
  const Guid first = Guid::random();
  EXPECT_EQ(claim(first), (std::map<std::string, int>{{"small", 1}, {"worke", 3}}));
  EXPECT_EQ(claim(Guid::random()), (std::map<std::string, int>{{"worke", 4}}))
      << "a leased integration is not due";
  sql.exec(
      "insert into integrations (business_id, provider, store_url, api_key) "
      "select guid, 'woocommerce', name || '2', '' from businesses where name = 'small'");
  EXPECT_EQ(claim(Guid::random())["small"], 1) << "the business with fewer running sweeps goes first";
  sql.exec("update integrations set lease_until = now() - interval '1 second' where lease_owner = '" +
           first.to_string() + "'");
  int again = 0;
  for (const auto& [name, count] : claim(Guid::random())) again += count;
  EXPECT_EQ(again, 4) << "an integration of a lost worker is free after its lease";
}

}  // namespace
}  // namespace waybill::tests
