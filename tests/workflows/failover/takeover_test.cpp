#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// An API and two workers with half of the shards each, and a tenant whose shard one of them holds.
class TakeOver : public testing::Test {
 protected:
  TakeOver() {
    start_worker();
    start_worker();
    EXPECT_TRUE(eventually([&] { return shards_by_worker() == std::vector<std::string>({"8", "8"}); }));
    tenant.webhook(receiver.url("/hook"), "order_created");
  }

  void start_worker() {
    Waybill::Options options;
    options.command = "worker";
    options.secret_key_file = api.secret_key_file();
    options.arguments = {"--blast-guard-factor", "0"};
    workers.push_back(std::make_unique<Waybill>(database.url(), options));
  }

  std::vector<std::string> shards_by_worker() {
    return sql.column("select count(*) from shards where owner is not null group by owner order by 1");
  }

  /// The worker whose guid the statement returns.
  Waybill& worker_of(std::string_view guid_sql) {
    const std::string name =
        sql.value("select name from workers where guid = (" + std::string(guid_sql) + ")");
    for (const auto& worker : workers) {
      if (name.ends_with(":" + std::to_string(worker->process().pid()))) return *worker;
    }
    throw std::runtime_error("no worker is " + name);
  }
  Waybill& owner() {
    return worker_of("select owner from shards where shard = shard_of('" + tenant.id + "')");
  }

  /// The time from inserting an order to its webhook.
  std::chrono::milliseconds delay(Deadline limit) {
    const std::size_t before = receiver.count("/hook");
    const auto committed = steady_clock::now();
    tenant.insert_order();
    const auto all = receiver.wait_for("/hook", before + 1, limit);
    if (all.size() == before) return std::chrono::milliseconds::max();
    return std::chrono::ceil<std::chrono::milliseconds>(all.back().at - committed);
  }

  /// Starts an attempt that hangs, and waits until its run is in the queue; returns the worker that has it.
  Waybill& owner_of_hanging_run() {
    gate = std::make_shared<Gate>();
    receiver.answer("/hung", Reply::after(gate));
    tenant.webhook(receiver.url("/hung"), "order_updated");
    tenant.insert_order();
    tenant.update_orders("notes = 'x' where true");
    const bool queued = eventually(
        [&] { return sql.number("select count(*) from run_queue where status = 'running'") == 1; });
    if (!queued) throw std::runtime_error("no run is in the queue");
    EXPECT_EQ(receiver.count("/hung"), 1U);
    return worker_of("select lease_owner from run_queue where status = 'running'");
  }

  TestDatabase database;
  Session sql{database.url()};
  Waybill api{database.url(), {.command = "api"}};
  std::vector<std::unique_ptr<Waybill>> workers;
  Receiver receiver;
  std::shared_ptr<Gate> gate;
  Tenant tenant{api, "taken"};
};

TEST_F(TakeOver, EventsOfAKilledWorkerContinueWithinASecond) {
  owner().process().kill(SIGKILL);
  EXPECT_LT(delay(5s), 1s);
}

TEST_F(TakeOver, RunsOfAKilledWorkerContinueWithinASecond) {
  Waybill& worker = owner_of_hanging_run();
  const auto killed = steady_clock::now();
  worker.process().kill(SIGKILL);
  const auto all = receiver.wait_for("/hung", 2);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_LT(all.back().at - killed, 1s);
}

TEST_F(TakeOver, EventsAndRunsOfAStoppedWorkerContinueWithinTenSeconds) {
  Waybill& worker = owner_of_hanging_run();
  const auto stopped = steady_clock::now();
  worker.process().kill(SIGSTOP);
  // The other worker may own the shard, but it does not own the run.
  EXPECT_LT(delay(10s), 10s);
  const auto all = receiver.wait_for("/hung", 2);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_LT(all.back().at - stopped, 10s);
  gate->open();
  worker.process().kill(SIGCONT);
  EXPECT_TRUE(eventually([&] { return shards_by_worker() == std::vector<std::string>({"8", "8"}); }))
      << "a worker that resumes registers again";
  EXPECT_TRUE(eventually([&] { return sql.number("select count(*) from run_queue") == 0; }));
  EXPECT_EQ(sql.number("select count(*) from runs where trigger_code = 'order_updated'"), 1);
}

TEST_F(TakeOver, AResumedWorkerRepeatsAtMostOneWebhook) {
  Waybill& worker = owner();
  worker.process().kill(SIGSTOP);
  EXPECT_LT(delay(10s), 10s);
  std::size_t inserted = 1;
  std::jthread writer([&](const std::stop_token& stop) {
    for (; !stop.stop_requested(); ++inserted) tenant.insert_order();
  });
  EXPECT_FALSE(receiver.wait_for("/hook", 50).empty());
  worker.process().kill(SIGCONT);
  EXPECT_TRUE(eventually([&] { return shards_by_worker() == std::vector<std::string>({"8", "8"}); }));
  writer.request_stop();
  writer.join();
  EXPECT_TRUE(eventually([&] {
    return sql.number("select count(*) from runs where status = 'succeeded'") ==
           static_cast<std::int64_t>(inserted);
  }));
  EXPECT_LE(receiver.count("/hook"), inserted + 1);
}

/// The numbers that an order had in the requests of a path, in the order of their arrival.
std::vector<int> numbers_in(const std::vector<Received>& all) {
  std::vector<int> numbers;
  for (const Received& request : all)
    numbers.push_back(std::stoi(text_at(request.json_body(), "data.entity.notes")));
  return numbers;
}

// Expects each number up to `count` in order, and that a take-over repeats at most the last ones, in order.
void expect_order(const std::vector<Received>& all, int count, std::string_view path) {
  const std::vector<int> numbers = numbers_in(all);
  std::vector<int> firsts;
  int steps_back = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::ranges::find(firsts, numbers[i]) == firsts.end()) firsts.push_back(numbers[i]);
    if (i > 0 && numbers[i] <= numbers[i - 1]) ++steps_back;
  }
  std::vector<int> expected(static_cast<std::size_t>(count));
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(firsts, expected) << path;
  EXPECT_LE(steps_back, 1) << path;
}

/// The runs of the requests in the order of their first arrival.
std::vector<std::string> runs_in(const std::vector<Received>& all) {
  constexpr std::size_t length = std::string_view("msg_").size() + 36;  // a step adds its number
  std::vector<std::string> runs;
  for (const Received& request : all) {
    std::string run = request.header("webhook-id").substr(0, length);
    if (std::ranges::find(runs, run) == runs.end()) runs.push_back(std::move(run));
  }
  return runs;
}

TEST_F(TakeOver, AResumedWorkerKeepsOrderStepsAndRate) {
  constexpr int part = 25;
  constexpr int count = 3 * part;
  constexpr int rate = 20;
  tenant.webhook(receiver.url("/ordered"), "order_updated", {{"ordered", true}});
  tenant.webhook(receiver.url("/rated"), "order_updated",
                 {{"ordered", true}, {"rate", {{"perSecond", rate}}}});
  tenant.configure(
      {{"name", "steps"},
       {"entityType", "Order"},
       {"triggerId", trigger_guid("order_updated")},
       {"ordered", true},
       {"steps", json::array{json::object{{"type", "webhook"}, {"recipient", receiver.url("/step1")}},
                             json::object{{"type", "webhook"}, {"recipient", receiver.url("/step2")}}}}});
  tenant.insert_order();
  int number = 0;
  const auto update_part = [&] {
    for (int i = 0; i < part; ++i)
      tenant.update_orders("notes = '" + std::to_string(++number) + "' where true");
  };
  const std::vector<std::string> paths{"/ordered", "/rated", "/step1", "/step2"};
  update_part();
  for (const std::string& path : paths) ASSERT_FALSE(receiver.wait_for(path, 3).empty()) << path;
  Waybill& worker = owner();
  worker.process().kill(SIGSTOP);
  update_part();
  for (const std::string& path : paths) {
    const auto all = receiver.wait_for(path, 2 * part, 45s);
    ASSERT_GE(all.size(), std::size_t{2} * part) << path;
  }
  worker.process().kill(SIGCONT);
  update_part();
  EXPECT_TRUE(eventually([&] { return shards_by_worker() == std::vector<std::string>({"8", "8"}); }));
  EXPECT_TRUE(eventually([&] { return sql.number("select count(*) from run_queue") == 0; }, 30s));
  EXPECT_EQ(sql.number("select count(*) from pending_events"), 0);
  for (const char* const path : {"/ordered", "/rated", "/step1"})
    expect_order(receiver.received(path), count, path);
  // In any time, at most a burst, what the rate allows, a late request and the repeated one.
  const auto rated = receiver.received("/rated");
  for (std::size_t first = 0; first < rated.size(); ++first) {
    for (std::size_t last = first; last < rated.size(); ++last) {
      const std::chrono::duration<double> time = rated[last].at - rated[first].at;
      EXPECT_LE(static_cast<double>(last - first + 1), rate + rate * (time.count() + 0.5) + 2);
    }
  }
  // The second step shows the order as it is when the step begins.
  EXPECT_EQ(runs_in(receiver.received("/step2")), runs_in(receiver.received("/step1")));
  EXPECT_LE(receiver.count("/step2"), std::size_t{count} + 1);
  EXPECT_EQ(
      sql.number("select count(*) from runs where trigger_code = 'order_updated' and status = 'succeeded'"),
      3 * count);
}

TEST_F(TakeOver, EventsOfADrainingWorkerContinueAtOnceDespiteAHangingAttempt) {
  Waybill& worker = owner();
  gate = std::make_shared<Gate>();
  receiver.answer("/hung", Reply::after(gate));
  tenant.webhook(receiver.url("/hung"), "order_created");
  delay(default_deadline);
  ASSERT_EQ(receiver.wait_for("/hung", 1).size(), 1U);
  worker.process().kill(SIGTERM);
  EXPECT_LT(delay(5s), 500ms);
  EXPECT_TRUE(worker.process().running()) << "the worker waits for its attempt";
  gate->open();
  EXPECT_EQ(worker.process().wait_exit(), 0);
}

TEST_F(TakeOver, AJoiningWorkerTakesNoShardsBeforeItHasReadTheWorkflows) {
  Session lock(database.url());
  lock.exec("begin; lock table workflows in access exclusive mode");
  start_worker();
  EXPECT_TRUE(throughout([&] { return shards_by_worker() == std::vector<std::string>({"8", "8"}); }, 1s));
  lock.exec("rollback");
  EXPECT_TRUE(eventually([&] { return shards_by_worker().size() == 3; }));
}

// One attempt of each business whose shard moves hangs; it must not delay its shard. The events of shards
// that stay show how slow the machine is.
TEST_F(TakeOver, AJoiningWorkerDelaysNoEventByMoreThanHalfASecond) {
  workers.pop_back();
  ASSERT_TRUE(eventually([&] { return shards_by_worker() == std::vector<std::string>({"16"}); }));
  gate = std::make_shared<Gate>();
  receiver.answer("/hung", Reply::after(gate));
  std::vector<std::string> staying, moving;
  for (int shard = 0; shard < 16; ++shard) {
    const std::string name = "shard " + std::to_string(shard);
    sql.rows(
        "insert into businesses (guid, name, email) select g, $2, '' from (select gen_random_uuid() as g "
        "from generate_series(1, 1000)) x where shard_of(g) = $1 limit 1",
        {std::to_string(shard), name});
    Tenant business(api, name);
    business.webhook(receiver.url("/hook"), "order_created");
    const bool moves = shard >= 8;
    if (moves) business.webhook(receiver.url("/hung"), "order_deleted");
    (moves ? moving : staying).push_back(business.id);
  }
  for (const std::string& business : moving)
    sql.exec("insert into orders (business_id, order_number) values ('" + business +
             "', 'gone'); "
             "delete from orders where business_id = '" +
             business + "'");
  ASSERT_EQ(receiver.wait_for("/hung", moving.size()).size(), moving.size());

  std::map<std::string, steady_clock::time_point> committed;
  const auto insert_into = [&](const std::vector<std::string>& businesses, const char* prefix) {
    for (const std::string& business : businesses) {
      const std::string number = prefix + std::to_string(committed.size());
      sql.exec("insert into orders (business_id, order_number) values ('" + business + "', '" + number +
               "')");
      committed[number] = steady_clock::now();
    }
  };
  const auto insert_everywhere = [&] {
    insert_into(moving, "moves-");
    insert_into(staying, "stays-");
  };
  start_worker();
  EXPECT_TRUE(eventually([&] {
    insert_everywhere();
    return shards_by_worker() == std::vector<std::string>({"8", "8"});
  }));
  insert_everywhere();
  const std::size_t expected = committed.size() + moving.size();
  const auto received = receiver.wait_for("/hook", expected);
  EXPECT_GE(received.size(), expected);
  std::map<bool, steady_clock::duration> longest;  // by whether the shard moves
  for (const Received& request : received) {
    const std::string number = text_at(request.json_body(), "data.entity.orderNumber");
    const auto found = committed.find(number);
    if (found == committed.end()) continue;
    steady_clock::duration& known = longest[number.starts_with("moves-")];
    known = std::max(known, request.at - found->second);
  }
  EXPECT_LT(longest[true], 500ms + longest[false]);
  gate->open();
}

}  // namespace
}  // namespace waybill::tests
