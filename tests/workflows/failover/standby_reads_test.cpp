// Reads on streaming standbys (--read-database-url).
#include <atomic>
#include <csignal>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "base/ascii.hpp"
#include "storage/blocking/connection.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/standby.hpp"
#include "tests/harness/standby_metrics.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::string_view orders = "/api/v1/Orders";

std::int64_t total(const Response& response) {
  EXPECT_EQ(response.status, 200) << response.text;
  return response.body.at("totalCount").to_number<std::int64_t>();
}

struct MigratedServers : PrimaryAndStandby {
  MigratedServers() { migrate_with_binary(url()); }
};

/// An API whose lists a standby serves.
class StandbyReads : public testing::Test {
 protected:
  Waybill::Options options() const {
    Waybill::Options options;
    options.command = "api";
    options.secret_key_file = secret_key_file;
    options.arguments = {"--read-database-url", servers.standby_url(), "--metrics-listen", "127.0.0.1:0"};
    return options;
  }

  /// True once a request is served by the standby.
  static bool is_on_standby(StandbyMetrics& metrics, const std::function<Response()>& send) {
    return eventually([&] {
      const double before = metrics.reads("standby");
      const Response response = send();
      EXPECT_EQ(response.status, 200) << response.text;
      return metrics.reads("standby") > before;
    });
  }
  bool lists_on_standby() {
    return is_on_standby(metrics, [this] { return tenant.http.get(orders); });
  }

  MigratedServers servers;
  std::string secret_key_file;
  Waybill api{servers.url(), options()};
  StandbyMetrics metrics{api};
  Tenant tenant{api, "reader"};
};

TEST_F(StandbyReads, ListsSearchesAndAnalysisAreServedByTheStandby) {
  const std::string order = tenant.create_order();
  const std::string workflow = tenant.webhook("http://127.0.0.1:9/hook", "order_created");
  for (const std::string path :
       {"/api/v1/Orders", "/api/v1/Orders?$search=Lamp", "/api/v1/Orders?$filter=status eq 'pending'",
        "/api/v1/Orders?PageSize=1&Page=25", "/api/v1/Customers", "/api/v1/Products", "/api/v1/shipments",
        "/api/v1/shipments/overview", "/api/dispatch", "/api/dispatch/overview", "/api/workflows/runs",
        "/api/business/tokens", "/api/business/audit", "/api/workflows/ledger", "/api/workflows/overview",
        "/api/workflows/stats"}) {
    std::string encoded = path;
    for (auto at = encoded.find(' '); at != std::string::npos; at = encoded.find(' '))
      encoded.replace(at, 1, "%20");
    EXPECT_TRUE(is_on_standby(metrics, [&] { return tenant.http.get(encoded); })) << path;
  }
  EXPECT_TRUE(
      is_on_standby(metrics, [&] { return tenant.http.get("/api/workflows/explain?entityId=" + order); }));
  EXPECT_TRUE(is_on_standby(
      metrics, [&] { return tenant.http.post("/api/workflows/backtest", {{"workflowId", workflow}}); }));
  EXPECT_EQ(metrics.passes("refused"), 0) << "a statement does not work on a standby";
  EXPECT_EQ(metrics.passes("failed"), 0);

  const double before = metrics.reads("standby") + metrics.reads("primary");
  EXPECT_EQ(tenant.http.get("/api/v1/Orders/" + order).status, 200);
  EXPECT_EQ(metrics.reads("standby") + metrics.reads("primary"), before) << "a record is read on the primary";
}

// The kept total is wrong by seven on purpose, which shows that it is read.
TEST_F(StandbyReads, TotalsOfOwnDataIncludeTheChangesThatAreNotFoldedYet) {
  const auto sql = [&](std::string statement) {
    Session(servers.primary_url()).exec(replaced(std::move(statement), "BUSINESS", "'" + tenant.id + "'"));
  };
  const auto insert = [&](int from, int to) {
    sql("insert into orders (business_id, order_number, tags) select BUSINESS, 'N-' || n, '[\"hot\"]' from "
        "generate_series(" +
        std::to_string(from) + ", " + std::to_string(to) + ") n");
  };
  const auto tagged = [&] {
    const auto path = std::string(orders) + "?PageSize=2&$filter=tags%20eq%20'hot'";
    std::int64_t read = -1;
    EXPECT_TRUE(is_on_standby(metrics, [&] {
      Response response = tenant.http.get(path);
      read = total(response);
      return response;
    }));
    return read;
  };
  insert(1, 4000);
  sql("insert into own_data_totals (business_id, entity_type, value) values (BUSINESS, 0, 'thot') "
      "on conflict do nothing");
  {
    storage::blocking::Connection session(servers.primary_url(), "test");
    const SecretBox secrets{SecretBox::Key{}};
    const worker::DutyOptions options{.database_url = servers.primary_url(), .secrets = secrets, .turn = 10s};
    while (worker::fold_counts(session, options)) continue;
  }
  sql("update own_data_totals set total = total + 7 where business_id = BUSINESS");
  servers.catch_up();
  EXPECT_EQ(tagged(), 4007);
  insert(4001, 4003);
  sql("update orders set tags = null where business_id = BUSINESS and order_number = 'N-1'");
  sql("delete from orders where business_id = BUSINESS and order_number = 'N-2'");
  servers.catch_up();
  EXPECT_EQ(tagged(), 4008);
  EXPECT_EQ(metrics.passes("refused"), 0) << "a statement does not work on a standby";
}

TEST_F(StandbyReads, ATokenSeesItsOwnWritesWhileReplayIsPaused) {
  ASSERT_TRUE(lists_on_standby());
  servers.pause_replay();
  for (std::int64_t count = 1; count <= 20; ++count) {
    const std::string order = tenant.create_order();
    EXPECT_EQ(total(tenant.http.get(orders)), count);
    EXPECT_EQ(at(tenant.http.get("/api/workflows/ledger").data(), "events").to_number<std::int64_t>(),
              tenant.sql.number("select count(*) from events where business_id = $1", {tenant.id}));
    EXPECT_EQ(tenant.http.get("/api/workflows/explain?entityId=" + order).status, 200);
  }
  EXPECT_EQ(tenant.http
                .post("/api/v1/Orders/delete",
                      json::array{{{"guid", text_at(tenant.http.get(orders).data(), "0.guid")}}})
                .status,
            200);
  EXPECT_EQ(total(tenant.http.get(orders)), 19);
  servers.resume_replay();
  EXPECT_TRUE(lists_on_standby());
  EXPECT_EQ(total(tenant.http.get(orders)), 19);
}

TEST_F(StandbyReads, AnotherNodeServesFromThePositionInTheHeaderOn) {
  secret_key_file = api.secret_key_file();
  Waybill other(servers.url(), options());
  StandbyMetrics other_metrics(other);
  Http http = other.http(tenant.http.token());
  ASSERT_TRUE(is_on_standby(other_metrics, [&] { return http.get(orders); }));
  servers.pause_replay();
  for (std::int64_t count = 1; count <= 10; ++count) {
    const Response made = tenant.http.post(
        "/api/v1/Orders", {{"customer", {{"name", "Ada"}}},
                           {"deliveryAddress", {{"street", "Main Street 1"}, {"city", "Berlin"}}},
                           {"items", {{{"description", "Box"}, {"quantity", 1}, {"price", 5}}}}});
    ASSERT_EQ(made.status, 201) << made.text;
    const std::string position = made.header("X-Commit-Position");
    ASSERT_NE(position, "");
    EXPECT_EQ(total(http.get(orders, {{"X-Commit-Position", position}})), count);
  }
  // Without the header, the other node is at most about half a second behind.
  EXPECT_TRUE(eventually([&] { return total(http.get(orders)) == 10; }, 3s));
  servers.resume_replay();
  const std::string position =
      tenant.http.put("/api/business/default-configuration", {{"defaultServiceLevel", "express"}})
          .header("X-Commit-Position");
  EXPECT_NE(position, "");
  EXPECT_TRUE(
      is_on_standby(other_metrics, [&] { return http.get(orders, {{"X-Commit-Position", position}}); }));
}

TEST_F(StandbyReads, APositionBeyondThePrimaryIsServedByThePrimary) {
  ASSERT_TRUE(lists_on_standby());
  tenant.create_order();
  for (const std::string position : {"1-FFFFFFFFFFFFFFFF", "7-1", "FFFFFFFF-0"}) {
    const double before = metrics.reads("primary");
    EXPECT_EQ(total(tenant.http.get(orders, {{"X-Commit-Position", position}})), 1) << position;
    EXPECT_GT(metrics.reads("primary"), before) << position;
  }
}

TEST_F(StandbyReads, AStandbyThatLagsIsPassedOverUntilItHasCaughtUp) {
  ASSERT_TRUE(lists_on_standby());
  servers.pause_replay();
  tenant.insert_order();
  EXPECT_TRUE(eventually([&] { return total(tenant.http.get(orders)) == 1; }, 3s));
  EXPECT_TRUE(eventually([&] {
    tenant.http.get(orders);
    return metrics.passes("lagging") > 0;
  }));
  EXPECT_TRUE(api.process().wait_for_line("reason=standby.lagging"));
  servers.resume_replay();
  EXPECT_TRUE(lists_on_standby());
}

TEST_F(StandbyReads, AKilledStandbyIsPassedOverWithoutAnErrorAndUsedAgain) {
  tenant.create_order();
  ASSERT_TRUE(lists_on_standby());
  std::atomic<bool> done = false;
  std::mutex mutex;
  std::string bad;
  std::atomic<int> sent = 0;
  std::vector<std::thread> clients;
  for (const std::string path : {"/api/v1/Orders", "/api/v1/Orders?$search=Ada", "/api/workflows/ledger"}) {
    clients.emplace_back([&, path, http = api.http(tenant.http.token())]() mutable {
      for (; !done; ++sent) {
        const Response response = http.get(path);
        if (response.status == 200) continue;
        const std::lock_guard lock(mutex);
        bad += path + ": " + response.text + '\n';
      }
    });
  }
  const auto serves_more = [&] {
    const int before = sent;
    return eventually([&] { return sent > before + 30; });
  };
  for (int round = 0; round < 2; ++round) {
    servers.kill_standby();
    EXPECT_TRUE(serves_more());
    EXPECT_EQ(api.http().get("/readyz").status, 200);
    servers.start_standby();
    const double before = metrics.reads("standby");
    EXPECT_TRUE(eventually([&] { return metrics.reads("standby") > before; }));
  }
  done = true;
  for (auto& client : clients) client.join();
  EXPECT_EQ(bad, "") << "of " << sent << ": " << api.process().standard_error();
  EXPECT_GT(metrics.passes("unreachable"), 0);
  EXPECT_THAT(api.process().standard_error(), HasSubstr("standby.passed_over"));
  EXPECT_EQ(api.process().standard_error().find("database.unavailable"), std::string::npos)
      << "the database is available";
}

TEST_F(StandbyReads, AStandbyThatHangsIsPassedOverAfterASecond) {
  tenant.create_order();
  ASSERT_TRUE(lists_on_standby());
  servers.signal_standby(SIGSTOP);
  const auto stopped = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(total(tenant.http.get(orders)), 1);
  EXPECT_LT(std::chrono::steady_clock::now() - stopped, 4s);
  EXPECT_GT(metrics.passes("unreachable"), 0);
  servers.signal_standby(SIGCONT);
  EXPECT_TRUE(lists_on_standby());
}

TEST_F(StandbyReads, AConflictWithRecoveryIsNoErrorOfTheRequest) {
  servers.set_on_standby("max_standby_streaming_delay", "0");
  Session(servers.url())
      .exec("insert into orders (business_id, order_number, notes) select '" + tenant.id +
            "', 'N' || n, 'lamp ' || n from generate_series(1, 20000) n");
  servers.catch_up();
  ASSERT_TRUE(lists_on_standby());
  std::atomic<bool> done = false;
  std::atomic<int> bad = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back([&, http = api.http(tenant.http.token())]() mutable {
      while (!done) bad += http.get("/api/v1/Orders?$search=lamp&$orderby=notes").status == 200 ? 0 : 1;
    });
  }
  Session primary(servers.url());
  EXPECT_TRUE(eventually([&] {
    // The standby's replay of the lock cancels the statements that use the table.
    primary.exec("begin; lock table orders in access exclusive mode; commit");
    return metrics.passes("conflict") > 0;
  }));
  done = true;
  for (auto& client : clients) client.join();
  EXPECT_EQ(bad, 0);
  EXPECT_TRUE(lists_on_standby()) << "it is used again";
}

TEST_F(StandbyReads, APromotedStandbyIsPassedOver) {
  tenant.create_order();
  ASSERT_TRUE(lists_on_standby());
  servers.catch_up();
  servers.kill_primary();
  servers.promote();
  EXPECT_TRUE(eventually([&] { return tenant.http.get(orders).status == 200; }));
  const double before = metrics.reads("standby");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(total(tenant.http.get(orders)), 1);
  EXPECT_EQ(metrics.reads("standby"), before);
  const Response made = tenant.http.post(
      "/api/v1/Orders/delete", json::array{{{"guid", text_at(tenant.http.get(orders).data(), "0.guid")}}});
  EXPECT_THAT(made.header("X-Commit-Position"), testing::StartsWith("2-")) << "the new timeline";
}

TEST_F(StandbyReads, NoPersonIsExportedWhileTheAuditLogCannotBeWritten) {
  const Response created = tenant.http.post("/api/v1/Customers", {{"name", "Ada"}});
  ASSERT_EQ(created.status, 201) << created.text;
  const std::string path = "/api/v1/Customers/" + text_at(created.data(), "guid") + "/export";
  EXPECT_EQ(tenant.http.get(path).status, 200);
  ASSERT_TRUE(lists_on_standby());
  servers.catch_up();
  servers.kill_primary();
  for (int i = 0; i < 5; ++i) {
    const Response refused = tenant.http.get(path);
    EXPECT_EQ(refused.status, 503) << refused.text;
  }
  servers.promote();
  EXPECT_TRUE(eventually([&] { return tenant.http.get(path).status == 200; }));
  EXPECT_EQ(Session(servers.url())
                .number("select count(*) from audit_log where business_id = $1 and action = 'exported'",
                        {tenant.id}),
            2);
}

TEST_F(StandbyReads, AServerOfAnotherClusterIsRefusedAtStart) {
  const Finished started = run({waybill_binary(), "api", "--database-url", servers.url(),
                                "--read-database-url", postgres().url("postgres"), "--secret-key-file",
                                api.secret_key_file(), "--listen", "127.0.0.1:0", "--metrics-listen", "off"});
  EXPECT_NE(started.status, 0);
  EXPECT_THAT(started.standard_error, HasSubstr("--read-database-url"));
  EXPECT_THAT(started.standard_error, HasSubstr("another cluster"));
}

}  // namespace
}  // namespace waybill::tests
