#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/process.hpp"

namespace waybill::tests {

/// One plain libpqxx connection, like that of `psql`; if the URL has several hosts, to the primary. It never
/// reconnects. For one thread at a time. Methods throw std::runtime_error with the server's message.
class Session {
 public:
  using Row = std::vector<std::optional<std::string>>;

  explicit Session(const std::string& url);
  ~Session();
  Session(Session&& other) noexcept;
  Session& operator=(Session&&) = delete;
  Session(const Session&) = delete;

  /// Any number of statements; outside begin … commit they are one transaction.
  void exec(std::string_view sql);
  std::vector<Row> rows(std::string_view sql, const std::vector<std::optional<std::string>>& params = {});
  /// The first column of the first row; "" if it is null or there is no row.
  std::string value(std::string_view sql, const std::vector<std::optional<std::string>>& params = {});
  std::int64_t number(std::string_view sql, const std::vector<std::optional<std::string>>& params = {});
  /// The first column of all rows; "" for null.
  std::vector<std::string> column(std::string_view sql,
                                  const std::vector<std::optional<std::string>>& params = {});
  int backend_pid() const;
  /// True while another session waits for a lock of this one. `observer` asks the server.
  bool blocks_others(Session& observer) const;

 private:
  struct Client;

  std::unique_ptr<Client> client_;
};

/// A temporary PostgreSQL cluster: unix socket only, superuser `waybill`, trust, fsync off (the crash tests
/// use the product's cluster instead). Removed with the object.
class Postgres {
 public:
  Postgres();
  ~Postgres();
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  /// postgresql://waybill@/DATABASE?host=…
  std::string url(std::string_view database) const;
  /// A connection to the maintenance database.
  Session admin() const { return Session(url("postgres")); }
  /// The name of a database whose migrations were applied within the last half minute, created on first use.
  const std::string& migrated_template();
  std::string fresh_name();

 private:
  std::unique_ptr<TempDirectory> directory_;
  std::unique_ptr<Process> server_;
  std::string shared_url_;  // the URL in WAYBILL_TEST_CLUSTER, if the cluster is external
  std::string template_;
  std::chrono::steady_clock::time_point template_made_;
  int counter_ = 0;
};

/// The cluster of this test process, or the external one whose URL (with `DATABASE` in place of the name) is
/// in WAYBILL_TEST_CLUSTER.
Postgres& postgres();
/// Stops the cluster; main calls this last.
void stop_postgres();

/// The directory in WAYBILL_PG_BIN_DIR, which `waybill up` uses too, otherwise that of the newest installed
/// server's programs.
std::filesystem::path server_programs();

/// The user that runs PostgreSQL's server programs if the test is root; nullopt if it is not.
std::optional<std::string> unprivileged_user();

/// A separate database, dropped with the object (and with its remaining connections).
class TestDatabase {
 public:
  enum class Content { migrated, empty };

  explicit TestDatabase(Content content = Content::migrated);
  ~TestDatabase();
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  std::string url() const { return postgres().url(name_); }
  const std::string& name() const { return name_; }

  /// Opens a further connection.
  Session connect() const { return Session(url()); }

  /// Runs on one connection that is kept open.
  void exec(std::string_view sql) { session().exec(sql); }
  std::string value(std::string_view sql, const std::vector<std::optional<std::string>>& params = {}) {
    return session().value(sql, params);
  }
  std::int64_t number(std::string_view sql, const std::vector<std::optional<std::string>>& params = {}) {
    return session().number(sql, params);
  }
  std::vector<Session::Row> rows(std::string_view sql,
                                 const std::vector<std::optional<std::string>>& params = {}) {
    return session().rows(sql, params);
  }

  /// Makes all duties due, as if no worker had lived for a day; the next one performs them at its start.
  void make_duties_due();

  /// All rows of all tables as text.
  std::string content();

  /// Ends every connection to this database, and none to other databases.
  void terminate_connections();

 private:
  Session& session();

  std::string name_;
  std::optional<Session> session_;
};

}  // namespace waybill::tests
