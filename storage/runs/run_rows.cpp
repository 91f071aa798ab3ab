#include "storage/runs/run_rows.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/runs/queued_keys.hpp"
#include "storage/sql/queue.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {
namespace {

constexpr std::string_view queue_columns =
    ", due_at, ordered, depth, lease_owner, ordered_from, changing_action, watch_after";
constexpr std::int16_t queue_column_count = 7;
constexpr std::string_view common_columns =
    "business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, "
    "action, "
    "status, code, error, attempts, created_at, origin, replay_of, destination, request, body, tries";
constexpr std::int16_t common_column_count = 20;
constexpr std::int16_t limited_column_count = 4;
constexpr double buckets_per_octave = 8;

void append_common(CopyRows& rows, const RunKey& key, const RunState& state) {
  rows.begin_row()
      .guid(key.business_id)
      .guid(key.guid)
      .guid(key.workflow_id)
      .integer(key.workflow_version)
      .bigint(static_cast<std::int64_t>(key.event_id))
      .smallint(static_cast<std::int16_t>(key.entity_type))
      .guid(key.entity_id)
      .text(key.trigger_code)
      .text(key.action)
      .text(storage::text(state.status))
      .maybe_text(state.code)
      .maybe_text(state.error)
      .integer(state.attempts)
      .timestamp(key.created_at)
      .guid(key.origin)
      .maybe_guid(key.replay_of)
      .text(key.destination)
      .text(key.request)
      .maybe_text(key.body)
      .text(state.tries);
}

/// {"BUCKET": RUNS}; nullopt if there are none.
std::optional<std::string> latencies_json(const std::map<int, std::int64_t>& latencies) {
  if (latencies.empty()) return std::nullopt;
  std::string text;
  for (const auto& [bucket, runs] : latencies)
    text.append(text.empty() ? "{\"" : ",\"")
        .append(std::to_string(bucket))
        .append("\":")
        .append(std::to_string(runs));
  return text += '}';
}

}  // namespace

int latency_bucket(Duration latency) {
  const double ms = std::chrono::duration<double, std::milli>(latency).count();
  return std::max(0, static_cast<int>(std::ceil(buckets_per_octave * std::log2(std::max(ms, 1.0)))));
}

double latency_of_bucket(int bucket) { return std::exp2(bucket / buckets_per_octave); }

QueuedRows::QueuedRows() : rows_(common_column_count + queue_column_count), limited_(limited_column_count) {}

void QueuedRows::add(const RunKey& key, const RunState& state, std::optional<Guid> lease_owner,
                     std::optional<std::uint64_t> ordered_from) {
  append_common(rows_, key, state);
  rows_.timestamp(state.at).boolean(key.ordered).integer(key.depth).maybe_guid(lease_owner);
  if (ordered_from)
    rows_.bigint(static_cast<std::int64_t>(*ordered_from));
  else
    rows_.null();
  rows_.maybe_text(changing_action(key.action));
  if (key.watches)
    rows_.bigint(static_cast<std::int64_t>(key.event_id));
  else
    rows_.null();
  if (key.watches && is_eventless(key.event_id)) eventless_watches_.push_back(queued_key(key));
  if (key.limit_value.empty()) return;
  limited_.begin_row().guid(key.business_id).guid(key.guid).guid(key.workflow_id).bytes(key.limit_value);
}

void QueuedRows::write(Session& session) {
  if (rows_.empty()) return;
  session.copy("run_queue (" + std::string(common_columns) + std::string(queue_columns) + ")", rows_.take());
  begin_watches(session);
  if (limited_.empty()) return;
  session.copy("limited_runs (business_id, run, workflow_id, value)", limited_.take());
}

void QueuedRows::begin_watches(Session& session) {
  QueuedKeys keys;
  for (const QueuedKey& key : std::exchange(eventless_watches_, {})) keys.add(key);
  if (keys.empty()) return;
  session.run_with_fresh_plan(sql::queue::BeginWatches{.businesses = binary_array(keys.businesses),
                                                       .workflows = binary_array(keys.workflows),
                                                       .runs = binary_array(keys.runs)});
}

FinishedRows::FinishedRows() : rows_(common_column_count + 1) {}

void FinishedRows::add(const RunKey& key, const RunState& state) {
  append_common(rows_, key, state);
  rows_.timestamp(state.at);
  Count& count = hours_[{key.business_id, std::chrono::floor<std::chrono::hours>(key.created_at),
                         key.workflow_id, state.status}];
  ++count.runs;
  if (state.status == RunStatus::succeeded) ++count.latencies[latency_bucket(state.at - key.created_at)];
  count.newest_at = std::max(count.newest_at, key.created_at);
}

void FinishedRows::write(Session& session) {
  if (rows_.empty()) return;
  session.copy("runs (" + std::string(common_columns) + ", finished_at)", rows_.take());
  write_counts(session, std::exchange(hours_, {}));
}

void FinishedRows::Count::add(const Count& other) {
  runs += other.runs;
  for (const auto& [bucket, number] : other.latencies) latencies[bucket] += number;
  newest_at = std::max(newest_at, other.newest_at);
}

void FinishedRows::write_counts(Session& session, const Counts& hours) {
  Counts days;
  for (const auto& [count, number] : hours) {
    const auto& [business, hour, workflow, status] = count;
    days[{business, std::chrono::floor<std::chrono::days>(hour), workflow, status}].add(number);
  }
  std::vector<Guid> businesses, workflows;
  std::vector<std::string> units, statuses;
  std::vector<Time> starts;
  std::vector<std::int64_t> runs;
  std::vector<std::optional<std::string>> latencies;
  std::vector<Time> newest;
  const auto append = [&](const char* unit, const Counts& counts) {
    for (const auto& [count, number] : counts) {
      const auto& [business, start, workflow, status] = count;
      businesses.push_back(business);
      units.emplace_back(unit);
      starts.push_back(start);
      workflows.push_back(workflow);
      statuses.emplace_back(storage::text(status));
      runs.push_back(number.runs);
      latencies.push_back(latencies_json(number.latencies));
      newest.push_back(number.newest_at);
    }
  };
  append("day", days);
  append("hour", hours);
  session.run(sql::queue::CountFinished{.businesses = binary_array(businesses),
                                        .units = units,
                                        .starts = binary_array(starts),
                                        .workflows = binary_array(workflows),
                                        .statuses = statuses,
                                        .runs = binary_array(runs),
                                        .latencies = latencies,
                                        .newest = binary_array(newest)});
}

}  // namespace waybill::storage
