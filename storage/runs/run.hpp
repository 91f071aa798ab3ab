#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/records/record_type.hpp"
#include "storage/changes/record_change.hpp"
#include "storage/runs/step_progress.hpp"

namespace waybill::storage {

/// waiting: delayed · queued: due · running: leased by a worker · retrying: the next attempt is due later ·
/// held: its workflow is paused. The last three are final.
enum class RunStatus : std::uint8_t { waiting, queued, running, retrying, held, succeeded, dead, skipped };

std::string_view text(RunStatus status);
inline bool is_final(RunStatus status) { return status >= RunStatus::succeeded; }

/// A run without its state (RunState): its names, its cause, its place in the queue and its texts. The names
/// and the cause stay. Rendering sets the place and the texts, and each step that begins sets the action.
struct RunKey {
  // The names: with `claim`, those of QueuedKey.
  Guid business_id;
  Guid guid;
  Guid workflow_id;
  // The cause, and the action.
  int workflow_version = 0;
  std::uint64_t event_id = 0;
  domain::EntityType entity_type{};
  Guid entity_id;
  std::string trigger_code;
  std::string action;  // type of the action
  Time created_at;
  Guid origin;  // guid of the run that supplies the webhook-id
  std::optional<Guid> replay_of;
  // The place in the queue.
  std::string destination;
  bool ordered = false;  // waits for the earlier runs of its workflow for its record
  // The texts.
  std::string request;  // JSON of the action's plan without the body; or `deferred_request`
  std::optional<std::string> body;
  // Further facts.
  int depth = 0;  // number of changes by workflows that led to the event
  // Hash of the value by which the limit of its workflow counts the run; empty: not limited. Stored apart
  // from the run, in limited_runs.
  std::string limit_value = {};
  // The addresses of a mail whose texts are new (storage/settings/address_hash.hpp), each once. Stored apart
  // from the run, in mail_addresses.
  std::vector<Guid> addresses = {};
  int claim = 0;               // as that of QueuedKey
  bool watches = false;        // later events of the record concern the run; stored as run_queue.watch_after
  Time workflow_created_at{};  // creation of the workflow; not stored, so not set for a claimed run
};

/// Names a run in the queue, and a claim of it. The workflow makes the search for it exact in each index that
/// has its guid.
struct QueuedKey {
  Guid business_id;
  Guid workflow_id;
  Guid guid;
  /// The number of the claim by which the worker holds the run; 0 for a run that has been its own since the
  /// event.
  int claim = 0;
};

inline QueuedKey queued_key(const RunKey& key) {
  return {key.business_id, key.workflow_id, key.guid, key.claim};
}

/// The request of a queued run that is not rendered yet. The worker that claims the run renders its request
/// and body from the event.
inline constexpr std::string_view deferred_request = "null";
/// The code of a run that waits until the purchase of a label, or its void, is final.
inline constexpr std::string_view label_code = "LABEL";
/// The `entity_id` of a run that is for a list of records.
inline constexpr Guid no_record{};
/// The step number under which run_step_texts holds the list of a run for all records of a schedule's query.
inline constexpr int list_text_number = 0;
/// The destination of a run of several steps while it waits for its next step to begin.
inline std::string step_destination(const Guid& business, const Guid& run) {
  return "steps/" + std::to_string(run.bytes.back() % 8) + '/' + business.to_string();
}
inline bool is_step_destination(std::string_view destination) { return destination.starts_with("steps/"); }
/// The destination of the runs of a business that change records.
inline std::string change_destination(const Guid& business) { return "changes/" + business.to_string(); }
/// The column of this name in the queue: the type of the action if it changes a record.
inline std::optional<std::string> changing_action(const std::string& action) {
  return changes_record(action) ? std::optional(action) : std::nullopt;
}
inline bool is_deferred(const RunKey& key) { return key.request == deferred_request; }

/// True for the event id of a run without an event, such as that of a timer. As a bigint it is negative.
inline bool is_eventless(std::uint64_t event_id) { return static_cast<std::int64_t>(event_id) < 0; }

/// Returns the size in bytes of a run's unbounded texts.
inline std::size_t byte_size(const RunKey& key) {
  return key.request.size() + (key.body ? key.body->size() : 0);
}

/// The part of a run that an attempt changes.
struct RunState {
  RunStatus status = RunStatus::queued;
  std::optional<std::string> code;
  std::optional<std::string> error;
  int attempts = 0;
  std::string tries = "[]";  // JSON array
  Time at;                   // finished_at of a final state, otherwise due_at
  /// Requested by an attempt that has not ended; its result decides the next state. Until then the state is
  /// the one before the attempt.
  std::shared_ptr<const RecordChange> change = nullptr;
  bool destination_down = false;  // the attempt opened the circuit breaker of its destination; not stored
  StepProgressPtr progress = nullptr;  // null for a run of one action, and until the first step begins
};

/// True for the state of a run that waits for its next step, or in a step of type `wait`.
inline bool awaits_step(const RunState& state) {
  return state.progress && !is_final(state.status) &&
         (!state.progress->started_at || (state.progress->until && state.status == RunStatus::waiting));
}

/// The attempts of the current step; all attempts of a run of one action.
inline int attempts_of_step(const RunState& state) {
  return state.attempts - (state.progress ? state.progress->attempts_before : 0);
}

struct Run {
  RunKey key;
  RunState state;
};

/// True for a run of several steps whose current step has its texts and is to be performed.
inline bool performs_step(const Run& run) {
  return run.state.progress && run.state.status == RunStatus::running && !is_deferred(run.key);
}

}  // namespace waybill::storage
