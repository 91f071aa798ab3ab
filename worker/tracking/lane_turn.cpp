#include "worker/tracking/lane_turn.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/json.hpp"
#include "base/observe.hpp"
#include "connectors/carrier_scans.hpp"
#include "storage/sql/carriers.sql.hpp"
#include "storage/sql/tracking_pulls.sql.hpp"
#include "worker/tracking/pull_schedule.hpp"

namespace waybill::worker {
namespace {

using std::chrono::steady_clock;
using Problem = connectors::GatewayError::Problem;

constexpr std::size_t calls_at_a_time = 4;
constexpr steady_clock::duration longest_sleep = std::chrono::milliseconds(100);  // at a stop

storage::Cause cause_of(const Guid& business, const connectors::ConnectedCarrier& carrier) {
  const json::object cause{
      {"by", {{"type", "import"}, {"guid", carrier.guid.to_string()}, {"name", carrier.name}}}, {"depth", 0}};
  return {.json = to_json(cause), .business = business};
}

}  // namespace

LaneTurn::LaneTurn(const TurnParts& parts, Lane lane, const asio::any_io_executor& executor)
    : parts_(parts),
      lane_(lane),
      executor_(executor),
      all_ended_(executor, asio::steady_timer::time_point::max()) {}

asio::awaitable<void> LaneTurn::run() {
  if (lane_.must_sweep) co_await sweep();
  co_await take();
  co_await call_all();
  const Duration gap = gap_between_calls(lane_.connector->calls_per_minute());
  co_await parts_.database().write(
      sql::tracking_pulls::Release{.business = lane_.business,
                                   .connector = std::string(lane_.connector->name()),
                                   .worker = parts_.worker,
                                   .was_swept = lane_.must_sweep,
                                   .pause = format_duration(gap),
                                   .sweep = format_duration(sweep_interval)},
      {});
}

asio::awaitable<void> LaneTurn::sweep() {
  co_await parts_.database().write(
      sql::tracking_pulls::Sweep{.business = lane_.business,
                                 .connector = std::string(lane_.connector->name()),
                                 .longest_silence = format_duration(longest_silence),
                                 .pause_underway = format_duration(pause_underway),
                                 .pause_unscanned = format_duration(pause_unscanned)},
      {});
}

/// Reads the due pulls and their accounts, and drops the pulls that are over.
asio::awaitable<void> LaneTurn::take() {
  const auto rows = co_await parts_.database().write(
      sql::tracking_pulls::Take{.business = lane_.business,
                                .connector = std::string(lane_.connector->name()),
                                .limit = pulls_of_turn(lane_.connector->calls_per_minute(), length_of_turn)},
      {});
  std::vector<Guid> dropped_shipments;
  std::vector<std::string> dropped_numbers;
  for (const auto& row : rows) {
    taken_at_ = row.taken_at;
    const bool is_over = !row.status || !must_ask({.status = *row.status,
                                                   .created_at = row.created_at.value(),
                                                   .moved_at = row.status_changed_at,
                                                   .scanned_at = row.last_trace_at},
                                                  row.is_hinted, row.taken_at);
    if (is_over) {
      dropped_shipments.push_back(row.shipment_id);
      dropped_numbers.emplace_back(row.number);
      continue;
    }
    pulls_.push_back({.shipment = row.shipment_id,
                      .carrier = row.carrier_id,
                      .number = std::string(row.number),
                      .status = std::string(*row.status),
                      .failures = row.failures});
    accounts_.try_emplace(
        row.carrier_id,
        Account{.access = {}, .failures = row.account_failures, .is_failing = row.is_failing});
  }
  if (!dropped_shipments.empty()) {
    co_await parts_.database().write(sql::tracking_pulls::Drop{.business = lane_.business,
                                                               .shipments = dropped_shipments,
                                                               .numbers = dropped_numbers,
                                                               .taken_at = taken_at_},
                                     {});
  }
  if (!pulls_.empty()) co_await read_accounts();
}

asio::awaitable<void> LaneTurn::read_accounts() {
  std::vector<Guid> carriers;
  carriers.reserve(accounts_.size());
  for (const auto& [carrier, account] : accounts_) carriers.push_back(carrier);
  const auto rows = co_await parts_.database().write(
      storage::sql::carriers::Connections{.business = lane_.business, .carriers = carriers}, {});
  for (const auto& row : rows) {
    auto access = connectors::connected_carrier(row, lane_.business, parts_.secrets);
    if (access) accounts_.at(row.carrier).access = *std::move(access);
  }
  // An account that was changed since then has its own lane, or none.
  for (auto& [carrier, account] : accounts_) account.is_paused = account.access.connector != lane_.connector;
}

asio::awaitable<void> LaneTurn::call_all() {
  const std::size_t callers = std::min(calls_at_a_time, pulls_.size());
  open_ = callers;
  for (std::size_t i = 0; i < callers; ++i) {
    asio::co_spawn(executor_, call_in_turn(), [self = shared_from_this()](const std::exception_ptr& failed) {
      if (failed) self->failed_ = failed;
      if (--self->open_ == 0) self->all_ended_.cancel();
    });
  }
  boost::system::error_code ended;
  if (open_ > 0) co_await all_ended_.async_wait(asio::redirect_error(asio::use_awaitable, ended));
  if (failed_) std::rethrow_exception(failed_);
}

asio::awaitable<void> LaneTurn::call_in_turn() {
  Gateways gateways;
  while (const Pull* const pull = next_pull()) {
    if (!co_await wait_for_turn()) co_return;
    if (!accounts_.at(pull->carrier).is_paused) co_await ask(*pull, gateways);
  }
}

/// The next pull whose account does not pause; null at the end.
const LaneTurn::Pull* LaneTurn::next_pull() {
  while (next_ < pulls_.size()) {
    const Pull& pull = pulls_[next_++];
    if (!accounts_.at(pull.carrier).is_paused) return &pull;
  }
  return nullptr;
}

/// Waits until the next call may begin. False if none may begin in this turn.
asio::awaitable<bool> LaneTurn::wait_for_turn() {
  const auto begins = std::max(next_call_, steady_clock::now());
  if (begins > began_ + length_of_turn) co_return false;
  next_call_ = begins + gap_between_calls(lane_.connector->calls_per_minute());
  asio::steady_timer timer(executor_);
  while (!parts_.must_stop() && !failed_) {
    const auto left = begins - steady_clock::now();
    if (left <= steady_clock::duration::zero()) co_return true;
    timer.expires_after(std::min(left, longest_sleep));
    co_await timer.async_wait(asio::use_awaitable);
  }
  co_return false;
}

asio::awaitable<void> LaneTurn::ask(const Pull& pull, Gateways& gateways) {
  auto& gateway = gateways[pull.carrier];
  if (!gateway) {
    gateway = parts_.open(accounts_.at(pull.carrier).access, lane_.business, length_of_turn + longest_call);
  }
  connectors::TrackAnswer answer;
  std::optional<connectors::GatewayError> error;
  try {
    answer = co_await gateway->track(pull.number);
  } catch (const connectors::GatewayError& failure) {
    error = failure;
  }
  if (parts_.must_stop()) co_return;  // the stop may have ended the call
  if (error && error->problem() != Problem::refused) co_return co_await note_failure(pull, *error);
  std::string problem;
  try {
    co_await note_answer(pull, answer);
    co_return;
  } catch (const storage::StatementError& failure) {
    problem = failure.what();
  }
  // Scans that cannot be stored delay no other parcel.
  report(pull, problem);
  co_await note_failed_pull(pull);
}

asio::awaitable<void> LaneTurn::note_answer(const Pull& pull, const connectors::TrackAnswer& answer) {
  Account& account = accounts_.at(pull.carrier);
  co_await note_success_of(account);
  const auto transaction = co_await parts_.database().begin(cause_of(lane_.business, account.access));
  const auto applied = co_await connectors::apply_answer(
      *transaction, {.business = lane_.business, .shipment = pull.shipment, .number = pull.number}, answer,
      parts_.clock.now());
  const Duration pause =
      pause_after_answer(applied.moved ? "in_transit" : pull.status, spread_of(pull.shipment, pull.number));
  co_await transaction->run(sql::tracking_pulls::Answered{.business = lane_.business,
                                                          .shipment = pull.shipment,
                                                          .number = pull.number,
                                                          .taken_at = taken_at_,
                                                          .pause = format_duration(pause)});
  co_await transaction->commit();
  observe(Observable::scans_pulled, {{"business", lane_.business.to_string()},
                                     {"shipment", pull.shipment.to_string()},
                                     {"added", static_cast<std::int64_t>(applied.added)}});
}

asio::awaitable<void> LaneTurn::note_success_of(Account& account) {
  if (account.failures == 0 && !account.is_failing) co_return;
  const int before = std::exchange(account.failures, 0);
  account.is_failing = false;
  co_await parts_.database().write(sql::tracking_pulls::NoteAccount{.business = lane_.business,
                                                                    .carrier = account.access.guid,
                                                                    .failures_before = before,
                                                                    .failures = 0,
                                                                    .pause = std::nullopt,
                                                                    .error = std::nullopt},
                                   {});
}

/// The calls that were in flight when another one paused the account count as one failure.
asio::awaitable<void> LaneTurn::note_failure(const Pull& pull, const connectors::GatewayError& error) {
  const std::string message = connectors::sentence_of(error.message());
  report(pull, message);
  Account& account = accounts_.at(pull.carrier);
  if (!account.is_paused) {
    const auto state = after_failure(error.problem(), error.retry_after(), account.failures);
    const int before = std::exchange(account.failures, state.failures);
    account.is_paused = state.pause.has_value();
    account.is_failing = account.is_failing || state.is_failing;
    co_await parts_.database().write(
        sql::tracking_pulls::NoteAccount{
            .business = lane_.business,
            .carrier = pull.carrier,
            .failures_before = before,
            .failures = state.failures,
            .pause = state.pause ? std::optional(format_duration(*state.pause)) : std::nullopt,
            .error = state.is_failing ? std::optional(message) : std::nullopt},
        {});
  }
  co_await note_failed_pull(pull);
}

asio::awaitable<void> LaneTurn::note_failed_pull(const Pull& pull) {
  const Duration pause =
      pause_after_failure(pull.failures + 1, pull.status, spread_of(pull.shipment, pull.number));
  co_await parts_.database().write(sql::tracking_pulls::Failed{.business = lane_.business,
                                                               .shipment = pull.shipment,
                                                               .number = pull.number,
                                                               .pause = format_duration(pause)},
                                   {});
}

void LaneTurn::report(const Pull& pull, std::string_view error) const {
  observe(Observable::pull_failed, {{"business", lane_.business.to_string()},
                                    {"carrier", pull.carrier.to_string()},
                                    {"shipment", pull.shipment.to_string()},
                                    {"error", error}});
}

}  // namespace waybill::worker
