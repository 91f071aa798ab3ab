#include "worker/duties/duties.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include <prometheus/histogram.h>

#include "base/observe.hpp"
#include "storage/changes/change_author.hpp"
#include "storage/sql/audit_log.sql.hpp"
#include "storage/sql/duties.sql.hpp"

namespace waybill::worker {
namespace {

using Moment = std::chrono::steady_clock::time_point;
constexpr auto retry_delay = std::chrono::seconds(5);

}  // namespace

Duties::Duties(Options options) : options_(std::move(options)), thread_([this] { run(); }) {}

Duties::~Duties() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void Duties::run() {
  const std::span<const Duty> duties = all_duties();
  std::vector<Moment> due(duties.size(), Moment::min());
  Lock lock(mutex_);
  while (!stopping_) {
    const auto next = std::ranges::min_element(due);
    if (*next > std::chrono::steady_clock::now()) {
      stop_.wait_until(lock, *next, [this]() REQUIRES(mutex_) { return stopping_; });
      continue;
    }
    const Duty& duty = duties[static_cast<std::size_t>(next - due.begin())];
    lock.unlock();
    const Moment begun = std::chrono::steady_clock::now();
    Moment again = begun + duty.every;
    try {
      const bool is_unfinished = perform(duty);
      const Moment ended = std::chrono::steady_clock::now();
      again = is_unfinished ? ended : std::max(again, ended + duty.rest * (ended - begun));
    } catch (const std::exception& error) {
      session_.reset();
      observe(Observable::duty_failed, {{"duty", duty.name}, {"error", std::string_view(error.what())}});
      again = std::chrono::steady_clock::now() + retry_delay;
    }
    *next = again;
    lock.lock();
  }
}

bool Duties::perform(const Duty& duty) {
  if (!session_) {
    session_ = std::make_unique<storage::blocking::Connection>(options_.database_url, "waybill duties");
    // Partition changes lock the parent table, and all writers queue behind a session that waits for it.
    session_->execute("set lock_timeout = '200ms'");
    session_->run(storage::sql::audit_log::SetAuthor{.cause = storage::system_cause});
  }
  const bool is_shared = duty.by == Duty::By::one_worker;
  if (is_shared && session_->run(storage::sql::duties::TakeTurn{.duty = duty.name}).empty()) return false;
  const auto started_at = std::chrono::steady_clock::now();
  const bool is_unfinished = std::visit(
      [&](const auto perform) {
        if constexpr (std::is_same_v<std::remove_const_t<decltype(perform)>, LongDuty>) {
          return perform(*session_, options_);
        } else {
          perform(*session_, options_);
          return false;
        }
      },
      duty.perform);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started_at;
  series(Histogram::duty_seconds, duty.name).Observe(seconds.count());
  if (is_shared) session_->run(storage::sql::duties::EndTurn{.duty = duty.name});
  return is_unfinished;
}

}  // namespace waybill::worker
