#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/records/record_type.hpp"
#include "storage/status_change.hpp"

namespace waybill::storage {

/// waiting: its delay lasts · queued: due · running: a worker has it · retrying: the next try is due later ·
/// held: its workflow is paused. The last three are final.
enum class RunStatus : std::uint8_t { waiting, queued, running, retrying, held, succeeded, dead, skipped };

std::string_view text(RunStatus status);
inline bool is_final(RunStatus status) { return status >= RunStatus::succeeded; }

/// What identifies a run and never changes.
struct RunKey {
  Guid business_id;
  Guid guid;
  Guid workflow_id;
  int workflow_version = 0;
  std::uint64_t event_id = 0;
  domain::EntityType entity_type{};
  Guid entity_id;
  std::string trigger_code;
  std::string action;  // its type
  Time created_at;
  Guid origin;  // the run whose guid is the webhook-id
  std::optional<Guid> replay_of;
  std::string destination;
  bool ordered = false;  // waits for the earlier runs of its workflow for its record
  std::string request;   // JSON, what the action's plan holds besides the body; or `deferred_request`
  std::optional<std::string> body;
  int depth = 0;         // number of changes by workflows that led to the event
  Time workflow_made{};  // not stored; known on the fast path alone
};

/// The request of a run in the queue that is not rendered yet: a worker that claims the run renders request
/// and body from the event.
inline constexpr std::string_view deferred_request = "null";
inline bool is_deferred(const RunKey& key) { return key.request == deferred_request; }

/// Bytes of a run's texts that have no small bound.
inline std::size_t byte_size(const RunKey& key) {
  return key.request.size() + (key.body ? key.body->size() : 0);
}

/// What a try changes.
struct RunState {
  RunStatus status = RunStatus::queued;
  std::optional<std::string> code;
  std::optional<std::string> error;
  int attempts = 0;
  std::string tries = "[]";  // JSON array
  Time at;                   // finished_at of a final state, else when it is due
  /// Asked for by a try that is not over: what comes of it decides the state, which is as before the try.
  std::shared_ptr<const StatusChange> change = nullptr;
};

struct Run {
  RunKey key;
  RunState state;
};

}  // namespace waybill::storage
