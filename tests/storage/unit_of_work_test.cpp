// Several writes as one transaction.
#include "storage/database/unit_of_work.hpp"

#include <optional>
#include <stdexcept>

#include <gmock/gmock.h>

#include "tests/storage/database_fixture.hpp"

namespace waybill::tests {
namespace {

using storage::Format;
using storage::Params;
using storage::Rows;
using storage::Statement;
using storage::StatementError;
using storage::UnitOfWork;

constexpr Statement insert{"things.insert", "insert into things (id) values ($1) returning id, cause"};
constexpr Statement all{"things.all", "select count(*) from things"};
constexpr Statement nothing{"test.nothing", "select 1"};

class UnitOfWorkTest : public DatabaseTest {
 protected:
  UnitOfWorkTest() {
    server_.exec(
        "create table things (id int constraint things_key primary key,"
        " cause text default current_setting('waybill.cause', true))");
  }
  ~UnitOfWorkTest() override {
    on_io([this] { unit_.reset(); });
  }

  UnitOfWork& unit(UnitOfWork::Opening opening = {nothing, {}, [](const Rows&) {}}) {
    auto& database = open();
    return *on_io([&] { return &unit_.emplace(database, std::move(opening)); });
  }
  void drop() {
    on_io([this] { unit_.reset(); });
  }
  std::string put(int id, const std::string& cause = {}) {
    return failure_of([&] { run([&] { return unit_->write(insert, Params().add(id), {cause}); }); });
  }
  void commit() {
    run([&] { return unit_->commit(); });
  }
  std::int64_t count() { return server_.number("select count(*) from things"); }
  std::int64_t in_transaction() {
    return server_.number(
        "select count(*) from pg_stat_activity where application_name = 'tested'"
        " and state like 'idle in transaction%'");
  }

  std::optional<UnitOfWork> unit_;
};

TEST_F(UnitOfWorkTest, WritesAreCommittedTogether) {
  unit();
  EXPECT_EQ(put(1, R"({"by": 1})"), "");
  EXPECT_EQ(put(2), "");
  EXPECT_EQ(count(), 0);
  commit();
  EXPECT_EQ(server_.value("select string_agg(id || coalesce(cause, ''), ' ' order by id) from things"),
            R"(1{"by": 1} 2)")
      << "each with its own cause";
}

TEST_F(UnitOfWorkTest, AnAbandonedUnitIsRolledBackAndFreesItsConnection) {
  unit();
  EXPECT_EQ(put(1), "");
  drop();
  write(insert, Params().add(2));
  EXPECT_EQ(count(), 1);
}

TEST_F(UnitOfWorkTest, AFailedWriteIsUndoneAlone) {
  unit();
  EXPECT_EQ(put(1), "");
  EXPECT_EQ(put(1), "23505");
  EXPECT_EQ(put(2), "");
  commit();
  EXPECT_EQ(count(), 2);
}

TEST_F(UnitOfWorkTest, ReadsSeeItsWrites) {
  auto& work = unit();
  const auto seen = [&] {
    return run([&]() -> asio::awaitable<std::string> {
      co_return std::string((co_await work.read(all, {}, Format::text)).get(0, 0));
    });
  };
  EXPECT_EQ(seen(), "0");
  EXPECT_FALSE(work.was_begun()) << "reads do not begin it";
  EXPECT_EQ(put(1), "");
  EXPECT_EQ(seen(), "1");
  commit();
}

TEST_F(UnitOfWorkTest, ANestedTransactionIsKeptOnlyIfCommitted) {
  auto& work = unit();
  run([&]() -> asio::awaitable<void> {
    {
      const auto kept = co_await work.begin({});
      co_await kept->run(insert, Params().add(1));
      co_await kept->commit();
    }
    const auto failed = co_await work.begin({});
    co_await failed->run(insert, Params().add(2));
    try {
      co_await failed->run(insert, Params().add(2));
    } catch (const StatementError&) {  // NOLINT(bugprone-empty-catch): it is dropped now
    }
  });
  EXPECT_EQ(put(3), "");
  commit();
  EXPECT_EQ(server_.value("select string_agg(id::text, ' ' order by id) from things"), "1 3");
}

TEST_F(UnitOfWorkTest, HoldsNoConnectionWhileNothingIsWritten) {
  auto& work = unit();
  run([&]() -> asio::awaitable<void> {
    const auto dropped = co_await work.begin({});
    co_await dropped->run(insert, Params().add(1));
  });
  write(insert, Params().add(2));  // there is one connection
  EXPECT_EQ(in_transaction(), 0);
  EXPECT_EQ(put(2), "23505");
  EXPECT_EQ(put(3), "");
  commit();
  EXPECT_EQ(count(), 2);
}

TEST_F(UnitOfWorkTest, ATransactionThatIsRolledBackIsOverBeforeTheNextOneBegins) {
  constexpr Statement try_lock{"test.try_lock", "select pg_try_advisory_xact_lock(1)"};
  auto several = options();
  several.write_connections = 4;
  auto& database = open(several);
  on_io([&] {
    unit_.emplace(database, UnitOfWork::Opening{try_lock, {}, [](const Rows& rows) {
                                                  if (rows.get(0, 0) != "t")
                                                    throw std::runtime_error("locked");
                                                }});
  });
  EXPECT_EQ(failure_of([&] {
              run([&]() -> asio::awaitable<void> {
                for (int i = 0; i < 100; ++i) {
                  const auto part = co_await unit_->begin({});
                  co_await part->roll_back();
                }
              });
            }),
            "");
  EXPECT_EQ(in_transaction(), 0);
}

// Their locks are those of the next transaction, which another request may begin.
TEST_F(UnitOfWorkTest, ARollbackReturnsWhenNoTransactionIsLeft) {
  constexpr Statement try_lock{"test.try_lock", "select pg_try_advisory_xact_lock(1)"};
  auto several = options();
  several.write_connections = 4;
  auto& database = open(several);
  const UnitOfWork::Opening opening{try_lock, {}, [](const Rows& rows) {
                                      if (rows.get(0, 0) != "t") throw std::runtime_error("locked");
                                    }};
  EXPECT_EQ(failure_of([&] {
              run([&]() -> asio::awaitable<void> {
                for (int i = 0; i < 100; ++i) {
                  UnitOfWork dropped(database, opening);
                  {
                    const auto part = co_await dropped.begin({});
                  }
                  {
                    const auto again = co_await dropped.begin({});
                  }
                  co_await dropped.roll_back();
                  UnitOfWork written(database, opening);
                  co_await written.write(insert, Params().add(i), {});
                  co_await written.roll_back();
                  co_await written.roll_back();
                }
              });
            }),
            "");
  EXPECT_EQ(in_transaction(), 0);
  EXPECT_EQ(count(), 0);
}

TEST_F(UnitOfWorkTest, ARefusedOpeningRefusesTheWrite) {
  unit({nothing, {}, [](const Rows&) { throw StatementError("refused", "WB001", ""); }});
  EXPECT_EQ(put(1), "WB001");
  EXPECT_TRUE(unit_->was_begun());
  write(insert, Params().add(2));
  EXPECT_EQ(count(), 1);
}

TEST_F(UnitOfWorkTest, AfterALostConnectionItStartsNoNewTransaction) {
  unit();
  EXPECT_EQ(put(1), "");
  terminate_tested();
  EXPECT_EQ(put(2), "unavailable");
  EXPECT_EQ(put(3), "unavailable");
  EXPECT_EQ(failure_of([&] { commit(); }), "unavailable");
  EXPECT_EQ(count(), 0);
}

TEST_F(UnitOfWorkTest, AStalePlanIsReplaced) {
  unit();
  EXPECT_EQ(put(1), "");
  commit();
  drop();
  server_.exec("alter table things alter id type bigint");
  on_io([this] { unit_.emplace(*database_, UnitOfWork::Opening{nothing, {}, [](const Rows&) {}}); });
  EXPECT_EQ(put(2), "");
  commit();
  EXPECT_EQ(count(), 2);
}

}  // namespace
}  // namespace waybill::tests
