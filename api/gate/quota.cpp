#include "api/gate/quota.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/number.hpp"
#include "storage/sql/quota_windows.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::int64_t window_seconds = 60;

Plan parse_plan(std::string_view row) {
  constexpr std::string_view no_access = ":no-api";
  const auto bad = [&] {
    return std::invalid_argument("plan '" + std::string(row) +
                                 "' is not of the form NAME=REQUESTS_PER_MINUTE[:no-api]");
  };
  const auto equals = row.find('=');
  if (equals == std::string_view::npos || equals == 0) throw bad();
  auto limit = row.substr(equals + 1);
  Plan plan{.name = std::string(row.substr(0, equals)), .requests_per_minute = 0};
  if (limit.ends_with(no_access)) {
    plan.api_access = false;
    limit.remove_suffix(no_access.size());
  }
  const auto per_minute = parse_number<decltype(plan.requests_per_minute)>(limit);
  if (!per_minute || *per_minute < 1) throw bad();
  plan.requests_per_minute = *per_minute;
  return plan;
}

}  // namespace

Plans::Plans()
    : plans_{{.name = "free", .requests_per_minute = 60, .api_access = false},
             {.name = "standard", .requests_per_minute = 600},
             {.name = "pro", .requests_per_minute = 6'000},
             {.name = "unlimited", .requests_per_minute = 1'000'000'000}} {}

Plans::Plans(std::vector<Plan> plans) : plans_(std::move(plans)) {}

Plans Plans::parse(std::string_view text) {
  std::vector<Plan> plans = Plans().plans_;
  while (!text.empty()) {
    const auto comma = text.find(',');
    auto plan = parse_plan(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const auto known = std::ranges::find(plans, plan.name, &Plan::name);
    if (known == plans.end()) {
      plans.push_back(std::move(plan));
    } else {
      *known = std::move(plan);
    }
  }
  return Plans(std::move(plans));
}

const Plan* Plans::find(std::string_view name) const {
  const auto found = std::ranges::find(plans_, name, &Plan::name);
  return found == plans_.end() ? nullptr : &*found;
}

asio::awaitable<Lease> SqlLeaseSource::lease(const Request& request) {
  const auto rows =
      co_await db_.write(storage::sql::quota_windows::Lease{.token = request.token,
                                                            .minute = request.window,
                                                            .limit = request.limit,
                                                            .wanted = request.wanted,
                                                            .node = request.node,
                                                            .wanted_if_shared = request.wanted_if_shared},
                         {});
  const auto lease = rows.front();
  co_return Lease{.granted = lease.granted, .used = lease.used, .is_shared = lease.is_shared};
}

std::int64_t QuotaLedger::Account::next_wanted() const {
  // While another lease of the token is under way, a further one is for 1 request only.
  if (is_leasing) return 1;
  return std::max<std::int64_t>(1, std::min({chunk, limit / 20, (limit - used) / 8}));
}

Grant QuotaLedger::Account::grant(std::int64_t window, bool allowed) {
  if (allowed) --left;
  lowest_remaining = allowed ? std::clamp<std::int64_t>(limit - used + left, 0, lowest_remaining) : 0;
  return {.allowed = allowed,
          .limit = limit,
          .remaining = lowest_remaining,
          .reset = (window + 1) * window_seconds};
}

std::variant<Grant, LeaseSource::Request> QuotaLedger::take(const Guid& token, std::int64_t limit, Time now) {
  const auto present = to_unix_seconds(now) / window_seconds;
  auto& shard = shard_of(token);
  const std::lock_guard lock(shard.mutex);
  // If the clock is set back, the present window continues.
  if (present > shard.window) {
    shard.accounts.clear();
    shard.window = present;
  }
  auto& account = shard.accounts[token];
  if (account.limit != limit) {
    account = {.limit = limit, .lowest_remaining = limit, .is_leasing = account.is_leasing};
    if (limit >= unlimited) account.used = account.left = limit;
  }
  if (account.left > 0) return account.grant(shard.window, true);
  if (account.is_exhausted) return account.grant(shard.window, false);
  const LeaseSource::Request request{.token = token,
                                     .window = shard.window,
                                     .limit = limit,
                                     .wanted = account.next_wanted(),
                                     .node = node_,
                                     .wanted_if_shared = std::max<std::int64_t>(1, limit / 10'000)};
  account.is_leasing = true;
  return request;
}

Grant QuotaLedger::book(const LeaseSource::Request& request, const Lease& lease) {
  auto& shard = shard_of(request.token);
  const std::lock_guard lock(shard.mutex);
  const auto known = shard.accounts.find(request.token);
  if (shard.window != request.window || known == shard.accounts.end() ||
      known->second.limit != request.limit) {
    // The window or the plan has changed: the lease counts for this request only.
    Account past{
        .limit = request.limit, .used = lease.used, .left = lease.granted, .lowest_remaining = request.limit};
    return past.grant(request.window, lease.granted > 0);
  }
  auto& account = known->second;
  account.is_leasing = false;
  account.left += lease.granted;
  account.used = std::max(account.used, lease.used);
  account.chunk = lease.is_shared ? 1 : std::min(account.chunk * 2, request.limit);
  account.is_exhausted = lease.used >= request.limit;
  return account.grant(shard.window, account.left > 0);
}

void QuotaLedger::give_up(const LeaseSource::Request& request) {
  auto& shard = shard_of(request.token);
  const std::lock_guard lock(shard.mutex);
  if (const auto known = shard.accounts.find(request.token); known != shard.accounts.end()) {
    known->second.is_leasing = false;
  }
}

asio::awaitable<Grant> LeasedQuota::take(const Guid& token, std::int64_t limit, Time now) {
  auto taken = ledger_.take(token, limit, now);
  if (const auto* const grant = std::get_if<Grant>(&taken)) co_return *grant;
  const auto request = std::get<LeaseSource::Request>(taken);
  try {
    const auto lease = co_await source_.lease(request);
    co_return ledger_.book(request, lease);
  } catch (...) {
    ledger_.give_up(request);
    throw;
  }
}

}  // namespace waybill::api
