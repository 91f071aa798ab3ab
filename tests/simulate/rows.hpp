#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "tests/simulate/table.hpp"

namespace waybill::simulate {

/// The columns of an order that the simulation uses; the others are null.
struct Record {
  std::string reference;
  std::string status = "pending";
  std::optional<std::string> notes;
  std::optional<Time> collection;  // collection_date

  bool operator==(const Record&) const = default;
};

/// A change of a record: the row of `events` and of `pending_events`.
struct Event {
  std::uint64_t id;
  Time at;
  Guid business;
  Guid record;
  std::optional<Record> before;  // nullopt: it was created
  Record after;
  std::optional<std::string> cause;
  Xid writer;

  /// True if it fires order_updated: a move of the status alone does not.
  bool updates() const {
    if (!before) return false;
    return before->reference != after.reference || before->notes != after.notes ||
           before->collection != after.collection;
  }
};

/// A row of `workflows`, of orders.
struct WorkflowRow {
  Guid business;
  Guid guid;
  std::string name;
  std::string trigger;
  std::string action;
  bool ordered = false;
  bool paused = false;
  bool deleted = false;
  std::optional<std::string> delay;
  bool email_enabled = true;  // of its business
  int version = 1;
  std::uint64_t epoch = 0;
  Time created_at;
  std::string conditions = "{}";
  std::optional<std::string> cancel_on;

  bool has_digest() const { return trigger.starts_with("6:"); }
  bool has_timer() const { return trigger.starts_with("timer:"); }
  bool watches() const { return trigger.starts_with("5:"); }
  /// True if an event fires it: the code of the trigger is the last part before the terms of a digest.
  bool is_fired_by(const Event& event) const {
    return trigger.find(event.before ? "order_updated" : "order_created") != std::string::npos &&
           (!event.before || event.updates());
  }
};

/// A row of `run_queue`, and of `runs` once it is final.
struct RunRow {
  Guid business, guid, workflow;
  std::int64_t version, event;
  std::int64_t entity_type;
  Guid record;
  std::string trigger, action, status;
  std::optional<std::string> code, error;
  std::int64_t attempts;
  Time created_at;
  Guid origin;
  std::optional<Guid> replay_of;
  std::string destination, request;
  std::optional<std::string> body;
  std::string tries;
  Time due;  // finished_at of a final run
  bool ordered = false;
  std::optional<std::int64_t> depth;
  std::optional<Guid> lease_owner;
  std::int64_t claims = 0;
  std::optional<std::int64_t> ordered_from;
  std::optional<std::string> steps;
  std::int64_t step = 0;  // of `steps`; 0 if none has begun
  std::optional<std::string> changing_action;
  std::optional<std::int64_t> watch_after;
  std::int64_t watched_step = 0;
  std::optional<std::int64_t> awaited_event;
  std::optional<Time> postponed_until;
};

/// A row of `digests`.
struct DigestRow {
  Guid business, guid, workflow;
  std::int64_t version;
  Guid value_key;
  std::string value;
  Time began_at, last_at, due_at, check_at;
  std::int64_t count, bytes;
  bool is_full;
};

/// A row of `digest_items`.
struct DigestItem {
  Guid digest;
  std::int64_t position;
  std::string item;
};

/// A row of `digest_events`.
struct DigestEvent {
  std::int64_t event;
  Guid workflow, digest;
};

/// A row of `run_step_texts` with the number 0.
struct ListText {
  Guid run;
  std::string request;
};

/// A row of `timers`.
struct TimerRow {
  Guid business, workflow, record;
  std::int64_t plan;
  Time value, due_at, check_at;
  std::int64_t event, depth;
};

/// A row of `timer_results`.
struct TimerResult {
  Guid workflow, record;
  Time value, due_at;
  std::int64_t plan;
  std::optional<std::string> run, reason;
};

/// A row of `timer_scans`.
struct TimerScanRow {
  Guid business, workflow;
  std::int64_t plan;
  Guid position;
};

/// A change of a record that an action has requested and a transaction has made.
struct MadeChange {
  Guid run;
  bool operator==(const MadeChange&) const = default;
};

}  // namespace waybill::simulate
