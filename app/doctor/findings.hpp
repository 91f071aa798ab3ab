#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "storage/schema/migrate.hpp"
#include "worker/duties/overdue.hpp"

namespace waybill::app {

enum class Level : std::uint8_t { ok, warning, failure };

std::string_view text_of(Level level);

/// One line of `waybill doctor`.
struct Finding {
  Level level = Level::ok;
  std::string name;    // of the check
  std::string text;    // what was found
  std::string remedy;  // empty if there is nothing to do

  /// "ok|warning|failure NAME: text, remedy"
  std::string line() const;
};

/// The facts that the checks read. Each is judged by one pure function below.
struct ServerFacts {
  std::string version;
  int version_number = 0;  // 150014
  bool is_read_only = false;
  std::string encoding;
  bool autovacuum = true;
  std::string idle_session_limit = "0";
  std::string search_path = "public";
  std::string schema = "public";    // the first one of search_path that exists; empty: none does
  bool has_tables = true;           // search_path leads to tables of waybill
  std::string schemas_with_tables;  // other schemas that have some, separated by commas
  bool notifies = true;             // changes by the role wake idle workers

  /// The tables of waybill may be where search_path does not lead.
  bool has_wrong_path() const { return schema.empty() || (!has_tables && !schemas_with_tables.empty()); }
};

struct DurabilityFacts {
  bool fsync = true;
  bool full_page_writes = true;
  std::string synchronous_commit = "on";
  std::string standby_names;  // synchronous_standby_names
};

struct StandbyFacts {
  std::int64_t needed = 0;     // synchronous standbys that a commit waits for
  std::int64_t connected = 0;  // connected standbys
  std::int64_t synchronous = 0;
  std::int64_t hidden = 0;  // standbys whose state the role may not see
};

struct DiskFacts {
  std::optional<bool> is_full = {};              // PostgreSQL cannot write; nullopt: not tried
  std::optional<std::uint64_t> free_bytes = {};  // of the data directory's disk; nullopt: not known
};

struct ConnectionFacts {
  std::int64_t most = 0;
  std::int64_t available = 0;  // without the reserved ones
  std::int64_t used = 0;
  std::int64_t allowed = 0;  // the sum of the living processes
  std::int64_t wanted = 0;   // --database-connections
  std::int64_t role_limit = -1;
  std::int64_t database_limit = -1;
};

struct KeyFacts {
  bool has_check_value = false;               // false before the first start
  std::optional<std::size_t> check_key = {};  // the position of the key that opens it
  std::int64_t missing = 0;                   // keys in use that are not among the files
  std::string without;                        // running processes that lack the first key
};

struct PrivilegeFacts {
  std::string role;
  std::string owner;
  bool has_owner = false;
  bool may_create = false;
  std::string closed;   // tables that the role may not read and write, separated by commas
  std::string foreign;  // tables and partitions of another owner, separated by commas
};

/// Faults of the tables of waybill, with their names separated by commas.
struct TableFacts {
  std::string hidden;    // row level security hides rows from the role
  std::string rules;     // "NAME on TABLE"
  std::string unlogged;  // a crash empties them
  std::string lost_indexes;
};

/// A trigger of waybill that changes do not fire.
struct TriggerFault {
  std::string table;
  std::string trigger;  // empty: the constraints of the table
  std::string loss;     // the effect of such changes
  bool is_missing = false;
};

struct ClockFacts {
  Duration skew{};         // the server's time minus the time of this machine
  Duration uncertainty{};  // half of the round trip
};

/// An option that must be the same in all processes and differs among the running ones.
struct DifferingOption {
  std::string name;    // without --
  std::string values;  // "none in worker b:7, https://way.example in api a:3 and up c:1"
};

struct WorkerFacts {
  std::int64_t living = 0;
  double lag = 0;  // seconds that the oldest unmatched event has waited
};

/// A carrier of a business whose gateway cannot be used.
struct GatewayFault {
  std::string carrier, business, connector;
  std::string text;           // without secrets
  bool is_away = false;       // it does not answer: unknown, refused, busy or too slow
  bool is_operators = false;  // it is one of --carrier-gateway
};

struct GatewayFacts {
  std::int64_t configured = 0;  // carriers with a gateway
  std::int64_t asked = 0;
  std::vector<GatewayFault> faults = {};
};

/// Returns the remedy if the server refuses a session with this SQLSTATE, or if none refuses it ("").
std::string remedy_of_refusal(std::string_view sqlstate);
/// Returns the remedy if the server refuses a statement of a check with this SQLSTATE.
std::string remedy_of_error(std::string_view sqlstate);

/// `primaries` are the hosts of a URL with several that are different primaries.
Finding judge_database(const std::vector<std::string>& primaries);
Finding judge_version(const ServerFacts& facts);
Finding judge_settings(const ServerFacts& facts);
Finding judge_durability(const DurabilityFacts& facts);
Finding judge_standbys(const StandbyFacts& facts);
Finding judge_disk(const DiskFacts& facts);
Finding judge_connections(const ConnectionFacts& facts);
Finding judge_schema(const storage::SchemaDifference& difference);
Finding judge_key(const KeyFacts& facts);
/// `differing` is empty if the running processes agree.
Finding judge_options(const std::vector<DifferingOption>& differing);
Finding judge_privileges(const PrivilegeFacts& facts);
Finding judge_tables(const TableFacts& facts);
/// `faults` are sorted by table; there are none if changes fire all triggers.
Finding judge_triggers(const std::vector<TriggerFault>& faults);
/// `waited` is empty if no notification arrived in time.
Finding judge_notifications(std::optional<Duration> waited);
Finding judge_partitions(std::int64_t missing);
Finding judge_clock(const ClockFacts& facts);
/// `unbalanced` businesses in the last hour.
Finding judge_ledger(std::int64_t unbalanced);
Finding judge_workers(const WorkerFacts& facts);
/// `missing` are the scripts in wide use that no font of this machine has.
Finding judge_fonts(const std::vector<std::string_view>& missing);
Finding judge_duties(const std::vector<worker::OverdueDuty>& overdue);
/// A gateway of the operator that is away is a failure. What a business alone can repair is a warning.
Finding judge_gateways(const GatewayFacts& facts);
/// `fault` is nullopt if the server accepted the login.
Finding judge_smtp(const std::optional<std::string>& fault);
/// Without a mail server. `fault` is nullopt if mails can be written to the directory.
Finding judge_mail_directory(const std::string& directory, const std::optional<std::string>& fault);

}  // namespace waybill::app
