#include "storage/migrate.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/crypto.hpp"
#include "base/observe.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/partitions.hpp"
#include "storage/sql/schema_migrations.sql.hpp"
#include "storage/statements.hpp"

namespace waybill::storage {
namespace {

using Applied = ResultOf<sql::schema_migrations::List, pqxx::result>;

std::string checksum(const Statement& migration) { return hex(sha256(migration.text)); }

// The first migration of the schemas that unreleased versions made.
constexpr std::string_view unreleased_migration = "0001_businesses";

void refuse_unreleased(const Applied& applied) {
  for (const auto& migration : applied) {
    if (migration.name != unreleased_migration) continue;
    throw MigrationError(
        "an unreleased version of waybill made the schema of this database: make a new database");
  }
}

// Replaces the token `@schema@`.
std::string in_schema(std::string text, std::string_view schema) {
  constexpr std::string_view token = "@schema@";
  for (std::size_t at = 0; (at = text.find(token, at)) != std::string::npos; at += schema.size()) {
    text.replace(at, token.size(), schema);
  }
  return text;
}

// Returns how many of `migrations`, counted from the first, are applied.
std::size_t count_applied(blocking::Connection& session, std::span<const Statement> migrations) {
  const Applied applied = session.run(sql::schema_migrations::List{});
  refuse_unreleased(applied);
  std::size_t count = 0;
  for (const auto& row : applied) {
    const std::string name(row.name);
    if (std::ranges::find(migrations, name, &Statement::name) == migrations.end()) {
      throw MigrationError("the database has migration " + name +
                           ", which this program does not know: its schema is newer");
    }
    const Statement& expected = migrations[count++];
    if (expected.name != name) {
      throw MigrationError("migration " + std::string(expected.name) + " is missing, though the later " +
                           name + " is applied");
    }
    if (row.checksum != checksum(expected)) {
      throw MigrationError("migration " + name + " was changed after it was applied");
    }
  }
  return count;
}

// Begins each step of a migration that runs outside a transaction.
constexpr std::string_view step_line = "\n-- @step\n";

std::vector<std::string> steps_of(const std::string& text) {
  std::vector<std::string> steps;
  for (auto at = text.find(step_line); at != std::string::npos;) {
    const auto next = text.find(step_line, at + 1);
    steps.push_back(text.substr(at, next - at));
    at = next;
  }
  return steps;
}

/// Runs a step. `create index concurrently` waits for the transactions of other sessions. One that waits for
/// this session in turn, such as a previous release that migrates, is a deadlock, which ends one of the two.
void run_step(blocking::Connection& session, const std::string& step) {
  constexpr std::string_view deadlock_detected = "40P01";
  constexpr int most_tries = 5;
  for (int tries = 1;; ++tries) {
    try {
      session.execute(step);
      return;
    } catch (const StatementError& error) {
      if (error.sqlstate() != deadlock_detected || tries == most_tries) throw;
    }
  }
}

void run(blocking::Connection& session, const Statement& migration) {
  const auto schema = session.run(sql::schema_migrations::Schema{});
  const auto text = in_schema(std::string(migration.text), schema.front().name);
  const std::string sum = checksum(migration);
  const sql::schema_migrations::Record record{.name = migration.name, .checksum = sum};
  if (const auto steps = steps_of(text); !steps.empty()) {
    for (const auto& step : steps) run_step(session, step);
    session.run(record);
  } else {
    session.transact([&](blocking::Transaction& transaction) {
      transaction.execute(text);
      transaction.run(record);
    });
  }
}

void apply(blocking::Connection& session, const Statement& migration) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    run(session, migration);
  } catch (const StatementError& error) {
    throw MigrationError("migration " + std::string(migration.name) + " fails: " + error.what() + " (" +
                         error.sqlstate() + ")");
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  observe(Observable::migration_applied,
          {{"name", migration.name},
           {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()}});
}

/// Waits until no other process migrates, and locks migrations for this session. It asks again and again: a
/// statement that waits has a snapshot, for which `create index concurrently` of the other process would
/// wait.
void lock(blocking::Connection& session) {
  while (!session.run(sql::schema_migrations::Lock{}).front().is_locked) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

std::vector<std::string> migrate(const std::string& url, std::span<const Statement> migrations) {
  blocking::Connection session(url, "waybill migrate");
  lock(session);
  session.run(sql::schema_migrations::Create{});
  std::vector<std::string> applied;
  for (const auto& migration : migrations.subspan(count_applied(session, migrations))) {
    apply(session, migration);
    applied.emplace_back(migration.name);
  }
  return applied;
}

void refuse_unreleased_schema(const std::string& url) {
  blocking::Connection session(url, "waybill");
  refuse_unreleased(session.run(sql::schema_migrations::List{}));
}

std::vector<std::string> migrate(const std::string& url) {
  std::vector<std::string> applied = migrate(url, migrations());
  blocking::Connection session(url, "waybill migrate");
  make_partitions(session);
  return applied;
}

}  // namespace waybill::storage
