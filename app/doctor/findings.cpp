#include "app/doctor/findings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "base/ascii.hpp"
#include "base/joined_texts.hpp"

namespace waybill::app {
namespace {

constexpr int oldest_version = 15;
constexpr int newest_version = 18;
constexpr double long_lag = 60;  // seconds, as in /readyz?worker
constexpr std::uint64_t mebibyte = 1024UL * 1024;
constexpr std::uint64_t least_room = 100 * mebibyte;  // a few segments of the write-ahead log
constexpr std::uint64_t good_room = 1024 * mebibyte;  // the default of max_wal_size

/// Collects the faults that one check finds into one line, which has the level of the worst.
class Verdict {
 public:
  Verdict(std::string name, std::string good) : finding_{.name = std::move(name)}, good_(std::move(good)) {}

  void warn(const std::string& text, const std::string& remedy) { add(Level::warning, text, remedy); }
  void fail(const std::string& text, const std::string& remedy) { add(Level::failure, text, remedy); }

  Finding finding() && {
    if (finding_.text.empty()) finding_.text = std::move(good_);
    return std::move(finding_);
  }

 private:
  void add(Level level, const std::string& text, const std::string& remedy) {
    finding_.level = std::max(finding_.level, level);
    finding_.text.append(finding_.text.empty() || text.empty() ? "" : "; ").append(text);
    finding_.remedy.append(finding_.remedy.empty() || remedy.empty() ? "" : "; ").append(remedy);
  }

  Finding finding_;
  std::string good_;
};

std::string as_text(std::string_view text) { return std::string(text); }
std::string as_text(std::integral auto number) { return std::to_string(number); }

template <class... Parts>
std::string join(const Parts&... parts) {
  return (as_text(parts) + ...);
}

std::string decimal(double number, int places) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed, places);
  return {text.data(), end.ptr};
}

/// Joins the lines of an error of PostgreSQL, which has one or more for each host.
std::string one_line(std::string_view text) {
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto part = trimmed(text.substr(begin, end - begin));
    const bool goes_on = text[begin] == '\t';
    if (!line.empty() && !part.empty()) line += goes_on ? " " : "; ";
    line += part;
    begin = end + 1;
  }
  return line;
}

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

std::string_view text_of(Level level) {
  constexpr std::array<std::string_view, 3> texts{"ok", "warning", "failure"};
  return texts.at(static_cast<std::size_t>(level));
}

std::string Finding::line() const {
  return std::string(text_of(level)) + " " + name + ": " + one_line(text) +
         (remedy.empty() ? "" : ", " + remedy);
}

std::string remedy_of_refusal(std::string_view sqlstate) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> remedies{{
      {"28000",
       "permit the role to log in: create it, or `alter role … login`, or add a line for it to pg_hba.conf"},
      {"28P01", "correct the password in --database-url"},
      {"3D000", "create the database, or correct its name in --database-url"},
      {"42501", "grant connect on the database to the role"},
      {"53300",
       "end sessions (see pg_stat_activity), or raise the limit that is reached: `alter role … connection "
       "limit`, `alter database … connection limit` or max_connections"},
      {"55000", "open the database with `alter database … allow_connections true`"},
      {"57P03", "wait until the server has started, and see its log"},
  }};
  const auto* const known = std::ranges::find(remedies, sqlstate, [](const auto& row) { return row.first; });
  return std::string(known == remedies.end() ? "correct --database-url, or start the server" : known->second);
}

std::string remedy_of_error(std::string_view sqlstate) {
  if (sqlstate == "42501") return "connect as the owner of waybill's tables or a member of it";
  if (sqlstate == "55P03") {
    return "a session has locked a table or waits for its lock: `select pid, granted, relation::regclass "
           "from pg_locks where mode = 'AccessExclusiveLock' and relation is not null and database = (select "
           "oid "
           "from pg_database where datname = current_database())` finds it, and `select "
           "pg_terminate_backend(PID)` ends it";
  }
  return "see the server's log";
}

Finding judge_database(const std::vector<std::string>& primaries) {
  Verdict verdict("database", "it accepts connections");
  if (primaries.size() > 1) {
    verdict.fail(joined_texts(primaries, " and ") +
                     " are primaries at the same time: processes that use different ones do not see each "
                     "other's records",
                 "see docs/operations.md, SeveralPrimaries");
  }
  return std::move(verdict).finding();
}

Finding judge_version(const ServerFacts& facts) {
  const int major = facts.version_number / 10'000;
  Verdict verdict("version", "PostgreSQL " + facts.version);
  if (major < oldest_version) {
    verdict.fail("PostgreSQL " + facts.version + " is too old", join("use ", oldest_version, " or later"));
  } else if (major > newest_version) {
    verdict.warn("PostgreSQL " + facts.version + " is newer than the versions that waybill was tested with",
                 join("use ", oldest_version, " to ", newest_version));
  }
  return std::move(verdict).finding();
}

Finding judge_settings(const ServerFacts& facts) {
  Verdict verdict("settings", "encoding, search_path and autovacuum are right");
  if (facts.encoding != "UTF8") {
    verdict.fail("the database's encoding is " + facts.encoding,
                 "create the database with encoding UTF8 and restore into it");
  }
  if (facts.is_read_only) {
    verdict.fail("default_transaction_read_only is on", "reset it for the role and the database");
  }
  if (facts.schema.empty()) {
    verdict.fail("search_path is " + facts.search_path + ", and the role may use none of these schemas",
                 "create one of them, or set another one with `alter role … set search_path = …`");
  } else if (facts.has_wrong_path()) {
    verdict.fail("search_path is " + facts.search_path + ", and the tables of waybill are in " +
                     facts.schemas_with_tables,
                 "set it with `alter role … set search_path = …`, or run `waybill migrate` if " +
                     facts.schema + " is a new installation");
  }
  if (!facts.autovacuum) {
    verdict.warn("autovacuum is off",
                 "switch it on: the tables of pending events and queued runs grow without it");
  }
  if (!facts.notifies) {
    verdict.warn("waybill.notify is off, so events wait up to a second for idle workers",
                 "reset it for the role or the database with `alter … reset waybill.notify`");
  }
  if (facts.idle_session_limit != "0") {
    verdict.warn("idle_session_timeout ends idle connections after " + facts.idle_session_limit,
                 "set it to 0 for the role");
  }
  return std::move(verdict).finding();
}

Finding judge_durability(const DurabilityFacts& facts) {
  Verdict verdict("durability",
                  "commits survive a crash (synchronous_commit is " + facts.synchronous_commit + ")");
  if (!facts.fsync) verdict.fail("fsync is off: a crash can destroy the database", "set fsync = on");
  if (!facts.full_page_writes) {
    verdict.fail("full_page_writes is off: a crash can destroy the database", "set full_page_writes = on");
  }
  if (facts.synchronous_commit == "off") {
    verdict.fail("synchronous_commit is off: a crash loses acknowledged changes",
                 "set synchronous_commit = on");
  } else if (!facts.standby_names.empty() && facts.synchronous_commit == "local") {
    verdict.warn(
        "synchronous_commit is local, so commits wait for no standby: a fail-over loses the last ones",
        "set synchronous_commit = on");
  } else if (!facts.standby_names.empty() && facts.synchronous_commit == "remote_write") {
    verdict.warn(
        "synchronous_commit is remote_write: a fail-over to a standby that crashed loses the last commits",
        "set synchronous_commit = on");
  }
  return std::move(verdict).finding();
}

Finding judge_standbys(const StandbyFacts& facts) {
  const std::string good =
      facts.connected == 0 ? "a lone server"
                           : join(facts.synchronous, " of ", facts.connected, " standbys are synchronous");
  Verdict verdict("standbys", good);
  if (facts.hidden > 0) {
    verdict.warn(join(facts.hidden, " standbys are connected, but the role may not see their state"),
                 "grant pg_monitor to the role");
  } else if (facts.synchronous < facts.needed) {
    const std::string fault = facts.needed == 1
                                  ? "commits wait for a synchronous standby, and none is connected"
                                  : join("commits wait for ", facts.needed, " synchronous standbys, and ",
                                         facts.synchronous, " are connected");
    verdict.fail(fault, "start standbys that synchronous_standby_names names, or change that setting");
  } else if (facts.connected > 0 && facts.synchronous == 0) {
    verdict.warn(
        join(facts.connected, " standbys replicate asynchronously: a fail-over can lose the last commits"),
        "set synchronous_standby_names");
  }
  return std::move(verdict).finding();
}

Finding judge_disk(const DiskFacts& facts) {
  const std::string room = facts.free_bytes ? join(*facts.free_bytes / mebibyte, " MiB are free") : "";
  const bool has_both = facts.is_full && facts.free_bytes;
  Verdict verdict("disk", join(facts.is_full ? "PostgreSQL can write" : "", has_both ? ", " : "", room));
  constexpr const char* remedy = "see docs/operations.md, Full disk";
  if (facts.is_full.value_or(false)) {
    verdict.fail("PostgreSQL's disk is full: reads work, writes fail", remedy);
  } else if (facts.free_bytes && *facts.free_bytes < least_room) {
    verdict.fail("only " + room, remedy);
  } else if (facts.free_bytes && *facts.free_bytes < good_room) {
    verdict.warn("only " + room, remedy);
  }
  return std::move(verdict).finding();
}

Finding judge_connections(const ConnectionFacts& facts) {
  Verdict verdict("connections", join(facts.used, " of ", facts.available,
                                      " are in use, and the processes of waybill may open ", facts.allowed));
  const std::string offer = join("PostgreSQL offers ", facts.available, " (max_connections ", facts.most,
                                 " less ", facts.most - facts.available, " reserved)");
  if (facts.wanted > facts.available) {
    verdict.fail(join("--database-connections is ", facts.wanted, ", and ", offer),
                 "raise max_connections or lower --database-connections");
  } else if (facts.allowed > facts.available) {
    verdict.warn(join("the running processes may open ", facts.allowed, " connections, and ", offer),
                 "raise max_connections or lower --database-connections");
  }
  for (const auto& [limit, owner] :
       {std::pair{facts.role_limit, "role"}, std::pair{facts.database_limit, "database"}}) {
    const std::string offered = join("the ", owner, "'s connection limit is ", limit);
    const std::string remedy = join("raise it with `alter ", owner, " … connection limit`");
    if (limit >= 0 && limit < facts.wanted) {
      verdict.fail(join("--database-connections is ", facts.wanted, ", and ", offered), remedy);
    } else if (limit >= 0 && limit < facts.allowed) {
      verdict.warn(join("the running processes may open ", facts.allowed, " connections, and ", offered),
                   remedy);
    }
  }
  if (facts.used * 10 > facts.available * 9) {
    verdict.warn(join(facts.used, " of ", facts.available, " connections are in use"),
                 "raise max_connections, or see pg_stat_activity for the sessions that use them");
  }
  return std::move(verdict).finding();
}

Finding judge_schema(const storage::SchemaDifference& difference) {
  Verdict verdict("schema", "all migrations are applied");
  if (!difference.missing.empty()) verdict.fail("it lacks " + difference.missing, "run `waybill migrate`");
  if (!difference.unknown.empty()) {
    verdict.warn("a newer version has applied " + difference.unknown, "upgrade this program");
  }
  return std::move(verdict).finding();
}

Finding judge_key(const KeyFacts& facts) {
  Verdict verdict("key", facts.has_check_value ? "it opens the database's secrets"
                                               : "no process has used the database yet");
  if (facts.has_check_value && !facts.check_key) {
    verdict.fail("no --secret-key-file has the key that the database was set up with",
                 "restore that key: without it, its secrets cannot be read");
  } else if (facts.missing > 0) {
    verdict.fail("values may be sealed with a key that no --secret-key-file has",
                 "name the files of all keys in use, or complete `waybill key rotate`");
  } else if (!facts.without.empty()) {
    verdict.warn("processes run without the first key: " + facts.without,
                 "start them again with its file as a further --secret-key-file");
  } else if (facts.check_key.value_or(0) > 0) {
    verdict.warn("values are sealed with a key that is not the first one", "run `waybill key rotate`");
  }
  return std::move(verdict).finding();
}

Finding judge_options(const std::vector<DifferingOption>& differing) {
  Verdict verdict("options", "the running processes have the same");
  for (const DifferingOption& option : differing) {
    verdict.warn(join("--", option.name, " is ", option.values),
                 join("give all processes the same --", option.name));
  }
  return std::move(verdict).finding();
}

Finding judge_privileges(const PrivilegeFacts& facts) {
  Verdict verdict("privileges",
                  facts.role + " has the rights of " + facts.owner + ", the owner of the tables");
  if (!facts.closed.empty()) {
    verdict.fail(facts.role + " may not read and write " + facts.closed,
                 facts.has_owner
                     ? "give these tables the owner " + facts.owner + " with `alter table … owner to`"
                     : "connect as " + facts.owner + ", or grant " + facts.owner + " to " + facts.role);
  } else if (!facts.has_owner) {
    verdict.fail(facts.role + " does not have the rights of " + facts.owner +
                     ", the owner of the tables: it cannot make partitions, and changes lose their authors",
                 "grant " + facts.owner + " to " + facts.role);
  } else if (!facts.foreign.empty()) {
    verdict.fail("the tables " + facts.foreign + " do not belong to " + facts.owner +
                     ": migrations and deletions fail for processes that connect as " + facts.owner,
                 "give these tables the owner " + facts.owner + " with `alter table … owner to`");
  } else if (!facts.may_create) {
    verdict.fail(facts.role + " may not create tables in the schema",
                 "grant create on the schema to " + facts.owner);
  }
  return std::move(verdict).finding();
}

Finding judge_tables(const TableFacts& facts) {
  Verdict verdict(
      "tables",
      "the role sees all rows, no rule changes statements, a crash empties none, and all indexes exist");
  if (!facts.hidden.empty()) {
    verdict.fail("row level security hides rows of " + facts.hidden,
                 "`alter table … disable row level security`, or give the role bypassrls");
  }
  if (!facts.rules.empty()) verdict.fail("rules change statements: " + facts.rules, "`drop rule … on …`");
  if (!facts.unlogged.empty()) {
    verdict.fail("a crash of PostgreSQL empties the unlogged " + facts.unlogged,
                 "`alter table … set logged`");
  }
  if (!facts.lost_indexes.empty()) {
    verdict.fail("these indexes are missing or not valid: " + facts.lost_indexes,
                 "make them as they are in an empty database after `waybill migrate`");
  }
  return std::move(verdict).finding();
}

Finding judge_triggers(const std::vector<TriggerFault>& faults) {
  Verdict verdict("triggers", "changes fire those of waybill");
  bool are_missing = false;
  for (auto first = faults.begin(); first != faults.end();) {
    const auto last = std::find_if(first, faults.end(),
                                   [&](const TriggerFault& fault) { return fault.table != first->table; });
    // Triggers with the same loss are named together.
    std::map<std::pair<bool, std::string_view>, std::string> names;
    std::string statement;
    bool has_constraints = false;
    for (auto fault = first; fault != last; ++fault) {
      has_constraints = has_constraints || fault->trigger.empty();
      are_missing = are_missing || fault->is_missing;
      std::string& named = names[{fault->is_missing, fault->loss}];
      named.append(named.empty() ? "" : ", ").append(fault->trigger.empty() ? "constraints" : fault->trigger);
      if (!fault->is_missing)
        statement.append(statement.empty() ? "" : ", ").append("enable trigger ").append(fault->trigger);
    }
    std::string text;
    for (const auto& [kind, named] : names) {
      text.append(text.empty() ? "" : ", ").append(named).append(kind.first ? " missing" : " disabled");
      text.append(" (").append(kind.second).append(")");
    }
    std::string remedy;
    if (!statement.empty()) {
      remedy = "`alter table " + first->table + " " + (has_constraints ? "enable trigger all" : statement) +
               "`" + (has_constraints ? " as a superuser" : "");
    }
    verdict.fail(first->table + ": " + text, remedy);
    first = last;
  }
  if (are_missing)
    verdict.fail("", "make the missing triggers as they are in an empty database after `waybill migrate`");
  return std::move(verdict).finding();
}

Finding judge_notifications(std::optional<Duration> waited) {
  Verdict verdict("notifications",
                  waited ? join("one arrived after ", decimal(seconds(*waited) * 1000, 1), " ms") : "");
  if (!waited) {
    verdict.fail("none arrived: matching begins up to a second late",
                 "connect to PostgreSQL directly, not through a pooler such as PgBouncer");
  }
  return std::move(verdict).finding();
}

Finding judge_partitions(std::int64_t missing) {
  Verdict verdict("partitions", "those of the coming days exist");
  if (missing > 0) {
    verdict.warn(join(missing, " of the coming days are missing, so rows go to the default partitions"),
                 "start a process of waybill, or end the transactions that block it (log: partition.failed)");
  }
  return std::move(verdict).finding();
}

Finding judge_clock(const ClockFacts& facts) {
  const double skew = seconds(facts.skew);
  const double sure = std::max(0.0, std::abs(skew) - seconds(facts.uncertainty));
  Verdict verdict("clock", join("it differs from the server's by ", decimal(skew, 3), " s"));
  const std::string text = join("this machine's clock differs from the server's by ", decimal(skew, 1), " s");
  constexpr const char* remedy = "synchronize both with NTP";
  if (sure > 30) {
    verdict.fail(text, remedy);
  } else if (sure > 1) {
    verdict.warn(text, remedy);
  }
  return std::move(verdict).finding();
}

Finding judge_ledger(std::int64_t unbalanced) {
  Verdict verdict("ledger", "events and runs of the last hour balance");
  if (unbalanced > 0) {
    verdict.fail(join("events and runs of ", unbalanced, " businesses do not balance"),
                 "see docs/operations.md, LedgerUnbalanced");
  }
  return std::move(verdict).finding();
}

Finding judge_workers(const WorkerFacts& facts) {
  Verdict verdict("workers", join(facts.living, " running, no event has waited for more than ",
                                  decimal(std::ceil(facts.lag), 0), " s"));
  const bool is_late = facts.lag > long_lag;
  const std::string wait = join("an event has waited for ", decimal(facts.lag, 0), " s");
  if (facts.living == 0 && is_late) {
    verdict.fail("none is running, and " + wait, "start `waybill worker`");
  } else if (facts.living == 0) {
    verdict.warn("none is running", "start `waybill worker`");
  } else if (is_late) {
    verdict.fail(wait, "see docs/operations.md, EventsWait");
  }
  return std::move(verdict).finding();
}

Finding judge_fonts(const std::vector<std::string_view>& missing) {
  Verdict verdict("fonts", "labels can be printed in every script in wide use");
  if (!missing.empty()) {
    verdict.warn(
        "this machine has no font for " + joined_texts(missing) +
            ": a server here refuses labels with such letters",
        "install one, such as the packages fonts-noto-core and fonts-noto-cjk, and start the server again");
  }
  return std::move(verdict).finding();
}

Finding judge_duties(const std::vector<worker::OverdueDuty>& overdue) {
  Verdict verdict("duties", "the processes that run perform all in time");
  for (const worker::OverdueDuty& duty : overdue) {
    const std::string text =
        duty.seconds ? join(duty.name, " was last performed ", decimal(*duty.seconds / 60, 0), " minutes ago")
                     : join(duty.name, " was never performed");
    verdict.fail(text, &duty == &overdue.front() ? "see docs/operations.md, DutiesOverdue" : "");
  }
  return std::move(verdict).finding();
}

Finding judge_gateways(const GatewayFacts& facts) {
  constexpr std::size_t most_named = 5;
  const auto good = static_cast<std::int64_t>(facts.asked) - static_cast<std::int64_t>(facts.faults.size());
  Verdict verdict("gateways",
                  facts.configured == 0
                      ? "no business reaches a carrier through one"
                      : join(good, " of ", facts.asked, " carriers can be reached",
                             facts.asked < facts.configured
                                 ? join(", and ", facts.configured - facts.asked, " more were not asked")
                                 : ""));
  // The operator's first, then those that are away.
  std::vector<GatewayFault> faults = facts.faults;
  std::ranges::sort(faults, {}, [](const GatewayFault& fault) {
    return std::tuple(!(fault.is_away && fault.is_operators), !fault.is_away, fault.business, fault.carrier);
  });
  bool has_remedy[2] = {};
  for (std::size_t i = 0; i < std::min(faults.size(), most_named); ++i) {
    const GatewayFault& fault = faults[i];
    std::string text = join(fault.carrier, " of ", fault.business, " (", fault.connector, "): ", fault.text);
    if (text.ends_with('.')) text.pop_back();
    const char* remedy = fault.is_away
                             ? "see that the gateway runs and can be reached from here"
                             : "the business configures the carrier again with what the gateway accepts";
    if (std::exchange(has_remedy[fault.is_away ? 1 : 0], true)) remedy = "";
    if (fault.is_away && fault.is_operators) {
      verdict.fail(text, remedy);
    } else {
      verdict.warn(text, remedy);
    }
  }
  if (faults.size() > most_named) verdict.warn(join("and ", faults.size() - most_named, " more"), "");
  return std::move(verdict).finding();
}

Finding judge_smtp(const std::optional<std::string>& fault) {
  Verdict verdict("smtp", "the server accepts connection and login");
  if (fault) verdict.fail(*fault, "correct --smtp-url or --ca-file, or repair the mail server");
  return std::move(verdict).finding();
}

Finding judge_mail_directory(const std::string& directory, const std::optional<std::string>& fault) {
  Verdict verdict("smtp", "no server, so mails are written to " + directory);
  if (fault) {
    verdict.fail("no server, and mails cannot be written to " + directory + ": " + *fault,
                 "set --smtp-url, or name a directory in --mail-dir that the processes may write");
  }
  return std::move(verdict).finding();
}

}  // namespace waybill::app
