#include "storage/run_rows.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/binary.hpp"
#include "storage/sql/queue.sql.hpp"

namespace waybill::storage {
namespace {

constexpr std::string_view queue_columns = ", due_at, ordered, depth, lease_owner";
constexpr std::int16_t queue_column_count = 4;
constexpr std::string_view common_columns =
    "business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, "
    "action, "
    "status, code, error, attempts, created_at, origin, replay_of, destination, request, body, tries";
constexpr std::int16_t common_column_count = 20;

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

}  // namespace

QueuedRows::QueuedRows() : rows_(common_column_count + queue_column_count) {}

void QueuedRows::add(const RunKey& key, const RunState& state, std::optional<Guid> lease_owner) {
  append_common(rows_, key, state);
  rows_.timestamp(state.at).boolean(key.ordered).integer(key.depth).maybe_guid(lease_owner);
}

void QueuedRows::write(Session& session) {
  if (rows_.empty()) return;
  session.copy("run_queue (" + std::string(common_columns) + std::string(queue_columns) + ")", rows_.take());
}

FinishedRows::FinishedRows() : rows_(common_column_count + 1) {}

void FinishedRows::add(const RunKey& key, const RunState& state) {
  append_common(rows_, key, state);
  rows_.timestamp(state.at);
  ++hours_[{key.business_id, std::chrono::floor<std::chrono::hours>(key.created_at), key.workflow_id,
            state.status}];
}

void FinishedRows::write(Session& session) {
  if (rows_.empty()) return;
  session.copy("runs (" + std::string(common_columns) + ", finished_at)", rows_.take());
  write_counts(session, std::exchange(hours_, {}));
}

void FinishedRows::write_counts(Session& session, const Counts& hours) {
  Counts days;
  for (const auto& [count, number] : hours) {
    const auto& [business, hour, workflow, status] = count;
    days[{business, std::chrono::floor<std::chrono::days>(hour), workflow, status}] += number;
  }
  std::vector<Guid> businesses, workflows;
  std::vector<std::string> units, statuses;
  std::vector<Time> starts;
  std::vector<std::int64_t> runs;
  const auto append = [&](const char* unit, const Counts& counts) {
    for (const auto& [count, number] : counts) {
      const auto& [business, start, workflow, status] = count;
      businesses.push_back(business);
      units.emplace_back(unit);
      starts.push_back(start);
      workflows.push_back(workflow);
      statuses.emplace_back(storage::text(status));
      runs.push_back(number);
    }
  };
  append("day", days);
  append("hour", hours);
  session.run(sql::queue::CountFinished{.businesses = binary_array(businesses),
                                        .units = units,
                                        .starts = binary_array(starts),
                                        .workflows = binary_array(workflows),
                                        .statuses = statuses,
                                        .runs = binary_array(runs)});
}

}  // namespace waybill::storage
