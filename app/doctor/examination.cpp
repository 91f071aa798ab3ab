#include "app/doctor/examination.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <poll.h>
#include <system_error>
#include <utility>

#include "app/doctor/gateway_calls.hpp"
#include "app/doctor/own_triggers.hpp"
#include "app/keys/keys.hpp"
#include "app/postgres/command_database.hpp"
#include "base/secret_box.hpp"
#include "documents/scripts.hpp"
#include "net/http/trust_store.hpp"
#include "net/mail/mail_directory.hpp"
#include "net/mail/smtp.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/pq/connect_params.hpp"
#include "storage/pq/primaries.hpp"
#include "storage/pq/refusal.hpp"
#include "storage/schema/migrate.hpp"
#include "storage/settings/key_check.hpp"
#include "storage/sql/doctor.sql.hpp"
#include "storage/sql/duties.sql.hpp"
#include "storage/sql/processes.sql.hpp"
#include "storage/sql/system.sql.hpp"
#include "storage/statement/statement_list.hpp"

namespace waybill::app {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using storage::blocking::Connection;

constexpr auto notification_limit = 2s;

/// Returns the URL changed so that it also connects to a standby.
std::string for_any_server(const std::string& url) {
  if (url.find("target_session_attrs=") != std::string::npos) return url;
  return url + (url.find('?') == std::string::npos ? "?" : "&") + "target_session_attrs=any";
}

std::unique_ptr<Connection> connect(const std::string& url) {
  auto session = std::make_unique<Connection>(url, "waybill doctor", storage::SessionLimits{.lock = 2s});
  session->execute("set statement_timeout = '10s'");
  return session;
}

Finding only_a_standby() {
  return {Level::failure, "database", "the server is a standby",
          "name the primary, too: postgresql://USER@HOST,HOST/DATABASE"};
}

/// The tables that these commands of the migrations make.
std::vector<std::string> tables_made_by(std::initializer_list<std::string_view> commands) {
  std::vector<std::string> tables;
  for (const storage::Statement& migration : storage::migrations()) {
    for (const std::string_view command : commands) {
      for (std::size_t at = migration.text.find(command); at != std::string_view::npos;
           at = migration.text.find(command, at)) {
        at += command.size();
        const std::size_t end = migration.text.find_first_of(" (\n", at);
        tables.emplace_back(migration.text.substr(at, end - at));
      }
    }
  }
  return tables;
}

constexpr std::string_view make_unlogged = "create unlogged table ";

/// The tables that the migrations make.
std::vector<std::string> tables_of_waybill() {
  auto tables = tables_made_by({"create table ", make_unlogged, "create table if not exists "});
  tables.emplace_back("schema_migrations");
  return tables;
}

/// The indexes that the migrations make and do not remove again.
std::vector<std::string> indexes_of_waybill() {
  constexpr std::string_view word = "index ";
  std::vector<std::string> indexes;
  for (const storage::Statement& migration : storage::migrations()) {
    const std::string_view text = migration.text;
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at)) {
      const std::string_view before = text.substr(0, at);
      at += word.size();
      const bool is_dropped = before.ends_with("drop ");
      if (!is_dropped && !before.ends_with("create ") && !before.ends_with("create unique ")) continue;
      std::string_view name = text.substr(at);
      for (const std::string_view part : {"concurrently ", "if not exists ", "if exists ", "@schema@."})
        if (name.starts_with(part)) name.remove_prefix(part.size());
      name = name.substr(0, name.find_first_of(" ;(\n"));
      if (name.starts_with('%')) continue;  // of a partition
      std::erase(indexes, name);
      if (!is_dropped) indexes.emplace_back(name);
    }
  }
  return indexes;
}

/// The checks of one database.
class Examination {
 public:
  Examination(const Config& config, const Examiner& examiner) : config_(config), examiner_(examiner) {}

  void run() {
    const bool is_connected = connect_to_database();
    const auto free_bytes = free_bytes_of_data_dir();
    if (is_connected || free_bytes)
      check("disk", [&] { return judge_disk({.is_full = disk_is_full(), .free_bytes = free_bytes}); });
    if (is_connected) {
      examine_server();
      check("connections", [this] { return connections(); });
      check("schema", [this] { return schema(); });
      check("key", [this] { return key(); });
      check("options", [this] { return options(); });
      check("privileges", [this] { return privileges(); });
      check("tables", [this] { return tables(); });
      check("triggers", [this] { return triggers(); });
      check("notifications", [this] { return judge_notifications(notification()); });
      check("partitions", [this] {
        if (!has_schema_) return no_schema("partitions");
        const auto missing = session_->run(storage::sql::duties::MissingPartitions{});
        return judge_partitions(static_cast<std::int64_t>(missing.size()));
      });
      check("clock", [this] { return judge_clock(clock()); });
      check("ledger", [this] { return judge_ledger(unbalanced()); });
      check("workers", [this] { return workers(); });
      check("duties", [this] { return judge_duties(worker::overdue_duties(*session_)); });
      check("gateways", [this] { return judge_gateways(ask_gateways(*session_, config_)); });
    }
    check("fonts", [] { return judge_fonts(documents::scripts_without_font()); });
    if (!config_.ca_file.empty()) check("certificates", [this] { return certificates(); });
    check("smtp", [this] { return smtp(); });
  }

 private:
  template <class Check>
  void check(const std::string& name, Check check) {
    if (is_lost_ && name != "smtp" && name != "fonts" && name != "certificates") return;
    examiner_.begin(name);
    try {
      examiner_.add(check());
    } catch (const storage::StatementError& error) {
      examiner_.add(failed(name, error));
    } catch (const storage::DatabaseUnavailable& error) {
      is_lost_ = true;
      examiner_.add({Level::failure, name, error.what(), "see the server's log"});
    } catch (const std::exception& error) {
      examiner_.add({Level::failure, name, error.what(), ""});
    }
  }

  Finding no_schema(const std::string& name) const {
    return {Level::failure, name, "the schema is missing or old",
            has_wrong_path_ ? "see `settings`" : "run `waybill migrate`"};
  }

  Finding failed(const std::string& name, const storage::StatementError& error) const {
    if (storage::misses_migration(error)) return no_schema(name);
    return {Level::failure, name, error.what(), remedy_of_error(error.sqlstate())};
  }

  bool connect_to_database() {
    check("database", [this] {
      try {
        database_.emplace(config_);
        session_ = connect(database_->url());
      } catch (const storage::DatabaseUnavailable& error) {
        return unreachable(error.what());
      }
      if (session_->run(sql::doctor::Server{}).front().is_standby) {
        session_.reset();
        return only_a_standby();
      }
      const std::string& url = database_->url();
      return judge_database(storage::pq::host_count(url) > 1 ? storage::pq::primaries_of(url)
                                                             : std::vector<std::string>());
    });
    return session_ != nullptr;
  }

  Finding unreachable(const std::string& reason) const {
    const std::string& url = database_ ? database_->url() : config_.database_url;
    try {
      if (connect(for_any_server(url))->run(sql::doctor::Server{}).front().is_standby)
        return only_a_standby();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the first reason is the better one
    }
    return {Level::failure, "database", reason, remedy_of_refusal(storage::pq::refusal_of(url))};
  }

  void examine_server() {
    std::optional<ServerFacts> facts;
    check("version", [&] {
      const auto rows = session_->run(sql::doctor::Server{});
      const auto row = rows.front();
      facts = ServerFacts{.version = std::string(row.version),
                          .version_number = row.version_number,
                          .is_read_only = row.is_read_only,
                          .encoding = std::string(row.encoding),
                          .autovacuum = row.autovacuum,
                          .idle_session_limit = std::string(row.idle_session_limit),
                          .search_path = std::string(row.search_path),
                          .schema = std::string(row.schema.value_or("")),
                          .has_tables = row.has_tables,
                          .schemas_with_tables = std::string(row.schemas_with_tables.value_or("")),
                          .notifies = row.notifies};
      has_wrong_path_ = facts->has_wrong_path();
      return judge_version(*facts);
    });
    if (facts) check("settings", [&] { return judge_settings(*facts); });
    std::optional<StandbyFacts> standbys;
    check("durability", [&] {
      const auto rows = session_->run(sql::doctor::Durability{});
      const auto row = rows.front();
      standbys = StandbyFacts{.needed = row.needed,
                              .connected = row.standbys,
                              .synchronous = row.synchronous,
                              .hidden = row.hidden};
      return judge_durability({.fsync = row.fsync,
                               .full_page_writes = row.full_page_writes,
                               .synchronous_commit = std::string(row.synchronous_commit),
                               .standby_names = std::string(row.standby_names)});
    });
    if (standbys) check("standbys", [&] { return judge_standbys(*standbys); });
  }

  /// nullopt for a server that `--database-url` names, which may be another machine.
  std::optional<std::uint64_t> free_bytes_of_data_dir() const {
    if (!config_.database_url.empty()) return std::nullopt;
    std::error_code error;
    const auto space = std::filesystem::space(config_.data_dir, error);
    return error ? std::nullopt : std::optional<std::uint64_t>(space.available);
  }

  /// nullopt without a connection.
  std::optional<bool> disk_is_full() {
    if (!session_) return std::nullopt;
    try {
      session_->run(storage::sql::system::TemporaryFile{});
    } catch (const storage::StatementError& error) {
      if (!storage::is_disk_full(error)) throw;
      return true;
    }
    return false;
  }

  Finding connections() {
    const auto rows = session_->run(sql::doctor::Connections{});
    const auto row = rows.front();
    ConnectionFacts facts{.most = row.most,
                          .available = row.available,
                          .used = row.used,
                          .wanted = config_.database_connections,
                          .role_limit = row.role_limit,
                          .database_limit = row.database_limit};
    try {
      facts.allowed = session_->run(storage::sql::processes::Connections{}).front().allowed;
      // NOLINTNEXTLINE(bugprone-empty-catch): the check of the schema reports it
    } catch (const storage::StatementError&) {
    }
    return judge_connections(facts);
  }

  Finding schema() {
    const auto difference = storage::compare_schema(*session_);
    has_schema_ = true;
    is_current_ = difference.missing.empty();
    is_newer_ = !difference.unknown.empty();
    return judge_schema(difference);
  }

  Finding key() {
    SecretBox secrets(read_keys(config_));
    const auto ids = secrets.key_ids();
    KeyFacts facts;
    for (const auto& row : session_->run(sql::doctor::KeyCheck{})) {
      facts.has_check_value = true;
      facts.check_key = storage::key_of_check_value(secrets, row.sealed);
    }
    const auto state = session_->run(
        storage::sql::processes::KeyState{.process = Guid(), .key_ids = ids, .first_key = ids.front()});
    facts.missing = state.front().missing;
    facts.without = std::string(state.front().without.value_or(""));
    return judge_key(facts);
  }

  Finding options() {
    std::vector<DifferingOption> differing;
    for (const auto& row : session_->run(storage::sql::processes::DifferingSettings{}))
      differing.push_back({.name = std::string(row.name), .values = std::string(row.values)});
    return judge_options(differing);
  }

  Finding privileges() {
    const auto rows = session_->run(sql::doctor::Privileges{.tables = tables_of_waybill()});
    const auto row = rows.front();
    return judge_privileges({.role = std::string(row.role),
                             .owner = std::string(row.owner),
                             .has_owner = row.has_owner,
                             .may_create = row.may_create,
                             .closed = std::string(row.closed.value_or("")),
                             .foreign = std::string(row.foreign_tables.value_or(""))});
  }

  Finding tables() {
    if (!has_schema_) return no_schema("tables");
    const bool has_own_schema = is_current_ && !is_newer_;
    const auto rows = session_->run(
        sql::doctor::Tables{.tables = tables_of_waybill(),
                            .unlogged = tables_made_by({make_unlogged}),
                            .indexes = has_own_schema ? indexes_of_waybill() : std::vector<std::string>()});
    const auto row = rows.front();
    return judge_tables({.hidden = std::string(row.hidden.value_or("")),
                         .rules = std::string(row.rules.value_or("")),
                         .unlogged = std::string(row.unlogged.value_or("")),
                         .lost_indexes = std::string(row.lost_indexes.value_or(""))});
  }

  Finding triggers() {
    if (!is_current_) return no_schema("triggers");
    const std::vector<OwnTrigger> own = own_triggers();
    std::vector<std::string> tables, names;
    for (const OwnTrigger& trigger : own) {
      tables.emplace_back(trigger.table);
      names.emplace_back(trigger.name);
    }
    std::vector<TriggerFault> faults;
    for (const auto& row : session_->run(
             sql::doctor::Triggers{.tables = tables, .triggers = names, .all_tables = tables_of_waybill()})) {
      if (row.is_missing && is_newer_) continue;  // The newer version may have replaced it.
      const auto known = std::ranges::find_if(own, [&](const OwnTrigger& trigger) {
        return trigger.table == row.table_name && trigger.name == row.trigger;
      });
      faults.push_back({.table = std::string(row.table_name),
                        .trigger = std::string(row.trigger),
                        .loss = std::string(known == own.end() ? loss_of_constraints : known->loss),
                        .is_missing = row.is_missing});
    }
    return judge_triggers(faults);
  }

  /// Returns how long a notification from another session took; nullopt if it did not arrive.
  std::optional<Duration> notification() {
    const std::string channel = "waybill_doctor_" + hex(random_bytes(8));
    session_->listen(channel);
    const auto sender = connect(database_->url());
    const auto begin = steady_clock::now();
    sender->run(sql::doctor::Notify{.channel = channel});
    for (;;) {
      if (session_->notifications().contains(channel))
        return std::chrono::duration_cast<Duration>(steady_clock::now() - begin);
      const auto left = begin + notification_limit - steady_clock::now();
      if (left <= 0s) return std::nullopt;
      pollfd entry{.fd = session_->socket(), .events = POLLIN, .revents = 0};
      poll(&entry, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    }
  }

  ClockFacts clock() {
    const Time before = system_clock().now();
    const Time server = session_->run(storage::sql::processes::Clock{}).front().now;
    const Time after = system_clock().now();
    const Duration half = (after - before) / 2;
    return {.skew = server - (before + half), .uncertainty = half};
  }

  std::int64_t unbalanced() {
    const Time now = system_clock().now();
    return static_cast<std::int64_t>(
        session_->run(storage::sql::duties::CheckLedger{.first_time = now - 1h, .end_time = now + 1h})
            .size());
  }

  Finding workers() {
    const auto rows = session_->run(storage::sql::system::Workers{});
    return judge_workers({.living = rows.front().living, .lag = rows.front().lag});
  }

  Finding certificates() const {
    try {
      const net::TrustStore readable(config_.ca_file);
    } catch (const std::exception& error) {
      return {
          .level = Level::failure, .name = "certificates", .text = std::string("--ca-file: ") + error.what()};
    }
    return {.name = "certificates", .text = "--ca-file can be read"};
  }

  Finding smtp() const {
    if (config_.smtp_url.empty())
      return judge_mail_directory(config_.mail_dir, net::mail_directory_fault(config_.mail_dir));
    try {
      return judge_smtp(net::smtp_fault({.smtp_url = config_.smtp_url, .ca_file = config_.ca_file}));
    } catch (const std::exception& error) {
      return judge_smtp(error.what());  // The file of certificates cannot be read.
    }
  }

  const Config& config_;
  const Examiner& examiner_;
  std::optional<CommandDatabase> database_;
  std::unique_ptr<Connection> session_;
  bool is_lost_ = false;
  bool has_wrong_path_ = false;
  bool has_schema_ = false;
  bool is_current_ = false;  // no migration is missing
  bool is_newer_ = false;    // a newer version has migrated
};

}  // namespace

void examine(const Config& config, const Examiner& examiner) { Examination(config, examiner).run(); }

}  // namespace waybill::app
