#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/process.hpp"

struct pg_conn;

namespace waybill::tests {

/// One plain connection, as `psql` would have it; of several hosts in the URL, to the primary. One thread at
/// a time. Methods throw std::runtime_error with the server's message.
class Session {
 public:
  using Row = std::vector<std::optional<std::string>>;

  explicit Session(const std::string& url);
  ~Session();
  Session(Session&& other) noexcept;
  Session& operator=(Session&&) = delete;
  Session(const Session&) = delete;

  /// Any number of statements; outside of begin … commit they are one transaction.
  void exec(std::string_view sql);
  std::vector<Row> rows(std::string_view sql, const std::vector<std::optional<std::string>>& params = {});
  /// The first column of the first row; "" for null or no row.
  std::string value(std::string_view sql, const std::vector<std::optional<std::string>>& params = {});
  std::int64_t number(std::string_view sql, const std::vector<std::optional<std::string>>& params = {});
  /// The first column of all rows; "" for null.
  std::vector<std::string> column(std::string_view sql,
                                  const std::vector<std::optional<std::string>>& params = {});
  int backend_pid() const;

 private:
  pg_conn* connection_;
};

/// A temporary PostgreSQL cluster: unix socket only, superuser `waybill`, trust, fsync off (the tests of
/// crashes use the product's own cluster instead). Gone with the object.
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
  /// The name of a database with all migrations applied, made on first use.
  const std::string& migrated_template();
  std::string fresh_name();

 private:
  std::unique_ptr<TempDirectory> directory_;
  std::unique_ptr<Process> server_;
  std::string shared_url_;  // of WAYBILL_TEST_CLUSTER, when the cluster is somebody else's
  std::string template_;
  int counter_ = 0;
};

/// The cluster of this test process, or the one whose URL (with `DATABASE` where the name goes) is in
/// WAYBILL_TEST_CLUSTER.
Postgres& postgres();
/// Stops it; main calls this last.
void stop_postgres();

/// Where the newest server's programs are.
std::filesystem::path server_programs();

/// The user that server programs of PostgreSQL are run as when the test is root; nullopt when it is not.
std::optional<std::string> unprivileged_user();

/// A database of its own, dropped with the object (with whoever is still connected).
class TestDatabase {
 public:
  enum class Content { migrated, empty };

  explicit TestDatabase(Content content = Content::migrated);
  ~TestDatabase();
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  std::string url() const { return postgres().url(name_); }
  const std::string& name() const { return name_; }

  /// A further connection.
  Session connect() const { return Session(url()); }

  /// On one connection that is kept.
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

  /// Ends every connection to it but none of other databases.
  void terminate_connections();

 private:
  Session& session();

  std::string name_;
  std::optional<Session> session_;
};

}  // namespace waybill::tests
