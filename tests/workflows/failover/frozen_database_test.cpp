// A PostgreSQL whose processes are stopped: the kernel holds the connections and accepts new ones, and
// nothing answers.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/standby.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// The pages and metrics of a process, at its `--metrics-listen`.
class ProcessPages {
 public:
  explicit ProcessPages(Waybill& waybill) : http_(listener(waybill)) {}

  int health() { return http_.get("/healthz").status; }
  std::optional<double> gauge(const std::string& name) {
    const std::string text = "\n" + http_.get("/metrics").text;
    const auto at = text.find("\n" + name + " ");
    if (at == std::string::npos) return std::nullopt;
    return std::stod(text.substr(at + name.size() + 2));
  }

 private:
  static Http listener(Waybill& waybill) {
    constexpr std::string_view host = "metrics=http://127.0.0.1:";
    const auto line = waybill.process().wait_for_line(host);
    if (!line) throw std::runtime_error("no metrics listener");
    return {"127.0.0.1", std::stoi(line->substr(line->find(host) + host.size()))};
  }

  Http http_;
};

/// An API and a worker whose database can freeze.
class FrozenDatabase : public testing::Test {
 protected:
  FrozenDatabase() { migrate_with_binary(servers.primary_url()); }
  ~FrozenDatabase() override { servers.signal_primary(SIGCONT); }

  void start(const std::string& url) {
    api = std::make_unique<Waybill>(url, with_command("api"));
    worker = std::make_unique<Waybill>(url, with_command("worker"));
    tenant = std::make_unique<Tenant>(*api, "frozen");
    tenant->webhook(receiver.url("/hook"), "order_created");
    tenant->insert_order();
    ASSERT_EQ(receiver.wait_for("/hook", 1).size(), 1U);
  }

  Waybill::Options with_command(std::string command) const {
    Waybill::Options options;
    options.command = std::move(command);
    options.arguments = {"--metrics-listen", "127.0.0.1:0"};
    // The service manager would restart a process of which a loop does not turn for 10 s.
    options.environment = {{"NOTIFY_SOCKET", "/nowhere"}, {"WATCHDOG_USEC", "20000000"}};
    if (api) options.secret_key_file = api->secret_key_file();
    return options;
  }

  PrimaryAndStandby servers;
  Receiver receiver;
  std::unique_ptr<Waybill> api;
  std::unique_ptr<Waybill> worker;
  std::unique_ptr<Tenant> tenant;
};

TEST_F(FrozenDatabase, IsSeenInTheMetricsAndStopsNoLoopAndAfterItNothingIsLostOrDoubled) {
  constexpr int count = 400;
  start(servers.primary_url());
  ProcessPages of_worker(*worker);
  ProcessPages of_api(*api);
  ASSERT_TRUE(eventually([&] { return of_worker.gauge("waybill_shards_owned") == 16; }));
  tenant->sql.exec("insert into orders (business_id, order_number) select '" + tenant->id +
                   "', 'n' || n from generate_series(1, " + std::to_string(count) + ") n");
  // It freezes between the recordings of these events.
  ASSERT_FALSE(receiver.wait_for("/hook", 20).empty());
  servers.signal_primary(SIGSTOP);
  EXPECT_TRUE(eventually([&] { return of_worker.gauge("waybill_shards_owned") == 0; }, 10s));
  EXPECT_EQ(of_worker.gauge("waybill_database_up"), 0);
  // Longer than a loop may take: the longest call, a pause and an attempt to connect are shorter.
  EXPECT_TRUE(throughout([&] { return of_worker.health() == 200 && of_api.health() == 200; }, 14s));
  EXPECT_EQ(of_worker.gauge("waybill_shards_owned"), 0);
  servers.signal_primary(SIGCONT);
  EXPECT_TRUE(eventually([&] { return of_worker.gauge("waybill_database_up") == 1; }, 30s));
  Session sql(servers.primary_url());
  EXPECT_TRUE(eventually(
      [&] { return sql.number("select count(*) from runs where status = 'succeeded'") == count + 1; }, 30s));
  EXPECT_EQ(sql.number("select count(*) from runs"), count + 1);
  EXPECT_EQ(sql.number("select count(*) from pending_events"), 0);
  EXPECT_GE(receiver.count("/hook"), std::size_t{count} + 1);
  EXPECT_TRUE(eventually([&] { return tenant->http.get("/readyz").status == 200; }));
  const Response ledger = tenant->http.get("/api/workflows/ledger");
  EXPECT_EQ(at(ledger.body, "data.balanced"), json::value(true)) << ledger.text;
}

TEST_F(FrozenDatabase, WorkersDeliverFromThePromotedStandby) {
  start(servers.url());
  servers.catch_up();
  servers.signal_primary(SIGSTOP);
  servers.promote();
  // The limit of a worker's call is 5 s, that of a host 2 s; a statement of a request has 10 s, and 5 s more.
  EXPECT_TRUE(eventually([&] { return tenant->http.get("/readyz").status == 200; }, 30s));
  Session sql(servers.standby_url());
  sql.exec("insert into orders (business_id, order_number) values ('" + tenant->id + "', 'after')");
  EXPECT_EQ(receiver.wait_for("/hook", 2).size(), 2U);
  ProcessPages of_worker(*worker);
  EXPECT_TRUE(eventually([&] { return of_worker.gauge("waybill_shards_owned") == 16; }));
  EXPECT_EQ(of_worker.health(), 200);
}

TEST_F(FrozenDatabase, ProcessesEndWithinTenSecondsOfSigterm) {
  start(servers.primary_url());
  Waybill up(servers.primary_url(), with_command("up"));
  servers.signal_primary(SIGSTOP);
  for (Waybill* const each : {api.get(), worker.get(), &up}) each->process().kill(SIGTERM);
  const auto until = std::chrono::steady_clock::now() + 10s;
  for (Waybill* const each : {api.get(), worker.get(), &up}) {
    const auto left = std::chrono::ceil<Deadline>(until - std::chrono::steady_clock::now());
    EXPECT_EQ(each->process().wait_exit(std::max(left, Deadline(0))), 0);
  }
}

TEST_F(FrozenDatabase, ProcessesEndWithinTenSecondsWhileTheyTryToConnect) {
  start(servers.primary_url());
  servers.signal_primary(SIGSTOP);
  ProcessPages of_worker(*worker);
  ASSERT_TRUE(eventually([&] { return of_worker.gauge("waybill_listen_up") == 0; }));
  EXPECT_EQ(api->stop(10s), 0);
  EXPECT_EQ(worker->stop(10s), 0);
}

}  // namespace
}  // namespace waybill::tests
