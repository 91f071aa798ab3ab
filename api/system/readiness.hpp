#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/thread/mutex.hpp"
#include "storage/database/database.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// The checks behind /readyz, shared by all io threads. At most once a second, or ten times a second while
/// there is a fault, one thread runs a check; the others use its last result.
class Readiness {
 public:
  /// Returns the reason why the database cannot serve, empty if it can: it is unreachable, a standby,
  /// read-only, without room on its disk, or its schema lacks a migration of this program.
  asio::awaitable<std::string> database_fault(storage::Database& database);

  /// Returns the reason why workers do not keep up, empty if they do: none is running, or events have waited
  /// for more than a minute.
  asio::awaitable<std::string> worker_fault(storage::Database& database);

  /// Notes that the database refused a write because its disk is full. From then on each check of the
  /// database tries whether there is room, until there is.
  void note_full_disk() { disk_was_full_ = true; }

 private:
  using Moment = std::chrono::steady_clock::time_point;
  enum class Subject : std::size_t { database, workers };
  /// The last result of a check.
  struct Result {
    std::optional<std::string> fault;  // nullopt before the first check
    Moment at{};                       // time of the check
    Moment next_check{};
  };
  using Check = asio::awaitable<std::string> (Readiness::*)(storage::Database& database);

  asio::awaitable<std::string> check_database(storage::Database& database);
  asio::awaitable<std::string> check_workers(storage::Database& database);
  asio::awaitable<bool> disk_is_full(storage::Database& database);

  /// Returns the stored result, or that of a new check if it is due.
  asio::awaitable<std::string> cached(Subject subject, Check check, storage::Database& database);
  Result& result_of(Subject subject) REQUIRES(mutex_) { return results_[static_cast<std::size_t>(subject)]; }

  std::atomic<bool> disk_was_full_ = false;
  Mutex mutex_;
  std::array<Result, 2> results_ GUARDED_BY(mutex_);  // by Subject
};

}  // namespace waybill::api
