#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace waybill::storage {

/// The server refused a statement. `sqlstate` is the PostgreSQL code (Appendix A of its manual), `constraint`
/// the violated one's name; empty if there is none, and always in the blocking interface (sync.hpp).
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

/// Whether it is the data that the server refuses: class 22 data exception, 23 integrity violation, 54
/// program limit exceeded, P0 raised by a trigger (appendix A of PostgreSQL's manual). All else (deadlock,
/// full disk, lock time-out) says nothing of the data.
bool refuses_data(const StatementError& error);
/// Another transaction is in the way: a lock that was not to be had in time, or a deadlock.
bool is_lock_conflict(const StatementError& error);

/// The session is of no more use, though its connection may still stand: the server ends it (57P, 25P03), the
/// connection broke (08), or the server takes no writes (25006), which a session that does not ask for read
/// only meets on a primary that became a standby. The primary has to be looked for anew.
bool ends_session(std::string_view sqlstate);

/// The server cannot be reached, takes no writes, or the connection broke while the statement ran. Of a write
/// it is then unknown whether it was committed. Maps to 503.
class DatabaseUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace waybill::storage
