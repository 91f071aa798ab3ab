#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <sys/types.h>

#include "tests/harness/postgres.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {

/// `waybill up` on its own cluster, and a second API and a second worker on the same database, all of which
/// can be killed. For one thread at a time, except for `api_port` and `connect`.
class Stack {
 public:
  explicit Stack(std::uint64_t seed);
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  /// Kills a randomly chosen process; returns its name for the log.
  std::string kill_one();
  /// Restarts every process that does not run.
  void repair();

  /// Stops the process of PostgreSQL that writes the WAL of commits with synchronous_commit off, until the
  /// next crash. Commits of others still write the WAL up to their own record.
  void stop_wal_writer();
  /// Kills all processes of PostgreSQL, so that WAL in its memory is lost. `up` starts it again.
  void crash_postgres();
  /// A connection, opened as soon as the database accepts one again; throws std::runtime_error on a timeout.
  Session connect() const;

  /// The port of an API that ran at the last check; the two alternate.
  int api_port() const;
  const std::string& database_url() const { return database_url_; }
  const Waybill& up() const { return *up_; }

 private:
  void start_up();
  std::unique_ptr<Waybill> start_other(const std::string& command);
  std::string kill_postmaster();
  std::string kill_backend();
  void note_ports();

  std::mt19937_64 random_;
  TempDirectory directory_;
  std::string database_url_;
  std::unique_ptr<Waybill> up_;
  std::unique_ptr<Waybill> api_;
  std::unique_ptr<Waybill> worker_;
  bool worker_stopped_ = false;
  pid_t stopped_wal_writer_ = 0;
  mutable std::atomic<std::size_t> turn_ = 0;
  std::array<std::atomic<int>, 2> ports_{};
};

}  // namespace waybill::tests
