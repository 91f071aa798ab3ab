#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/loop.hpp"
#include "base/thread/service.hpp"
#include "net/destination/destination_counts.hpp"
#include "storage/blocking/connection.hpp"
#include "worker/queue/due_floors.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::worker {

struct DutyOptions {
  std::string database_url;
  int retention_days = 30;  // retention of events and runs
  int positions_retention_days = 90;
  int deleted_retention_days = 90;          // retention of deleted records
  const SecretBox& secrets;                 // encrypts mails
  Duration longest_run{};                   // the longest time from a run's first attempt to its last
  std::vector<Duration> retry_delays = {};  // of the retry schedule
  int tolerated_blocked = 400;              // blocked runs of a business that are not postponed
  Duration turn =
      std::chrono::milliseconds(500);  // for the portions of a part of a duty, before other duties' turns
  DueFloors* floors = nullptr;         // of this worker, if it claims runs
  net::DestinationCounts* destinations = nullptr;  // of this worker, if it performs runs
  Guid worker = {};                                // which publishes `destinations`
};

/// Short work, done in one call.
using ShortDuty = void (*)(storage::blocking::Connection& session, const DutyOptions& options);
/// Work in portions, for about one `turn`. Returns true if work is left; the duty is then due again after the
/// other due duties.
using LongDuty = bool (*)(storage::blocking::Connection& session, const DutyOptions& options);

/// Periodic work. Repeating or interrupting it is harmless, and so is performing it twice at once, while a
/// worker of an earlier release runs.
struct Duty {
  enum class By : std::uint8_t { one_worker, each_worker };  // one at a time, or each by itself
  std::string_view name;
  Duration every;
  std::variant<ShortDuty, LongDuty> perform;
  By by = By::one_worker;
  int rest = 0;  // it is due again after this many times its own time at the earliest
};

/// All duties. A new duty needs a file and a line in registry.cpp.
std::span<const Duty> all_duties();

void keep_partitions(storage::blocking::Connection& session, const DutyOptions& options);
bool fold_counts(storage::blocking::Connection& session, const DutyOptions& options);
void sum_counts(storage::blocking::Connection& session, const DutyOptions& options);
bool postpone_blocked(storage::blocking::Connection& session, const DutyOptions& options);
bool release_held(storage::blocking::Connection& session, const DutyOptions& options);
void publish_destinations(storage::blocking::Connection& session, const DutyOptions& options);
bool expire_destinations(storage::blocking::Connection& session, const DutyOptions& options);
bool expire(storage::blocking::Connection& session, const DutyOptions& options);
bool expire_timers(storage::blocking::Connection& session, const DutyOptions& options);
bool expire_uploads(storage::blocking::Connection& session, const DutyOptions& options);
bool expire_limits(storage::blocking::Connection& session, const DutyOptions& options);
bool purge_deleted(storage::blocking::Connection& session, const DutyOptions& options);
bool expire_history(storage::blocking::Connection& session, const DutyOptions& options);
bool silence_devices(storage::blocking::Connection& session, const DutyOptions& options);
void pause_failing(storage::blocking::Connection& session, const DutyOptions& options);
void check_ledger(storage::blocking::Connection& session, const DutyOptions& options);
void read_passed_over(storage::blocking::Connection& session, const DutyOptions& options);
void check_floors(storage::blocking::Connection& session, const DutyOptions& options);
void bring_back_runs(storage::blocking::Connection& session, const DutyOptions& options);
void bring_back_counts(storage::blocking::Connection& session, const DutyOptions& options);
bool watch_firings(storage::blocking::Connection& session, const DutyOptions& options);
bool watch_sources(storage::blocking::Connection& session, const DutyOptions& options);
void measure_queue(storage::blocking::Connection& session, const DutyOptions& options);

/// Performs the duties when they are due, on a dedicated thread and session. At the start those are due that
/// no worker has performed for their period, those that a worker did not finish, and those of each worker.
class Duties final : public Service {
 public:
  using Options = DutyOptions;
  /// Performs `duties`, which outlive the object.
  explicit Duties(Options options, std::span<const Duty> duties = all_duties());

  void start() override { loop_.start(); }
  void stop_accepting() override { loop_.request_stop(); }
  /// Waits for the present turn of a duty.
  void stop(Moment /*until*/) override { loop_.stop(); }

 private:
  Loop::Wait turn();
  void open_session();
  bool learn_turns();
  /// Returns true if work of the duty is left.
  bool perform(const Duty& duty);

  Options options_;
  const std::span<const Duty> duties_;
  PlainThreadSession session_;  // used by loop_ only, as is the next one
  std::vector<Moment> due_;     // the duties, in the order of the list
  bool knows_turns_ = false;    // those of the processes before this one
  Loop loop_{ThreadKind::duties, [this] { return turn(); }};
};

}  // namespace waybill::worker
