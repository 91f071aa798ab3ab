#include "api/threads/analysis.hpp"

#include <chrono>

#include "base/pause.hpp"
#include "storage/standbys/standby_session.hpp"

namespace waybill::api {
namespace {

constexpr const char* application_name = "waybill analysis";
constexpr auto patience = std::chrono::seconds(1);
constexpr auto lock_pause = std::chrono::milliseconds(200);
constexpr const char* begin =
    "reset all; set statement_timeout = '10s'; set lock_timeout = '50ms'; set "
    "default_transaction_read_only = on";

}  // namespace

asio::awaitable<void> Analysis::perform(Guid business, std::optional<storage::StandbyTarget> standby,
                                        SessionWork work) {
  const auto patient_until = std::chrono::steady_clock::now() + patience;
  for (;; co_await pause(lock_pause)) {
    try {
      co_return co_await background_.run(business, [this, standby, work] {
        if (standby && storage::run_on_standby(*standby, application_name, begin, work)) return;
        on_primary(work);
      });
    } catch (const storage::StatementError& error) {
      if (!storage::is_lock_conflict(error) || std::chrono::steady_clock::now() >= patient_until) throw;
    }
  }
}

void Analysis::on_primary(const SessionWork& work) {
  auto session = take_session();
  try {
    work(*session);
    give_back(std::move(session));
  } catch (const storage::StatementError& error) {
    if (storage::is_lock_conflict(error)) give_back(std::move(session));
    throw;
  }
}

Analysis::SessionHandle Analysis::take_session() {
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

Analysis::SessionHandle Analysis::new_session() {
  auto session = std::make_unique<storage::Session>(database_url_, application_name);
  session->execute(begin);
  return session;
}

Analysis::SessionHandle Analysis::take_idle() {
  const Lock lock(mutex_);
  if (idle_.empty()) return nullptr;
  SessionHandle session = std::move(idle_.back());
  idle_.pop_back();
  return session;
}

void Analysis::give_back(SessionHandle session) {
  const Lock lock(mutex_);
  idle_.push_back(std::move(session));
}

}  // namespace waybill::api
