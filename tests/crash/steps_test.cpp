#include <algorithm>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/faults.hpp"
#include "tests/crash/stack.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/receiver.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t most_orders = 5'000;
/// The webhooks of the last step. Thread-safe. Those that ask get another lane each time.
class Arrivals {
 public:
  explicit Arrivals(Receiver& receiver) {
    receiver.on_request([this](const Received& request) {
      const json::value body = request.json_body();
      const std::lock_guard lock(mutex_);
      if (request.target == "/ask")
        return Reply::with_status(200, {}, R"({"lane": )" + std::to_string(++lane_) + "}");
      if (request.target == "/digest") {
        add_digest(request.header("webhook-id"), request.body, body);
        return Reply::with_status(200);
      }
      ++requests_;
      lanes_[text_at(body, "data.entity.orderNumber")].insert(request.target);
      ids_[text_at(body, "data.entity.orderNumber")].insert(request.header("webhook-id"));
      bodies_[request.header("webhook-id")].insert(request.body);
      const bool follows =
          text_at(body, "data.entity.metadata.seen") == text_at(body, "data.entity.orderNumber") &&
          at(body, "data.entity.shipments").as_array().size() == 1;
      if (!follows) ++early_;
      return Reply::with_status(200);
    });
  }
  std::size_t orders() const {
    const std::lock_guard lock(mutex_);
    return ids_.size();
  }
  std::size_t orders_in_digests() const {
    const std::lock_guard lock(mutex_);
    return digests_.size();
  }
  void check() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [order, ids] : digests_) EXPECT_EQ(ids.size(), 1U) << order << " is in several digests";
    EXPECT_EQ(early_, 0U) << "webhooks that were sent before the changes of the earlier steps";
    for (const auto& [order, ids] : ids_) EXPECT_EQ(ids.size(), 1U) << order << " has several webhook-ids";
    for (const auto& [order, lanes] : lanes_) EXPECT_EQ(lanes.size(), 1U) << order << " has several lanes";
    for (const auto& [id, bodies] : bodies_)
      EXPECT_THAT(bodies, testing::SizeIs(1)) << id << " was sent with several bodies";
    std::cout << requests_ - ids_.size() << " webhooks sent again\n";
  }

 private:
  void add_digest(const std::string& id, const std::string& text, const json::value& body) {
    bodies_[id].insert(text);
    for (const json::value& item : at(body, "data.items").as_array())
      digests_[text_at(item, "orderNumber")].insert(id);
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::set<std::string>> digests_;  // their webhook-ids by order number
  std::map<std::string, std::set<std::string>> ids_;      // by order number
  std::map<std::string, std::set<std::string>> bodies_;   // by webhook-id
  std::map<std::string, std::set<std::string>> lanes_;    // by order number
  std::size_t requests_ = 0;
  std::size_t early_ = 0;
  int lane_ = 0;
};

/// Runs a statement until it succeeds, on a new connection; it may run twice. Returns its number; 0 if it has
/// none.
std::int64_t number(const Stack& stack, const std::string& sql) {
  std::int64_t result = 0;
  const bool is_done = eventually(
      [&] {
        try {
          Session session(stack.database_url());
          const auto rows = session.rows(sql);
          if (!rows.empty()) result = std::stoll(rows.front().at(0).value_or("0"));
          return true;
        } catch (const std::runtime_error&) {
          return false;
        }
      },
      recovery_limit);
  EXPECT_TRUE(is_done) << sql;
  return result;
}

// WAYBILL_CRASH_ORDERS makes the test longer, WAYBILL_CRASH_SEED repeats a choice of faults.
TEST(CrashBetweenSteps, EachStepIsPerformedInOrderAndChangesAreMadeExactlyOnce) {
  const auto orders =
      static_cast<std::int64_t>(std::min(from_environment("WAYBILL_CRASH_ORDERS", 200), most_orders));
  const std::uint64_t seed = crash_seed();
  Receiver receiver;
  const Arrivals arrivals(receiver);
  Stack stack(seed);
  Tenant tenant(stack.up(), "steps");
  const json::object wait{{"type", "wait"}, {"delay", "PT1S"}}, ship{{"type", "create_shipment"}};
  // Each order is released once, before its run waits for this, as the wait begins, or later.
  const json::object released{{"triggers", {"order_updated"}}, {"conditions", {{"notes", "go"}}}};
  const auto release = [&](std::int64_t last) {
    number(stack,
           "update orders set notes = 'go' where notes is null and substr(order_number, 3)::integer <= " +
               std::to_string(last));
  };
  const std::string lane = "?lane={{steps.ask.answer.lane}}";
  tenant.configure(
      {{"name", "steps"},
       {"entityType", "Order"},
       {"triggerId", trigger_guid("order_created")},
       {"steps",
        json::array{{{"type", "update_record"}, {"set", {{"metadata", {{"seen", "{{orderNumber}}"}}}}}},
                    {{"type", "webhook"},
                     {"name", "ask"},
                     {"recipient", receiver.url("/ask")},
                     {"answer", {{"lane", "number"}}}},
                    {{"type", "choose"},
                     {"when", {{"steps.ask.answer.lane", {{"gt", orders / 2}}}}},
                     {"then", {wait, ship}},
                     {"otherwise", {ship}}},
                    {{"type", "wait"}, {"name", "released"}, {"for", released}, {"atMost", "P1D"}},
                    {{"type", "webhook"},
                     {"when", {{"steps.released.timedOut", false}}},
                     {"recipient", receiver.url("/last") + lane}}}}});
  tenant.webhook(receiver.url("/never"), "order_created", {{"delay", "P1D"}, {"cancelOn", released}});
  tenant.webhook(receiver.url("/digest"), "order_created",
                 {{"digest", {{"by", "deliveryAddress.city"}, {"every", "PT2S"}, {"max", 7}}}});
  std::mt19937_64 random(seed);
  std::map<std::string, int> faults;
  const std::int64_t portion = std::max<std::int64_t>(20, orders / 50);
  for (std::int64_t first = 1; first <= orders; first += portion) {
    const std::int64_t last = std::min(orders, first + portion - 1);
    number(stack, "insert into orders (business_id, order_number, delivery_street, delivery_city) select '" +
                      tenant.id + "', 'C-' || n, 'Street 1', 'Bonn' from generate_series(" +
                      std::to_string(first) + ", " + std::to_string(last) +
                      ") n where not exists (select from orders where order_number = 'C-' || n)");
    release(first + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(portion)));
    const std::size_t until = arrivals.orders() + random() % static_cast<std::uint64_t>(portion);
    eventually([&] { return arrivals.orders() >= until; }, 2s);
    ++faults[stack.kill_one()];
    stack.repair();
  }
  release(orders);
  for (const auto& [what, times] : faults) std::cout << "killed " << what << ": " << times << "\n";

  const auto becomes = [&](const std::string& sql, std::int64_t expected) {
    return eventually([&] { return number(stack, sql) == expected; }, recovery_limit);
  };
  EXPECT_TRUE(becomes("select count(*) from pending_events", 0));
  EXPECT_TRUE(becomes("select count(*) from digests", 0));
  EXPECT_TRUE(becomes("select count(*) from run_queue", 0));
  EXPECT_EQ(
      number(stack, "select count(*) from all_runs where status = 'succeeded' and trigger_code <> 'digest'"),
      orders);
  EXPECT_EQ(number(stack, "select count(*) from digest_events"), orders);
  EXPECT_EQ(
      number(stack, "select count(*) from all_runs where status <> 'succeeded' and trigger_code = 'digest'"),
      0);
  EXPECT_EQ(arrivals.orders_in_digests(), static_cast<std::size_t>(orders));
  EXPECT_EQ(
      number(stack, "select count(*) from all_runs where status = 'skipped' and code = 'CANCELLED_BY_EVENT'"),
      orders);
  EXPECT_EQ(number(stack, "select count(*) from all_runs where trigger_code <> 'digest'"), 2 * orders);
  EXPECT_EQ(number(stack,
                   "select count(*) from all_runs where jsonb_path_query_array(steps::jsonb, "
                   "'$.results[*].number') = '[1, 2, 3, 4, 5, 6, 7, 8]'"),
            orders);
  EXPECT_EQ(number(stack,
                   "select count(*) from all_runs, lateral (select steps::jsonb -> 'results' as r) s where "
                   "(r -> 2 ->> 'way' = 'then') = ((r #>> '{1,answer,lane}')::int > " +
                       std::to_string(orders / 2) + ")"),
            orders)
      << "the way follows from the recorded answer";
  EXPECT_EQ(number(stack,
                   "select count(*) from events where (order_after).metadata is not null and "
                   "(order_before).metadata is null"),
            orders)
      << "none twice, none missing";
  EXPECT_EQ(number(stack, "select count(*) from shipments"), orders);
  EXPECT_EQ(number(stack, "select count(distinct order_id) from shipments"), orders);
  EXPECT_EQ(arrivals.orders(), static_cast<std::size_t>(orders));
  arrivals.check();
}

}  // namespace
}  // namespace waybill::tests
