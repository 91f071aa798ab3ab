#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace waybill::storage {

/// The server refused a statement. `sqlstate` is the PostgreSQL error code (Appendix A of its manual),
/// `constraint` the name of the violated constraint, empty if there is none.
class StatementError : public std::runtime_error {
 public:
  StatementError(const std::string& message, std::string sqlstate, std::string constraint)
      : std::runtime_error(message), sqlstate_(std::move(sqlstate)), constraint_(std::move(constraint)) {}
  const std::string& sqlstate() const { return sqlstate_; }
  const std::string& constraint() const { return constraint_; }

 private:
  std::string sqlstate_;
  std::string constraint_;
};

/// True if the server refuses the data: class 22 data exception, 23 integrity violation, 54 program limit
/// exceeded, P0 raised by a trigger (Appendix A of PostgreSQL's manual). Other errors (deadlock, full disk,
/// lock timeout) are independent of the data.
bool refuses_data(const StatementError& error);
/// True if the statement was cancelled, for example at its time limit.
bool is_canceled(const StatementError& error);
/// True if the server ended the transaction to break a deadlock.
bool is_deadlock(const StatementError& error);
/// True if the server's disk has no room for what the statement writes. Statements that only read still work.
bool is_disk_full(const StatementError& error);
/// True for a lock conflict with another transaction: a lock timeout or a deadlock.
bool is_lock_conflict(const StatementError& error);
/// True if the statement names a table that does not exist.
bool is_undefined_table(const StatementError& error);
/// True if the statement names a table, column or function that does not exist, so the schema is missing or
/// older than this program.
bool misses_migration(const StatementError& error);

/// True if no schema of the session's search_path exists, so a table cannot be made.
bool lacks_schema(const StatementError& error);

/// True if the session is unusable, even if its connection is still open: the server ends it (57P, 25P03),
/// the connection broke (08), or the server is read-only (25006), which a read-write session sees on a
/// primary that became a standby. The client must then search for the primary again.
bool ends_session(std::string_view sqlstate);

/// True if a worker must replace its session after `error`, because a statement prepared on it may be the
/// cause. False for a lock conflict, which is temporary.
bool spoils_session(const std::exception& error);

/// The server is unreachable or read-only, or the connection broke while the statement ran. A write may then
/// have been committed or not. Maps to 503.
class DatabaseUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace waybill::storage
