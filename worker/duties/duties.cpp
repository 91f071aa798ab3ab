#include "worker/duties/duties.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include <prometheus/histogram.h>

#include "base/observe.hpp"
#include "storage/changes/change_author.hpp"
#include "storage/sql/audit_log.sql.hpp"
#include "storage/sql/duties.sql.hpp"

namespace waybill::worker {
namespace {

constexpr auto retry_delay = std::chrono::seconds(5);

}  // namespace

Duties::Duties(Options options, std::span<const Duty> duties)
    : options_(std::move(options)),
      duties_(duties),
      // Partition changes lock the parent table, and all writers queue behind a session that waits for it.
      session_(options_.database_url, "waybill duties", {"set lock_timeout = '200ms'"}, {}),
      due_(duties.size(), Moment::min()) {}

/// Performs the duty that has been due for the longest time.
Loop::Wait Duties::turn() {
  const auto next = std::ranges::min_element(due_);
  const Moment begun = std::chrono::steady_clock::now();
  if (*next > begun) return {std::chrono::ceil<Duration>(*next - begun)};
  const Duty& duty = duties_[static_cast<std::size_t>(next - due_.begin())];
  try {
    open_session();
    if (learn_turns()) return {};
    const bool is_unfinished = perform(duty);
    const Moment ended = std::chrono::steady_clock::now();
    *next = is_unfinished ? ended : std::max(begun + duty.every, ended + duty.rest * (ended - begun));
  } catch (const std::exception& error) {
    session_.close();
    observe(Observable::duty_failed, {{"duty", duty.name}, {"error", std::string_view(error.what())}});
    *next = std::chrono::steady_clock::now() + retry_delay;
  }
  return {};
}

void Duties::open_session() {
  session_.open(
      [](auto& session) { session.run(storage::sql::audit_log::SetAuthor{.cause = storage::system_cause}); });
}

/// Postpones the duties that a worker has performed less than a period ago. Returns false if it was done
/// before.
bool Duties::learn_turns() {
  if (knows_turns_) return false;
  std::vector<std::string> names;
  for (const Duty& duty : duties_) {
    if (duty.by == Duty::By::one_worker) names.emplace_back(duty.name);
  }
  const auto turns = session_->run(storage::sql::duties::SinceTurns{.duties = names});
  const Moment now = std::chrono::steady_clock::now();
  for (const auto& row : turns) {
    const auto duty = std::ranges::find(duties_, row.duty, &Duty::name);
    const std::chrono::duration<double> since(row.seconds);
    // A time in the future is of a clock that was wrong.
    if (since < since.zero() || since >= duty->every) continue;
    due_[static_cast<std::size_t>(duty - duties_.begin())] =
        now + duty->every - std::chrono::duration_cast<Duration>(since);
  }
  knows_turns_ = true;
  return true;
}

bool Duties::perform(const Duty& duty) {
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
  if (is_shared && is_unfinished) {
    session_->run(storage::sql::duties::NoteTurn{.duty = duty.name});
  } else if (is_shared) {
    session_->run(storage::sql::duties::EndTurn{.duty = duty.name});
  }
  return is_unfinished;
}

}  // namespace waybill::worker
