#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/database/database.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// The end of an attempt of a job that a call has stopped, or whose lease is lost. Nothing that is not
/// committed happens.
class JobStopped final : public std::exception {
 public:
  const char* what() const noexcept override { return "the job is stopped or another process performs it"; }
};

/// How far a job is. `done` and `total` count what its kind counts (docs/jobs.md); `total` is empty if it is
/// unknown. `place` is where the next portion begins; it holds no personal data.
struct JobProgress {
  std::int64_t done = 0;
  std::optional<std::int64_t> total = {};
  std::string place = {};
};

/// Thrown by a handler whose job waits for the work of another process. What the handler has written is
/// committed with `progress`, the job keeps no place of the process, and the handler is called again after
/// `delay`.
class JobWaits final : public std::exception {
 public:
  JobWaits(Duration delay, JobProgress progress) : delay_(delay), progress_(std::move(progress)) {}
  Duration delay() const { return delay_; }
  const JobProgress& progress() const { return progress_; }
  const char* what() const noexcept override { return "the job waits"; }

 private:
  Duration delay_;
  JobProgress progress_;
};

/// How long a process keeps a job without renewing its lease: after a crash the job is continued that late.
inline constexpr std::string_view job_lease_time = "15 s";

/// The job that performs a call. A handler finds it in Call::job; all else that it does is the same as
/// without a job. All writes of the handler to the database of its Services are one transaction with the end
/// of the job, so they happen once, or not at all if the job is stopped before. Used by one coroutine.
class Job {
 public:
  struct Held {
    Guid business, guid;
    Guid lease;
    Time started_at;
    JobProgress progress;
  };

  /// `db` is not that of the handler's transaction. It outlives the job.
  Job(storage::Database& db, Held held) : db_(db), held_(std::move(held)) {}

  /// The time of the call.
  Time started_at() const { return held_.started_at; }
  /// That of the last portion, also if another process performed it.
  const JobProgress& progress() const { return held_.progress; }

  /// Shows how far the job is. Throws JobStopped if it shall end or the business is suspended, and what
  /// Database throws.
  asio::awaitable<void> note(std::int64_t done, std::optional<std::int64_t> total);

  /// Performs one portion: `statement` and the progress that `progress_of(rows)` returns are one transaction
  /// of their own, so that no portion is repeated or left out after a crash. Throws JobStopped (the portion
  /// is rolled back), and what `progress_of` and Database throw. Returns the rows.
  template <storage::TypedStatement S, class ProgressOf>
  asio::awaitable<storage::ResultOf<S>> portion(const S& statement, storage::Cause cause,
                                                ProgressOf progress_of) {
    const auto transaction = co_await db_.begin(std::move(cause));
    auto rows = co_await transaction->run(statement);
    JobProgress next = progress_of(rows);
    co_await advance(*transaction, next);
    co_await transaction->commit();
    held_.progress = std::move(next);
    co_return rows;
  }

 private:
  asio::awaitable<void> advance(storage::Transaction& transaction, const JobProgress& next) const;

  storage::Database& db_;
  Held held_;
};

}  // namespace waybill::api
