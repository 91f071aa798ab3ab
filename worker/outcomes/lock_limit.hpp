#pragma once

#include <chrono>

#include "base/clock.hpp"

namespace waybill::worker {

constexpr Duration lock_retry_delay = std::chrono::milliseconds(250);  // of an entry that met a lock

/// The time for which the recorder's session waits for a lock. A batch normally has the limit of
/// worker_limits, which outlasts the short locks of whole tables. A batch that meets a lock delays all
/// others, so the limit is shorter while entries are set aside, and for a single entry. After one entry of a
/// batch has met a lock, the others wait for 1 ms only. Pure; one thread.
class LockLimit {
 public:
  /// Notes a new session, which has the limit of worker_limits.
  void connected();
  /// Notes that a batch with several entries, or one that was set aside, begins.
  void begin_batch() { has_met_lock_ = false; }
  /// Notes that a single entry of the batch has met a lock.
  void met_lock() { has_met_lock_ = true; }

  /// The statement that sets the limit for what is written next, one entry if `is_single`; null if the
  /// session has this limit. The statement counts as run.
  const char* next_statement(bool is_single, bool any_set_aside);

 private:
  const char* set_by_ = nullptr;  // the statement that set the session's limit
  bool has_met_lock_ = false;
};

}  // namespace waybill::worker
