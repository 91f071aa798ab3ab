#include "base/observe.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <unistd.h>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/line_output.hpp"
#include "base/thread/mutex.hpp"
#include "base/utf8.hpp"

namespace waybill {
namespace {

using enum LogLevel;

struct ObservableRow {
  Observable observable;
  std::string_view name;
  LogLevel level;
  // The counter, if any; rows that share it differ in the label.
  const char* counter = nullptr;
  const char* help = nullptr;
  const char* label = nullptr;
  const char* label_value = nullptr;
};

constexpr const char* requests = "waybill_http_requests_total";
constexpr const char* requests_help = "Requests answered, by result.";
constexpr const char* answers_by_route = "waybill_http_answers_total";
constexpr const char* outcomes = "waybill_runs_total";
constexpr const char* outcomes_help = "Attempts of runs, by outcome.";
constexpr const char* steps = "waybill_steps_total";
constexpr const char* steps_help = "Steps of runs that have several, by outcome.";
constexpr const char* breakers = "waybill_breaker_moves_total";
constexpr const char* breakers_help = "Circuit breakers that opened or closed.";
constexpr const char* leases = "waybill_lease_moves_total";
constexpr const char* leases_help = "Shard leases taken and lost.";
constexpr const char* imports = "waybill_imports_total";
constexpr const char* imports_help = "Imports from stores, by result.";
constexpr const char* imported_orders = "waybill_imported_orders_total";
constexpr const char* imported_orders_help = "Orders read by imports from stores, by outcome.";
constexpr const char* purchases = "waybill_purchases_total";
constexpr const char* purchases_help = "Purchases of carrier labels, by outcome.";
constexpr const char* pulls = "waybill_tracking_pulls_total";
constexpr const char* pulls_help = "Calls to gateways for the scans of parcels, by result.";
constexpr const char* mails = "waybill_mails_total";
constexpr const char* mails_help = "Attempts to send mails, by result.";
constexpr const char* alerts = "waybill_alerts_total";
constexpr const char* alerts_help = "Attempts to deliver alerts, by result.";
constexpr const char* silences = "waybill_silences_total";
constexpr const char* silences_help = "Workflows, imports and scans of carriers that became silent.";
constexpr const char* pushes = "waybill_pushes_total";
constexpr const char* pushes_help = "Push messages to single subscriptions, by result.";
constexpr const char* workflows = "waybill_workflow_moves_total";
constexpr const char* workflows_help = "Workflows paused and resumed by the service.";

constexpr const char* standby_reads = "waybill_standby_reads_total";
constexpr const char* standby_reads_help = "Reads that a standby may serve, by the server that served them.";
constexpr const char* pass_overs = "waybill_standby_pass_overs_total";
constexpr const char* pass_overs_help = "Times a standby was passed over for a read, by reason.";

constexpr auto observables = std::to_array<ObservableRow>({
    {Observable::server_listening, "server.listening", info},
    {Observable::server_stopping, "server.stopping", info},
    {Observable::request_served, "request.served", debug, requests, requests_help, "result", "served"},
    {Observable::request_refused, "request.refused", debug, requests, requests_help, "result", "refused"},
    {Observable::request_failed, "request.failed", error, requests, requests_help, "result", "failed"},
    {Observable::memory_refused, "request.memory_refused", debug, "waybill_memory_refusals_total",
     "Large bodies refused, and answers refused or cut off, for lack of room within a memory limit."},
    {Observable::rate_limited, "request.rate_limited", debug, "waybill_rate_limited_total",
     "Requests refused because their token's quota was used up."},
    {Observable::login_failed, "user.login_failed", info, "waybill_login_failures_total", "Logins refused."},
    {Observable::config_warning, "config.warning", warning},
    {Observable::rule_broken, "process.rule_broken", error, "waybill_broken_rules_total",
     "Rules of the code that were found broken. Each is a defect; the log names its place."},
    {Observable::lines_dropped, "log.lines_dropped", error, "waybill_log_lines_dropped_total",
     "Log lines dropped, because the reader of stderr does not read or stderr cannot be written."},
    {Observable::key_missing, "key.missing", error},
    {Observable::key_waiting, "key.waiting", warning},
    {Observable::database_unavailable, "database.unavailable", error, "waybill_database_losses_total",
     "Times the database could not be reached."},
    {Observable::database_reconnected, "database.reconnected", info},
    {Observable::several_primaries, "database.several_primaries", error},
    {Observable::migration_applied, "database.migration_applied", info},
    {Observable::migration_delayed, "database.migration_delayed", warning},
    {Observable::slow_statement, "database.slow_statement", warning, "waybill_slow_statements_total",
     "Statements slower than 500 ms."},
    {Observable::statement_failed, "database.statement_failed", error, "waybill_statement_failures_total",
     "Statements that failed unexpectedly."},
    {Observable::postgres_started, "postgres.started", info},
    {Observable::postgres_stopped, "postgres.stopped", info},
    {Observable::postgres_recovered, "postgres.recovered", warning},
    {Observable::postgres_recovering, "postgres.recovering", info},
    {Observable::postgres_failed, "postgres.failed", error},
    {Observable::worker_started, "worker.started", info},
    {Observable::worker_stopping, "worker.stopping", info},
    {Observable::lease_taken, "worker.lease_taken", info, leases, leases_help, "move", "taken"},
    {Observable::lease_lost, "worker.lease_lost", warning, leases, leases_help, "move", "lost"},
    {Observable::listen_reconnected, "worker.listen_reconnected", warning, "waybill_listen_reconnects_total",
     "Times the connection that listens for new events was lost and restored."},
    {Observable::events_matched, "worker.events_matched", debug, "waybill_events_matched_total",
     "Events matched with workflows."},
    {Observable::event_unreadable, "worker.event_unreadable", error, "waybill_events_unreadable_total",
     "Events whose rows could not be read as records."},
    {Observable::runs_planned, "worker.runs_planned", debug, "waybill_runs_planned_total",
     "Runs created by matching."},
    {Observable::batch_failed, "worker.batch_failed", error, "waybill_match_failures_total",
     "Batches of events that could not be matched and are retried."},
    {Observable::batch_record_failed, "worker.batch_record_failed", error, "waybill_record_failures_total",
     "Batches of runs that could not be recorded and are retried."},
    {Observable::pause_write_failed, "workflow.pause_failed", warning, "waybill_pause_failures_total",
     "Pauses of workflows that could not be written and are retried."},
    {Observable::run_succeeded, "run.succeeded", debug, outcomes, outcomes_help, "outcome", "succeeded"},
    {Observable::run_dead, "run.dead", warning, outcomes, outcomes_help, "outcome", "dead"},
    {Observable::run_skipped, "run.skipped", debug, outcomes, outcomes_help, "outcome", "skipped"},
    {Observable::run_retried, "run.retried", debug, outcomes, outcomes_help, "outcome", "retried"},
    {Observable::run_held, "run.held", debug, outcomes, outcomes_help, "outcome", "held"},
    {Observable::step_succeeded, "step.succeeded", debug, steps, steps_help, "outcome", "succeeded"},
    {Observable::step_dead, "step.dead", debug, steps, steps_help, "outcome", "dead"},
    {Observable::step_skipped, "step.skipped", debug, steps, steps_help, "outcome", "skipped"},
    {Observable::workflow_paused, "workflow.paused", warning, workflows, workflows_help, "move", "paused"},
    {Observable::workflow_resumed, "workflow.resumed", info, workflows, workflows_help, "move", "resumed"},
    {Observable::workflow_unreadable, "workflow.unreadable", error, workflows, workflows_help, "move",
     "unreadable"},
    {Observable::match_postponed, "workflow.match_postponed", debug, "waybill_matches_postponed_total",
     "Events to be matched later with a workflow that this version cannot read, or whose conditions would "
     "take too long."},
    {Observable::runs_deferred, "run.deferred", debug, "waybill_runs_deferred_total",
     "Runs queued without their texts because an event exceeded its bounds."},
    {Observable::events_set_aside, "event.set_aside", debug, "waybill_events_set_aside_total",
     "Events of suspended businesses that wait until the business is resumed."},
    {Observable::breaker_opened, "destination.breaker_opened", warning, breakers, breakers_help, "move",
     "opened"},
    {Observable::breaker_closed, "destination.breaker_closed", info, breakers, breakers_help, "move",
     "closed"},
    {Observable::destination_refused, "destination.refused", warning, "waybill_destinations_refused_total",
     "Connections refused because their address is not allowed."},
    {Observable::ledger_unbalanced, "ledger.unbalanced", error, "waybill_ledger_unbalanced_total",
     "Times the counts of events and runs did not agree."},
    {Observable::event_passed_over, "event.passed_over", error, "waybill_events_passed_over_total",
     "Events found in the outbox below the watermark; their shards were read again."},
    {Observable::times_brought_back, "times.brought_back", warning, "waybill_times_brought_back_total",
     "Stored times later than their rules allow, from a clock that was ahead, that were corrected."},
    {Observable::duty_failed, "duty.failed", error, "waybill_duty_failures_total",
     "Background duties that failed."},
    {Observable::duty_overdue, "duty.overdue", error},
    {Observable::push_delivered, "push.delivered", debug, pushes, pushes_help, "result", "delivered"},
    {Observable::push_subscription_gone, "push.subscription_gone", debug, pushes, pushes_help, "result",
     "gone"},
    {Observable::push_failed, "push.failed", debug, pushes, pushes_help, "result", "failed"},
    {Observable::push_lookup_failed, "push.lookup_failed", error},
    {Observable::partition_made, "partition.made", info},
    {Observable::partition_dropped, "partition.dropped", info},
    {Observable::partition_failed, "partition.failed", warning, "waybill_partition_failures_total",
     "Partitions that could not be created or dropped and are retried."},
    {Observable::mail_written, "mail.written", info, "waybill_mails_written_total",
     "Mails written to the mail directory because there is no mail server."},
    {Observable::mail_sent, "mail.sent", debug, mails, mails_help, "result", "sent"},
    {Observable::mail_delayed, "mail.delayed", warning, mails, mails_help, "result", "delayed"},
    {Observable::mail_lost, "mail.lost", error, mails, mails_help, "result", "lost"},
    {Observable::alert_sent, "alert.sent", info, alerts, alerts_help, "result", "sent"},
    {Observable::alert_delayed, "alert.delayed", warning, alerts, alerts_help, "result", "delayed"},
    {Observable::alert_lost, "alert.lost", error, alerts, alerts_help, "result", "lost"},
    {Observable::workflow_silent, "workflow.silent", warning, silences, silences_help, "of", "workflow"},
    {Observable::import_silent, "import.silent", warning, silences, silences_help, "of", "import"},
    {Observable::scans_silent, "scans.silent", warning, silences, silences_help, "of", "scans"},
    {Observable::silence_over, "silence.over", info},
    {Observable::import_finished, "import.finished", info, imports, imports_help, "result", "finished"},
    {Observable::import_failed, "import.failed", warning, imports, imports_help, "result", "failed"},
    {Observable::import_idle, "import.idle", debug, imports, imports_help, "result", "idle"},
    {Observable::orders_imported, "import.orders_imported", debug, imported_orders, imported_orders_help,
     "outcome", "imported"},
    {Observable::orders_updated, "import.orders_updated", debug, imported_orders, imported_orders_help,
     "outcome", "updated"},
    {Observable::orders_unchanged, "import.orders_unchanged", debug, imported_orders, imported_orders_help,
     "outcome", "unchanged"},
    {Observable::orders_failed, "import.orders_failed", debug, imported_orders, imported_orders_help,
     "outcome", "failed"},
    {Observable::purchase_bought, "purchase.bought", info, purchases, purchases_help, "outcome", "bought"},
    {Observable::purchase_dearer, "purchase.dearer", warning, purchases, purchases_help, "outcome", "dearer"},
    {Observable::purchase_refused, "purchase.refused", info, purchases, purchases_help, "outcome", "refused"},
    {Observable::purchase_unknown, "purchase.unknown", warning, purchases, purchases_help, "outcome",
     "unknown"},
    {Observable::purchase_voided, "purchase.voided", info, purchases, purchases_help, "outcome", "voided"},
    {Observable::purchase_void_refused, "purchase.void_refused", warning, purchases, purchases_help,
     "outcome", "void_refused"},
    {Observable::purchase_stray, "purchase.stray", error, purchases, purchases_help, "outcome", "stray"},
    {Observable::purchase_failed, "purchase.failed", error, "waybill_purchase_defects_total",
     "Purchases whose step ended by an unexpected error and is repeated."},
    {Observable::scans_pulled, "tracking.pulled", debug, pulls, pulls_help, "result", "answered"},
    {Observable::pull_failed, "tracking.failed", warning, pulls, pulls_help, "result", "failed"},
    {Observable::map_service_failed, "maps.failed", warning, "waybill_map_failures_total",
     "Requests to the geocoder or the OSRM server that failed."},
    {Observable::standby_in_use, "standby.in_use", info},
    {Observable::standby_passed_over, "standby.passed_over", warning},
    {Observable::standby_read, "standby.read", debug, standby_reads, standby_reads_help, "server", "standby"},
    {Observable::primary_read, "standby.read_on_primary", debug, standby_reads, standby_reads_help, "server",
     "primary"},
    {Observable::standby_behind, "standby.behind", debug, pass_overs, pass_overs_help, "reason", "behind"},
    {Observable::standby_lagging, "standby.lagging", debug, pass_overs, pass_overs_help, "reason", "lagging"},
    {Observable::standby_conflict, "standby.conflict", debug, pass_overs, pass_overs_help, "reason",
     "conflict"},
    {Observable::standby_unreachable, "standby.unreachable", debug, pass_overs, pass_overs_help, "reason",
     "unreachable"},
    {Observable::standby_promoted, "standby.promoted", debug, pass_overs, pass_overs_help, "reason",
     "promoted"},
    {Observable::standby_foreign, "standby.foreign", debug, pass_overs, pass_overs_help, "reason", "foreign"},
    {Observable::standby_refused, "standby.refused", debug, pass_overs, pass_overs_help, "reason", "refused"},
    {Observable::standby_failed, "standby.failed", debug, pass_overs, pass_overs_help, "reason", "failed"},
});

struct GaugeRow {
  Gauge gauge;
  const char* name;
  const char* help;
  const char* label = nullptr;
  const char* label_value = nullptr;
};

constexpr const char* depth = "waybill_queue_depth";
constexpr const char* depth_help =
    "Runs in the queue: retries, delays, held runs and slow attempts. Every worker counts all of them.";

constexpr auto gauges = std::to_array<GaugeRow>({
    {Gauge::pending_events, "waybill_pending_events",
     "Events that this worker has read and not recorded yet; of a business with many, only the next "
     "thousands."},
    {Gauge::match_lag_seconds, "waybill_match_lag_seconds",
     "Age of the oldest unmatched event of this worker's shards."},
    {Gauge::queue_waiting, depth, depth_help, "status", "waiting"},
    {Gauge::queue_queued, depth, depth_help, "status", "queued"},
    {Gauge::queue_running, depth, depth_help, "status", "running"},
    {Gauge::queue_retrying, depth, depth_help, "status", "retrying"},
    {Gauge::queue_held, depth, depth_help, "status", "held"},
    {Gauge::digests_open, "waybill_digests_open", "Digests whose run has not begun."},
    {Gauge::workflows_unreadable, "waybill_workflows_unreadable",
     "Workflows that this version cannot read; their events and runs wait."},
    {Gauge::businesses_suspended, "waybill_businesses_suspended",
     "Businesses that the operator has suspended."},
    {Gauge::duties_overdue, "waybill_duties_overdue",
     "Background duties that no process has performed for several of their periods. Every process counts all "
     "of "
     "them."},
    {Gauge::runs_in_flight, "waybill_runs_in_flight", "Runs that this process is executing."},
    {Gauge::shards_owned, "waybill_shards_owned", "Shards whose lease this process holds."},
    {Gauge::breakers_open, "waybill_breakers_open", "Destinations whose circuit breaker is open."},
    {Gauge::api_connections, "waybill_api_connections", "Open connections of API clients."},
    {Gauge::held_bytes, "waybill_held_bytes",
     "Bytes of large bodies that are under way and of answers that clients have not taken."},
    {Gauge::database_connections, "waybill_database_connections", "Open connections to PostgreSQL."},
    {Gauge::database_waits, "waybill_database_waits", "Requests that wait for a free database connection."},
    {Gauge::database_up, "waybill_database_up", "1 while PostgreSQL answers."},
    {Gauge::database_primaries, "waybill_database_primaries",
     "Different primaries among several hosts of --database-url; 0 with one host."},
    {Gauge::listen_up, "waybill_listen_up", "1 while the connection that listens for new events is up."},
});

enum class Buckets : std::uint8_t { seconds, long_seconds, sizes };

struct HistogramRow {
  Histogram histogram;
  const char* name;
  const char* help;
  Buckets buckets;
  const char* label = nullptr;
};

constexpr auto histograms = std::to_array<HistogramRow>({
    {Histogram::http_request_seconds, "waybill_http_request_seconds",
     "Time from the complete request to its answer.", Buckets::seconds, "route"},
    {Histogram::statement_seconds, "waybill_statement_seconds", "Duration of a statement.", Buckets::seconds,
     "statement"},
    {Histogram::database_wait_seconds, "waybill_database_wait_seconds",
     "Wait of a request for a free database connection; requests without a wait do not count.",
     Buckets::seconds},
    {Histogram::event_age_seconds, "waybill_event_age_seconds",
     "Time from commit to matching of the oldest event of each batch.", Buckets::long_seconds},
    {Histogram::first_attempt_seconds, "waybill_first_try_seconds",
     "Time from commit to the start of a run's first attempt; delayed workflows do not count.",
     Buckets::long_seconds},
    {Histogram::run_age_seconds, "waybill_run_age_seconds", "Time from the event to the end of the run.",
     Buckets::long_seconds},
    {Histogram::attempt_seconds, "waybill_try_seconds", "Duration of one attempt.", Buckets::seconds,
     "action"},
    {Histogram::match_batch_seconds, "waybill_match_batch_seconds",
     "Duration of matching one batch of events.", Buckets::seconds},
    {Histogram::record_batch_seconds, "waybill_record_batch_seconds",
     "Duration of recording one batch of runs.", Buckets::seconds},
    {Histogram::match_batch_events, "waybill_match_batch_events", "Events in one batch.", Buckets::sizes},
    {Histogram::duty_seconds, "waybill_duty_seconds", "Duration of one pass of a background duty.",
     Buckets::long_seconds, "duty"},
    {Histogram::import_seconds, "waybill_import_seconds", "Duration of one import from a store.",
     Buckets::long_seconds},
    {Histogram::gateway_call_seconds, "waybill_gateway_call_seconds",
     "Duration of a call of a purchase to a carrier gateway.", Buckets::long_seconds, "call"},
});

template <typename Rows, typename Key>
constexpr bool rows_are_indexed_by(const Rows& rows, Key key, std::size_t count) {
  if (rows.size() != count) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].*key) != i) return false;
  }
  return true;
}
static_assert(rows_are_indexed_by(observables, &ObservableRow::observable, observable_count));
static_assert(rows_are_indexed_by(gauges, &GaugeRow::gauge, gauge_count));
static_assert(rows_are_indexed_by(histograms, &HistogramRow::histogram, histogram_count));

const prometheus::Histogram::BucketBoundaries& boundaries(Buckets buckets) {
  static const prometheus::Histogram::BucketBoundaries seconds{
      0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15};
  static const prometheus::Histogram::BucketBoundaries long_seconds{
      0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7'200, 36'000, 150'000};
  static const prometheus::Histogram::BucketBoundaries sizes{1, 2, 5, 10, 25, 50, 100, 250, 500, 1000};
  switch (buckets) {
    case Buckets::seconds:
      return seconds;
    case Buckets::long_seconds:
      return long_seconds;
    case Buckets::sizes:
      break;
  }
  return sizes;
}

// The counters, gauges and histograms; series without a variable label are created once.
class Metrics {
 public:
  Metrics() {
    for (const ObservableRow& row : observables) {
      if (row.counter == nullptr) continue;
      prometheus::Labels labels;
      if (row.label != nullptr) labels.emplace(row.label, row.label_value);
      counters_.at(static_cast<std::size_t>(row.observable)) =
          &prometheus::BuildCounter().Name(row.counter).Help(row.help).Register(registry).Add(labels);
    }
    for (const GaugeRow& row : gauges) {
      prometheus::Labels labels;
      if (row.label != nullptr) labels.emplace(row.label, row.label_value);
      gauges_.at(static_cast<std::size_t>(row.gauge)) =
          &prometheus::BuildGauge().Name(row.name).Help(row.help).Register(registry).Add(labels);
    }
    for (const HistogramRow& row : histograms) {
      const auto at = static_cast<std::size_t>(row.histogram);
      families_.at(at) = &prometheus::BuildHistogram().Name(row.name).Help(row.help).Register(registry);
      if (row.label == nullptr) series_.at(at) = &families_.at(at)->Add({}, boundaries(row.buckets));
    }
    answers_ = &prometheus::BuildCounter()
                    .Name(answers_by_route)
                    .Help("Requests answered, by route and status.")
                    .Register(registry);
  }

  // Null for an observable that is only logged.
  prometheus::Counter* counter(Observable observable) {
    return counters_[static_cast<std::size_t>(observable)];
  }
  prometheus::Gauge& gauge(Gauge which) { return *gauges_[static_cast<std::size_t>(which)]; }
  // Null if the histogram has a label.
  prometheus::Histogram* histogram(Histogram which) { return series_[static_cast<std::size_t>(which)]; }
  prometheus::Histogram& add(Histogram which, std::string_view label) {
    const auto at = static_cast<std::size_t>(which);
    const HistogramRow& row = histograms.at(at);
    prometheus::Labels labels;
    if (row.label != nullptr) labels.emplace(row.label, label);
    return families_[at]->Add(labels, boundaries(row.buckets));
  }

  prometheus::Counter& answers(std::string_view route, int status) {
    return answers_->Add({{"route", std::string(route)}, {"status", std::to_string(status)}});
  }

  prometheus::Registry registry;

 private:
  std::array<prometheus::Counter*, observable_count> counters_{};
  std::array<prometheus::Gauge*, gauge_count> gauges_{};
  std::array<prometheus::Family<prometheus::Histogram>*, histogram_count> families_{};
  std::array<prometheus::Histogram*, histogram_count> series_{};
  prometheus::Family<prometheus::Counter>* answers_ = nullptr;
};

// Never destroyed, because threads may report until the process ends.
Metrics& all_metrics() {
  static auto* const all = new Metrics;
  return *all;
}

std::atomic<LogFormat> log_format{LogFormat::text};
std::atomic<LogLevel> least_level{info};

struct LevelRow {
  LogLevel level;
  std::string_view name;
  std::string_view capitals;
};

constexpr auto levels = std::to_array<LevelRow>({
    {debug, "debug", "DEBUG"},
    {info, "info", "INFO"},
    {warning, "warning", "WARN"},
    {error, "error", "ERROR"},
});
static_assert(rows_are_indexed_by(levels, &LevelRow::level, levels.size()));

std::string log_line(const ObservableRow& row, std::initializer_list<Attribute> attributes) {
  return format_log_line(log_format.load(std::memory_order_relaxed), format_timestamp(system_clock().now()),
                         row.level, row.name, attributes);
}

/// The log on stderr. Any thread.
class Log {
 public:
  void write(const std::string& line) {
    const Lock guard(mutex_);
    if (dropped_ > 0) {
      const ObservableRow& row = observables[static_cast<std::size_t>(Observable::lines_dropped)];
      if (output_.write(log_line(row, {{"lines", dropped_}}))) dropped_ = 0;
    }
    if (dropped_ == 0 && output_.write(line)) return;
    ++dropped_;
    all_metrics().counter(Observable::lines_dropped)->Increment();
  }

 private:
  Mutex mutex_;
  LineOutput output_ GUARDED_BY(mutex_){STDERR_FILENO};
  std::uint64_t dropped_ GUARDED_BY(mutex_) = 0;  // since the last line about them
};

// Never destroyed, like the metrics.
Log& stderr_log() {
  static auto* const instance = new Log;
  return *instance;
}

bool needs_quotes(std::string_view text) {
  return text.empty() || std::ranges::any_of(text, [](char c) {
           return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f;
         });
}

void append_string(std::string& line, LogFormat format, std::string_view value) {
  const std::string text = to_text(value);
  if (format == LogFormat::json || needs_quotes(text)) {
    append_json_string(line, text);
  } else {
    line += text;
  }
}

void append_value(std::string& line, LogFormat format, const Attribute& attribute) {
  if (const auto* text = std::get_if<std::string_view>(&attribute.value)) {
    append_string(line, format, *text);
  } else if (const auto* number = std::get_if<std::int64_t>(&attribute.value)) {
    line += std::to_string(*number);
  } else if (const auto* real = std::get_if<double>(&attribute.value)) {
    append_json(line, json::value(*real));
  } else {
    line += std::get<bool>(attribute.value) ? "true" : "false";
  }
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view text) {
  const auto found = std::ranges::find(levels, text, &LevelRow::name);
  if (found == levels.end()) return std::nullopt;
  return found->level;
}

std::optional<LogFormat> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::text;
  if (text == "json") return LogFormat::json;
  return std::nullopt;
}

void observe(Observable observable, std::initializer_list<Attribute> attributes, std::uint64_t times) {
  const ObservableRow& row = observables[static_cast<std::size_t>(observable)];
  if (auto* counter = all_metrics().counter(observable)) counter->Increment(static_cast<double>(times));
  if (row.level < least_level.load(std::memory_order_relaxed)) return;
  stderr_log().write(log_line(row, attributes));
}

void configure_logging(LogFormat format, LogLevel least) {
  log_format = format;
  least_level = least;
}

void set_gauge(Gauge gauge, double value) { all_metrics().gauge(gauge).Set(value); }

void add_to_gauge(Gauge gauge, double change) { all_metrics().gauge(gauge).Increment(change); }

void record(Histogram histogram, double value) {
  if (auto* series = all_metrics().histogram(histogram)) series->Observe(value);
}

prometheus::Histogram& series(Histogram histogram, std::string_view label) {
  return all_metrics().add(histogram, label);
}

prometheus::Counter& answers(std::string_view route, int status) {
  return all_metrics().answers(route, status);
}

std::vector<std::string_view> metric_names() {
  std::vector<std::string_view> names{answers_by_route};
  for (const ObservableRow& row : observables) {
    if (row.counter != nullptr) names.emplace_back(row.counter);
  }
  for (const GaugeRow& row : gauges) names.emplace_back(row.name);
  for (const HistogramRow& row : histograms) names.emplace_back(row.name);
  return names;
}

std::string metrics_text() {
  return prometheus::TextSerializer().Serialize(all_metrics().registry.Collect());
}

std::string format_log_line(LogFormat format, std::string_view timestamp, LogLevel level,
                            std::string_view event, std::initializer_list<Attribute> attributes) {
  const LevelRow& row = levels[static_cast<std::size_t>(level)];
  std::string line;
  line.reserve(128);
  if (format == LogFormat::text) {
    line.append(timestamp).append(" ").append(row.capitals).append(" ").append(event);
    for (const Attribute& attribute : attributes) {
      line.append(" ").append(attribute.name).append("=");
      append_value(line, format, attribute);
    }
    return line;
  }
  line.append("{\"ts\":\"").append(timestamp).append("\",\"level\":\"").append(row.name);
  line.append("\",\"event\":\"").append(event).append("\"");
  for (const Attribute& attribute : attributes) {
    line += ',';
    append_json_string(line, attribute.name);
    line += ':';
    append_value(line, format, attribute);
  }
  line += '}';
  return line;
}

std::string_view observable_name(Observable observable) {
  return observables.at(static_cast<std::size_t>(observable)).name;
}

}  // namespace waybill
