#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/errors.hpp"
#include "storage/params.hpp"
#include "storage/pq/libpq.hpp"
#include "storage/rows.hpp"
#include "storage/statement.hpp"

namespace waybill::storage {

/// Time limits of a session; zero: none.
struct SessionLimits {
  Duration lock{};                 // of a wait for a lock: StatementError, which is_lock_conflict
  Duration idle_in_transaction{};  // of the client: the server ends the session, which frees its locks
};

/// For the sessions of the worker's threads: no lock of another session stops them, and a worker that is
/// stopped in the middle of a transaction keeps no locks.
inline constexpr SessionLimits worker_limits{.lock = std::chrono::milliseconds(500),
                                             .idle_in_transaction = std::chrono::seconds(5)};

/// A blocking connection for those who may block: the worker's threads, commands, migrations. UTC, ISO dates.
/// One thread at a time. Every method throws StatementError when the server refuses and DatabaseUnavailable
/// when it is away; after the latter the session is of no more use: make another.
class Session {
 public:
  Session(const std::string& url, std::string_view application_name, const SessionLimits& limits = {});

  /// Runs a statement, preparing it the first time. Without a Work it is a transaction of its own.
  Rows run(const Statement& statement, const Params& params);

  template <typename... Values>
  Rows run(const Statement& statement, const Values&... values) {
    return run(statement, params_of(values...));
  }

  /// Likewise, planned each time: for statements over a table that is empty now and has a million rows in a
  /// minute, of which no plan that was kept is good for both.
  Rows run_replanned(const Statement& statement, const Params& params);

  template <typename... Values>
  Rows run_replanned(const Statement& statement, const Values&... values) {
    return run_replanned(statement, params_of(values...));
  }

  /// Likewise, its rows in binary format: BinaryRow reads them.
  Rows run_binary(const Statement& statement, const Params& params);

  /// Likewise, row by row as they come, so that they are never in memory together. `take` gets each row and
  /// returns false when it wants no more; the statement is cancelled then.
  void stream_binary(const Statement& statement, const Params& params,
                     const std::function<bool(const Rows& row)>& take);

  /// One or more statements of literal SQL; the rows of the last.
  Rows execute(const std::string& sql);

  /// COPY into `target` ("table (columns)") of rows in COPY's binary format: CopyRows makes them.
  void copy(const std::string& target, std::string_view rows);

  /// For waiting on: readable when a notification may have come.
  int socket() const;
  /// The channels notified since the last call, each once. Throws DatabaseUnavailable when the connection has
  /// ended.
  std::set<std::string> notifications();

 private:
  template <typename... Values>
  static Params params_of(const Values&... values) {
    Params params;
    (params.add(values), ...);
    return params;
  }

  std::string prepared(const Statement& statement);
  Rows run(const Statement& statement, const Params& params, Format format);
  void cancel();
  Rows checked(PGresult* result);
  [[noreturn]] void throw_unavailable();

  pq::ConnectionHandle connection_;
  std::set<std::string, std::less<>> prepared_;
};

/// A transaction on a session; rolled back when dropped without `commit`.
class Work {
 public:
  explicit Work(Session& session) : session_(session) { session_.execute("begin"); }
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  void commit();

 private:
  Session& session_;
  bool open_ = true;
};

/// PostgreSQL array literals, for one parameter each.
std::string array_literal(std::span<const Guid> values);
std::string array_literal(std::span<const std::int64_t> values);
std::string array_literal(std::span<const std::string> values);
std::string array_literal(std::span<const std::optional<std::string>> values);

}  // namespace waybill::storage
