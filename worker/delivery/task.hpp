#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "actions/action.hpp"
#include "base/json.hpp"
#include "storage/runs/run.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

struct OpenEvent;

/// A run in memory, from its planning or its claim to the end of an attempt. The runner's lock guards it,
/// except that an attempt in flight reads `run`, `request`, `workflow` and `message_id` without the lock:
/// nothing changes them during the attempt.
struct Task {
  enum class Place : std::uint8_t {
    waiting,    // in DestinationQueues
    in_flight,  // an attempt is being made
    gone,       // recorded, queued in the database or dropped
  };
  using Moment = std::chrono::steady_clock::time_point;

  explicit Task(storage::Run of) : run(std::move(of)), action(actions::find_action(run.key.action)) {}

  storage::Run run;
  const actions::Action* action;       // null if this version has no such action
  std::shared_ptr<const void> memory;  // counts the bytes of the texts
  json::object request;
  bool has_new_texts = false;         // the database's queue has the run without its texts
  std::shared_ptr<OpenEvent> event;   // null if the database's queue has the run
  Moment since;                       // when it began to wait
  Moment claimed_at = Moment::max();  // just before its claim from the database's queue, if it was claimed
  Place place = Place::waiting;
  WorkflowPtr workflow;                   // set when its attempt begins
  std::string message_id;                 // set when its attempt begins
  std::optional<Time> start_before = {};  // the queue must pace the run again if its attempt begins later
  std::string step_tries;  // set when its attempt begins: the attempts of its step, if it has several steps

  const Guid& business() const { return run.key.business_id; }
  const std::string& destination() const { return run.key.destination; }
  /// The number of attempts that may be in flight at its destination.
  std::size_t limit() const { return action == nullptr ? SIZE_MAX : action->max_in_flight(); }
};
using TaskPtr = std::shared_ptr<Task>;

}  // namespace waybill::worker
