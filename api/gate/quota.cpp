#include "api/gate/quota.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/ascii.hpp"
#include "base/joined_texts.hpp"
#include "base/number.hpp"
#include "storage/sql/quota_windows.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::int64_t window_seconds = 60;
constexpr std::string_view no_api = ":no-api";

Plan parse_plan(std::string_view row) {
  const auto bad = [&] {
    return std::invalid_argument("plan '" + std::string(row) +
                                 "' is not of the form NAME=REQUESTS_PER_MINUTE[:no-api]");
  };
  const auto equals = row.find('=');
  if (equals == std::string_view::npos || equals == 0) throw bad();
  auto limit = row.substr(equals + 1);
  Plan plan{.name = std::string(row.substr(0, equals)), .requests_per_minute = 0};
  if (limit.ends_with(no_api)) {
    plan.api_access = false;
    limit.remove_suffix(no_api.size());
  }
  const auto per_minute = parse_number<decltype(plan.requests_per_minute)>(limit);
  if (!per_minute || *per_minute < 1) throw bad();
  plan.requests_per_minute = *per_minute;
  return plan;
}

/// The grant that refuses, or else has fewer requests left; the token's if both are alike.
Grant nearer(const Grant& token, const Grant& owner) {
  if (!token.allowed || (owner.allowed && owner.remaining >= token.remaining)) return token;
  Grant grant = owner;
  grant.is_of_owner = true;
  return grant;
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
  std::set<std::string> named;
  while (!text.empty()) {
    const auto comma = text.find(',');
    auto plan = parse_plan(trimmed(text.substr(0, comma)));
    if (!named.insert(plan.name).second)
      throw std::invalid_argument("plan '" + plan.name + "' is named twice");
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

std::string Plans::text() const {
  std::vector<std::string> rows;
  for (const Plan& plan : plans_) {
    rows.push_back(plan.name + "=" + std::to_string(plan.requests_per_minute) +
                   std::string(plan.api_access ? "" : no_api));
  }
  std::ranges::sort(rows);
  return joined_texts(rows, ",");
}

const Plan* Plans::find(std::string_view name) const {
  const auto found = std::ranges::find(plans_, name, &Plan::name);
  return found == plans_.end() ? nullptr : &*found;
}

std::int64_t owner_limit(std::int64_t limit, std::int64_t factor) {
  return std::min(limit, QuotaLedger::unlimited) * factor;
}

asio::awaitable<std::vector<Lease>> SqlLeaseSource::lease(std::vector<Request> requests) {
  std::vector<Guid> holders;
  std::vector<std::int64_t> limits, wanted, wanted_if_shared, known_used;
  for (const auto& request : requests) {
    holders.push_back(request.holder);
    limits.push_back(request.limit);
    wanted.push_back(request.wanted);
    wanted_if_shared.push_back(request.wanted_if_shared);
    known_used.push_back(request.known_used);
  }
  const auto rows =
      co_await db_.write(storage::sql::quota_windows::Lease{.holders = holders,
                                                            .minute = requests.front().window,
                                                            .limits = limits,
                                                            .wanted = wanted,
                                                            .node = requests.front().node,
                                                            .wanted_if_shared = wanted_if_shared,
                                                            .known_used = known_used},
                         {});
  std::vector<Lease> leases(requests.size());
  for (const auto& row : rows) {
    const auto index = std::ranges::find(holders, row.holder) - holders.begin();
    leases[static_cast<std::size_t>(index)] = {
        .granted = row.granted, .used = row.used, .is_shared = row.is_shared};
  }
  co_return leases;
}

std::int64_t QuotaLedger::Holding::next_wanted() const {
  // While another lease is under way, a further one is for 1 request only.
  if (is_leasing) return 1;
  return std::max<std::int64_t>(1, std::min({chunk, limit / 20, (limit - used) / 8}));
}

Grant QuotaLedger::Holding::grant(std::int64_t window, bool allowed) {
  if (allowed) --left;
  lowest_remaining = allowed ? std::clamp<std::int64_t>(limit - used + left, 0, lowest_remaining) : 0;
  return {.allowed = allowed,
          .limit = limit,
          .remaining = lowest_remaining,
          .reset = (window + 1) * window_seconds};
}

QuotaLedger::Taken QuotaLedger::take(const Account& account, Time now) {
  const auto present = to_unix_seconds(now) / window_seconds;
  auto& shard = shard_of(account.holder);
  const Lock lock(shard.mutex);
  // If the clock is set back a little, the present window continues. A window that is farther ahead comes
  // from a clock that was wrong.
  if (present > shard.window || present < shard.window - 1) {
    shard.holdings.clear();
    shard.window = present;
  }
  auto& holding = shard.holdings[account.holder];
  if (holding.limit != account.limit) {
    holding = {.limit = account.limit, .lowest_remaining = account.limit, .is_leasing = holding.is_leasing};
    if (account.limit >= unlimited) holding.used = holding.left = account.limit;
  }
  if (holding.left > 0) return holding.grant(shard.window, true);
  if (holding.is_exhausted) return holding.grant(shard.window, false);
  const LeaseSource::Request request{
      .holder = account.holder,
      .window = shard.window,
      .limit = account.limit,
      .wanted = holding.next_wanted(),
      .node = node_,
      .wanted_if_shared = std::max<std::int64_t>(1, account.limit / account.shared_parts),
      .known_used = holding.used};
  holding.is_leasing = true;
  return request;
}

Grant QuotaLedger::book(const LeaseSource::Request& request, const Lease& lease) {
  auto& shard = shard_of(request.holder);
  const Lock lock(shard.mutex);
  const auto known = shard.holdings.find(request.holder);
  if (shard.window != request.window || known == shard.holdings.end() ||
      known->second.limit != request.limit) {
    // The window or the plan has changed: the lease counts for this request only.
    Holding past{
        .limit = request.limit, .used = lease.used, .left = lease.granted, .lowest_remaining = request.limit};
    return past.grant(request.window, lease.granted > 0);
  }
  auto& holding = known->second;
  holding.is_leasing = false;
  holding.left += lease.granted;
  holding.used = std::max(holding.used, lease.used);
  holding.chunk = lease.is_shared ? 1 : std::min(holding.chunk * 2, request.limit);
  holding.is_exhausted = lease.used >= request.limit;
  return holding.grant(shard.window, holding.left > 0);
}

void QuotaLedger::give_up(const LeaseSource::Request& request) {
  auto& shard = shard_of(request.holder);
  const Lock lock(shard.mutex);
  if (const auto known = shard.holdings.find(request.holder); known != shard.holdings.end()) {
    known->second.is_leasing = false;
  }
}

void QuotaLedger::give_back(const Guid& holder, const Grant& grant) {
  auto& shard = shard_of(holder);
  const Lock lock(shard.mutex);
  const auto known = shard.holdings.find(holder);
  const bool is_same = known != shard.holdings.end() && known->second.limit == grant.limit &&
                       (shard.window + 1) * window_seconds == grant.reset;
  if (grant.allowed && is_same) ++known->second.left;
}

/// The grants in the order of `taken`, with one query for all leases that they need.
asio::awaitable<std::vector<Grant>> LeasedQuota::settle(std::vector<QuotaLedger::Taken> taken) {
  std::vector<LeaseSource::Request> requests;
  for (const auto& one : taken) {
    if (const auto* const request = std::get_if<LeaseSource::Request>(&one)) requests.push_back(*request);
  }
  std::vector<Lease> leases;
  try {
    if (!requests.empty()) leases = co_await source_.lease(requests);
  } catch (...) {
    for (const auto& request : requests) ledger_.give_up(request);
    throw;
  }
  std::vector<Grant> grants;
  std::size_t next = 0;
  for (const auto& one : taken) {
    const auto* const grant = std::get_if<Grant>(&one);
    grants.push_back(grant != nullptr ? *grant : ledger_.book(requests[next], leases[next]));
    if (grant == nullptr) ++next;
  }
  co_return grants;
}

asio::awaitable<Grant> LeasedQuota::take(const QuotaClaim& claim, Time now) {
  const auto own = ledger_.take({.holder = claim.token, .limit = claim.limit, .shared_parts = 10'000}, now);
  const auto* const own_grant = std::get_if<Grant>(&own);
  if (own_grant != nullptr && !own_grant->allowed) co_return *own_grant;
  if (claim.owner_limit == 0 || claim.owner_limit >= QuotaLedger::unlimited) {
    if (own_grant != nullptr) co_return *own_grant;
    const auto grants = co_await settle(std::vector{own});
    co_return grants.front();
  }
  const auto owners =
      ledger_.take({.holder = claim.owner, .limit = claim.owner_limit, .shared_parts = 1'000}, now);
  const auto* const owner_grant = std::get_if<Grant>(&owners);
  if (own_grant != nullptr && owner_grant != nullptr) co_return nearer(*own_grant, *owner_grant);
  const auto grants = co_await settle(std::vector{own, owners});
  if (!grants.front().allowed) ledger_.give_back(claim.owner, grants.back());
  co_return nearer(grants.front(), grants.back());
}

}  // namespace waybill::api
