#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.hpp"
#include "base/secret_box.hpp"
#include "storage/blocking/connection.hpp"

namespace waybill::worker {

struct DutyOptions {
  std::string database_url;
  int retention_days = 30;  // retention of events and runs
  int positions_retention_days = 90;
  int deleted_retention_days = 90;  // retention of deleted records
  const SecretBox& secrets;         // encrypts mails
  Duration longest_run{};           // from a run's first attempt to its last
};

/// Periodic work, done by one worker at a time. Repeating or interrupting it is harmless.
struct Duty {
  std::string_view name;
  Duration every;
  void (*perform)(storage::blocking::Connection& session, const DutyOptions& options);
};

/// All duties. A new duty needs a file and a line in registry.cpp.
std::span<const Duty> all_duties();

void keep_partitions(storage::blocking::Connection& session, const DutyOptions& options);
void fold_counts(storage::blocking::Connection& session, const DutyOptions& options);
void sum_counts(storage::blocking::Connection& session, const DutyOptions& options);
void postpone_blocked(storage::blocking::Connection& session, const DutyOptions& options);
void release_held(storage::blocking::Connection& session, const DutyOptions& options);
void expire(storage::blocking::Connection& session, const DutyOptions& options);
void expire_timers(storage::blocking::Connection& session, const DutyOptions& options);
void expire_uploads(storage::blocking::Connection& session, const DutyOptions& options);
void expire_limits(storage::blocking::Connection& session, const DutyOptions& options);
void purge_deleted(storage::blocking::Connection& session, const DutyOptions& options);
void expire_history(storage::blocking::Connection& session, const DutyOptions& options);
void silence_devices(storage::blocking::Connection& session, const DutyOptions& options);
void pause_failing(storage::blocking::Connection& session, const DutyOptions& options);
void check_ledger(storage::blocking::Connection& session, const DutyOptions& options);
void read_passed_over(storage::blocking::Connection& session, const DutyOptions& options);
void measure_queue(storage::blocking::Connection& session, const DutyOptions& options);

/// Performs the duties when they are due, and all at the start, on a dedicated thread and session.
class Duties {
 public:
  using Options = DutyOptions;
  explicit Duties(Options options);
  ~Duties();
  Duties(const Duties&) = delete;
  Duties& operator=(const Duties&) = delete;

 private:
  void run();
  void perform(const Duty& duty);

  Options options_;
  std::unique_ptr<storage::blocking::Connection> session_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace waybill::worker
