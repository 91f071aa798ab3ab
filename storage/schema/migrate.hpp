#pragma once

#include <chrono>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/blocking/connection.hpp"
#include "storage/statement/statement.hpp"

namespace waybill::storage {

/// The schema cannot be brought up to date. Earlier migrations stay applied; the failed one is rolled back.
class MigrationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::chrono::milliseconds default_patience = std::chrono::minutes(5);

/// Applies the missing ones of `migrations` in order, each in its own transaction together with its row in
/// schema_migrations, and returns their names. In their texts, `@schema@` is replaced by the quoted name of
/// the current schema. If several processes start at once, one applies them and the others wait. A crash
/// loses the migration that was running.
///
/// A migration locks the tables that it changes first (`locks_of`), and waits 0.4 s for each lock, because
/// writers wait behind it; from the eleventh try on 1.5 s. If another session holds the lock, or both wait
/// for each other, it is rolled back and begins again after a pause; `patience` limits this.
///
/// A migration with lines `-- @step` runs outside a transaction, so it can build an index while others write.
/// Each of these lines begins one statement or several; those of a step commit together. Only a complete
/// migration is recorded. After a failure or a crash all steps run again, so each must be repeatable: `create
/// index concurrently` follows a step that drops what an earlier attempt left.
///
/// Throws DatabaseUnavailable, or MigrationError if a migration fails, was changed after it was applied, is
/// missing although a later one is applied, or is unknown to this program (the schema is newer, or an
/// unreleased version made it).
std::vector<std::string> migrate(const std::string& url, std::span<const Statement> migrations,
                                 std::chrono::milliseconds patience = default_patience);

/// Applies this program's migrations and creates the partitions of the coming days.
std::vector<std::string> migrate(const std::string& url);

/// The names of migrations, separated by commas; "" for none.
struct SchemaDifference {
  std::string missing;  // of this program, but not applied
  std::string unknown;  // applied, but not of this program
};

/// Compares the schema with this program's migrations. Throws StatementError if there is no schema, and
/// DatabaseUnavailable.
SchemaDifference compare_schema(blocking::Connection& session);

/// Throws MigrationError if an unreleased version made the schema, StatementError if there is no schema, and
/// DatabaseUnavailable.
void refuse_unreleased_schema(blocking::Connection& session);

}  // namespace waybill::storage
