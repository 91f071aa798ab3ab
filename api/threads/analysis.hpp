#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/threads/background.hpp"
#include "base/pause.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/service.hpp"
#include "storage/database/database.hpp"
#include "storage/session/session.hpp"
#include "storage/standbys/standby_session.hpp"

namespace waybill::api {

/// Threads for requests that read much of the history of a business, each with at most one blocking session.
/// Businesses take turns (see Background).
class Analysis final : public Service {
 public:
  explicit Analysis(std::string database_url)
      : database_url_(std::move(database_url)),
        background_({.kind = ThreadKind::analysis, .threads = 3, .most_waiting = 512, .most_of_one = 32}) {}

  /// Finishes running work and refuses waiting work.
  void stop(Moment until) override { background_.stop(until); }

  /// Returns or throws the result of `work(session)`. Its statements take at most 10 s, wait at most 50 ms
  /// for a lock, and are read-only unless the work sets other values. If a table is locked, the work runs
  /// again for a second, so it must not consume what it owns. Throws Failure (UNAVAILABLE) if too many calls
  /// wait, in total or for the business.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work, storage::Session&>> run(Guid business, Work work) {
    return run_patiently(business, std::nullopt, std::move(work));
  }

  /// As above, on a standby if `db` names one. If the standby fails, the work runs again on the primary.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work, storage::Session&>> run(storage::Database& db, Guid business,
                                                                     Work work) {
    auto standby = co_await db.standby();
    co_return co_await run_patiently(business, std::move(standby), std::move(work));
  }

  /// True if a call would wait.
  bool is_busy() const { return background_.is_busy(); }

 private:
  using SessionHandle = std::unique_ptr<storage::Session>;

  static constexpr const char* application_name = "waybill analysis";
  static constexpr auto patience = std::chrono::seconds(1);
  static constexpr auto lock_pause = std::chrono::milliseconds(200);
  static constexpr const char* begin =
      "reset all; set statement_timeout = '10s'; set lock_timeout = '50ms'; set "
      "default_transaction_read_only = on";

  /// Runs the work again while it meets a locked table, for a second. It leaves its thread to others between
  /// two attempts.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work, storage::Session&>> run_patiently(
      Guid business, std::optional<storage::StandbyTarget> standby, Work work) {
    const auto patient_until = std::chrono::steady_clock::now() + patience;
    for (;; co_await pause(lock_pause)) {
      try {
        co_return co_await background_.run(
            business, [this, standby, work]() mutable { return on_server(standby, work); });
      } catch (const storage::StatementError& error) {
        if (!storage::is_lock_conflict(error) || std::chrono::steady_clock::now() >= patient_until) throw;
      }
    }
  }

  template <class Work>
  std::invoke_result_t<Work, storage::Session&> on_server(
      const std::optional<storage::StandbyTarget>& standby, Work& work) {
    if (standby) {
      if (auto result = storage::run_on_standby(*standby, application_name, begin, work))
        return *std::move(result);
    }
    return on_primary(work);
  }

  template <class Work>
  std::invoke_result_t<Work, storage::Session&> on_primary(Work& work) {
    auto session = take_session();
    try {
      auto result = work(*session);
      give_back(std::move(session));
      return result;
    } catch (const storage::StatementError& error) {
      if (storage::is_lock_conflict(error)) give_back(std::move(session));
      throw;
    }
  }

  /// Returns an idle session with the settings of a new one. Sessions are kept, because closing one and
  /// opening another would exceed the process's number of connections for a moment.
  SessionHandle take_session() {
    if (SessionHandle idle = take_idle()) {
      try {
        idle->execute(begin);
        return idle;
      } catch (const storage::DatabaseUnavailable&) {  // NOLINT(bugprone-empty-catch): a new one may work
      }
    }
    try {
      return new_session();
    } catch (const storage::DatabaseUnavailable&) {
      // libpq does not try the next host if a server ends while it connects.
      return new_session();
    }
  }

  SessionHandle new_session() {
    auto session = std::make_unique<storage::Session>(database_url_, application_name);
    session->execute(begin);
    return session;
  }

  SessionHandle take_idle() {
    const Lock lock(mutex_);
    if (idle_.empty()) return nullptr;
    SessionHandle session = std::move(idle_.back());
    idle_.pop_back();
    return session;
  }

  void give_back(SessionHandle session) {
    const Lock lock(mutex_);
    idle_.push_back(std::move(session));
  }

  std::string database_url_;
  Mutex mutex_;
  std::vector<SessionHandle> idle_ GUARDED_BY(mutex_);
  Background background_;
};

}  // namespace waybill::api
