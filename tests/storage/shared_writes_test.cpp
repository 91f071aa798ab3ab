// Changes that share a statement and a transaction.
#include <chrono>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/guid.hpp"
#include "tests/storage/database_fixture.hpp"

namespace waybill::tests {
namespace {

using storage::Cause;
using storage::Params;
using storage::Rows;
using storage::SharedWrite;
using storage::Statement;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

constexpr Statement put{
    "things.put",
    "insert into things (guid, n) values ($1, $2) on conflict (guid) do update set n = excluded.n"
    " returning guid, n"};
// Leaves out negative numbers.
constexpr Statement put_shared{
    "things.put_shared",
    "insert into things (guid, n) select e.guid, e.n from json_to_recordset($2::json) e (guid uuid, n int)"
    " where e.n >= 0 and $1::uuid is not null on conflict (guid) do update set n = excluded.n returning "
    "guid, n"};

// Takes the numbers that are not given from the drawn ones.
constexpr Statement put_drawn{
    "things.put_drawn",
    "insert into things (guid, n) select e.guid, coalesce(e.n, d.n) from (select guid, n, case when n is "
    "null "
    "then row_number() over (partition by n is null order by guid) end as rank from "
    "json_to_recordset($2::json) e (guid uuid, n int)) e left join unnest($3::text::int[]) with ordinality "
    "d (n, rank) on d.rank = e.rank where $1::uuid is not null returning guid, n"};
constexpr Statement draw{"things.draw",
                         "update counters set last = last + $2::bigint where $1::uuid is not null returning "
                         "array(select generate_series(last - $2::bigint + 1, last))::text"};

const Cause api{.json = R"({"by": "api"})", .business = Guid::random()};

class SharedWrites : public DatabaseTest {
 protected:
  SharedWrites() {
    server_.exec(
        "create table things (guid uuid primary key, n int check (n < 100),"
        " cause text default current_setting('waybill.cause', true), xact xid8 default "
        "pg_current_xact_id()); create table counters as select 0::bigint as last");
    auto several = options();
    several.write_connections = 6;
    open(several);
  }

  static std::string entry_of(const Guid& record, const std::string& number) {
    return R"({"guid":")" + record.to_string() + R"(","n":)" + number + '}';
  }

  std::future<Rows> begin_put(const Guid& record, int n, const Cause& cause = api) {
    return start([=, this]() -> asio::awaitable<Rows> {
      co_return co_await database_->write_shared(SharedWrite{.statement = put,
                                                             .params = Params().add(record).add(n),
                                                             .shared = put_shared,
                                                             .record = record,
                                                             .entry = entry_of(record, std::to_string(n))},
                                                 cause);
    });
  }

  /// Begins a change that needs a drawn number unless it has its own.
  std::future<Rows> begin_drawn(const Guid& record, std::optional<int> own = {}) {
    const auto entry = entry_of(record, own ? std::to_string(*own) : "null");
    return start([=, this]() -> asio::awaitable<Rows> {
      co_return co_await database_->write_shared(
          SharedWrite{.statement = put_drawn,
                      .params = Params().add(api.business).add('[' + entry + ']').add_null(),
                      .shared = put_drawn,
                      .record = record,
                      .entry = entry,
                      .draw = draw,
                      .needs_drawn = !own},
          api);
    });
  }

  /// Begins a change that waits for the returned session, so that those begun after it wait in line.
  template <typename Begin>
  std::unique_ptr<Session> hold_line_behind(Begin begin) {
    auto session = std::make_unique<Session>(server_.connect());
    session->exec("begin");
    session->exec("lock table things");
    first_ = begin();
    wait_for_blocked("insert into things");
    return session;
  }
  std::unique_ptr<Session> hold_line() {
    return hold_line_behind([this] { return begin_put(Guid::random(), 0); });
  }
  std::unique_ptr<Session> hold_drawing_line() {
    return hold_line_behind([this] { return begin_drawn(Guid::random(), 90); });
  }
  /// Lets the changes begun so far form groups.
  void let_go(std::unique_ptr<Session> line) {
    on_io([] {});
    line.reset();
    first_.get();
  }
  std::int64_t transactions(std::string_view condition) {
    return server_.number("select count(distinct xact) from things where " + std::string(condition));
  }

  std::future<Rows> first_;
};

TEST_F(SharedWrites, AreMadeInOneTransactionWhileAnotherIsUnderWay) {
  auto line = hold_line();
  std::vector<std::future<Rows>> all;
  std::vector<Guid> records;
  for (int n = 1; n <= 20; ++n) all.push_back(begin_put(records.emplace_back(Guid::random()), n));
  let_go(std::move(line));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto rows = all[i].get();
    EXPECT_EQ(rows.get(0, 0), records[i].to_string());
    EXPECT_EQ(rows.get(0, 1), std::to_string(i + 1));
  }
  EXPECT_EQ(transactions("n > 0"), 1);
  EXPECT_EQ(server_.number("select count(*) from things where cause = $1", {api.json}), 21);
}

TEST_F(SharedWrites, MoreWritesThanAGroupTakeFurtherTransactions) {
  auto line = hold_line();
  std::vector<std::future<Rows>> all;
  for (int n = 0; n < 130; ++n) all.push_back(begin_put(Guid::random(), 1));
  let_go(std::move(line));
  for (auto& one : all) EXPECT_EQ(one.get().size(), 1);
  EXPECT_EQ(transactions("n = 1"), 3);  // 64, 64 and 2
}

TEST_F(SharedWrites, LargeEntriesTakeFurtherTransactions) {
  auto line = hold_line();
  std::vector<std::future<Rows>> all;
  for (int n = 0; n < 4; ++n) {
    const auto record = Guid::random();
    all.push_back(start([=, this]() -> asio::awaitable<Rows> {
      co_return co_await database_->write_shared(
          SharedWrite{.statement = put,
                      .params = Params().add(record).add(1),
                      .shared = put_shared,
                      .record = record,
                      .entry = R"({"guid":")" + record.to_string() + R"(","n":1,"more":")" +
                               std::string(100'000, 'x') + R"("})"},
          api);
    }));
  }
  let_go(std::move(line));
  for (auto& one : all) EXPECT_EQ(one.get().size(), 1);
  EXPECT_EQ(transactions("n = 1"), 2);
}

TEST_F(SharedWrites, DifferentCausesAreDifferentTransactions) {
  const Cause other{.json = R"({"by": "me"})", .business = api.business};
  auto line = hold_line();
  auto one = begin_put(Guid::random(), 1);
  auto two = begin_put(Guid::random(), 2, other);
  let_go(std::move(line));
  one.get();
  two.get();
  EXPECT_EQ(transactions("n > 0"), 2);
  EXPECT_EQ(server_.number("select count(*) from things where n = 2 and cause = $1", {other.json}), 1);
}

TEST_F(SharedWrites, WritesOfOneRecordAreMadeInTheirOrder) {
  const auto record = Guid::random();
  auto line = hold_line();
  std::vector<std::future<Rows>> all;
  for (int n = 1; n <= 3; ++n) all.push_back(begin_put(record, n));
  let_go(std::move(line));
  for (auto& one : all) one.get();
  EXPECT_EQ(server_.number("select n from things where guid = $1", {record.to_string()}), 3);
}

TEST_F(SharedWrites, ThatAreLeftOutAreMadeAlone) {
  auto line = hold_line();
  auto negative = begin_put(Guid::random(), -1);
  auto good = begin_put(Guid::random(), 1);
  let_go(std::move(line));
  EXPECT_EQ(negative.get().get(0, 1), "-1");
  EXPECT_EQ(good.get().get(0, 1), "1");
  EXPECT_EQ(transactions("n <> 0"), 2);
}

TEST_F(SharedWrites, ThatFailDoNotFailOthers) {
  auto line = hold_line();
  auto good = begin_put(Guid::random(), 1);
  auto bad = begin_put(Guid::random(), 100);
  let_go(std::move(line));
  EXPECT_EQ(failure_of([&] { bad.get(); }), "23514");
  EXPECT_EQ(good.get().size(), 1);
  EXPECT_EQ(server_.number("select count(*) from things where n = 1"), 1);
}

TEST_F(SharedWrites, ThatWaitForALockDoNotHoldOthers) {
  const auto first = Guid::random();
  const auto locked = Guid::random();
  begin_put(first, 1).get();
  begin_put(locked, 1).get();
  const auto lock = [this](const Guid& record) {
    auto session = server_.connect();
    session.exec("begin");
    session.exec("update things set n = 9 where guid = '" + record.to_string() + "'");
    return session;
  };
  auto line = lock(first);
  auto other = lock(locked);
  first_ = begin_put(first, 2);
  wait_for_blocked("insert into things");
  auto slow = begin_put(locked, 3);
  auto fast = begin_put(Guid::random(), 4);
  on_io([] {});
  line.exec("commit");
  first_.get();
  EXPECT_EQ(fast.get().get(0, 1), "4");
  EXPECT_EQ(slow.wait_for(0s), std::future_status::timeout);
  other.exec("commit");
  EXPECT_EQ(slow.get().get(0, 1), "3");
}

TEST_F(SharedWrites, AGroupGetsADrawnValueForEachChangeThatNeedsOne) {
  auto line = hold_drawing_line();
  std::vector<std::future<Rows>> drawn;
  for (int n = 0; n < 3; ++n) drawn.push_back(begin_drawn(Guid::random()));
  auto own = begin_drawn(Guid::random(), 50);
  let_go(std::move(line));
  EXPECT_EQ(own.get().get(0, 1), "50");
  std::set<std::string> numbers;
  for (auto& one : drawn) numbers.emplace(one.get().get(0, 1));
  EXPECT_THAT(numbers, ElementsAre("1", "2", "3"));
  EXPECT_EQ(server_.number("select last from counters"), 3);
  EXPECT_EQ(transactions("n < 90"), 1);
}

TEST_F(SharedWrites, ALockOfDrawnValuesEndsBeforeTheirGroupIsCommitted) {
  auto line = hold_drawing_line();
  auto one = begin_drawn(Guid::random());
  auto two = begin_drawn(Guid::random());
  auto blocker = server_.connect();
  // It is granted once the first change is committed, so the group waits for it.
  auto blocked = std::async(std::launch::async, [&] {
    blocker.exec("begin");
    blocker.exec("lock table things");
  });
  ASSERT_TRUE(eventually([&] {
    return server_.number(
               "select count(*) from pg_locks where not granted and mode = 'AccessExclusiveLock'") == 1;
  }));
  let_go(std::move(line));
  blocked.get();
  auto other = server_.connect();
  EXPECT_TRUE(eventually([&] { return other.number("select last from counters") == 2; }));
  other.exec("select last from counters for update nowait");
  EXPECT_EQ(one.wait_for(0s), std::future_status::timeout);
  blocker.exec("commit");
  one.get();
  two.get();
}

TEST_F(SharedWrites, ThatCannotDrawAreMadeAlone) {
  auto line = hold_drawing_line();
  auto one = begin_drawn(Guid::random());
  auto two = begin_drawn(Guid::random());
  auto lock = server_.connect();
  lock.exec("begin");
  lock.exec("update counters set last = 7");
  let_go(std::move(line));
  EXPECT_TRUE(one.get().is_null(0, 1));
  EXPECT_TRUE(two.get().is_null(0, 1));
  EXPECT_EQ(transactions("n is null"), 2);
}

TEST_F(SharedWrites, AreUnavailableIfTheConnectionBreaks) {
  auto line = hold_line();
  auto one = begin_put(Guid::random(), 1);
  auto two = begin_put(Guid::random(), 2);
  on_io([] {});
  terminate_tested();
  EXPECT_EQ(failure_of([&] { first_.get(); }), "unavailable");
  line.reset();
  EXPECT_THAT(std::vector({failure_of([&] { one.get(); }), failure_of([&] { two.get(); })}),
              testing::Each(testing::AnyOf("", "unavailable")));
}

TEST_F(SharedWrites, ThatWaitAreUnavailableAtTheEnd) {
  auto line = hold_line();
  auto one = begin_put(Guid::random(), 1);
  on_io([] {});
  close();
  EXPECT_EQ(failure_of([&] { first_.get(); }), "unavailable");
  EXPECT_EQ(failure_of([&] { one.get(); }), "unavailable");
}

}  // namespace
}  // namespace waybill::tests
