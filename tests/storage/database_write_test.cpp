#include <algorithm>
#include <chrono>
#include <future>
#include <vector>

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "tests/storage/database_fixture.hpp"

namespace waybill::tests {
namespace {

using storage::Cause;
using storage::Database;
using storage::Params;
using storage::Rows;
using storage::Statement;
using storage::StatementError;
using namespace std::chrono_literals;

constexpr Statement insert{"things.insert", "insert into things (id) values ($1) returning id, cause"};

class DatabaseWrites : public DatabaseTest {
 protected:
  DatabaseWrites() {
    server_.exec(
        "create table things (id int constraint things_key primary key,"
        " cause text default current_setting('waybill.cause', true))");
  }
  std::int64_t count() { return server_.number("select count(*) from things"); }

  /// Locks the table so that inserts wait until the session ends.
  std::unique_ptr<Session> lock_table() {
    auto session = std::make_unique<Session>(server_.connect());
    session->exec("begin");
    session->exec("lock table things");
    return session;
  }
};

TEST_F(DatabaseWrites, ReturnTheirRowsAndAreCommitted) {
  open();
  const auto rows = write(insert, Params().add(5));
  EXPECT_EQ(rows.get(0, 0), "5");
  EXPECT_EQ(rows.affected(), 1U);
  EXPECT_EQ(count(), 1);
}

TEST_F(DatabaseWrites, SetTheirCauseOnlyForTheirTransaction) {
  open();
  EXPECT_EQ(write(insert, Params().add(1), {R"({"by": "me"})"}).get(0, 1), R"({"by": "me"})");
  EXPECT_EQ(write(insert, Params().add(2)).get(0, 1), "");
}

TEST_F(DatabaseWrites, ThatFailWriteNothingAndLeaveAWorkingConnection) {
  static constexpr Statement two{"things.two", "insert into things (id) values ($1), (1)"};
  open();
  const std::string pid(write(backend).get(0, 0));
  write(insert, Params().add(1));
  try {
    write(two, Params().add(2), {R"({"by": "me"})"});
    FAIL() << "expected a unique violation";
  } catch (const StatementError& error) {
    EXPECT_EQ(error.sqlstate(), "23505");
    EXPECT_EQ(error.constraint(), "things_key");
  }
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(write(backend).get(0, 0), pid);
}

TEST_F(DatabaseWrites, FailWithTheErrorOfTheirCommit) {
  static constexpr Statement child{"things.child", "insert into children values (99)"};
  server_.exec("create table children (id int references things deferrable initially deferred)");
  open();
  EXPECT_EQ(failure_of([&] { write(child); }), "23503");
  EXPECT_EQ(server_.number("select count(*) from children"), 0);
}

TEST_F(DatabaseWrites, ThatCannotBePreparedFail) {
  static constexpr Statement misspelt{"things.misspelt", "inser into things"};
  open();
  EXPECT_EQ(failure_of([&] { write(misspelt); }), "42601");
  EXPECT_EQ(write(insert, Params().add(1)).size(), 1);
}

TEST_F(DatabaseWrites, ArePreparedAgainWhenThePlanIsStale) {
  static constexpr Statement star{"things.star", "insert into things (id) values ($1) returning *"};
  static constexpr Statement forget{"test.forget", "deallocate all"};
  open();
  write(star, Params().add(1));
  server_.exec("alter table things add note text default 'new'");
  EXPECT_EQ(write(star, Params().add(2)).get(0, 2), "new");
  // All prepared statements are gone, including begin and commit.
  failure_of([&] { write(forget); });
  EXPECT_EQ(write(star, Params().add(3)).get(0, 2), "new");
  EXPECT_EQ(count(), 3);
}

TEST_F(DatabaseWrites, AreMadeAgainAfterALostDeadlock) {
  static constexpr Statement both{
      "things.both",
      "update things set cause = 'both' where id = any (array[1, 2]) returning pg_backend_pid()"};
  server_.exec("insert into things (id) values (1), (2)");
  // The session that looks for a deadlock first loses it.
  server_.exec("alter database " + server_.name() + " set deadlock_timeout = '1500ms'");
  open();
  auto rival = server_.connect();
  rival.exec("set deadlock_timeout = '1min'");
  rival.exec("begin");
  rival.exec("update things set cause = 'rival' where id = 2");
  auto written = start([&] { return database_->write(both, {}, {}); });
  ASSERT_TRUE(eventually([&] {
    return server_.number(
               "select count(*) from pg_stat_activity where datname = current_database() "
               "and application_name = 'tested' and wait_event_type = 'Lock'") > 0;
  }));
  EXPECT_NO_THROW(rival.exec("update things set cause = 'rival' where id = 1"));
  rival.exec("commit");
  EXPECT_EQ(written.get().affected(), 2U);
  EXPECT_EQ(server_.number("select count(*) from things where cause = 'both'"), 2);
}

TEST_F(DatabaseWrites, EndAtTheStatementTimeout) {
  auto hasty = options();
  hasty.statement_timeout = 30ms;
  open(hasty);
  const auto lock = lock_table();
  EXPECT_EQ(failure_of([&] { write(insert, Params().add(1)); }), "57014");
}

TEST_F(DatabaseWrites, ManyCallersShareTheFewConnections) {
  auto four = options();
  four.write_connections = 4;
  auto& database = open(four);
  std::vector<std::future<Rows>> all;
  all.reserve(100);
  for (int i = 0; i < 100; ++i) {
    all.push_back(start([&, i]() -> asio::awaitable<Rows> {
      co_return co_await database.write(insert, Params().add(i), {R"({"n": )" + std::to_string(i) + "}"});
    }));
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(all[static_cast<std::size_t>(i)].get().get(0, 1), R"({"n": )" + std::to_string(i) + "}");
  }
  EXPECT_EQ(count(), 100);
  EXPECT_LE(server_.number("select count(*) from pg_stat_activity where application_name = 'tested'"), 4);
}

TEST_F(DatabaseWrites, WaitForAConnectionForALimitedTime) {
  auto hasty = options();
  hasty.wait_limit = 50ms;
  auto& database = open(hasty);
  auto held = run([&] { return database.begin({}); });
  EXPECT_EQ(failure_of([&] { write(insert, Params().add(1)); }), "unavailable");
  EXPECT_EQ(failure_of([&] { run([&] { return database.begin({}); }); }), "unavailable");
  on_io([&] { held.reset(); });
  EXPECT_EQ(write(insert, Params().add(2)).size(), 1);
}

TEST_F(DatabaseWrites, ABusinessLeavesConnectionsToOthersAndTheService) {
  auto five = options();
  five.write_connections = 5;
  five.wait_limit = 50ms;
  auto& database = open(five);
  const auto busy = Guid::random();
  const auto quiet = Guid::random();
  std::vector<std::unique_ptr<storage::Transaction>> held;
  const auto begin = [&](const Guid& business) {
    return failure_of([&] { held.push_back(run([&] { return database.begin({{}, business}); })); });
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(begin(busy), "");
  try {
    begin(busy);
    ADD_FAILURE() << "three of five are its share";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::unavailable);
    EXPECT_TRUE(failure.retry_after());
  }
  EXPECT_EQ(begin(quiet), "");
  EXPECT_EQ(begin(quiet), "unavailable") << "the last one is the service's own";
  EXPECT_EQ(begin({}), "");
  on_io([&] { held.clear(); });
}

TEST_F(DatabaseWrites, AThirdBusinessDoesNotWaitForTheBulkWorkOfTwo) {
  const std::vector<std::pair<int, std::size_t>> places{{1, 1}, {3, 1}, {6, 3}};  // by number of connections
  int next = 0;
  for (const auto& [size, most] : places) {
    auto hasty = options();
    hasty.write_connections = size;
    hasty.wait_limit = 50ms;
    auto& database = open(hasty);
    const auto first = Guid::random();
    const auto second = Guid::random();
    std::vector<std::unique_ptr<storage::Transaction>> held;
    const auto begin = [&](const Guid& business, bool is_bulk) {
      try {
        held.push_back(
            run([&] { return database.begin({.json = {}, .business = business, .is_bulk = is_bulk}); }));
        return true;
      } catch (const std::exception&) {  // Failure beyond its share, otherwise DatabaseUnavailable
        return false;
      }
    };
    while (begin(first, true)) EXPECT_LE(held.size(), most);
    while (begin(second, true)) EXPECT_LE(held.size(), most);
    EXPECT_EQ(held.size(), most) << size;
    if (size > 1) {
      EXPECT_EQ(write(insert, Params().add(next++), {.json = {}, .business = Guid::random()}).size(), 1);
    }
    on_io([&] { held.pop_back(); });
    EXPECT_TRUE(begin(second, true)) << "the place is free again";
    on_io([&] { held.clear(); });
    close();
  }
}

TEST_F(DatabaseWrites, TheBusinessWithTheFewestConnectionsComesFirst) {
  auto five = options();
  five.write_connections = 5;
  auto& database = open(five);
  const auto busy = Guid::random();
  const auto other = Guid::random();
  const auto quiet = Guid::random();
  std::vector<std::unique_ptr<storage::Transaction>> held;
  for (const auto& business : {busy, busy, other, other}) {
    held.push_back(run([&] { return database.begin({{}, business}); }));
  }
  std::vector<Guid> order;
  std::vector<std::future<void>> all;
  const std::vector<Guid> callers{busy, other, quiet, quiet};
  for (std::size_t i = 0; i < callers.size(); ++i) {
    all.push_back(start([&, i]() -> asio::awaitable<void> {
      co_await database.write(insert, Params().add(i), {{}, callers[i]});
      order.push_back(callers[i]);
    }));
  }
  on_io([&] { held.erase(held.begin()); });
  for (auto& one : all) one.get();
  on_io([&] { held.clear(); });
  EXPECT_THAT(order, testing::ElementsAre(quiet, quiet, busy, other));
}

TEST_F(DatabaseWrites, WaitInTheOrderOfArrival) {
  auto& database = open();
  auto held = run([&] { return database.begin({}); });
  std::vector<int> order;
  std::vector<std::future<void>> all;
  all.reserve(5);
  for (int i = 0; i < 5; ++i) {
    all.push_back(start([&, i]() -> asio::awaitable<void> {
      co_await database.write(insert, Params().add(i), {});
      order.push_back(i);
    }));
  }
  on_io([&] { held.reset(); });
  for (auto& one : all) one.get();
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(DatabaseWrites, ContinueAtOnceAfterAllConnectionsWereTerminated) {
  open();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(write(insert, Params().add(i)).size(), 1);
    terminate_tested();
  }
  EXPECT_EQ(count(), 10);
}

TEST_F(DatabaseWrites, UseAllConnectionsAgainOnceOneHasFoundTheServer) {
  auto four = options();
  four.write_connections = 4;
  auto& database = open(four);
  const auto successes = [&] {
    std::vector<std::future<Rows>> all;
    for (int i = 1; i <= 4; ++i) {
      all.push_back(start([&database, i]() -> asio::awaitable<Rows> {
        co_return co_await database.write(insert, Params().add(i), {});
      }));
    }
    return std::ranges::count_if(all, [](auto& each) { return failure_of([&] { each.get(); }).empty(); });
  };
  Session admin = postgres().admin();
  const auto allow_connections = [&](const std::string& allowed) {
    admin.exec("alter database " + server_.name() + " allow_connections " + allowed);
  };
  allow_connections("false");
  const auto end = std::chrono::steady_clock::now() + 1500ms;
  EXPECT_TRUE(eventually([&] {
    EXPECT_EQ(successes(), 0);
    return std::chrono::steady_clock::now() > end;
  })) << "each connection now pauses for 0.5 to 1 s";
  allow_connections("true");
  EXPECT_TRUE(eventually([&] { return failure_of([&] { write(insert, Params().add(0)); }).empty(); }));
  EXPECT_EQ(successes(), 4);
}

TEST_F(DatabaseWrites, InFlightWhenTheConnectionBreaksAreNeverSentAgain) {
  auto& database = open();
  auto lock = lock_table();
  auto waiting = start(
      [&]() -> asio::awaitable<Rows> { co_return co_await database.write(insert, Params().add(1), {}); });
  wait_for_blocked("insert into things");
  terminate_tested();
  lock.reset();
  EXPECT_EQ(failure_of([&] { waiting.get(); }), "unavailable");
  EXPECT_EQ(write(insert, Params().add(2)).size(), 1);
  EXPECT_EQ(count(), 1);
}

TEST_F(DatabaseWrites, AreRefusedWhenTheDatabaseIsDestroyed) {
  auto& database = open();
  auto lock = lock_table();
  auto sent = start([&] { return database.write(insert, Params().add(1), {}); });
  auto in_line = start([&] { return database.write(insert, Params().add(2), {}); });
  wait_for_blocked("insert into things");
  close();
  EXPECT_EQ(failure_of([&] { sent.get(); }), "unavailable");
  EXPECT_EQ(failure_of([&] { in_line.get(); }), "unavailable");
}

// --- transactions

TEST_F(DatabaseWrites, WritesOfOneTransactionAreCommittedTogether) {
  auto& database = open();
  run([&]() -> asio::awaitable<void> {
    auto transaction = co_await database.begin({R"({"by": "me"})"});
    const auto first = co_await transaction->run(insert, Params().add(1));
    EXPECT_EQ(first.get(0, 1), R"({"by": "me"})");
    co_await transaction->run(insert, Params().add(2));
    co_await transaction->commit();
  });
  EXPECT_EQ(count(), 2);
}

TEST_F(DatabaseWrites, ADroppedTransactionIsRolledBack) {
  auto& database = open();
  run([&]() -> asio::awaitable<void> {
    const auto transaction = co_await database.begin({R"({"by": "me"})"});
    co_await transaction->run(insert, Params().add(1));
  });
  EXPECT_EQ(write(insert, Params().add(2)).get(0, 1), "");
  EXPECT_EQ(count(), 1);
}

TEST_F(DatabaseWrites, AfterAFailedWriteOfTheirTransactionAreRefused) {
  auto& database = open();
  std::vector<std::string> failures;
  run([&]() -> asio::awaitable<void> {
    const auto transaction = co_await database.begin({});
    co_await transaction->run(insert, Params().add(1));
    for (int i = 0; i < 2; ++i) {
      try {
        co_await transaction->run(insert, Params().add(1));
      } catch (const StatementError& error) {
        failures.push_back(error.sqlstate());
      }
    }
    try {
      co_await transaction->commit();
    } catch (const StatementError& error) {
      failures.push_back(error.sqlstate());
    }
  });
  EXPECT_THAT(failures, testing::ElementsAre("23505", "25P02", "25P02"));
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(write(insert, Params().add(1)).size(), 1);
}

TEST_F(DatabaseWrites, ATransactionWhoseConnectionBrokeFails) {
  auto& database = open();
  EXPECT_EQ(failure_of([&] {
              run([&]() -> asio::awaitable<void> {
                const auto transaction = co_await database.begin({});
                co_await transaction->run(insert, Params().add(1));
                terminate_tested();
                co_await transaction->run(insert, Params().add(2));
              });
            }),
            "unavailable");
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(write(insert, Params().add(1)).size(), 1);
}

TEST_F(DatabaseWrites, ATransactionMayOutliveTheDatabase) {
  auto& database = open();
  auto transaction = run([&] { return database.begin({}); });
  close();
  on_io([&] { transaction.reset(); });
}

}  // namespace
}  // namespace waybill::tests
