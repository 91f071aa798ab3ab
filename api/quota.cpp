#include "api/quota.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

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
  const auto [end, error] = std::from_chars(limit.begin(), limit.end(), plan.requests_per_minute);
  if (error != std::errc() || end != limit.end() || plan.requests_per_minute < 1) throw bad();
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

asio::awaitable<Grant> LocalQuota::take(const Guid& token, std::int64_t limit, Time now) {
  const auto present = to_unix_seconds(now) / window_seconds;
  auto& shard = shards_[std::hash<Guid>()(token) % shards_.size()];
  const std::lock_guard lock(shard.mutex);
  // A clock that is set back continues the window it left.
  if (present > shard.window) {
    shard.used.clear();
    shard.window = present;
  }
  auto& used = shard.used[token];
  const bool allowed = used < limit;
  if (allowed) ++used;
  co_return Grant{.allowed = allowed,
                  .limit = limit,
                  .remaining = std::max<std::int64_t>(0, limit - used),
                  .reset = (shard.window + 1) * window_seconds};
}

}  // namespace waybill::api
