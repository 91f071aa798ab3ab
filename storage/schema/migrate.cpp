#include "storage/schema/migrate.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/crypto.hpp"
#include "base/observe.hpp"
#include "storage/schema/partitions.hpp"
#include "storage/schema/released_migrations.hpp"
#include "storage/sql/schema_migrations.sql.hpp"
#include "storage/statement/statement_list.hpp"

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

// Writers that arrive while a migration waits for a lock wait behind it, so it gives way after a while. The
// first tries are over before PostgreSQL looks for deadlocks (deadlock_timeout, 1 s), which could end the
// writer's transaction.
constexpr std::chrono::milliseconds short_lock_time{400};
constexpr int short_tries = 10;
// Later tries wait longer than that, because only then does PostgreSQL end an automatic vacuum that has the
// lock, or a deadlock that occurs again and again.
constexpr std::chrono::milliseconds long_lock_time{1500};
// The pause after each later try doubles, so that writers have most of the time while a session keeps a lock.
constexpr std::chrono::milliseconds first_pause{500};
constexpr std::chrono::milliseconds longest_pause{16000};

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

void limit_lock_time(blocking::Connection& session, std::chrono::milliseconds limit) {
  session.execute("set lock_timeout = " + std::to_string(limit.count()));
}

void run(blocking::Connection& session, const Statement& migration, std::chrono::milliseconds lock_time) {
  const auto schema = session.run(sql::schema_migrations::Schema{});
  const auto text = in_schema(runnable_text(migration), schema.front().name);
  const std::string sum = checksum(migration);
  const sql::schema_migrations::Record record{.name = migration.name, .checksum = sum};
  if (const auto steps = steps_of(text); !steps.empty()) {
    for (const auto& step : steps) {
      // `create index concurrently` waits for the end of all transactions, but keeps no writer waiting.
      const bool is_concurrent = step.find(" index concurrently ") != std::string::npos;
      limit_lock_time(session, is_concurrent ? std::chrono::milliseconds::zero() : lock_time);
      session.execute(step);
    }
    session.run(record);
  } else {
    limit_lock_time(session, lock_time);
    session.transact([&](blocking::Transaction& transaction) {
      const std::string locks(locks_of(migration.name));
      if (!locks.empty()) transaction.execute(locks);
      transaction.execute(text);
      transaction.run(record);
    });
  }
}

/// Runs a migration again while it is in conflict with the locks of other sessions.
void apply(blocking::Connection& session, const Statement& migration, std::chrono::milliseconds patience) {
  const auto begin = std::chrono::steady_clock::now();
  auto pause = first_pause;
  for (int tries = 1;; ++tries) {
    const bool is_short = tries <= short_tries;
    try {
      run(session, migration, is_short ? short_lock_time : long_lock_time);
      break;
    } catch (const StatementError& error) {
      if (!is_lock_conflict(error) || std::chrono::steady_clock::now() - begin >= patience) {
        throw MigrationError("migration " + std::string(migration.name) + " fails: " + error.what() + " (" +
                             error.sqlstate() + ")");
      }
      observe(Observable::migration_delayed, {{"name", migration.name}, {"error", error.what()}});
    }
    std::this_thread::sleep_for(pause);
    if (!is_short) pause = std::min(2 * pause, longest_pause);
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  observe(Observable::migration_applied,
          {{"name", migration.name},
           {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()}});
}

constexpr std::chrono::milliseconds lock_poll{50};

/// Waits until no process of an earlier release migrates; those lock migrations by an advisory lock.
void wait_for_earlier_releases(blocking::Connection& session) {
  while (!session.run(sql::schema_migrations::Lock{}).front().is_locked)
    std::this_thread::sleep_for(lock_poll);
}

/// Creates the table of applied migrations unless it exists. `if not exists` does not see a table that
/// another session is creating, so the statement then fails once that session has committed.
void create_table(blocking::Connection& session) {
  try {
    session.run(sql::schema_migrations::Create{});
  } catch (const StatementError& error) {
    constexpr std::string_view duplicate_name = "23505";
    constexpr std::string_view duplicate_table = "42P07";
    if (error.sqlstate() != duplicate_name && error.sqlstate() != duplicate_table) throw;
    session.run(sql::schema_migrations::Create{});
  }
}

/// The lock that one migrating process has: on the table of applied migrations, which strangers have no right
/// to lock, in an open transaction of a session of its own. It lets the other session write to the table. The
/// transaction has no snapshot, for which `create index concurrently` would wait. Polls for the same reason:
/// a statement that waits may hold one.
class MigrationLock {
 public:
  explicit MigrationLock(const std::string& url) : session_(url, "waybill migrate") {
    session_.execute("set idle_in_transaction_session_timeout = 0");
    while (!try_lock()) std::this_thread::sleep_for(lock_poll);
  }

 private:
  bool try_lock() {
    session_.execute("begin");
    try {
      session_.execute("lock table schema_migrations in share update exclusive mode nowait");
      return true;
    } catch (const StatementError& error) {
      session_.execute("rollback");
      if (!is_lock_conflict(error)) throw;
      return false;
    }
  }

  blocking::Connection session_;
};

/// Returns true if all of `migrations` are applied: then there is nothing to lock.
bool is_complete(blocking::Connection& session, std::span<const Statement> migrations) {
  try {
    return count_applied(session, migrations) == migrations.size();
  } catch (const StatementError& error) {
    if (!is_undefined_table(error)) throw;
    return false;
  }
}

std::vector<std::string> migrate(const std::string& url, blocking::Connection& session,
                                 std::span<const Statement> migrations, std::chrono::milliseconds patience) {
  if (is_complete(session, migrations)) return {};
  wait_for_earlier_releases(session);
  create_table(session);
  const MigrationLock lock(url);
  std::vector<std::string> applied;
  for (const auto& migration : migrations.subspan(count_applied(session, migrations))) {
    apply(session, migration, patience);
    applied.emplace_back(migration.name);
  }
  return applied;
}

}  // namespace

std::vector<std::string> migrate(const std::string& url, std::span<const Statement> migrations,
                                 std::chrono::milliseconds patience) {
  blocking::Connection session(url, "waybill migrate");
  return migrate(url, session, migrations, patience);
}

SchemaDifference compare_schema(blocking::Connection& session) {
  std::vector<std::string> names;
  for (const Statement& migration : migrations()) names.emplace_back(migration.name);
  const auto rows = session.run(sql::schema_migrations::Compare{.migrations = names});
  const auto row = rows.front();
  return {.missing = std::string(row.missing.value_or("")), .unknown = std::string(row.unknown.value_or(""))};
}

void refuse_unreleased_schema(blocking::Connection& session) {
  refuse_unreleased(session.run(sql::schema_migrations::List{}));
}

std::vector<std::string> migrate(const std::string& url) {
  blocking::Connection session(url, "waybill migrate");
  std::vector<std::string> applied = migrate(url, session, migrations(), default_patience);
  if (!applied.empty()) session.execute("reset lock_timeout");
  make_partitions(session);
  return applied;
}

}  // namespace waybill::storage
