// A table that another session has locked delays only the requests that need it.
#include <algorithm>
#include <chrono>
#include <vector>

#include <gmock/gmock.h>

#include "tests/storage/database_fixture.hpp"

namespace waybill::tests {
namespace {

using std::chrono::steady_clock;
using storage::Cause;
using storage::Params;
using storage::Rows;
using storage::Statement;
using namespace std::chrono_literals;

constexpr Statement read_locked{"test.read_locked", "select n::text from locked where n = $1::int"};
constexpr Statement read_locked_merged{
    "test.read_locked_merged",
    "select k.i::bigint, l.n::text from unnest($1::int[]) with ordinality k (n, i) "
    "join locked l on l.n = k.n order by k.i"};
constexpr Statement read_free{"test.read_free", "select count(*)::text from free"};
constexpr Statement write_locked{"test.write_locked",
                                 "insert into locked select 100 where exists (select from free)"};
constexpr Statement write_free{"test.write_free", "insert into free values ($1::int) returning n"};

// The lock is held for the whole test. A read that waited for it would take seconds.
constexpr auto soon = 500ms;

class LockedTables : public DatabaseTest {
 protected:
  LockedTables() {
    server_.exec(
        "create table locked (n int); create table free (n int);"
        "insert into locked select generate_series(1, 50); insert into free select generate_series(1, 50)");
    auto usual = options();
    usual.read_connections = 2;
    usual.write_connections = 6;
    usual.long_connections = 3;
    usual.lock_timeout = storage::Database::Options().lock_timeout;
    open(usual);
    read(read_free);
  }

  void lock() { holder_.exec("begin; lock table locked in access exclusive mode"); }

  /// Starts a call. Its result is "" or the SQLSTATE of its error.
  template <typename Call>
  std::future<std::string> begin(Call call) {
    return start([call]() mutable -> asio::awaitable<std::string> {
      try {
        co_await call();
        co_return "";
      } catch (const storage::StatementError& error) {
        co_return error.sqlstate();
      }
    });
  }
  std::future<std::string> begin_read(int n) {
    return begin(
        [this, n]() -> asio::awaitable<void> { co_await database_->read(read_locked, Params().add(n)); });
  }
  std::future<std::string> begin_write(Guid business) {
    return begin([this, business]() -> asio::awaitable<void> {
      co_await database_->write(write_locked, {}, Cause{.json = {}, .business = business});
    });
  }

  /// The longest of many reads of the other table.
  steady_clock::duration slowest_free_read() {
    steady_clock::duration slowest{};
    for (int i = 0; i < 200; ++i) {
      const auto begun = steady_clock::now();
      read(read_free);
      slowest = std::max(slowest, steady_clock::now() - begun);
    }
    return slowest;
  }

  static void expect_refused(std::vector<std::future<std::string>>& calls) {
    for (auto& call : calls) EXPECT_EQ(call.get(), "55P03");
  }

  Session holder_ = server_.connect();
};

TEST_F(LockedTables, DelayNoReadsOfOthers) {
  lock();
  std::vector<std::future<std::string>> calls;
  for (int i = 0; i < 50; ++i) {
    calls.push_back(begin_read(i));
    calls.push_back(begin([this, i]() -> asio::awaitable<void> {
      co_await database_->run_read(
          {.statement = read_locked, .merged = read_locked_merged, .params = Params().add(i)});
    }));
    calls.push_back(begin([this, i]() -> asio::awaitable<void> {
      co_await database_->read_long(Guid(), "test.long", "select count(*) from locked where n > $1::int",
                                    Params().add(i));
    }));
    calls.push_back(begin([this, i]() -> asio::awaitable<void> {
      co_await database_->read_text(Guid(), "test.text", "select " + std::to_string(i) + " from locked", {});
    }));
  }
  EXPECT_LT(slowest_free_read(), soon);
  expect_refused(calls);
  EXPECT_LT(slowest_free_read(), soon);
  const auto begun = steady_clock::now();
  EXPECT_EQ(run([&]() -> asio::awaitable<std::string> {
              const auto rows =
                  co_await database_->read_long(Guid(), "test.other", "select 'long' from free limit 1", {});
              co_return std::string(rows.get(0, 0));
            }),
            "long");
  EXPECT_LT(steady_clock::now() - begun, soon);
}

TEST_F(LockedTables, AnswerAtOnceOnceTheyHaveBeenLockedForASecond) {
  lock();
  EXPECT_EQ(begin_read(1).get(), "55P03");
  std::vector<std::future<std::string>> calls;
  for (int i = 0; i < 20; ++i) calls.push_back(begin_read(i));
  const auto begun = steady_clock::now();
  expect_refused(calls);
  EXPECT_LT(steady_clock::now() - begun, soon);
}

TEST_F(LockedTables, AreReadAgainOnceTheLockEnds) {
  lock();
  EXPECT_EQ(begin_read(1).get(), "55P03");
  holder_.exec("rollback");
  EXPECT_EQ(read(read_locked, Params().add(7)), "7");
  EXPECT_EQ(read(read_locked, Params().add(8)), "8");
}

TEST_F(LockedTables, AShortLockIsWaitedFor) {
  lock();
  auto first = begin_read(1);
  EXPECT_LT(slowest_free_read(), soon);
  holder_.exec("rollback");
  EXPECT_EQ(first.get(), "");
}

TEST_F(LockedTables, OtherTextsOfANameAreServed) {
  lock();
  auto refused = begin([this]() -> asio::awaitable<void> {
    co_await database_->read_text(Guid(), "test.list", "select 1 from locked", {});
  });
  EXPECT_EQ(refused.get(), "55P03");
  for (int i = 0; i < 5; ++i) {
    auto served = begin([this]() -> asio::awaitable<void> {
      co_await database_->read_text(Guid(), "test.list", "select 1 from free", {});
    });
    EXPECT_EQ(served.get(), "");
  }
}

TEST_F(LockedTables, LeaveConnectionsToWritesOfOthers) {
  lock();
  std::vector<std::future<std::string>> calls;
  for (int i = 0; i < 40; ++i) calls.push_back(begin_write(Guid::random()));
  for (int i = 0; i < 50; ++i) {
    const auto begun = steady_clock::now();
    run([&] {
      return database_->write(write_free, Params().add(i), Cause{.json = {}, .business = Guid::random()});
    });
    EXPECT_LT(steady_clock::now() - begun, soon) << i;
  }
  expect_refused(calls);
  holder_.exec("rollback");
  EXPECT_TRUE(eventually([&] { return begin_write(Guid::random()).get().empty(); }));
}

TEST_F(LockedTables, ARowThatIsLockedIsWaitedFor) {
  static constexpr Statement update{"test.update", "update locked set n = n where n = 1"};
  holder_.exec("begin; update locked set n = 1 where n = 1");
  std::vector<std::future<std::string>> calls;
  for (int i = 0; i < 10; ++i) {
    calls.push_back(begin([this]() -> asio::awaitable<void> {
      co_await database_->write(update, {}, Cause{.json = {}, .business = Guid::random()});
    }));
  }
  EXPECT_TRUE(throughout([&] { return calls.front().wait_for(0s) == std::future_status::timeout; }, 300ms));
  holder_.exec("rollback");
  for (auto& call : calls) EXPECT_EQ(call.get(), "");
}

}  // namespace
}  // namespace waybill::tests
