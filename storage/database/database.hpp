#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/database/commit_position.hpp"
#include "storage/database/typed_results.hpp"
#include "storage/statement/errors.hpp"
#include "storage/statement/params.hpp"
#include "storage/statement/rows.hpp"
#include "storage/statement/statement.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::storage {

namespace asio = boost::asio;

namespace pq {
class WritePool;
}

/// An open transaction on an exclusive connection. It is rolled back if it is destroyed without `commit`.
class Transaction {
 public:
  virtual ~Transaction() = default;
  /// Throws StatementError or DatabaseUnavailable; the transaction is then lost and refuses further calls.
  virtual asio::awaitable<Rows> run(const Statement& statement, Params params) = 0;
  template <TypedStatement S>
  asio::awaitable<ResultOf<S>> run(const S& statement) {
    return typed_rows<S>(run(S::statement, statement.params()));
  }
  /// Throws StatementError if nothing was committed, DatabaseUnavailable if the outcome is unknown.
  virtual asio::awaitable<void> commit() = 0;
  /// Returns once the transaction is rolled back and its locks are free; a destruction frees them only some
  /// time later. The transaction then refuses further calls. Throws DatabaseUnavailable if the connection
  /// broke.
  virtual asio::awaitable<void> roll_back() = 0;
};

/// The author and reason of a change; stored as `events.cause` of every event of the transaction. Empty for
/// plain SQL.
struct Cause {
  std::string json;      // {"by": {"type", "guid", "name"}, "note": ..., "depth": ...}
  Guid business = {};    // its share of the write connections is used; nil: short work of the service itself
  bool is_bulk = false;  // long work of a business; at most half of the write connections serve such work
};

/// The arguments of one read of Database, whichever method makes it.
struct Read {
  Statement statement;  // only the name if `text` is set
  /// Reads of `statement`, for one record by its key, that wait together are sent as one `merged` statement.
  /// It takes an array for each parameter and returns the position in the arrays (from 1, ascending) followed
  /// by the columns of `statement`. Each caller gets only its own rows, with the columns of `statement`. The
  /// key's parameters are text. Empty if there is no such statement. With a `text`, the text of `merged` is
  /// made for this call, too, and must live until the read ends; such reads are merged only if the text is
  /// one of those used last.
  Statement merged = {};
  std::string text = {};  // made for this call (`read_text`)
  Params params = {};
  Format format = Format::text;
  Guid business = {};    // takes turns with others; nil for the service itself
  bool is_long = false;  // `read_long`
};

/// A change of one record. Such changes can share a statement and a transaction.
struct SharedWrite {
  Statement statement;  // changes this record alone
  Params params;
  /// Changes several records. It takes `$1 business uuid` and `$2 entries json`, an array of entries, and
  /// returns the columns of `statement` for each record that it changed; the guid of the record is the first.
  /// It leaves out records that it cannot change.
  Statement shared;
  Guid record;
  std::string entry;  // JSON object of this change for `shared`
  /// Draws a value for each change of a group that `needs_drawn`. It takes `$1 business uuid` and `$2 wanted
  /// bigint` and returns one row with one column, which is `$3` of `shared`; without such a change `$3` is
  /// null. It has a transaction of its own, so other groups do not wait for its locks until the changes are
  /// committed. Values of a group that fails are lost. Empty if `shared` has no `$3`.
  Statement draw = {};
  bool needs_drawn = false;
};

/// A change of one record, for a statement whose head says that it is shared.
struct SharedEntry {
  Guid record;
  std::string json;  // JSON object of the change for the shared statement
  bool needs_drawn = false;
};

/// A standby for a blocking read. Its state must be checked on the session
/// (storage/standbys/standby_session.hpp).
struct StandbyTarget {
  std::string connection;   // connection string
  std::int64_t cluster;     // the system identifier of the primary
  CommitPosition required;  // the position that it must have replayed
};

/// The API's asynchronous database, one for each io thread: every method is called and resumes on that
/// thread. It connects lazily and reconnects automatically. Reads share a few pipelined connections (libpq
/// pipeline mode, one sync per turn of the loop) and must have no side effects; a connection has few at a
/// time that cannot be merged. A write has an exclusive connection for its whole transaction. Each business
/// has a limited share of the write connections, so that its slow writes leave connections to others; one is
/// reserved for writes without a business. Bulk work of all businesses together uses half of them at most, so
/// that no long transactions keep all others waiting. `statement_timeout` bounds each statement
/// (StatementError 57014); a connection without an answer for another `connect_timeout` is closed. While the
/// server is unreachable, calls fail at once or after one attempt to connect. Calls cannot be cancelled. An
/// open connection keeps `io.run()` from returning. The destructor closes all connections, and waiting calls
/// fail with DatabaseUnavailable; it must not run inside a coroutine that this object resumed.
class Database {
 public:
  struct Options {
    std::string url;
    std::string application_name = "waybill";  // unless the url has one
    int read_connections = 2;
    int write_connections = 6;  // a business can use all but two of them, and at least one
    int long_connections = 3;
    Duration statement_timeout = std::chrono::seconds(10);
    Duration connect_timeout = std::chrono::seconds(5);
    /// For a read. It waits for a lock only if another session alters or locks its table, and is then tried
    /// again elsewhere. Zero means no limit; then writes, too, wait for locks of tables until
    /// `statement_timeout`.
    Duration lock_timeout = std::chrono::milliseconds(5);
    Duration wait_limit =
        std::chrono::seconds(5);  // for an exclusive connection; then DatabaseUnavailable, or Failure (503)
                                  // for a business that already uses its share
  };

  Database(asio::io_context& io, const Options& options);
  virtual ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs a statement without side effects. Concurrent statements are pipelined. Businesses take turns: a
  /// typed statement with a parameter `business` is a read of that business, others are the service's. A
  /// statement that fails because another one in the pipeline failed is sent again; one whose connection
  /// broke is sent again once. Each connection prepares a statement once. Throws StatementError or
  /// DatabaseUnavailable, as do all methods below.
  asio::awaitable<Rows> read(const Statement& statement, Params params, Format format = Format::text) {
    return run_read({.statement = statement, .params = std::move(params), .format = format});
  }
  /// Runs a statement as the head of its file says: merged (`Read::merged`), long (`read_long`), or as above.
  template <TypedStatement S>
  asio::awaitable<ResultOf<S>> read(const S& statement, Format format = Format::text) {
    Read read{.statement = S::statement, .params = statement.params(), .format = format};
    if constexpr (requires { typename S::Merged; }) {
      read.merged = S::Merged::statement;
    } else {
      if constexpr (requires { statement.business.get(); }) read.business = statement.business.get();
      if constexpr (requires { S::is_long; }) {
        read.text = S::statement.text;
        read.is_long = true;
      }
    }
    return typed_rows<S>(run_read(std::move(read)));
  }

  /// Like `read`, for SQL text made for this call (from a $filter). A connection keeps the most recently used
  /// texts prepared.
  asio::awaitable<Rows> read_text(Guid business, std::string_view name, std::string text, Params params,
                                  Format format = Format::text) {
    return run_read({.statement = {name, {}},
                     .text = std::move(text),
                     .params = std::move(params),
                     .format = format,
                     .business = business});
  }

  /// Like `read_text`, for reads that may take long, such as a search. Each is alone on its connection, so
  /// that no other read waits behind it, and is planned with its values. One business cannot use all of these
  /// connections of a thread.
  asio::awaitable<Rows> read_long(Guid business, std::string_view name, std::string text, Params params,
                                  Format format = Format::text) {
    return run_read({.statement = {name, {}},
                     .text = std::move(text),
                     .params = std::move(params),
                     .format = format,
                     .business = business,
                     .is_long = true});
  }

  /// Performs one read. All read methods above call it. A read whose table another session has locked for
  /// longer than a second gets StatementError (55P03); it makes no other read wait.
  virtual asio::awaitable<Rows> run_read(Read read);

  /// True if a read would wait because another session has locked its table.
  bool waits_for_lock(const Read& read) const;

  /// Runs one statement in its own transaction, in one round trip (begin, cause, statement, commit). It is
  /// rolled back on StatementError. It is sent again once if the server refused it for an outdated plan or a
  /// deadlock; it never takes effect twice.
  virtual asio::awaitable<Rows> write(const Statement& statement, Params params, Cause cause);
  template <TypedStatement S>
  asio::awaitable<ResultOf<S>> write(const S& statement, Cause cause) {
    return typed_rows<S>(write(S::statement, statement.params(), std::move(cause)));
  }

  /// Like `write`, for a change of one record. While changes of the same kind, business and cause are on
  /// their way, further ones wait and are then made by one statement in one transaction, which saves commits.
  /// A change that this statement leaves out, or that fails with others, is made alone; it affects no other.
  virtual asio::awaitable<Rows> write_shared(SharedWrite change, Cause cause);
  /// `statement` makes the change alone; the head of its file names the one that makes several.
  template <TypedStatement S>
    requires requires { typename S::Shared; }
  asio::awaitable<ResultOf<S>> write(const S& statement, SharedEntry entry, Cause cause) {
    SharedWrite change{.statement = S::statement, .params = statement.params()};
    change.shared = S::Shared::statement;
    change.record = entry.record;
    change.entry = std::move(entry.json);
    return typed_rows<S>(write_shared(std::move(change), std::move(cause)));
  }
  /// As above, for a statement that makes one change or several; a value is drawn for a group only.
  template <TypedStatement S>
    requires std::same_as<typename S::Shared, S>
  asio::awaitable<ResultOf<S>> write(SharedEntry entry, Cause cause) {
    SharedWrite change{.statement = S::statement, .shared = S::statement, .record = entry.record};
    change.params.add(cause.business).add('[' + entry.json + ']');
    change.entry = std::move(entry.json);
    if constexpr (requires { typename S::Drawn; }) {
      change.params.add_null();
      change.draw = S::Drawn::statement;
      change.needs_drawn = entry.needs_drawn;
    }
    return typed_rows<S>(write_shared(std::move(change), std::move(cause)));
  }

  /// Begins a transaction of several statements.
  virtual asio::awaitable<std::unique_ptr<Transaction>> begin(Cause cause);

  /// True if a connection answered within the last second or answers now. Never throws.
  virtual asio::awaitable<bool> reachable();

  /// Returns the standby on which a blocking read of this caller may run; nullopt: it runs on the primary.
  virtual asio::awaitable<std::optional<StandbyTarget>> standby();

  /// Returns the least position that the next read of this caller shows, if a standby may serve it; nullopt
  /// if the primary serves it. Callers may share a read only if their positions are equal.
  virtual std::optional<CommitPosition> read_position() const;

 protected:
  /// For a class that forwards its calls to another Database.
  Database();
  static pq::WritePool& writes_of(Database& database);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::storage
