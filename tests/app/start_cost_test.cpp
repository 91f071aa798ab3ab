// The start of a process costs PostgreSQL little while nothing is due.
#include <chrono>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/sql/alerts.sql.hpp"
#include "storage/sql/mail_outbox.sql.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/server.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

namespace sql = storage::sql;

/// A process on a database that has just been made.
class StartCost : public testing::Test {
 protected:
  std::int64_t count(const std::string& column) {
    return admin.number("select " + column + " from pg_stat_database where datname = $1", {database.name()});
  }

  /// Waits until the process has lived for three seconds by the database's clock.
  void let_live() {
    EXPECT_TRUE(eventually([&] {
      ++polls;
      return database.number(
                 "select count(*) from processes where started_at < now() - interval '3 seconds'") == 1;
    }));
  }

  TestDatabase database;
  Session admin = postgres().admin();
  std::int64_t polls = 0;
};

TEST_F(StartCost, OfAWorkerIsFewSessionsAndStatements) {
  const std::int64_t sessions = count("sessions");
  const std::int64_t statements = count("xact_commit + xact_rollback");
  Waybill worker(database.url(), {.command = "worker"});
  let_live();
  EXPECT_EQ(worker.stop(), 0);
  EXPECT_LE(count("sessions") - sessions, 12);
  EXPECT_LE(count("xact_commit + xact_rollback") - statements - polls, 260);
}

TEST_F(StartCost, OfAWorkerIsNoSeldomDuty) {
  const Waybill worker(database.url(), {.command = "worker"});
  EXPECT_TRUE(eventually(
      [&] { return database.number("select count(*) from duty_turns where ended_at is not null") > 0; }));
  let_live();
  for (const worker::Duty& duty : worker::all_duties()) {
    if (duty.every < std::chrono::minutes(1)) continue;
    EXPECT_EQ(database.number("select count(*) from duty_turns where duty = $1", {std::string(duty.name)}), 0)
        << duty.name;
  }
}

TEST_F(StartCost, OfAPollIsAShortStatement) {
  const Waybill waybill(database.url());
  let_live();
  const auto expect = [&](const std::string& session, std::string_view statement) {
    const auto last = [&] {
      return database.value(
          "select query from pg_stat_activity where datname = current_database() and application_name = $1",
          {session});
    };
    EXPECT_TRUE(eventually([&] {
      return std::string_view(statement).starts_with(last()) && !last().empty();
    })) << session
        << ": " << last();
  };
  expect("waybill alerts", sql::alerts::Look::statement.text);
  expect("waybill mail", sql::mail_outbox::IsDue::statement.text);
}

}  // namespace
}  // namespace waybill::tests
