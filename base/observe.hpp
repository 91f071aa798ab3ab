#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace prometheus {
class Counter;
class Histogram;
}  // namespace prometheus

namespace waybill {

/// Everything that the running service reports. The table in observe.cpp gives each its name in the log, its
/// level and its counter; a new one needs a line here and a row there.
enum class Observable : std::uint8_t {
  server_listening,
  server_stopping,
  request_served,
  request_refused,
  request_failed,
  memory_refused,
  rate_limited,
  login_failed,
  config_warning,
  rule_broken,  // see base/check.hpp
  lines_dropped,
  key_missing,
  key_waiting,
  database_unavailable,
  database_reconnected,
  several_primaries,
  migration_applied,
  migration_delayed,
  slow_statement,
  statement_failed,
  postgres_started,
  postgres_stopped,
  postgres_recovered,
  postgres_recovering,
  postgres_failed,
  worker_started,
  worker_stopping,
  lease_taken,
  lease_lost,
  listen_reconnected,
  events_matched,
  event_unreadable,
  runs_planned,
  batch_failed,
  batch_record_failed,
  pause_write_failed,
  run_succeeded,
  run_dead,
  run_skipped,
  run_retried,
  run_held,
  step_succeeded,
  step_dead,
  step_skipped,
  workflow_paused,
  workflow_resumed,
  workflow_unreadable,
  match_postponed,
  runs_deferred,
  events_set_aside,
  breaker_opened,
  breaker_closed,
  destination_refused,
  ledger_unbalanced,
  event_passed_over,
  times_brought_back,
  duty_failed,
  duty_overdue,
  push_delivered,
  push_subscription_gone,
  push_failed,
  push_lookup_failed,
  partition_made,
  partition_dropped,
  partition_failed,
  mail_written,
  mail_sent,
  mail_delayed,
  mail_lost,
  alert_sent,
  alert_delayed,
  alert_lost,
  workflow_silent,
  import_silent,
  scans_silent,
  silence_over,
  import_finished,
  import_failed,
  import_idle,
  orders_imported,
  orders_updated,
  orders_unchanged,
  orders_failed,
  purchase_bought,
  purchase_dearer,  // with purchase_bought: charged more than the quote
  purchase_refused,
  purchase_unknown,
  purchase_voided,
  purchase_void_refused,
  purchase_stray,   // a second label of a shipment
  purchase_failed,  // a defect; the purchase is repeated
  scans_pulled,
  pull_failed,
  map_service_failed,
  standby_in_use,
  standby_passed_over,
  standby_read,     // a read that a standby served
  primary_read,     // a read that a standby could have served, but the primary served
  standby_behind,   // reasons why a standby was passed over: it has not replayed the request's position
  standby_lagging,  // it is too far behind for all requests
  standby_conflict,
  standby_unreachable,
  standby_promoted,
  standby_foreign,  // a server of another cluster
  standby_refused,  // it refused a statement
  standby_failed,
};
inline constexpr std::size_t observable_count = static_cast<std::size_t>(Observable::standby_failed) + 1;

enum class LogLevel : std::uint8_t { debug, info, warning, error };
enum class LogFormat : std::uint8_t { text, json };

/// "debug", "info", "warning", "error".
std::optional<LogLevel> parse_log_level(std::string_view text);
/// "text", "json".
std::optional<LogFormat> parse_log_format(std::string_view text);

/// A named detail of a log line. Must not hold a secret: no token, password, key or body. `name` is
/// snake_case and not ts, level or event. The strings must outlive the call.
struct Attribute {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double, bool> value;

  Attribute(std::string_view attribute, std::string_view text) : name(attribute), value(text) {}
  Attribute(std::string_view attribute, const char* text) : name(attribute), value(std::string_view(text)) {}
  Attribute(std::string_view attribute, const std::string& text)
      : name(attribute), value(std::string_view(text)) {}
  Attribute(std::string_view attribute, bool flag) : name(attribute), value(flag) {}
  Attribute(std::string_view attribute, double number) : name(attribute), value(number) {}
  template <std::integral Integer>
  Attribute(std::string_view attribute, Integer number)
      : name(attribute), value(static_cast<std::int64_t>(number)) {}
};

/// Counts `observable` (`times` at once) and, if its level is on, logs one line to stderr, as
/// `2026-11-20T05:45:12.345Z WARN worker.lease_lost shard=3` or as one JSON object (ts, level, event and the
/// attributes). If its level is off, it costs one atomic addition. A line for which stderr has no room is
/// dropped and counted (see LineOutput). Any thread; throws only std::bad_alloc.
void observe(Observable observable, std::initializer_list<Attribute> attributes = {},
             std::uint64_t times = 1);

/// Sets the format and the lowest level that is logged; before the call, text and info. Any thread.
void configure_logging(LogFormat format, LogLevel least);

/// Values that go up and down.
enum class Gauge : std::uint8_t {
  pending_events,  // events that this worker has read and not recorded yet
  match_lag_seconds,
  queue_waiting,  // rows of run_queue, by status
  queue_queued,
  queue_running,
  queue_retrying,
  queue_held,
  digests_open,
  workflows_unreadable,  // workflows that this version cannot read
  businesses_suspended,
  duties_overdue,  // duties that no process has performed for several of their periods
  runs_in_flight,
  shards_owned,
  breakers_open,
  api_connections,
  held_bytes,  // of bodies and answers that wait for their clients
  database_connections,
  database_waits,  // callers that wait for a free connection
  database_up,     // 1 or 0
  database_primaries,
  listen_up,  // 1 or 0
};
inline constexpr std::size_t gauge_count = static_cast<std::size_t>(Gauge::listen_up) + 1;

/// Any thread; one atomic operation.
void set_gauge(Gauge gauge, double value);
void add_to_gauge(Gauge gauge, double change);

enum class Histogram : std::uint8_t {
  http_request_seconds,  // label: route
  statement_seconds,     // label: statement
  database_wait_seconds,
  event_age_seconds,      // commit to matching of the oldest event of a batch
  first_attempt_seconds,  // commit to the start of the first attempt of a run without a delay
  run_age_seconds,        // event to final outcome
  attempt_seconds,        // label: action
  match_batch_seconds,
  record_batch_seconds,
  match_batch_events,
  duty_seconds,  // label: duty
  import_seconds,
  gateway_call_seconds,  // label: connector.call
};
inline constexpr std::size_t histogram_count = static_cast<std::size_t>(Histogram::gateway_call_seconds) + 1;

/// Records one value of a histogram without a label. Any thread, no look-up.
void record(Histogram histogram, double value);

/// The series of a histogram for one value of its label. Looks up and may allocate, so hot paths call it once
/// and keep the reference for `Observe(value)`; it stays valid as long as the process.
prometheus::Histogram& series(Histogram histogram, std::string_view label);

/// The counter of answers of one route and status. Looks up and may allocate; valid as long as the process.
prometheus::Counter& answers(std::string_view route, int status);

/// All metrics in Prometheus' text exposition format 0.0.4.
std::string metrics_text();

/// The names of all metrics, unordered; those of histograms without `_bucket`, `_sum` and `_count`.
std::vector<std::string_view> metric_names();

/// The line that `observe` logs, without the line feed.
std::string format_log_line(LogFormat format, std::string_view timestamp, LogLevel level,
                            std::string_view event, std::initializer_list<Attribute> attributes);

/// The name in the log, such as "worker.lease_lost".
std::string_view observable_name(Observable observable);

}  // namespace waybill
