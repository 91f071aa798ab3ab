// Digests while workers are killed.
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

class KilledDigests : public testing::Test {
 protected:
  std::unique_ptr<Waybill> new_worker() {
    Waybill::Options options;
    options.command = "worker";
    options.secret_key_file = api.secret_key_file();
    options.arguments = {"--blast-guard-factor", "0"};
    return std::make_unique<Waybill>(database.url(), options);
  }

  TestDatabase database;
  Waybill api{database.url(), [] {
                Waybill::Options options;
                options.command = "api";
                return options;
              }()};
  Receiver receiver;
  Tenant tenant{api, "KilledDigests"};
};

// Two workers, of which one is killed at random moments, while orders come by SQL and digests close by their
// number and their time. Each order is in the list of exactly one digest, in the order of the events, and
// repeated requests have the same body.
TEST_F(KilledDigests, HaveEachEventOnce) {
  tenant.configure({{"name", "digest"},
                    {"entityType", "Order"},
                    {"triggers", {"order_created"}},
                    {"digest", {{"by", "notes"}, {"every", "PT1S"}, {"max", 7}}},
                    {"action", {{"type", "webhook"}, {"recipient", receiver.url("/hook")}}}});
  std::vector<std::unique_ptr<Waybill>> workers;
  workers.push_back(new_worker());
  workers.push_back(new_worker());
  constexpr std::int64_t rounds = 6, orders_of_round = 60;
  std::mt19937 random(77);
  for (std::int64_t round = 0; round < rounds; ++round) {
    std::jthread writer([this, session = database.connect()]() mutable {
      for (std::int64_t i = 0; i < orders_of_round; ++i) {
        session.rows(
            "insert into orders (business_id, order_number, notes) values ($1, 'K-' || gen_random_uuid(), "
            "$2)",
            {tenant.id, std::to_string(i % 4)});
      }
    });
    const std::int64_t moment =
        round * orders_of_round + static_cast<std::int64_t>(random()) % orders_of_round;
    ASSERT_TRUE(
        eventually([&] { return tenant.sql.number("select count(*) from digest_events") >= moment; }, 30s));
    auto& victim = workers[random() % 2];
    victim->process().kill(SIGKILL);
    victim = new_worker();
  }
  constexpr std::int64_t all = rounds * orders_of_round;
  ASSERT_TRUE(eventually(
      [&] {
        return tenant.sql.number("select count(*) from pending_events") == 0 &&
               tenant.sql.number("select count(*) from digests") == 0 &&
               tenant.sql.number("select count(*) from run_queue") == 0;
      },
      60s));
  EXPECT_EQ(tenant.sql.number("select count(*) from digest_events"), all);
  EXPECT_EQ(tenant.sql.number("select count(*) from digest_items"), 0);

  std::map<std::string, std::string> bodies;  // by webhook-id
  for (const Received& request : receiver.received("/hook")) {
    const auto [known, is_new] = bodies.try_emplace(request.header("webhook-id"), request.body);
    EXPECT_EQ(known->second, request.body);
  }
  std::map<std::string, int> times;
  for (const auto& [id, body] : bodies) {
    const json::value data = json::parse(body).at("data");
    EXPECT_LE(at(data, "count").to_number<int>(), 7);
    std::int64_t last = 0;
    for (const json::value& item : at(data, "items").as_array()) {
      EXPECT_EQ(at(item, "notes"), at(data, "by"));
      const auto event = at(item, "event.id").to_number<std::int64_t>();
      EXPECT_GT(event, last);
      last = event;
      ++times[text_at(item, "guid")];
    }
  }
  EXPECT_EQ(static_cast<std::int64_t>(times.size()), all);
  for (const auto& [order, count] : times) EXPECT_EQ(count, 1) << order;
  const Response ledger = tenant.http.get("/api/workflows/ledger");
  EXPECT_EQ(at(ledger.body, "data.balanced"), json::value(true)) << ledger.text;
  EXPECT_EQ(at(ledger.body, "data.digests.events"), json::value(all));
  EXPECT_EQ(at(ledger.body, "data.digests.runs"), json::value(bodies.size()));
}

}  // namespace
}  // namespace waybill::tests
