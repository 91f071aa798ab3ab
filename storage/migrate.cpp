#include "storage/migrate.hpp"

#include <algorithm>
#include <chrono>

#include "base/crypto.hpp"
#include "base/observe.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/partitions.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {
namespace {

std::string checksum(const Statement& migration) { return hex(sha256(migration.text)); }

// The first migration of the schemas that unreleased versions made.
constexpr std::string_view unreleased_migration = "0001_businesses";

void refuse_unreleased(const pqxx::result& applied) {
  for (const auto& row : applied) {
    if (row["name"].c_str() != unreleased_migration) continue;
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
  const pqxx::result applied = session.run(sql::schema_migrations::list);
  refuse_unreleased(applied);
  for (const auto& row : applied) {
    const auto name = row["name"].as<std::string>();
    if (std::ranges::find(migrations, name, &Statement::name) == migrations.end()) {
      throw MigrationError("the database has migration " + name +
                           ", which this program does not know: its schema is newer");
    }
    const Statement& expected = migrations[row.num()];
    if (expected.name != name) {
      throw MigrationError("migration " + std::string(expected.name) + " is missing, though the later " +
                           name + " is applied");
    }
    if (row["checksum"].as<std::string>() != checksum(expected)) {
      throw MigrationError("migration " + name + " was changed after it was applied");
    }
  }
  return applied.size();
}

void apply(blocking::Connection& session, const Statement& migration) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    session.transact([&](blocking::Transaction& transaction) {
      const pqxx::result schema = transaction.run(sql::schema_migrations::schema);
      transaction.execute(in_schema(std::string(migration.text), schema.at(0)["name"].c_str()));
      transaction.run(sql::schema_migrations::record, migration.name, checksum(migration));
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
  session.run(sql::schema_migrations::lock);
  session.run(sql::schema_migrations::create);
  std::vector<std::string> applied;
  for (const auto& migration : migrations.subspan(count_applied(session, migrations))) {
    apply(session, migration);
    applied.emplace_back(migration.name);
  }
  return applied;
}

void refuse_unreleased_schema(const std::string& url) {
  blocking::Connection session(url, "waybill");
  refuse_unreleased(session.run(sql::schema_migrations::list));
}

std::vector<std::string> migrate(const std::string& url) {
  std::vector<std::string> applied = migrate(url, migrations());
  blocking::Connection session(url, "waybill migrate");
  make_partitions(session);
  return applied;
}

}  // namespace waybill::storage
