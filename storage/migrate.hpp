#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/statement.hpp"

namespace waybill::storage {

/// The schema cannot be brought up to date. What was applied before stays; the one that failed left nothing.
class MigrationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Applies what is missing of `migrations`, in order, each in a transaction of its own with its row in
/// schema_migrations, and returns the names of what it applied. Several processes may start at once: one
/// works, the others wait for it. A crash loses the migration that ran. Throws DatabaseUnavailable, or
/// MigrationError: a migration was changed after it was applied, is not known to this program (the schema is
/// newer), was passed over by a later one, or fails.
std::vector<std::string> migrate(const std::string& url, std::span<const Statement> migrations);

/// With this program's own migrations; also makes the partitions of the coming days.
std::vector<std::string> migrate(const std::string& url);

}  // namespace waybill::storage
