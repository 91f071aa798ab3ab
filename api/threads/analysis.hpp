#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/threads/background.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/service.hpp"
#include "base/thread/shared_call.hpp"
#include "storage/database/database.hpp"
#include "storage/session/session.hpp"

namespace waybill::api {

/// Threads for requests that read much of the history of a business, each with at most one blocking session.
/// Businesses take turns (see Background).
class Analysis final : public Service {
 public:
  explicit Analysis(std::string database_url)
      : database_url_(std::move(database_url)),
        background_({.kind = ThreadKind::analysis, .threads = 3, .most = 512, .most_of_one = 32}) {}

  /// Finishes running work and refuses waiting work.
  void stop(Moment until) override { background_.stop(until); }

  /// Returns or throws the result of `work(session)`. Its statements take at most 10 s, wait at most 50 ms
  /// for a lock, and are read-only unless the work sets other values. If a table is locked, the work runs
  /// again for a second, so it must not consume what it owns. Throws Failure (UNAVAILABLE) if too many calls
  /// of the business wait (see Background).
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work&, storage::Session&>> run(Guid business, Work work) {
    const SharedCall<Work, storage::Session&> call(std::move(work));
    co_await perform(business, std::nullopt, call);
    co_return call.take();
  }

  /// As above, on a standby if `db` names one. If the standby fails, the work runs again on the primary.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work&, storage::Session&>> run(storage::Database& db, Guid business,
                                                                      Work work) {
    const SharedCall<Work, storage::Session&> call(std::move(work));
    co_await perform(business, co_await db.standby(), call);
    co_return call.take();
  }

  /// True if a call would wait.
  bool is_busy() const { return background_.is_busy(); }

 private:
  using SessionHandle = std::unique_ptr<storage::Session>;
  using SessionWork = std::function<void(storage::Session&)>;

  /// Runs the work again while it meets a locked table, for a second. It leaves its thread to others between
  /// two attempts.
  asio::awaitable<void> perform(Guid business, std::optional<storage::StandbyTarget> standby,
                                SessionWork work);

  void on_primary(const SessionWork& work);

  /// Returns an idle session with the settings of a new one. Sessions are kept, because closing one and
  /// opening another would exceed the process's number of connections for a moment.
  SessionHandle take_session();
  SessionHandle new_session();
  SessionHandle take_idle();
  void give_back(SessionHandle session);

  std::string database_url_;
  Mutex mutex_;
  std::vector<SessionHandle> idle_ GUARDED_BY(mutex_);
  Background background_;
};

}  // namespace waybill::api
