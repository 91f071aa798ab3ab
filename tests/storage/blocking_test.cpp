#include <chrono>
#include <poll.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/blocking/connection.hpp"
#include "storage/session/session.hpp"
#include "storage/statement/binary.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using storage::DatabaseUnavailable;
using storage::Params;
using storage::Statement;
using storage::StatementError;
using storage::blocking::Connection;
using storage::blocking::Transaction;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Statement add{"test.add", "insert into notes (id, text) values ($1, $2)"};
Params note(int id, const std::optional<std::string>& text) { return Params().add(id).add(text); }

constexpr Statement count{"test.count", "select count(*) as notes from notes"};

/// The SQLSTATE of the error of a call, "unavailable", or "" if it throws nothing.
template <typename Call>
std::string checked_failure_of(Call call) {
  try {
    call();
    return "";
  } catch (const StatementError& error) {
    EXPECT_EQ(error.constraint(), "");
    return error.sqlstate();
  } catch (const DatabaseUnavailable&) {
    return "unavailable";
  }
}

class Blocking : public testing::Test {
 protected:
  Blocking() { server.exec("create table notes (id bigint primary key, text text)"); }

  std::int64_t notes() { return server.number("select count(*) from notes"); }
  void terminate_tested() {
    server.exec(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = 'tested'");
  }

  TestDatabase server{TestDatabase::Content::empty};
  Connection connection{server.url(), "tested"};
};

/// A statement as the generated headers declare one.
struct Echo {
  storage::Required<Guid> guid;
  storage::Required<Time> at;
  storage::Required<std::string_view> text;
  storage::Required<std::int64_t> number;
  storage::Required<bool> flag;
  std::optional<Guid> nobody = std::nullopt;
  storage::Required<storage::Array<std::string_view>> texts;

  static constexpr Statement statement{
      "test.echo",
      "select $1::uuid as guid, $2::timestamptz as at, $3::text as text, $4::bigint as number, $5::boolean "
      "as "
      "flag, $6::uuid as nobody, ($7::text[])[1] as first, ($7::text[])[2] as second"};
  Params params() const {
    Params all;
    add_param(all, guid);
    add_param(all, at);
    add_param(all, text);
    add_param(all, number);
    add_param(all, flag);
    add_param(all, nobody);
    add_param(all, texts);
    return all;
  }

  struct Row {
    template <typename Source>
    explicit Row(const storage::RowOf<Source>& row)
        : guid(storage::read_column<Guid>(row, 0)),
          at(storage::read_column<Time>(row, 1)),
          text(storage::read_column<std::string_view>(row, 2)),
          number(storage::read_column<std::int64_t>(row, 3)),
          flag(storage::read_column<bool>(row, 4)),
          nobody(storage::read_column<std::optional<Guid>>(row, 5)),
          first(storage::read_column<std::string_view>(row, 6)),
          second(storage::read_column<std::optional<std::string_view>>(row, 7)) {}

    Guid guid;
    Time at;
    std::string_view text;
    std::int64_t number;
    bool flag;
    std::optional<Guid> nobody;
    std::string_view first;
    std::optional<std::string_view> second;
  };
};

TEST_F(Blocking, ResultsHaveWhatParametersSent) {
  const Guid guid = Guid::random();
  const Time at = *parse_timestamp("2026-11-20T05:45:12.345678Z");
  const std::string text = "it's \\ \"ü\"" + std::string(100'000, 'x');
  storage::ArrayLiteral texts;
  texts.add("a,\"b\"\\").add_null();
  const auto rows =
      connection.run(Echo{.guid = guid, .at = at, .text = text, .number = -7, .flag = true, .texts = texts});
  ASSERT_EQ(rows.size(), 1);
  const auto row = rows.front();
  EXPECT_EQ(row.guid, guid);
  EXPECT_EQ(row.at, at);
  EXPECT_EQ(row.text, text);
  EXPECT_EQ(row.number, -7);
  EXPECT_TRUE(row.flag);
  EXPECT_EQ(row.nobody, std::nullopt);
  EXPECT_EQ(row.first, "a,\"b\"\\");
  EXPECT_EQ(row.second, std::nullopt);
  const storage::RowOf<pqxx::result> untyped{rows.all(), 0};
  EXPECT_THROW(storage::read_column<Guid>(untyped, 5), storage::WrongColumn) << "null";
  EXPECT_THROW(storage::read_column<Guid>(untyped, 2), storage::WrongColumn) << "not a guid";
}

TEST_F(Blocking, BinaryParametersAreRefused) {
  constexpr Statement first{"test.first", "select ($1::bigint[])[1]"};
  const std::int64_t numbers[] = {1};
  EXPECT_THROW(connection.run(first, Params().add(storage::binary_array(numbers))), std::invalid_argument);
}

TEST_F(Blocking, SessionHasTheSettingsOfTheOtherClient) {
  constexpr Statement settings{
      "test.settings",
      "select name, setting from pg_settings where name in ('TimeZone', 'DateStyle', 'jit', 'lock_timeout', "
      "'client_encoding', 'client_min_messages', 'idle_in_transaction_session_timeout', 'tcp_user_timeout', "
      "'tcp_keepalives_idle') order by name"};
  Connection worker(server.url(), "tested", storage::worker_limits);
  storage::Session session(server.url(), "tested", storage::worker_limits);
  const pqxx::result rows = worker.run(settings);
  const storage::Rows others = session.run(settings);
  ASSERT_EQ(static_cast<int>(rows.size()), others.size());
  ASSERT_EQ(rows.size(), 9U);
  for (int i = 0; const pqxx::row row : rows) {
    EXPECT_EQ(row["setting"].as<std::string>(), others.get(i++, 1)) << row["name"].c_str();
  }
  EXPECT_EQ(server.number("select count(*) from pg_stat_activity where application_name = 'tested'"), 3);
}

TEST_F(Blocking, StatementIsOneTransactionAndIsPreparedOnce) {
  constexpr Statement transaction{"test.transaction", "select txid_current() as id"};
  const auto first = connection.run(transaction).at(0)["id"].as<std::int64_t>();
  // The server's own work, such as an analyze, takes numbers of transactions too.
  EXPECT_GT(connection.run(transaction).at(0)["id"].as<std::int64_t>(), first);
  const auto prepared = connection.execute("select name from pg_prepared_statements");
  ASSERT_EQ(prepared.size(), 1U);
  EXPECT_EQ(prepared.at(0)["name"].as<std::string>(), "test.transaction");
  EXPECT_EQ(connection.run(add, note(1, std::nullopt)).affected_rows(), 1U);
  EXPECT_EQ(notes(), 1);
}

TEST_F(Blocking, LiteralSqlMayHaveSeveralStatementsThatAreOneTransaction) {
  const auto rows = connection.execute("insert into notes values (1, 'a'); select 1 as one; select 2 as two");
  EXPECT_EQ(rows.at(0)["two"].as<int>(), 2);
  EXPECT_EQ(
      checked_failure_of([&] { connection.execute("insert into notes values (2, 'b'); select 1 / 0"); }),
      "22012");
  EXPECT_EQ(notes(), 1);
}

TEST_F(Blocking, TransactionIsCommittedWhenItsBodyReturns) {
  const int seen = connection.transact([&](Transaction& transaction) {
    transaction.run(add, note(1, "a"));
    transaction.execute("insert into notes values (2, 'b')");
    EXPECT_EQ(notes(), 0) << "others see it only once it is committed";
    return transaction.run(count).at(0)["notes"].as<int>();
  });
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(notes(), 2);
  connection.transact([&](Transaction& transaction) { transaction.run(add, note(3, "c")); });
  EXPECT_EQ(notes(), 3);
}

TEST_F(Blocking, TransactionIsRolledBackWhenItsBodyThrows) {
  EXPECT_THROW(connection.transact([&](Transaction& transaction) {
    transaction.run(add, note(1, "a"));
    throw std::out_of_range("changed its mind");
  }),
               std::out_of_range);
  const auto repeat = [&](Transaction& transaction) {
    transaction.run(add, note(1, "a"));
    transaction.run(add, note(1, "again"));
  };
  EXPECT_EQ(checked_failure_of([&] { connection.transact(repeat); }), "23505");
  EXPECT_EQ(notes(), 0);
  connection.run(add, note(1, "the connection goes on"));
  EXPECT_EQ(notes(), 1);
}

TEST_F(Blocking, CommitThatIsRefusedIsAStatementError) {
  server.exec(
      "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no' using "
      "errcode = '23514'; end $$;"
      "create constraint trigger refuse after insert on notes deferrable initially deferred for each row "
      "execute function refuse()");
  bool returned = false;
  EXPECT_EQ(checked_failure_of([&] {
              connection.transact([&](Transaction& transaction) {
                transaction.run(add, note(1, "a"));
                returned = true;
              });
            }),
            "23514");
  EXPECT_TRUE(returned);
  EXPECT_EQ(notes(), 0);
}

TEST_F(Blocking, CommitThatIsNotAnsweredIsUnavailable) {
  server.exec(
      "create function die() returns trigger language plpgsql as $$ begin perform "
      "pg_terminate_backend(pg_backend_pid()); perform pg_sleep(10); return null; end $$;"
      "create constraint trigger die after insert on notes deferrable initially deferred for each row "
      "execute function die()");
  EXPECT_EQ(checked_failure_of([&] {
              connection.transact([&](Transaction& transaction) { transaction.run(add, note(1, "a")); });
            }),
            "unavailable");
  EXPECT_EQ(notes(), 0);
}

// libpqxx loses some SQLSTATEs; both clients have to report the same.
TEST_F(Blocking, RefusalsHaveTheSqlstateThatTheOtherClientReports) {
  storage::Session session(server.url(), "other");
  for (const std::string code :
       {"0A000", "0L000", "0P000", "22001", "22P02", "23001", "23502", "23503", "23505", "23514", "23P01",
        "24000", "26000", "34000", "25001", "25006", "25P02", "40000", "40001", "40003", "40P01", "42501",
        "42601", "42703", "42883", "42P01", "42P07", "53000", "53100", "53200", "53400", "54000", "55P03",
        "57014", "57P01", "57P03", "58030", "08006", "P0001", "P0002", "P0003", "P0004", "XX000", "WB001"}) {
    const std::string raise = "do $$ begin raise exception 'refused' using errcode = '" + code + "'; end $$";
    const std::string expected = checked_failure_of([&] { session.execute(raise); });
    EXPECT_EQ(checked_failure_of([&] { connection.execute(raise); }), expected) << code;
    if (expected != "unavailable") EXPECT_EQ(expected, code);
  }
  try {
    connection.execute(
        "do $$ begin raise exception 'a: b' using detail = 'secret', errcode = '23514'; end $$");
    FAIL();
  } catch (const StatementError& error) {
    EXPECT_STREQ(error.what(), "a: b");
  }
}

TEST_F(Blocking, LockIsWaitedForNoLongerThanTheLimit) {
  connection.run(add, note(1, "a"));
  Session holder = server.connect();
  holder.exec("begin; update notes set text = 'held'");
  Connection worker(server.url(), "tested", storage::worker_limits);
  constexpr Statement change{"test.change", "update notes set text = $1"};
  try {
    worker.run(change, Params().add("b"));
    FAIL();
  } catch (const StatementError& error) {
    EXPECT_TRUE(storage::is_lock_conflict(error)) << error.sqlstate();
  }
  holder.exec("commit");
  EXPECT_EQ(worker.run(change, Params().add("b")).affected_rows(), 1U);
}

TEST_F(Blocking, TransactionWhoseClientSleepsIsEndedByTheServer) {
  Connection worker(server.url(), "sleeper", {.idle_in_transaction = 100ms});
  EXPECT_EQ(checked_failure_of([&] {
              worker.transact([&](Transaction& transaction) {
                transaction.run(add, note(1, "a"));
                ASSERT_TRUE(eventually([&] {
                  return server.number(
                             "select count(*) from pg_stat_activity where application_name = 'sleeper'") == 0;
                }));
                transaction.run(add, note(2, "b"));
              });
            }),
            "unavailable");
  EXPECT_EQ(notes(), 0);
}

TEST_F(Blocking, ConnectionThatIsLostStaysLost) {
  connection.run(count);
  terminate_tested();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(checked_failure_of([&] { connection.run(count); }), "unavailable");
    EXPECT_EQ(checked_failure_of([&] { connection.execute("select 1"); }), "unavailable");
    EXPECT_EQ(checked_failure_of([&] { connection.transact([](Transaction&) {}); }), "unavailable");
    EXPECT_EQ(checked_failure_of([&] { connection.notifications(); }), "unavailable");
    EXPECT_EQ(checked_failure_of([&] { connection.listen("one"); }), "unavailable");
  }
  EXPECT_EQ(server.number("select count(*) from pg_stat_activity where application_name = 'tested'"), 0);
  Connection next(server.url(), "tested");
  EXPECT_EQ(next.run(count).at(0)["notes"].as<int>(), 0) << "prepares its statements itself";
}

TEST_F(Blocking, ConnectionThatIsLostInTheMiddleOfATransactionIsUnavailable) {
  EXPECT_EQ(checked_failure_of([&] {
              connection.transact([&](Transaction& transaction) {
                transaction.run(add, note(1, "a"));
                terminate_tested();
                transaction.run(add, note(2, "b"));
              });
            }),
            "unavailable");
  EXPECT_EQ(notes(), 0);
}

TEST_F(Blocking, ServerThatCannotBeReachedIsUnavailable) {
  for (const std::string url : {"postgresql:///w?host=/nonexistent", "postgresql://u@h/w?nonsense=1"}) {
    try {
      const Connection refused(url, "tested");
      FAIL();
    } catch (const DatabaseUnavailable& error) {
      std::string expected;
      try {
        const storage::Session other_client(url, "tested");
      } catch (const DatabaseUnavailable& other) {
        expected = other.what();
      }
      EXPECT_EQ(error.what(), expected);
    }
  }
}

TEST_F(Blocking, ReadOnlyServerIsUnavailable) {
  connection.execute("set default_transaction_read_only = on");
  EXPECT_EQ(checked_failure_of([&] { connection.run(add, note(1, "a")); }), "unavailable");
}

TEST_F(Blocking, NotificationsWakeTheSocketAndAreNamedOnce) {
  connection.listen("waybill_one");
  connection.listen("waybill_two");
  EXPECT_THAT(connection.notifications(), IsEmpty());
  server.exec("notify waybill_one; notify waybill_one, 'again'; notify waybill_two; notify waybill_three");
  pollfd wait{.fd = connection.socket(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&wait, 1, 10'000), 1);
  EXPECT_THAT(connection.notifications(), ElementsAre("waybill_one", "waybill_two"));
  EXPECT_THAT(connection.notifications(), IsEmpty());
}

TEST_F(Blocking, NotificationsThatComeWithAStatementAreKept) {
  connection.listen("waybill_one");
  server.exec("notify waybill_one");
  connection.run(count);
  connection.execute("notify waybill_one");
  connection.transact([](Transaction& transaction) { transaction.run(count); });
  EXPECT_THAT(connection.notifications(), ElementsAre("waybill_one"));
}

TEST_F(Blocking, WaitForNotificationsEndsWithTheConnection) {
  connection.listen("waybill_one");
  terminate_tested();
  pollfd wait{.fd = connection.socket(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&wait, 1, 10'000), 1);
  // The first call may read only the server's farewell.
  EXPECT_TRUE(
      eventually([&] { return checked_failure_of([&] { connection.notifications(); }) == "unavailable"; }));
}

TEST_F(Blocking, NulByteInAParameterIsRefused) {
  EXPECT_THROW(connection.run(add, note(1, std::string("a\0b", 3))), std::invalid_argument);
  EXPECT_EQ(notes(), 0);
}

}  // namespace
}  // namespace waybill::tests
