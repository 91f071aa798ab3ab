#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/standby.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// An API and a worker on a primary and its standby; the URL names the standby first.
class FailOver : public testing::Test {
 protected:
  FailOver() { migrate_with_binary(servers.url()); }

  void start() { start(servers.url()); }
  void start(const std::string& url) {
    api = std::make_unique<Waybill>(url, with_command("api"));
    worker = start_another(url, "worker");
  }
  std::unique_ptr<Waybill> start_another(const std::string& url, std::string command) const {
    Waybill::Options options = with_command(std::move(command));
    options.secret_key_file = api->secret_key_file();
    return std::make_unique<Waybill>(url, options);
  }

  static Waybill::Options with_command(std::string command) {
    Waybill::Options options;
    options.command = std::move(command);
    return options;
  }

  static json::object order(const std::string& number) {
    return {{"orderNumber", number},
            {"customer", {{"name", "Ada"}}},
            {"deliveryAddress", {{"street", "Main Street 1"}, {"city", "Berlin"}}},
            {"items", json::array{{{"description", "Box"}, {"quantity", 1}, {"price", 5}}}}};
  }

  std::set<std::string> numbers(const std::vector<Received>& all, std::string_view prefix) {
    std::set<std::string> orders;
    for (const Received& request : all) {
      const std::string number = text_at(request.json_body(), "data.entity.orderNumber");
      if (number.starts_with(prefix)) orders.insert(number);
    }
    return orders;
  }

  PrimaryAndStandby servers;
  Receiver receiver;
  std::unique_ptr<Waybill> api;
  std::unique_ptr<Waybill> worker;
};

TEST_F(FailOver, ResponsesAreNever500AndTheNewPrimaryIsUsedWithinTwoSeconds) {
  start();
  Tenant tenant(*api, "moved");
  tenant.webhook(receiver.url("/hook"), "order_created");
  ASSERT_EQ(tenant.http.post("/api/v1/Orders", order("before")).status, 201);
  ASSERT_EQ(receiver.wait_for("/hook", 1).size(), 1U);
  servers.catch_up();

  std::atomic<bool> done = false;
  std::map<int, int> statuses;
  std::thread client([&, http = api->http(tenant.http.token())]() mutable {
    for (int i = 0; !done; ++i) {
      ++statuses[http.post("/api/v1/Orders", order("during" + std::to_string(i))).status];
      ++statuses[http.get("/api/v1/Orders").status];
    }
  });
  servers.kill_primary();
  EXPECT_TRUE(eventually([&] { return tenant.http.get("/readyz").status == 503; }));
  EXPECT_EQ(tenant.http.get("/healthz").status, 200);
  servers.promote();
  const auto promoted = std::chrono::steady_clock::now();
  EXPECT_TRUE(
      eventually([&] { return tenant.http.post("/api/v1/Orders", order("after")).status == 201; }, 2s));
  const auto arrived = [&](const auto& all) { return !numbers(all, "after").empty(); };
  EXPECT_TRUE(receiver.wait_until(
      "/hook", arrived, std::chrono::ceil<Deadline>(promoted + 2s - std::chrono::steady_clock::now())));
  EXPECT_TRUE(eventually([&] { return tenant.http.get("/readyz").status == 200; }, 2s));
  done = true;
  client.join();
  for (const auto& [status, count] : statuses)
    EXPECT_TRUE(status == 200 || status == 201 || status == 503) << count << " x " << status;
  EXPECT_GT(statuses[503], 0);
}

TEST_F(FailOver, AProcessStaysWithTheNewPrimaryWhenTheOldOneIsBackAndAnotherReportsBoth) {
  const std::string url = servers.url_from_primary();
  start(url);
  Tenant tenant(*api, "parted");
  tenant.webhook(receiver.url("/hook"), "order_created");
  ASSERT_EQ(tenant.http.post("/api/v1/Orders", order("before")).status, 201);
  ASSERT_EQ(receiver.wait_for("/hook", 1).size(), 1U);
  servers.catch_up();
  servers.kill_primary();
  servers.promote();
  ASSERT_TRUE(eventually([&] { return tenant.http.post("/api/v1/Orders", order("moved")).status == 201; }));
  const auto arrived = [&](const std::string& prefix) {
    return receiver.wait_until("/hook", [&](const auto& all) { return !numbers(all, prefix).empty(); });
  };
  ASSERT_TRUE(arrived("moved"));

  servers.start_primary();
  const std::string end_sessions =
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'waybill%'";
  Session(servers.standby_url()).exec(end_sessions);
  ASSERT_TRUE(eventually([&] { return tenant.http.post("/api/v1/Orders", order("after")).status == 201; }));
  EXPECT_TRUE(arrived("after"));
  EXPECT_EQ(Session(servers.standby_url()).number("select count(*) from orders where order_number = 'after'"),
            1);
  const auto third = start_another(url, "api");
  EXPECT_TRUE(third->process().wait_for_line("database.several_primaries hosts="));
  const auto second_worker = start_another(url, "worker");
  EXPECT_TRUE(second_worker->process().wait_for_line("database.several_primaries hosts="));
}

// The standby continues the sequence from its last log record, up to 32 numbers ahead.
TEST_F(FailOver, EventsWithReusedIdsOfLostEventsInFlightFire) {
  constexpr int count = 100;
  start();
  Tenant tenant(*api, "async");
  tenant.webhook(receiver.url("/hook"), "order_created");
  const auto gate = std::make_shared<Gate>();
  receiver.answer("/hook", Reply::after(gate));
  const auto insert = [&](std::string_view prefix) {
    Session(servers.url())
        .exec("insert into orders (business_id, order_number) select '" + tenant.id + "', '" +
              std::string(prefix) + "' || n from generate_series(1, " + std::to_string(count) + ") n");
  };
  servers.catch_up();
  servers.stop_replication();
  insert("lost");
  ASSERT_FALSE(receiver.wait_for("/hook", 1).empty());
  servers.kill_primary();
  servers.promote();
  insert("new");
  gate->open();
  EXPECT_TRUE(
      receiver.wait_until("/hook", [&](const auto& all) { return numbers(all, "new").size() == count; }));
}

TEST_F(FailOver, WaitingRunsAndOpenDigestsContinueOnTheNewPrimary) {
  start();
  Tenant tenant(*api, "waits");
  const json::object created{{"entityType", "Order"}, {"triggers", json::array{"order_created"}}};
  json::object waits = created;
  waits["name"] = "waits";
  waits["steps"] = {
      {{"type", "wait"}, {"for", {{"triggers", json::array{"order_shipped"}}}}, {"atMost", "P1D"}},
      {{"type", "webhook"}, {"recipient", receiver.url("/shipped")}}};
  tenant.configure(waits);
  json::object collects = created;
  collects["name"] = "collects";
  collects["digest"] = {{"every", "PT1H"}, {"max", 4}};
  collects["action"] = {{"type", "webhook"}, {"recipient", receiver.url("/digest")}};
  tenant.configure(collects);
  const auto make = [&](const std::string& number) {
    const Response made = tenant.http.post("/api/v1/Orders", order(number));
    EXPECT_EQ(made.status, 201) << made.text;
    return text_at(made.data(), "guid");
  };
  const std::vector<std::string> orders{make("W1"), make("W2")};
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from digest_events") == 2 &&
           tenant.sql.number(
               "select count(*) from run_queue where status = 'waiting' and watched_step > 0") == 2;
  }));
  servers.catch_up();
  servers.kill_primary();
  servers.promote();
  ASSERT_TRUE(eventually([&] { return tenant.http.get("/readyz").status == 200; }));
  make("W3");
  make("W4");
  const auto digests = receiver.wait_for("/digest", 1);
  ASSERT_EQ(digests.size(), 1U);
  std::vector<std::string> collected;
  const json::value data = digests.front().json_body().at("data");
  for (const json::value& item : at(data, "items").as_array())
    collected.push_back(text_at(item, "orderNumber"));
  EXPECT_EQ(collected, (std::vector<std::string>{"W1", "W2", "W3", "W4"}));
  for (const std::string& guid : orders) tenant.move_order(guid, "shipped");
  EXPECT_EQ(numbers(receiver.wait_for("/shipped", 2), "W"), (std::set<std::string>{"W1", "W2"}));
  const Response ledger = tenant.http.get("/api/workflows/ledger");
  EXPECT_EQ(at(ledger.body, "data.balanced"), json::value(true)) << ledger.text;
}

TEST_F(FailOver, EveryResponseIs503WithOnlyAHotStandby) {
  for (const std::string& url :
       {servers.standby_url(), servers.standby_url() + "&target_session_attrs=any"}) {
    const std::string token = create_token(servers.url(), "standby");
    servers.catch_up();
    const Waybill on_standby(url, with_command("api"));
    Http http = on_standby.http(token);
    const Response response = http.post("/api/v1/Orders", order("refused"));
    EXPECT_EQ(response.status, 503) << url;
    EXPECT_NE(response.header("retry-after"), "") << url;
    EXPECT_EQ(http.get("/readyz").status, 503) << url;
  }
}

}  // namespace
}  // namespace waybill::tests
