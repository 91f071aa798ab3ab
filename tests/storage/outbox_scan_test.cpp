#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/events/outbox.hpp"
#include "storage/runs/recording.hpp"
#include "storage/session/session.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

// PostgreSQL logs a sequence 32 numbers ahead. While it does so, the row shows a number that is not drawn
// yet. A reader that takes it for drawn passes over the events with the numbers up to it.
TEST(OutboxScan, ReturnsOnlyDrawnNumbersOfTheSequence) {
  const TestDatabase database;
  std::atomic<bool> done = false;
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      Session session(database.url());
      while (!done) session.exec("select count(nextval('event_ids')) from generate_series(1, 400)");
    });
  }
  storage::Session reader(database.url(), "reader");
  Session drawer(database.url());
  int ahead = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto last = storage::Outbox(reader).scan({}, false).last_id;
    if (static_cast<std::uint64_t>(drawer.number("select nextval('event_ids')")) <= last) ++ahead;
  }
  done = true;
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(ahead, 0);
}

/// A shard with one pending event, and the worker that owns the shard.
class ReusedId : public testing::Test {
 protected:
  static constexpr std::int16_t shard = 3;
  static constexpr std::uint64_t id = 77;

  static storage::EventKey key(std::string_view at) { return {id, parse_sql_timestamp(at).value()}; }

  std::vector<storage::EventKey> scan(const std::vector<storage::EventKey>& in_flight) {
    std::vector<storage::EventKey> keys;
    const storage::ScanBounds bounds{
        .watermarks = {{shard, 0}}, .separated = {}, .in_flight = in_flight, .shard_limit = 10};
    for (const auto& event : storage::Outbox(session_).scan(bounds, false).events)
      keys.push_back(event.key());
    return keys;
  }

  std::size_t settle(const storage::EventKey& event) {
    storage::Batch batch;
    batch.events.push_back({shard, event, {}});
    storage::EndedRuns ended;
    return storage::Recording(session_, worker_, batch, ended).commit().events;
  }

  const Guid worker_ = Guid::random();
  const storage::EventKey lost_ = key("2026-11-20 05:45:12.345678+00");
  const storage::EventKey present_ = key("2026-11-20 05:45:12.345679+00");
  TestDatabase database_;
  storage::Session session_ = [this] {
    database_.exec("update shards set owner = '" + worker_.to_string() + "' where shard = 3");
    database_.exec("insert into pending_events values (3, 77, gen_random_uuid(), '" +
                   format_sql_timestamp(present_.at) + "')");
    return storage::Session(database_.url(), "test");
  }();
};

TEST_F(ReusedId, AScanOmitsTheEventInFlightButNotAnotherWithItsId) {
  EXPECT_EQ(scan({}), std::vector{present_});
  EXPECT_EQ(scan({lost_}), std::vector{present_});
  EXPECT_EQ(scan({lost_, present_}), std::vector<storage::EventKey>{});
}

TEST_F(ReusedId, SettlingAnEventLeavesAnotherEventWithItsIdPending) {
  EXPECT_EQ(settle(lost_), 0U);
  EXPECT_EQ(database_.number("select count(*) from pending_events"), 1);
  EXPECT_EQ(settle(present_), 1U);
  EXPECT_EQ(database_.number("select count(*) from pending_events"), 0);
}

TEST_F(ReusedId, AFetchOmitsAnotherEventWithTheSameId) {
  for (const storage::EventKey& event : {lost_, present_}) {
    database_.exec("insert into events (id, at, business_id, entity_type, entity_id) values (77, '" +
                   format_sql_timestamp(event.at) + "', gen_random_uuid(), 0, gen_random_uuid())");
  }
  const std::vector<storage::PendingEvent> wanted{{shard, id, {}, present_.at}};
  const auto alone = storage::Outbox(session_).fetch(wanted);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone.front().at, present_.at);
  const std::vector<storage::PendingEvent> with_neighbour{{shard, id, {}, present_.at},
                                                          {shard, id - 1, {}, lost_.at}};
  EXPECT_EQ(storage::Outbox(session_).fetch(with_neighbour).size(), 1U);
}

// A transaction in which a statement was cancelled would refuse all further ones.
TEST(OutboxFetch, EndsAtItsBytesWithinATransactionThatGoesOn) {
  const TestDatabase database;
  Session writer(database.url());
  writer.exec(
      "insert into businesses (guid, name) values ('00000000-0000-4000-8000-000000000001', 'one');"
      "insert into orders (business_id, order_number, notes) select guid, gen_random_uuid(), repeat('x', "
      "9000) "
      "from businesses, generate_series(1, 200)");
  storage::Session session(database.url(), "reader");
  std::vector<storage::PendingEvent> wanted;
  for (const auto& row :
       writer.rows("select id, (extract(epoch from at) * 1000000)::bigint from events order by id")) {
    wanted.push_back({.shard = 0,
                      .id = std::stoull(row.at(0).value()),
                      .business_id = {},
                      .at = Time(Duration(std::stoll(row.at(1).value())))});
  }
  ASSERT_EQ(wanted.size(), 200U);
  storage::Work work(session);
  session.execute("create table of_the_transaction (id int)");
  bool complete = true;
  const auto some = storage::Outbox(session).fetch(wanted, 40'000, complete);
  EXPECT_FALSE(complete);
  EXPECT_GE(some.size(), 4U);
  EXPECT_LE(some.size(), 6U);
  EXPECT_EQ(storage::Outbox(session).fetch(wanted, 10'000'000, complete).size(), 200U);
  EXPECT_TRUE(complete);
  session.execute("insert into of_the_transaction values (1)");
  work.commit();
  EXPECT_EQ(writer.number("select count(*) from of_the_transaction"), 1);
}

/// An event in the default partition, whose partition is created while readers wait for the default one.
class MovedEvent : public testing::Test {
 protected:
  MovedEvent() {
    maker_.exec("drop table " + day_);
    maker_.exec("insert into businesses (guid, name) values ('00000000-0000-4000-8000-000000000001', 'one')");
    maker_.exec("insert into orders (business_id, order_number) select guid, 'A1' from businesses");
    // As make_partition does, which holds its locks while it moves rows and attaches the partition.
    maker_.exec("begin");
    maker_.exec("lock table only events in share row exclusive mode");
    maker_.exec("lock table only events_other in access exclusive mode");
  }

  /// Returns the result of `read(outbox)`, which begins before the partition exists and ends afterwards.
  template <typename Read>
  auto read_meanwhile(Read read) {
    auto result = std::async(std::launch::async, [this, read] {
      storage::Session session(database_.url(), "reader");
      storage::Outbox outbox(session);
      return read(outbox);
    });
    EXPECT_TRUE(eventually([&] {
      return database_.number(
                 "select count(*) from pg_stat_activity where datname = current_database() "
                 "and application_name = 'reader' and wait_event_type = 'Lock'") == 1;
    }));
    maker_.exec("select make_partition('events', to_date(right('" + day_ + "', 8), 'YYYYMMDD'))");
    maker_.exec("commit");
    EXPECT_EQ(database_.number("select count(*) from " + day_), 1);
    return result.get();
  }

  TestDatabase database_;
  const std::string day_ = database_.value("select to_char(now() at time zone 'UTC', '\"events_\"YYYYMMDD')");
  Session maker_ = database_.connect();
};

TEST_F(MovedEvent, IsFetchedByAStatementThatWaitedForTheMove) {
  const std::vector<storage::PendingEvent> wanted{
      {.shard = 0,
       .id = static_cast<std::uint64_t>(maker_.number("select id from pending_events")),
       .business_id = {},
       .at = Time(Duration(
           maker_.number("select (extract(epoch from at) * 1000000)::bigint from pending_events")))}};
  EXPECT_EQ(read_meanwhile([&](storage::Outbox& outbox) { return outbox.fetch(wanted).size(); }), 1U);
}

TEST_F(MovedEvent, IsFoundByItsRunWithAStatementThatWaitedForTheMove) {
  const auto id = static_cast<std::uint64_t>(maker_.number("select id from pending_events"));
  const Guid run = Guid::parse(maker_.value("select timed_guid(at) from pending_events")).value();
  EXPECT_TRUE(read_meanwhile([&](storage::Outbox& outbox) { return outbox.origin(id, run).has_value(); }));
}

}  // namespace
}  // namespace waybill::tests
