#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/errors.hpp"
#include "storage/params.hpp"
#include "storage/rows.hpp"
#include "storage/statement.hpp"

namespace waybill::storage {

namespace asio = boost::asio;

namespace pq {
class WritePool;
}

/// An open transaction on an exclusive connection. Dropped without `commit`, it is rolled back.
class Transaction {
 public:
  virtual ~Transaction() = default;
  /// Throws StatementError or DatabaseUnavailable; the transaction is then lost, and all that follows is
  /// refused.
  virtual asio::awaitable<Rows> run(const Statement& statement, Params params) = 0;
  /// Throws StatementError: nothing was committed. DatabaseUnavailable: unknown.
  virtual asio::awaitable<void> commit() = 0;
};

/// Who changes records and why; becomes `events.cause` of every event of the transaction. Empty: plain SQL.
struct Cause {
  std::string json;    // {"by": {"type", "guid", "name"}, "note": ..., "depth": ...}
  Guid business = {};  // whose share of the write connections is used; nil: short work of the service itself
};

/// The API's asynchronous database, one for each io thread: every method is called, and resumes, on that
/// thread. Connects lazily and reconnects by itself. Reads of the io thread share a few pipelined connections
/// (libpq pipeline mode, one sync per loop turn) and must have no side effects; writes have a connection of
/// their own for their whole transaction. A business has a share of those, so that its slow writes leave
/// connections to others, and one is kept for writes without a business. `statement_timeout` bounds each
/// statement (StatementError 57014); a server that does not answer within another `connect_timeout` is given
/// up. While the server is away, calls fail at once or after one attempt to connect. Calls cannot be
/// cancelled. An open connection keeps `io.run()` from returning; the destructor closes all and lets whoever
/// still waits fail with DatabaseUnavailable. It must not run inside a coroutine that this resumed.
class Database {
 public:
  struct Options {
    std::string url;
    std::string application_name = "waybill";  // unless the url has one
    int read_connections = 2;
    int write_connections = 6;  // a business has two less at most, but one
    int long_connections = 3;
    Duration statement_timeout = std::chrono::seconds(10);
    Duration connect_timeout = std::chrono::seconds(5);
    Duration wait_limit =
        std::chrono::seconds(5);  // for a connection of one's own; then DatabaseUnavailable, or Failure (503)
                                  // for a business that has its share
  };

  Database(asio::io_context& io, const Options& options);
  virtual ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// A statement without side effects. Concurrent ones are pipelined; one that fails because its neighbour
  /// did, or because the connection broke (once), is sent again. Statements are prepared once for each
  /// connection. Throws StatementError or DatabaseUnavailable, like all below.
  virtual asio::awaitable<Rows> read(const Statement& statement, Params params, Format format = Format::text);

  /// Like `read` for one record by its key. Reads of the same statement that wait together are sent as one
  /// `merged` statement, which takes an array of each parameter and returns, ordered by it, the position in
  /// the arrays (from 1) before the columns of `statement`. The caller gets the columns of `statement` and
  /// its own rows alone. The key's parameters are text.
  virtual asio::awaitable<Rows> read_merged(const Statement& statement, const Statement& merged, Params key,
                                            Format format = Format::text);

  /// Like `read` for text made for this call (a $filter's); prepared by its text, of which the least used are
  /// dropped.
  virtual asio::awaitable<Rows> read_text(std::string_view name, std::string text, Params params,
                                          Format format = Format::text);

  /// Like `read_text` for what may take long, such as a search: alone on its connection, so that no other
  /// waits behind it. A business never has all of these connections of a thread while another one waits.
  virtual asio::awaitable<Rows> read_long(Guid business, std::string_view name, std::string text,
                                          Params params, Format format = Format::text);

  /// One statement as a transaction of its own, in one round trip (begin, cause, statement, commit).
  /// StatementError: rolled back. Never sent twice.
  virtual asio::awaitable<Rows> write(const Statement& statement, Params params, Cause cause);

  /// Several statements in one transaction.
  virtual asio::awaitable<std::unique_ptr<Transaction>> begin(Cause cause);

  /// True when a connection answered within the last second or answers now. Never throws.
  virtual asio::awaitable<bool> reachable();

 protected:
  /// For a class that passes its calls on to another Database.
  Database();
  static pq::WritePool& writes_of(Database& database);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::storage
