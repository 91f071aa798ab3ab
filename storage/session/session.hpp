#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "storage/session/link.hpp"
#include "storage/session/session_limits.hpp"
#include "storage/statement/errors.hpp"
#include "storage/statement/params.hpp"
#include "storage/statement/rows.hpp"
#include "storage/statement/statement.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::storage {

/// A blocking connection with binary values, COPY and streams. UTC, ISO dates. One thread at a time. Every
/// method throws StatementError if the server refuses the statement and DatabaseUnavailable if the server is
/// unreachable; after the latter the session is unusable. Use blocking::Connection where text is enough.
class Session {
 public:
  Session(const std::string& url, std::string_view application_name, const SessionLimits& limits = {});
  explicit Session(std::unique_ptr<Link> link) : link_(std::move(link)) {}

  /// Runs a statement, which is prepared at its first use. Without a Work it is its own transaction.
  Rows run(const Statement& statement, const Params& params = {}) {
    return link_->run(statement, params, Format::text);
  }
  template <TypedStatement S>
  ResultOf<S> run(const S& statement) {
    return ResultOf<S>(run(S::statement, statement.params()));
  }

  /// Like `run`, but planned each time: for texts that are made at run time.
  Rows run_replanned(const Statement& statement, const Params& params) {
    return link_->run_replanned(statement, params);
  }

  /// Like `run`, with plans that are made again (`longest_plan_age`): for statements on a table that can grow
  /// from empty to a million rows within a minute, so that no plan fits for long.
  template <TypedStatement S>
  ResultOf<S> run_with_fresh_plan(const S& statement) {
    return ResultOf<S>(link_->run_with_fresh_plan(S::statement, statement.params()));
  }

  /// Like `run`, with rows in binary format.
  Rows run_binary(const Statement& statement, const Params& params) {
    return link_->run(statement, params, Format::binary);
  }
  template <TypedStatement S>
  ResultOf<S> run_binary(const S& statement) {
    return ResultOf<S>(run_binary(S::statement, statement.params()));
  }

  /// Like `run`, but calls `take` with each row as it arrives, so that the rows are never all in memory. If
  /// `take` returns false, the statement is cancelled; an open transaction stays open.
  void stream(const Statement& statement, const Params& params, const Link::TakeRow& take) {
    link_->stream(statement, params, Format::text, take);
  }
  template <TypedStatement S>
  void stream(const S& statement, const Link::TakeRow& take) {
    stream(S::statement, statement.params(), take);
  }
  /// Like `stream`, with rows in binary format.
  void stream_binary(const Statement& statement, const Params& params, const Link::TakeRow& take) {
    link_->stream(statement, params, Format::binary, take);
  }
  template <TypedStatement S>
  void stream_binary(const S& statement, const Link::TakeRow& take) {
    stream_binary(S::statement, statement.params(), take);
  }

  /// Runs one or more statements of literal SQL. Returns the rows of the last one.
  Rows execute(const std::string& sql) { return link_->execute(sql); }

  /// Copies rows in COPY's binary format (see CopyRows) into `target`, which is "table (columns)".
  void copy(const std::string& target, std::string_view rows) { link_->copy(target, rows); }

  /// The connection's socket, for polling; readable when a notification may have arrived.
  int socket() const { return link_->socket(); }
  /// Returns the channels notified since the last call. Throws DatabaseUnavailable if the connection ended.
  std::set<std::string> notifications() { return link_->notifications(); }

 private:
  std::unique_ptr<Link> link_;
};

/// Opens the sessions of a part of a worker, which have the worker's limits. Any thread.
class Sessions {
 public:
  using Open = std::function<std::unique_ptr<Link>(std::string_view application_name)>;

  /// Sessions of the server with this URL.
  Sessions(std::string url);  // NOLINT(google-explicit-constructor): a URL is what most have
  explicit Sessions(Open open) : open_(std::move(open)) {}

  /// Throws DatabaseUnavailable.
  Session open(std::string_view application_name) const { return Session(open_(application_name)); }
  std::unique_ptr<Session> operator()(const char* application_name) const {
    return std::make_unique<Session>(open_(application_name));
  }

 private:
  Open open_;
};

/// A transaction on a session. It is rolled back if it is destroyed without `commit`.
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

}  // namespace waybill::storage
