#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "storage/statement/params.hpp"
#include "storage/statement/rows.hpp"
#include "storage/statement/statement.hpp"

namespace waybill::storage {

/// The connection under a Session: statements, COPY and notifications. An interface, because tests/simulate
/// runs a worker on a model of the database. The methods throw as those of Session do. One thread at a time.
class Link {
 public:
  using TakeRow = std::function<bool(const Rows& row)>;

  virtual ~Link() = default;

  /// Runs a statement, which is prepared at its first use.
  virtual Rows run(const Statement& statement, const Params& params, Format format) = 0;
  /// Runs a statement that is planned each time. The rows have text format.
  virtual Rows run_replanned(const Statement& statement, const Params& params) = 0;
  /// Runs a prepared statement whose plans are made again (`longest_plan_age`). The rows have text format.
  virtual Rows run_with_fresh_plan(const Statement& statement, const Params& params) = 0;
  /// Calls `take` with each row as it arrives. If it returns false, the statement is cancelled; an open
  /// transaction stays open.
  virtual void stream(const Statement& statement, const Params& params, Format format,
                      const TakeRow& take) = 0;
  /// Runs one or more statements of literal SQL. Returns the rows of the last one.
  virtual Rows execute(const std::string& sql) = 0;
  /// Copies rows in COPY's binary format into `target`.
  virtual void copy(const std::string& target, std::string_view rows) = 0;
  /// A file descriptor that is readable when a notification may have arrived.
  virtual int socket() const = 0;
  /// Returns the channels notified since the last call. Throws DatabaseUnavailable if the connection ended.
  virtual std::set<std::string> notifications() = 0;
};

}  // namespace waybill::storage
