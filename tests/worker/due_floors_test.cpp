#include "worker/queue/due_floors.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "storage/runs/run_store.hpp"
#include "storage/session/session_limits.hpp"
#include "tests/worker/worker_database.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

/// A queue in which looks use floors.
class DueFloors : public WorkerDatabase {
 protected:
  DueFloors() { session_.execute(storage::index_walking_plans); }

  void add_runs(int count, const std::string& destination, const std::string& age) {
    queue_runs(count, workflow_, "queued", "now() - interval '" + age + "'", "gen_random_uuid()",
               "'" + destination + "'");
  }
  std::vector<storage::ClaimedRun> claim_runs(const storage::QueueFloors& floors) {
    return store_
        .claim({.lease = 30s, .per_destination = 32, .runs = 256, .bytes = 1 << 20, .floors = floors})
        .runs;
  }
  /// Claims runs, and returns their destinations.
  std::vector<std::string> claim(const storage::QueueFloors& floors) {
    std::vector<std::string> destinations;
    for (const auto& claimed : claim_runs(floors)) destinations.push_back(claimed.run.key.destination);
    return destinations;
  }
  std::optional<Time> next_due(const storage::QueueFloors& floors) {
    return store_.next_due({.within = 1s, .floors = floors});
  }
  void check(worker::DueFloors& floors) {
    worker::check_floors(duty_session_,
                         {.database_url = database_.url(), .secrets = secrets_, .floors = &floors});
  }
  /// The time of the database that long ago.
  Time ago(const std::string& age) {
    return parse_sql_timestamp(database_.value("select (now() - interval '" + age + "')::text")).value();
  }
  /// The number of index entries that the session has read to find runs by their due times.
  std::int64_t entries_read() {
    session_.execute("select pg_stat_force_next_flush()");
    return database_.number(
        "select idx_tup_read from pg_stat_user_indexes where indexrelname = 'run_queue_due'");
  }

  const Guid workflow_ = add_workflow("order_created");
  storage::Session session_{database_.url(), "test"};
  storage::blocking::Connection duty_session_{database_.url(), "test"};
  storage::RunStore store_{session_, worker_};
};

TEST_F(DueFloors, ALookReadsNoRowsOfEarlierRunsBesideAnOpenSnapshot) {
  Session reader(database_.url());
  reader.exec("begin isolation level repeatable read; select 1 from run_queue");
  for (const char* destination : {"a", "b", "c"}) add_runs(2000, destination, "1 minute");
  database_.exec("delete from run_queue");
  const storage::QueueFloors floors{.destinations = {"a", "b", "c"},
                                    .times = {ago("5 seconds"), ago("5 seconds"), ago("5 seconds")}};
  const std::int64_t before = entries_read();
  EXPECT_THAT(claim(floors), IsEmpty());
  EXPECT_EQ(next_due(floors), std::nullopt);
  store_.highest_floors(floors);
  EXPECT_EQ(entries_read(), before);
  claim({});
  EXPECT_GE(entries_read(), before + 6000);
}

TEST_F(DueFloors, ALookLeavesOutTheRunsBelowThem) {
  add_runs(1, "b", "2 minutes");
  add_runs(1, "b", "0 minutes");
  const storage::QueueFloors floors{.destinations = {"b"}, .times = {ago("1 minute")}};
  EXPECT_THAT(claim(floors), SizeIs(1));
  EXPECT_THAT(claim(floors), IsEmpty());
  EXPECT_EQ(next_due(floors), std::nullopt);
  EXPECT_LT(next_due({}).value(), ago("1 minute"));
  EXPECT_THAT(claim({}), SizeIs(1));
}

TEST_F(DueFloors, ALookFindsTheDestinationsBetweenThem) {
  for (const char* destination : {"a", "b", "c", "d", "f", "g"}) add_runs(1, destination, "2 minutes");
  add_runs(1, "b", "0 minutes");
  EXPECT_THAT(claim({.destinations = {"e", "b"}, .times = {ago("1 minute"), ago("1 minute")}}),
              UnorderedElementsAre("a", "b", "c", "d", "f", "g"));
}

TEST_F(DueFloors, TheRunsWithoutADestinationCanHaveOne) {
  add_runs(1, "", "2 minutes");
  add_runs(1, "", "0 minutes");
  EXPECT_THAT(claim({.destinations = {""}, .times = {ago("1 minute")}}), SizeIs(1));
  EXPECT_THAT(claim({}), SizeIs(1));
}

TEST_F(DueFloors, AreRaisedToTheFirstRun) {
  add_runs(1, "a", "30 seconds");
  add_runs(1, "a", "20 seconds");
  const Time first = parse_sql_timestamp(database_.value("select min(due_at)::text from run_queue")).value();
  EXPECT_THAT(store_.highest_floors({.destinations = {"a"}, .times = {Time{}}}), ElementsAre(first));
}

TEST_F(DueFloors, AreRaisedToASecondAgoAtMost) {
  add_runs(1, "a", "0 seconds");
  const Time floor = store_.highest_floors({.destinations = {"a"}, .times = {Time{}}}).front();
  EXPECT_LE(floor, ago("1 second"));
  EXPECT_GE(floor, ago("30 seconds"));
}

TEST_F(DueFloors, AreNotLoweredByALook) {
  const Time floor = ago("-1 minute");
  EXPECT_THAT(store_.highest_floors({.destinations = {"a"}, .times = {floor}}), ElementsAre(floor));
}

TEST_F(DueFloors, ARunThatAppearsBelowItsFloorIsFoundByTheCheck) {
  add_runs(25, "a", "2 minutes");
  worker::DueFloors floors;
  floors.claimed(claim_runs({}));
  floors.raise(floors.get(), store_.highest_floors(floors.get()));
  add_runs(1, "a", "1 minute");
  EXPECT_THAT(claim(floors.get()), IsEmpty());
  check(floors);
  EXPECT_THAT(floors.get().destinations, ElementsAre("a"));
  EXPECT_THAT(claim(floors.get()), ElementsAre("a"));
}

TEST_F(DueFloors, EachWorkerChecksItsOwn) {
  session_.execute(
      "insert into duty_turns (duty, session_pid, session_start, taken_at) values "
      "('check_floors', pg_backend_pid(), own_session_start(), now())");
  worker::DueFloors floors;
  add_runs(25, "a", "2 minutes");
  floors.claimed(claim_runs({}));
  worker::Duties duties({.database_url = database_.url(), .secrets = secrets_, .floors = &floors});
  duties.start();
  EXPECT_TRUE(eventually([&] { return floors.get().destinations.empty(); }));
}

}  // namespace
}  // namespace waybill::tests
