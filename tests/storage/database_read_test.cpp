#include <algorithm>
#include <atomic>
#include <set>
#include <signal.h>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <gmock/gmock.h>

#include "storage/statement/binary.hpp"
#include "tests/storage/database_fixture.hpp"

namespace waybill::tests {
namespace {

using storage::Database;
using storage::DatabaseUnavailable;
using storage::Format;
using storage::Params;
using storage::Rows;
using storage::Statement;
using storage::StatementError;
using namespace std::chrono_literals;

constexpr Statement echo{"test.echo", "select $1::text"};
constexpr Statement divide{"test.divide", "select 100 / $1::int"};
constexpr Statement misspelt{"test.misspelt", "selec 1"};
constexpr Statement blocking{"test.blocking", "select 'through' from pg_advisory_xact_lock_shared(7)"};

class DatabaseReads : public DatabaseTest {
 protected:
  /// Reads one record by its key, together with others.
  asio::awaitable<Rows> read_merged(const Statement& statement, const Statement& merged, Params key,
                                    Format format = Format::text) {
    return database_->run_read(
        {.statement = statement, .merged = merged, .params = std::move(key), .format = format});
  }

  /// Starts `count` coroutines in one turn of the loop and returns their results in the order of completion.
  template <typename Body>
  std::vector<std::string> together(int count, Body body) {
    std::vector<std::string> ended;
    std::vector<std::future<void>> all;
    on_io([&] {
      all.reserve(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) {
        all.push_back(start([&, i]() -> asio::awaitable<void> {
          std::string result;
          try {
            result = co_await body(i);
          } catch (const StatementError& error) {
            result = error.sqlstate();
          } catch (const DatabaseUnavailable&) {
            result = "unavailable";
          }
          ended.push_back(std::move(result));
        }));
      }
    });
    for (auto& one : all) one.get();
    return ended;
  }

  asio::awaitable<std::string> first_value(asio::awaitable<Rows> read) {
    const auto rows = co_await std::move(read);
    co_return rows.empty() ? "none" : std::string(rows.get(0, 0));
  }
};

TEST_F(DatabaseReads, ReadsOfOneConnectionReturnInOrder) {
  auto& database = open();
  std::vector<std::string> expected;
  for (int i = 0; i < 200; ++i) expected.push_back(std::to_string(i));
  EXPECT_EQ(
      together(200, [&](int i) { return first_value(database.read(echo, Params().add(std::to_string(i)))); }),
      expected);
}

TEST_F(DatabaseReads, ReadsOfOneTurnShareOneSync) {
  static constexpr Statement moment{"test.moment", "select transaction_timestamp()::text"};
  auto& database = open();
  read(echo, Params().add("connected"));
  // The statements between two syncs are one transaction.
  const auto moments = together(4, [&](int) { return first_value(database.read(moment, {})); });
  EXPECT_EQ(std::set<std::string>(moments.begin(), moments.end()).size(), 1U);
}

TEST_F(DatabaseReads, AFailingReadDoesNotAffectItsNeighbours) {
  auto& database = open();
  const auto results =
      together(100, [&](int i) { return first_value(database.read(divide, Params().add(i % 5))); });
  EXPECT_EQ(std::count(results.begin(), results.end(), "22012"), 20);
  for (const auto* value : {"100", "50", "33", "25"}) {
    EXPECT_EQ(std::count(results.begin(), results.end(), value), 20) << value;
  }
}

TEST_F(DatabaseReads, AReadThatCannotBePreparedFailsAlone) {
  auto& database = open();
  const auto results = together(30, [&](int i) {
    return first_value(i % 3 == 0 ? database.read(misspelt, {}) : database.read(echo, Params().add("fine")));
  });
  EXPECT_EQ(std::count(results.begin(), results.end(), "42601"), 10);
  EXPECT_EQ(std::count(results.begin(), results.end(), "fine"), 20);
}

TEST_F(DatabaseReads, GoToTheLeastLoadedConnection) {
  auto two = options();
  two.read_connections = 2;
  auto& database = open(two);
  const auto pids = together(8, [&](int) { return first_value(database.read(backend, {})); });
  std::map<std::string, int> shares;
  for (const auto& pid : pids) ++shares[pid];
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares.begin()->second, 4);
}

TEST_F(DatabaseReads, AtMostThreeWaitBehindABlockedOne) {
  auto two = options();
  two.read_connections = 2;
  auto& database = open(two);
  server_.exec("select pg_advisory_lock(7)");
  constexpr int all = 40;
  std::atomic<int> answered = 0;
  std::vector<std::future<void>> reads;
  on_io([&] {
    for (int i = 0; i < all; ++i) {
      reads.push_back(start([&, i]() -> asio::awaitable<void> {
        co_await database.read(i == 0 ? blocking : backend, {});
        ++answered;
      }));
    }
  });
  EXPECT_TRUE(eventually([&] { return answered == all - 4; })) << answered;
  server_.exec("select pg_advisory_unlock(7)");
  for (auto& each : reads) each.get();
}

TEST_F(DatabaseReads, DoNotQueueBehindASlowOne) {
  auto two = options();
  two.read_connections = 2;
  auto& database = open(two);
  server_.exec("select pg_advisory_lock(7)");
  auto slow = start([&] { return database.read(blocking, {}); });
  wait_for_blocked("pg_advisory");
  // Until the blocked connection counts as slow, reads one at a time use the other connection, which is idle.
  const auto slow_by_now = std::chrono::steady_clock::now() + 10ms;
  while (std::chrono::steady_clock::now() < slow_by_now) read(echo, Params().add("fast"));
  for (int i = 0; i < 20; ++i) {
    const auto results =
        together(3, [&](int) { return first_value(database.read(echo, Params().add("fast"))); });
    ASSERT_EQ(results, std::vector<std::string>(3, "fast"));
  }
  server_.exec("select pg_advisory_unlock(7)");
  EXPECT_EQ(slow.get().get(0, 0), "through");
}

constexpr Guid one_business{{1}};
constexpr Guid another_business{{2}};

TEST_F(DatabaseReads, OfABusinessWaitForOneOfAnotherBusinessAtATime) {
  auto& database = open();
  constexpr int all = 41;
  const auto answered = together(all, [&](int i) {
    const bool is_last = i == all - 1;
    return first_value(database.run_read({.statement = echo,
                                          .params = Params().add(is_last ? "other" : "one"),
                                          .business = is_last ? another_business : one_business}));
  });
  const auto place = std::ranges::find(answered, "other") - answered.begin();
  // Four are with the server, and the business that waits longer has the first turn.
  EXPECT_LE(place, 5);
}

TEST_F(DatabaseReads, LongReadsHaveASeparateConnection) {
  auto& database = open();
  server_.exec("select pg_advisory_lock(7)");
  auto slow =
      start([&] { return database.read_long(one_business, "slow", std::string(blocking.text), Params()); });
  wait_for_blocked("pg_advisory");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(read(echo, Params().add("fast")), "fast");
  server_.exec("select pg_advisory_unlock(7)");
  EXPECT_EQ(slow.get().get(0, 0), "through");
}

TEST_F(DatabaseReads, LongReadsArePlannedWithTheirValues) {
  auto& database = open();
  EXPECT_EQ(run([&] {
              return first_value(database.read_long(one_business, "mode", "show plan_cache_mode", Params()));
            }),
            "force_custom_plan");
  EXPECT_EQ(read({"mode", "show plan_cache_mode"}, Params()), "auto");
}

TEST_F(DatabaseReads, LongReadsOfABusinessLeaveAConnectionToOthers) {
  auto three = options();
  three.long_connections = 3;
  auto& database = open(three);
  server_.exec("select pg_advisory_lock(7)");
  std::vector<std::future<Rows>> slow;
  on_io([&] {
    for (int i = 0; i < 5; ++i) {
      slow.push_back(start(
          [&] { return database.read_long(one_business, "slow", std::string(blocking.text), Params()); }));
    }
  });
  EXPECT_TRUE(eventually([&] {
    return server_.number(
               "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and application_name = "
               "'tested'") == 2;
  }));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(run([&] {
                return first_value(
                    database.read_long(another_business, "fast", "select $1::text", Params().add("fast")));
              }),
              "fast");
  }
  server_.exec("select pg_advisory_unlock(7)");
  for (auto& one : slow) EXPECT_EQ(one.get().get(0, 0), "through");
}

TEST_F(DatabaseReads, LongReadsWithoutAConnectionInTimeAreRefused) {
  auto hasty = options();
  hasty.wait_limit = 50ms;
  auto& database = open(hasty);
  server_.exec("select pg_advisory_lock(7)");
  auto slow =
      start([&] { return database.read_long(one_business, "slow", std::string(blocking.text), Params()); });
  wait_for_blocked("pg_advisory");
  EXPECT_EQ(failure_of([&] {
              run([&] { return database.read_long(another_business, "late", "select 1", Params()); });
            }),
            "unavailable");
  server_.exec("select pg_advisory_unlock(7)");
  EXPECT_EQ(slow.get().get(0, 0), "through");
}

TEST_F(DatabaseReads, LongReadsFailAloneAndFreeTheirConnection) {
  auto& database = open();
  const auto results = together(20, [&](int i) {
    return first_value(
        database.read_long(one_business, "divide", std::string(divide.text), Params().add(i % 2)));
  });
  EXPECT_EQ(std::count(results.begin(), results.end(), "22012"), 10);
  EXPECT_EQ(std::count(results.begin(), results.end(), "100"), 10);
}

TEST_F(DatabaseReads, ReturnBinaryFormatOnRequest) {
  static constexpr Statement times_six{"test.times_six", "select $1::bigint * 6, 'text'"};
  static constexpr Statement several{
      "test.times_six_of_several",
      "select w.position, w.n * 6, 'text' from unnest($1::bigint[]) with ordinality w (n, position)"};
  auto& database = open();
  const auto sum = [&](auto rows) -> asio::awaitable<std::string> {
    const auto answer = co_await std::move(rows);
    EXPECT_TRUE(answer.is_binary());
    const auto number = storage::binary_number<std::int64_t>(answer.get(0, 0));
    co_return std::to_string(number) + std::string(answer.get(0, 1));
  };
  using storage::Format;
  EXPECT_EQ(run([&] { return sum(database.read(times_six, Params().add(7), Format::binary)); }), "42text");
  EXPECT_EQ(run([&] {
              return sum(database.read_text(one_business, "six", std::string(times_six.text), Params().add(7),
                                            Format::binary));
            }),
            "42text");
  const auto merged = together(
      40, [&](int i) { return sum(read_merged(times_six, several, Params().add(i), Format::binary)); });
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(merged.at(static_cast<std::size_t>(i)), std::to_string(i * 6) + "text");
}

TEST_F(DatabaseReads, CannotWrite) {
  static constexpr Statement insert{"test.insert", "insert into things values (1)"};
  server_.exec("create table things (a int)");
  open();
  EXPECT_EQ(failure_of([&] { read(insert); }), "25006");
}

TEST_F(DatabaseReads, RunInUtcAndUtf8UnderTheirName) {
  static constexpr Statement session{
      "test.session",
      "select concat_ws(' ', current_setting('TimeZone'), current_setting('client_encoding'),"
      " current_setting('application_name'), current_setting('statement_timeout'))"};
  open();
  EXPECT_EQ(read(session), "UTC UTF8 tested 10s");
}

TEST_F(DatabaseReads, KeepTheOptionsOfTheUrl) {
  static constexpr Statement setting{"test.setting", "select current_setting('work_mem')"};
  auto changed = options();
  changed.url +=
      (changed.url.find('?') == std::string::npos ? "?" : "&") + std::string("options=-c%20work_mem%3D3MB");
  open(changed);
  EXPECT_EQ(read(setting), "3MB");
}

TEST_F(DatabaseReads, EndAtTheStatementTimeout) {
  static constexpr Statement endless{"test.endless", "select pg_sleep(60)"};
  auto hasty = options();
  hasty.statement_timeout = 200ms;
  open(hasty);
  EXPECT_EQ(failure_of([&] { read(endless); }), "57014");
  EXPECT_EQ(read(echo, Params().add("again")), "again");
}

TEST_F(DatabaseReads, ContinueAtOnceAfterAllConnectionsWereTerminated) {
  open();
  const auto before = read(backend);
  for (int i = 0; i < 3; ++i) {
    terminate_tested();
    EXPECT_EQ(read(echo, Params().add("healed")), "healed");
  }
  EXPECT_NE(read(backend), before);
}

TEST_F(DatabaseReads, InFlightWhenTheConnectionBreaksAreSentAgain) {
  auto& database = open();
  server_.exec("select pg_advisory_lock(7)");
  auto first = start([&] { return database.read(blocking, {}); });
  auto second = start([&] { return database.read(echo, Params().add("behind it")); });
  wait_for_blocked("pg_advisory");
  terminate_tested();
  server_.exec("select pg_advisory_unlock(7)");
  EXPECT_EQ(first.get().get(0, 0), "through");
  EXPECT_EQ(second.get().get(0, 0), "behind it");
}

TEST_F(DatabaseReads, AreSentAgainOnlyOnce) {
  auto& database = open();
  server_.exec("select pg_advisory_lock(7)");
  auto unlucky = start([&] { return database.read(blocking, {}); });
  for (int i = 0; i < 2; ++i) {
    wait_for_blocked("pg_advisory");
    terminate_tested();
  }
  EXPECT_EQ(failure_of([&] { unlucky.get(); }), "unavailable");
  EXPECT_EQ(read(echo, Params().add("healed")), "healed");
}

TEST_F(DatabaseReads, ArePreparedAgainWhenTheServerHasLostThem) {
  static constexpr Statement forget{"test.forget", "deallocate all"};
  open();
  const auto pid = read(backend);
  run([&]() -> asio::awaitable<void> { co_await database_->read(forget, {}); });
  EXPECT_EQ(read(backend), pid);
}

TEST_F(DatabaseReads, ArePreparedAgainWhenTheTableChanged) {
  static constexpr Statement star{"test.star", "select * from things"};
  server_.exec("create table things (a int); insert into things values (1)");
  open();
  EXPECT_EQ(read(star), "1");
  server_.exec("alter table things alter a type text using 'one'");
  EXPECT_EQ(read(star), "one");
}

TEST_F(DatabaseReads, TheLast256TextsStayPrepared) {
  static constexpr Statement count{"test.count",
                                   "select count(*) from pg_prepared_statements where name like 'list/%'"};
  static constexpr Statement generation{
      "test.generation", "select name from pg_prepared_statements where statement = 'select 300 + $1::int'"};
  auto& database = open();
  const auto list = [&](int i) {
    return first_value(database.read_text(one_business, "list", "select " + std::to_string(i) + " + $1::int",
                                          Params().add(1)));
  };
  together(300, list);
  EXPECT_EQ(together(1, [&](int) { return list(300); }), std::vector<std::string>{"301"});
  EXPECT_EQ(read(count), "256");
  // The most recently used statement is still the one prepared then.
  const auto name = read(generation);
  EXPECT_EQ(together(1, [&](int) { return list(300); }), std::vector<std::string>{"301"});
  EXPECT_EQ(read(generation), name);
  // A dropped statement works again.
  EXPECT_EQ(together(1, [&](int) { return list(0); }), std::vector<std::string>{"1"});
}

// --- merged reads

constexpr Statement get{"things.get",
                        "select name, 'single' from things where owner = $1::int and id = $2::uuid"};
constexpr Statement get_merged{"things.get_merged",
                               "select k.n, t.name, 'merged' from unnest($1::int[], $2::uuid[])"
                               " with ordinality as k (owner, id, n)"
                               " join things t on t.owner = k.owner and t.id = k.id order by k.n"};
constexpr Statement unordered{"things.unordered",
                              "select k.n, t.name, 'merged' from unnest($1::int[], $2::uuid[])"
                              " with ordinality as k (owner, id, n)"
                              " join things t on t.owner = k.owner and t.id = k.id order by k.n desc"};

class MergedReads : public DatabaseReads {
 protected:
  MergedReads() {
    server_.exec(
        "create table things (owner int, id uuid, name text, primary key (owner, id));"
        "insert into things select 1, lpad(to_hex(i), 32, '0')::uuid, 'thing ' || i from generate_series(1, "
        "50) i");
  }
  static Params key(int owner, int number) {
    char id[33];
    std::snprintf(id, sizeof id, "%032x", static_cast<unsigned>(number));
    return Params().add(owner).add(id);
  }
  asio::awaitable<std::string> name_and_way(asio::awaitable<Rows> read) {
    const auto rows = co_await std::move(read);
    if (rows.empty()) co_return "none";
    EXPECT_EQ(rows.size(), 1);
    co_return std::string(rows.get(0, 0)) + " " + std::string(rows.get(0, 1));
  }
};

TEST_F(MergedReads, ReturnTheRowsOfEachCaller) {
  open();
  read(echo, Params().add("connected"));
  // 40 reads of one turn make calls of 16, 16 and 8; repeated keys and keys of others are among them.
  const auto results = together(40, [&](int i) {
    return name_and_way(read_merged(get, get_merged, key(i % 7 == 0 ? 2 : 1, 1 + i % 30)));
  });
  for (int i = 0; i < 40; ++i) {
    const auto expected = i % 7 == 0 ? "none" : "thing " + std::to_string(1 + i % 30) + " merged";
    EXPECT_EQ(results[static_cast<std::size_t>(i)], expected) << i;
  }
}

TEST_F(MergedReads, OfATextAreMergedOnceTheTextIsKnown) {
  auto& database = open();
  read(echo, Params().add("connected"));
  const auto ways = [&](const std::string& comment) {
    const std::string single = std::string(get.text) + comment,
                      merged = std::string(get_merged.text) + comment;
    return together(20, [&](int i) {
      return name_and_way(database.run_read({.statement = {"things.get", {}},
                                             .merged = {"things.get_merged", merged},
                                             .text = single,
                                             .params = key(1, 1 + i)}));
    });
  };
  const auto count_merged = [](const std::vector<std::string>& results) {
    return std::ranges::count_if(results, [](const auto& result) { return result.ends_with(" merged"); });
  };
  // The first read makes the text known.
  const auto first = ways("");
  EXPECT_EQ(count_merged(first), 19);
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 20);
  EXPECT_EQ(count_merged(ways("")), 20);
  // Sixteen other texts displace it, so that reads with a text of their own are never merged.
  for (int i = 0; i < 16; ++i) EXPECT_EQ(count_merged(ways(" /*" + std::to_string(i) + "*/")), 19);
  EXPECT_EQ(count_merged(ways("")), 19);
}

TEST_F(MergedReads, UseTheSingleStatementForOneCaller) {
  open();
  EXPECT_EQ(together(1, [&](int) { return name_and_way(read_merged(get, get_merged, key(1, 5))); }),
            std::vector<std::string>{"thing 5 single"});
}

// Statements as tools/embed_sql makes them.
struct GetMerged {
  static constexpr const Statement& statement = get_merged;
};
struct Get {
  Params key;

  using Merged = GetMerged;
  static constexpr const Statement& statement = get;
  Params params() const { return key; }
};
constexpr Statement plan_mode{"things.plan_mode", "show plan_cache_mode"};
struct PlanMode {
  static constexpr bool is_long = true;
  static constexpr const Statement& statement = plan_mode;
  static Params params() { return {}; }
};

TEST_F(MergedReads, AreThoseOfAStatementWhoseHeadNamesOne) {
  auto& database = open();
  read(echo, Params().add("connected"));
  const auto results =
      together(10, [&](int i) { return name_and_way(database.read(Get{.key = key(1, 1 + i)})); });
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(results[static_cast<std::size_t>(i)], "thing " + std::to_string(1 + i) + " merged");
}

TEST_F(DatabaseReads, AreLongIfTheHeadOfTheStatementSaysSo) {
  auto& database = open();
  EXPECT_EQ(run([&] { return first_value(database.read(PlanMode())); }), "force_custom_plan");
}

TEST_F(MergedReads, FailAlone) {
  open();
  read(echo, Params().add("connected"));
  const auto results = together(10, [&](int i) {
    return name_and_way(
        read_merged(get, get_merged, i == 4 ? Params().add(1).add("no uuid") : key(1, 1 + i)));
  });
  EXPECT_EQ(std::count(results.begin(), results.end(), "22P02"), 1);
  EXPECT_EQ(
      std::count_if(results.begin(), results.end(), [](const auto& r) { return r.ends_with(" single"); }), 9);
}

TEST_F(MergedReads, AreNeverMixedUp) {
  open();
  read(echo, Params().add("connected"));
  const auto results =
      together(10, [&](int i) { return name_and_way(read_merged(get, unordered, key(1, 1 + i))); });
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(results[static_cast<std::size_t>(i)], "thing " + std::to_string(1 + i) + " single");
  }
}

// --- an unreachable server

TEST_F(DatabaseReads, FailAtOnceWhileTheServerIsUnreachable) {
  auto nowhere = options();
  nowhere.url = "postgresql:///x?host=/nowhere";
  auto& database = open(nowhere);
  EXPECT_EQ(together(5, [&](int) { return first_value(database.read(echo, Params().add("x"))); }),
            std::vector<std::string>(5, "unavailable"));
  EXPECT_EQ(failure_of([&] { read(echo, Params().add("x")); }), "unavailable");
  EXPECT_FALSE(run([&] { return database.reachable(); }));
}

TEST_F(DatabaseReads, ReportAReachableServerEvenAfterTheirConnectionsEnd) {
  auto& database = open();
  EXPECT_TRUE(run([&] { return database.reachable(); }));
  terminate_tested();
  EXPECT_TRUE(run([&] { return database.reachable(); }));
}

TEST_F(DatabaseReads, FailAtTheConnectTimeout) {
  // Accepts connections through its backlog and never responds.
  asio::io_context other;
  asio::ip::tcp::acceptor mute(other, {asio::ip::address_v4::loopback(), 0});
  auto hasty = options();
  hasty.url =
      "postgresql://u@127.0.0.1:" + std::to_string(mute.local_endpoint().port()) + "/x?sslmode=disable";
  hasty.connect_timeout = 30ms;
  open(hasty);
  EXPECT_EQ(failure_of([&] { read(echo, Params().add("x")); }), "unavailable");
}

TEST_F(DatabaseReads, AbandonAHangingConnection) {
  auto hasty = options();
  hasty.statement_timeout = 500ms;
  hasty.connect_timeout = 500ms;
  open(hasty);
  const auto pid = std::stoi(read(backend));
  ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  const auto now = read(backend);
  ::kill(pid, SIGCONT);
  EXPECT_NE(now, std::to_string(pid));
}

TEST_F(DatabaseReads, AreRefusedWhenTheDatabaseIsDestroyed) {
  auto& database = open();
  server_.exec("select pg_advisory_lock(7)");
  auto waiting = start([&] { return database.read(blocking, {}); });
  wait_for_blocked("pg_advisory");
  close();
  EXPECT_EQ(failure_of([&] { waiting.get(); }), "unavailable");
}

}  // namespace
}  // namespace waybill::tests
