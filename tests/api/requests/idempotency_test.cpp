// A POST with an Idempotency-Key is performed once, even if its response is lost.
#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

Headers key_of(std::string_view key) { return {{"Idempotency-Key", std::string(key)}}; }

/// A separate API on a separate database, whose sessions may be terminated.
class IdempotencyTest : public testing::Test {
 protected:
  std::unique_ptr<Waybill> start_api() {
    return std::make_unique<Waybill>(database.url(),
                                     Waybill::Options{.command = "api", .secret_key_file = key_file});
  }
  /// Every order of the business with these notes.
  std::vector<std::string> orders(std::string_view notes) {
    return database.connect().column("select guid from orders where notes = $1", {std::string(notes)});
  }
  static json::object order(std::string_view notes) { return order_body({{"notes", std::string(notes)}}); }

  /// Sends the order to the first API with the key "k", on a connection that waits for no answer.
  RawConnection send_order(std::string_view notes) {
    auto connection = first.http(token).raw();
    const auto body = json::serialize(order(notes));
    connection.send("POST /api/v1/Orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
                    "\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
    return connection;
  }

  /// Commits of orders wait as long as the returned session exists.
  std::unique_ptr<Session> hold_commits() {
    database.exec(
        "create or replace function wait_for_test() returns trigger language plpgsql as $$ begin"
        " perform pg_advisory_xact_lock_shared(4711); return null; end $$;"
        "drop trigger if exists waits_for_test on orders;"
        "create constraint trigger waits_for_test after insert on orders deferrable initially deferred"
        " for each row execute function wait_for_test()");
    auto session = std::make_unique<Session>(database.connect());
    session->exec("select pg_advisory_lock(4711)");
    return session;
  }
  bool is_commit_waiting() {
    return eventually([&] {
      return database.number(
                 "select count(*) from pg_locks l join pg_database d on d.oid = l.database"
                 " where d.datname = current_database() and locktype = 'advisory' and objid = 4711"
                 " and not granted") > 0;
    });
  }

  TestDatabase database;
  Waybill first{database.url(), Waybill::Options{.command = "api"}};
  std::string key_file = first.secret_key_file();
  std::string token = first.token("once");
};

TEST_F(IdempotencyTest, AKeyCreatesOneOrderWhileSessionsAreTerminated) {
  constexpr std::size_t clients = 4;
  std::atomic<bool> is_finished = false;
  std::atomic<int> made = 0;
  std::vector<std::map<std::string, std::string>> answered(clients);  // the order returned for each key
  {
    std::jthread terminator([&] {
      Session session = database.connect();
      while (!is_finished) {
        const int before = made;
        session.exec(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
            " and backend_type = 'client backend' and pid <> pg_backend_pid() order by random() limit 1");
        eventually([&] { return made > before || is_finished; });
      }
    });
    std::vector<std::jthread> workers;
    for (std::size_t client = 0; client < clients; ++client) {
      workers.emplace_back([&, client] {
        auto http = first.http(token);
        const auto end = std::chrono::steady_clock::now() + 2s;
        for (int n = 0; std::chrono::steady_clock::now() < end; ++n) {
          const auto key = std::to_string(client) + "-" + std::to_string(n);
          const bool is_done = eventually([&] {
            const auto response = http.post("/api/v1/Orders", order(key), key_of(key));
            if (response.status == 201) answered[client][key] = text_at(response.data(), "guid");
            return response.status == 201;
          });
          EXPECT_TRUE(is_done) << key;
          ++made;
        }
      });
    }
    workers.clear();
    is_finished = true;
  }
  std::size_t keys = 0;
  for (const auto& orders_by_key : answered) {
    for (const auto& [key, guid] : orders_by_key) {
      ++keys;
      EXPECT_EQ(orders(key), std::vector<std::string>{guid}) << key;
    }
  }
  EXPECT_GT(keys, 20U);
  RecordProperty("keys", static_cast<int>(keys));
}

TEST_F(IdempotencyTest, AnUncertainCommitOfAKilledApiIsAnsweredOnceItsOutcomeIsKnown) {
  auto second = start_api();
  auto held = hold_commits();
  const auto unanswered = send_order("unclear");
  ASSERT_TRUE(is_commit_waiting());
  first.process().kill(SIGKILL);
  first.process().wait_exit();

  auto http = second->http(token);
  const auto asked_at = std::chrono::steady_clock::now();
  const auto unclear = http.post("/api/v1/Orders", order("unclear"), key_of("k"));
  EXPECT_EQ(unclear.status, 409) << unclear.text;
  EXPECT_LT(std::chrono::steady_clock::now() - asked_at, 1s) << "the response is immediate";
  held.reset();
  Response again;
  EXPECT_TRUE(eventually(
      [&] { return (again = http.post("/api/v1/Orders", order("unclear"), key_of("k"))).status == 201; },
      10s));
  EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
  EXPECT_EQ(orders("unclear"), std::vector<std::string>{text_at(again.data(), "guid")});
  EXPECT_EQ(again.header("Location"), "/api/v1/Orders/" + orders("unclear").front());
}

TEST_F(IdempotencyTest, ARequestWhoseApiWasKilledBeforeItsCommitIsPerformedByTheRetry) {
  auto second = start_api();
  auto held = hold_commits();
  const auto unanswered = send_order("lost");
  ASSERT_TRUE(is_commit_waiting());
  first.process().kill(SIGKILL);
  database.exec(
      "select pg_terminate_backend(pid, 10000) from pg_locks where locktype = 'advisory'"
      " and objid = 4711 and not granted");
  held.reset();
  auto http = second->http(token);
  Response again;
  EXPECT_TRUE(eventually(
      [&] { return (again = http.post("/api/v1/Orders", order("lost"), key_of("k"))).status == 201; }, 10s));
  EXPECT_EQ(again.header("Idempotency-Replayed"), "");
  EXPECT_EQ(orders("lost"), std::vector<std::string>{text_at(again.data(), "guid")});
}

TEST_F(IdempotencyTest, AKeyInUseIsRefusedOnEveryNode) {
  auto second = start_api();
  auto held = hold_commits();
  Response made;
  std::jthread running([&] { made = first.http(token).post("/api/v1/Orders", order("slow"), key_of("k")); });
  ASSERT_TRUE(is_commit_waiting());
  EXPECT_EQ(first.http(token).post("/api/v1/Orders", order("slow"), key_of("k")).status, 409);
  EXPECT_EQ(second->http(token).post("/api/v1/Orders", order("slow"), key_of("k")).status, 409);
  held.reset();
  running.join();
  EXPECT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(second->http(token).post("/api/v1/Orders", order("slow"), key_of("k")).text, made.text);
}

TEST_F(IdempotencyTest, ARowOfThePreviousReleaseCountsForAMinute) {
  auto http = first.http(token);
  database.exec(
      "insert into idempotency_keys (business_id, token_id, key, request_hash) select business_id, guid, "
      "'k', '\\x00'"
      " from api_tokens");
  EXPECT_EQ(http.post("/api/v1/Orders", order("old"), key_of("k")).status, 409);
  database.exec("update idempotency_keys set created_at = now() - interval '61 seconds'");
  EXPECT_EQ(http.post("/api/v1/Orders", order("old"), key_of("k")).status, 201);
  EXPECT_EQ(http.post("/api/v1/Orders", order("old"), key_of("k")).header("Idempotency-Replayed"), "true");
}

TEST_F(IdempotencyTest, WorkflowsAreAnalysedWithoutAnOpenTransaction) {
  Tenant loud(first, "loud");
  Tenant quiet(first, "quiet");
  const std::string other = quiet.webhook("http://127.0.0.1:9/x", "order_created");
  json::object definition{{"name", "w"},
                          {"entityType", "Order"},
                          {"triggerId", trigger_guid("order_created")},
                          {"action", {{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/x"}}}};
  const json::object backtest{{"definition", definition}};
  const std::string changed = text_at(loud.configure(definition), "guid");
  json::object change = definition;
  change["guid"] = changed;
  change["name"] = "changed";
  const std::vector<std::pair<std::string, json::object>> requests{{"/api/workflows/configure", definition},
                                                                   {"/api/workflows/configure", change},
                                                                   {"/api/workflows/backtest", backtest}};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Session holder = database.connect();
    holder.exec("begin; lock table events in access exclusive mode");
    Response answered;
    std::jthread analysing([&] {
      answered = loud.http.post(requests[i].first, requests[i].second, key_of("k" + std::to_string(i)));
    });
    EXPECT_TRUE(eventually([&] {
      return database.number(
                 "select count(*) from pg_stat_activity where datname = current_database()"
                 " and application_name = 'waybill analysis' and wait_event_type = 'Lock'") == 1;
    })) << i;
    EXPECT_TRUE(eventually(
        [&] {
          return database.number(
                     "select count(*) from pg_stat_activity where datname = current_database()"
                     " and state like 'idle in transaction%' and pid <> " +
                     std::to_string(holder.backend_pid())) == 0;
        },
        1s))
        << i;
    EXPECT_EQ(quiet.http.get("/api/workflows/configured/" + other + "/toggle").status, 200) << i;
    holder.exec("rollback");
    analysing.join();
    EXPECT_LT(answered.status, 300) << i << answered.text;
    if (i < 2) {
      EXPECT_EQ(at(answered.data(), "firedLast7Days"), 0) << i;
    }
  }
  EXPECT_EQ(database.number("select count(*) from workflows where name in ('w', 'changed')"), 2);
}

/// Requests with one statement and with several, with work before, between and after their writes.
class IdempotentPosts : public ApiTest {
 protected:
  /// The response to the first of two requests; the second must be the same.
  Response post_twice(std::string_view path, const json::value& body) {
    const auto key = key_of("twice " + std::string(path));
    auto first = http.post(path, body, key);
    EXPECT_LT(first.status, 300) << path << first.text;
    const auto second = http.post(path, body, key);
    EXPECT_EQ(second.status, first.status) << path;
    EXPECT_EQ(second.text, first.text) << path;
    EXPECT_EQ(second.header("Location"), first.header("Location")) << path;
    EXPECT_EQ(second.header("Idempotency-Replayed"), "true") << path << second.text;
    return first;
  }
  std::int64_t count(const std::string& table, const std::string& which = "true") {
    return tenant.sql.number("select count(*) from " + table + " where business_id = $1 and " + which,
                             {tenant.id});
  }
};

TEST_F(IdempotentPosts, EveryKindIsPerformedOnce) {
  const auto order = text_at(post_twice("/api/v1/Orders", order_body()).data(), "guid");
  EXPECT_EQ(count("orders"), 1);
  const auto shipment =
      text_at(post_twice("/api/v1/Orders/" + order + "/shipment", {{"generateLabel", true}}).data(), "guid");
  EXPECT_EQ(count("shipments"), 1);
  EXPECT_EQ(http.get("/api/v1/shipments/" + shipment + "/label").status, 200);
  post_twice("/api/v1/Customers", {{"name", "Eve"}, {"email", "eve@example.com"}});
  EXPECT_EQ(count("customers", "name = 'Eve'"), 1);
}

TEST_F(IdempotentPosts, AnalyseAndTestWorkflowsOnce) {
  const json::object definition{{"name", "w"},
                                {"entityType", "Order"},
                                {"triggerId", trigger_guid("order_created")},
                                {"action", {{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/x"}}}};
  const auto order = tenant.create_order();
  post_twice("/api/workflows/test", {{"definition", definition}, {"entityId", order}});
  post_twice("/api/workflows/backtest", {{"definition", definition}});
  post_twice("/api/workflows/configure", definition);
  EXPECT_EQ(count("workflows", "name = 'w'"), 1);
}

TEST_F(IdempotentPosts, ThatChangeNothingKeepNoLargeAnswer) {
  const json::object webhook{{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/x"}};
  const json::object definition{{"name", "w"},
                                {"entityType", "Order"},
                                {"triggerId", trigger_guid("order_created")},
                                {"steps", {webhook, webhook}}};
  for (const bool is_large : {false, true}) {
    const auto order = tenant.create_order({{"notes", std::string(is_large ? 9'000 : 10, 'n')}});
    const auto test = [&] {
      return http.post("/api/workflows/test", {{"definition", definition}, {"entityId", order}},
                       key_of(is_large ? "large" : "small"));
    };
    const auto first = test(), second = test();
    ASSERT_EQ(first.status, 200) << first.text;
    EXPECT_EQ(second.status, 200) << second.text;
    EXPECT_EQ(first.text.size() > 16'384, is_large);
    EXPECT_EQ(second.header("Idempotency-Replayed"), is_large ? "" : "true");
  }
}

TEST_F(IdempotentPosts, PlanTheRouteOfADispatchOnce) {
  const auto shipment = tenant.insert_shipment("");
  const auto dispatch = text_at(
      post_twice("/api/dispatch",
                 {{"name", "D"}, {"plannedDate", "2026-11-20T08:00:00Z"}, {"shipmentIds", {shipment}}})
          .data(),
      "guid");
  EXPECT_EQ(count("dispatches"), 1);
  post_twice("/api/route/" + dispatch + "/optimize", nullptr);
  post_twice("/api/dispatch/remove-shipment", {{"dispatchId", dispatch}, {"shipmentId", shipment}});
}

TEST_F(IdempotentPosts, AreOverWhenTheyAreRefused) {
  // It is refused in its transaction, which has the key.
  const auto path = "/api/v1/Orders/" + tenant.create_order() + "/shipment";
  ASSERT_EQ(http.post(path, json::object()).status, 201);
  for (int i = 0; i < 200; ++i) {
    const auto key = key_of("refused " + std::to_string(i / 2));
    const auto refused = http.post(path, json::object(), key);
    expect_refused(refused, 409, "CONFLICT");
    EXPECT_EQ(refused.text.find("still running"), std::string::npos) << refused.text;
  }
}

TEST_F(IdempotentPosts, StoreNothingWhenRefused) {
  const auto number = text_at(http.post("/api/v1/Orders", order_body()).data(), "orderNumber");
  const auto body = order_body({{"orderNumber", number}});
  expect_refused(http.post("/api/v1/Orders", body, key_of("k")), 409, "CONFLICT");
  tenant.sql.exec("update orders set order_number = 'another' where business_id = '" + tenant.id + "'");
  EXPECT_EQ(http.post("/api/v1/Orders", body, key_of("k")).status, 201);
  EXPECT_EQ(count("orders"), 2);
}

}  // namespace
}  // namespace waybill::tests
