#include "storage/migrate.hpp"

#include <algorithm>
#include <chrono>

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

void apply(blocking::Connection& session, const Statement& migration) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    session.transact([&](blocking::Transaction& transaction) {
      const auto schema = transaction.run(sql::schema_migrations::Schema{});
      transaction.execute(in_schema(std::string(migration.text), schema.front().name));
      transaction.run(
          sql::schema_migrations::Record{.name = migration.name, .checksum = checksum(migration)});
    });
  } catch (const StatementError& error) {
    throw MigrationError("migration " + std::string(migration.name) + " fails: " + error.what() + " (" +
                         error.sqlstate() + ")");
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  observe(Observable::migration_applied,
          {{"name", migration.name},
           {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()}});
}

}  // namespace

std::vector<std::string> migrate(const std::string& url, std::span<const Statement> migrations) {
  blocking::Connection session(url, "waybill migrate");
  session.run(sql::schema_migrations::Lock{});
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
