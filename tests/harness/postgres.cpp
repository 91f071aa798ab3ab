#include "tests/harness/postgres.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <pwd.h>
#include <stdexcept>
#include <unistd.h>

#include <pqxx/pqxx>

#include "base/ascii.hpp"
#include "storage/schema/migrate.hpp"
#include "tests/harness/statements_run.hpp"

namespace waybill::tests {
namespace {

/// The URL for a session of a test: it has `target_session_attrs=primary`, unless it has this parameter
/// already, and no limits of time that the database has for others.
std::string for_test(std::string url) {
  const auto add = [&](std::string_view parameter, std::string_view value) {
    if (url.find(std::string(parameter) + '=') != std::string::npos) return;
    url.append(url.find('?') == std::string::npos ? "?" : "&").append(parameter).append("=").append(value);
  };
  add("target_session_attrs", "primary");
  add("options",
      "-c%20statement_timeout%3D0%20-c%20lock_timeout%3D0%20-c%20idle_session_timeout%3D0%20"
      "-c%20idle_in_transaction_session_timeout%3D0");
  return url;
}

}  // namespace

std::filesystem::path server_programs() {
  if (const char* given = std::getenv("WAYBILL_PG_BIN_DIR")) return given;
  std::filesystem::path newest;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql")) {
    const auto programs = version.path() / "bin";
    if (std::filesystem::exists(programs / "initdb") && programs > newest) newest = programs;
  }
  if (newest.empty()) throw std::runtime_error("no PostgreSQL server is installed");
  return newest;
}

namespace {

std::unique_ptr<Postgres>& instance() {
  static std::unique_ptr<Postgres> cluster;
  return cluster;
}

}  // namespace

std::optional<std::string> unprivileged_user() {
  if (geteuid() != 0) return std::nullopt;
  return getpwnam("postgres") != nullptr ? "postgres" : "nobody";
}

struct Session::Client {
  explicit Client(const std::string& url) : connection(url) {
// Never reconnects, so that a test that ends a connection sees that it has ended.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    connection.inhibit_reactivation(true);
#pragma GCC diagnostic pop
  }

  pqxx::connection connection;
};

Session::Session(const std::string& url) : client_(std::make_unique<Client>(for_test(url))) {}
Session::~Session() = default;
Session::Session(Session&& other) noexcept = default;

void Session::exec(std::string_view sql) { pqxx::nontransaction(client_->connection).exec(std::string(sql)); }

std::vector<Session::Row> Session::rows(std::string_view sql,
                                        const std::vector<std::optional<std::string>>& params) {
  std::vector<const char*> values;
  values.reserve(params.size());
  for (const auto& param : params) values.push_back(param ? param->c_str() : nullptr);
  pqxx::nontransaction transaction(client_->connection);
  std::vector<Row> rows;
  for (const auto& row :
       transaction.exec_params(std::string(sql), pqxx::prepare::make_dynamic_params(values))) {
    Row& fields = rows.emplace_back();
    for (const auto& field : row) {
      if (field.is_null()) {
        fields.emplace_back();
      } else {
        fields.emplace_back(field.as<std::string>());
      }
    }
  }
  return rows;
}

std::string Session::value(std::string_view sql, const std::vector<std::optional<std::string>>& params) {
  const auto all = rows(sql, params);
  return all.empty() || all[0].empty() ? std::string() : all[0][0].value_or("");
}

std::int64_t Session::number(std::string_view sql, const std::vector<std::optional<std::string>>& params) {
  const std::string text = value(sql, params);
  return text.empty() ? 0 : std::stoll(text);
}

std::vector<std::string> Session::column(std::string_view sql,
                                         const std::vector<std::optional<std::string>>& params) {
  std::vector<std::string> values;
  for (const Row& row : rows(sql, params)) values.push_back(row.at(0).value_or(""));
  return values;
}

int Session::backend_pid() const { return client_->connection.backendpid(); }

bool Session::blocks_others(Session& observer) const {
  return observer.number("select count(*) from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))",
                         {std::to_string(backend_pid())}) > 0;
}

Postgres::Postgres() {
  if (const char* shared = std::getenv("WAYBILL_TEST_CLUSTER")) {
    shared_url_ = shared;
    return;
  }
  directory_ = std::make_unique<TempDirectory>();
  const auto user = unprivileged_user();
  if (user) {
    const passwd* account = getpwnam(user->c_str());
    if (chown(directory_->path().c_str(), account->pw_uid, account->pw_gid) != 0) {
      throw std::runtime_error("chown " + directory_->path().string());
    }
  }
  const auto programs = server_programs();
  const std::string data = *directory_ / "data";
  const Finished made = run({programs / "initdb", "-D", data, "-U", "waybill", "-A", "trust", "-E", "UTF8",
                             "--locale=C.UTF-8", "--no-sync"},
                            {.user = user});
  if (made.status != 0) throw std::runtime_error("initdb: " + made.standard_error);
  std::vector<std::string> command{programs / "postgres", "-D", data, "-k", directory_->path()};
  for (const char* setting :
       {"listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=300",
        "shared_buffers=64MB", "max_locks_per_transaction=256", "autovacuum_naptime=10s"}) {
    command.insert(command.end(), {"-c", setting});
  }
  if (records_statements()) {
    command.insert(command.end(), {"-c", "shared_preload_libraries=pg_stat_statements", "-c",
                                   "pg_stat_statements.max=50000"});
  }
  // SIGQUIT makes the server end with all its processes even if the test is killed.
  server_ = std::make_unique<Process>(command, Process::Options{.user = user, .death_signal = SIGQUIT});
  if (!server_->wait_for_line("ready to accept connections", std::chrono::seconds(30))) {
    throw std::runtime_error("PostgreSQL did not start: " + server_->standard_error());
  }
}

Postgres::~Postgres() {
  if (!server_) return;
  server_->kill(SIGQUIT);
  server_->wait_exit();
}

std::string Postgres::url(std::string_view database) const {
  if (!shared_url_.empty()) return replaced(shared_url_, "DATABASE", database);
  return "postgresql://waybill@/" + std::string(database) + "?host=" + directory_->path().string();
}

std::string Postgres::fresh_name() {
  return "t" + std::to_string(getpid()) + "_" + std::to_string(++counter_);
}

const std::string& Postgres::migrated_template() {
  // In a database that has just been made a worker postpones its duties, and each test has such a database.
  const auto now = std::chrono::steady_clock::now();
  if (template_.empty()) {
    const std::string name = fresh_name() + "_template";
    admin().exec("create database " + name);
    storage::migrate(url(name));
    template_ = name;
    template_made_ = now;
  } else if (now > template_made_ + std::chrono::seconds(30)) {
    Session(url(template_)).exec("update schema_migrations set applied_at = now()");
    template_made_ = now;
  }
  return template_;
}

Postgres& postgres() {
  if (!instance()) instance() = std::make_unique<Postgres>();
  return *instance();
}

void stop_postgres() { instance().reset(); }

TestDatabase::TestDatabase(Content content) : name_(postgres().fresh_name()) {
  const std::string source = content == Content::migrated ? postgres().migrated_template() : "template0";
  // Copying files costs half of the CPU of copying through the log, and there is nothing to replay.
  postgres().admin().exec("create database " + name_ + " template " + source + " strategy file_copy");
}

TestDatabase::~TestDatabase() {
  session_.reset();
  try {
    Session admin = postgres().admin();
    if (records_statements()) record_statements(admin, name_);
    admin.exec("drop database if exists " + name_ + " with (force)");
  } catch (const std::exception&) {
    // The cluster is removed with the test, and this database with it.
    return;
  }
}

std::string TestDatabase::content() {
  std::string text;
  for (const std::string& table :
       session().column("select oid::regclass from pg_class where relkind = 'r' and relnamespace = "
                        "current_schema()::regnamespace")) {
    for (const std::string& row : session().column("select t::text from only " + table + " t"))
      text += row + '\n';
  }
  return text;
}

void TestDatabase::make_duties_due() {
  exec(
      "update schema_migrations set applied_at = now() - interval '1 day'; "
      "update duty_turns set ended_at = now() - interval '1 day'");
}

void TestDatabase::terminate_connections() {
  session_.reset();
  postgres().admin().exec("select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + name_ +
                          "'");
}

Session& TestDatabase::session() {
  if (!session_) session_.emplace(url());
  return *session_;
}

}  // namespace waybill::tests
