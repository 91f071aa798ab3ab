#include "api/customers/erasure_steps.hpp"

#include <algorithm>
#include <chrono>
#include <span>

#include "base/error.hpp"
#include "base/pause.hpp"
#include "storage/sql/audit_log.sql.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::api {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t first_size = 50;
constexpr std::size_t largest_size = 2'000;
constexpr auto longest_portion = std::chrono::milliseconds(200);  // writers of the same records wait for it
constexpr auto longest_turn = std::chrono::milliseconds(300);
constexpr int most_refusals = 20;
constexpr auto pause_after_refusal = std::chrono::milliseconds(250);

struct Progress {
  std::size_t step = 0;
  std::size_t size = first_size;
  int refusals = 0;  // in succession
};

void take_turn(storage::Session& session, const std::string& cause, std::span<const Step> steps,
               Progress& progress) {
  // While a portion waits for a lock, writers wait for the locks that it holds.
  session.execute("set default_transaction_read_only = off; set lock_timeout = '500ms'");
  session.run(storage::sql::audit_log::SetAuthor{.cause = cause});
  const auto end = Clock::now() + longest_turn;
  do {
    const auto begun = Clock::now();
    const bool goes_on = steps[progress.step](session, progress.size);
    progress.refusals = 0;
    if (!goes_on) {
      ++progress.step;
      progress.size = first_size;
    } else if (const auto taken = Clock::now() - begun; taken > longest_portion) {
      progress.size = std::max<std::size_t>(progress.size / 2, 1);
    } else if (taken < longest_portion / 4) {
      progress.size = std::min(progress.size * 2, largest_size);
    }
  } while (progress.step < steps.size() && Clock::now() < end);
}

}  // namespace

asio::awaitable<void> perform(Analysis& analysis, Guid business, std::string cause, std::vector<Step> steps) {
  Progress progress;
  while (progress.step < steps.size()) {
    bool is_refused = false;
    try {
      // The coroutine waits for the work, so the references in it stay valid.
      co_await analysis.run(business, [&](storage::Session& session) {
        take_turn(session, cause, steps, progress);
        return true;
      });
    } catch (const storage::StatementError& error) {
      if (!storage::is_lock_conflict(error) && !storage::is_canceled(error)) throw;
      is_refused = true;
    } catch (const Failure& failure) {
      if (failure.code() != ErrorCode::unavailable) throw;
      is_refused = true;
    }
    if (!is_refused) continue;
    if (++progress.refusals > most_refusals) {
      throw Failure(ErrorCode::unavailable, "Other changes hold data of the person; repeat the request.")
          .with_retry_after(std::chrono::seconds(10));
    }
    progress.size = std::max<std::size_t>(progress.size / 4, 1);
    co_await pause(pause_after_refusal);
  }
}

}  // namespace waybill::api
