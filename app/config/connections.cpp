#include "app/config/connections.hpp"

#include <algorithm>

namespace waybill::app {
namespace {

// The mail sender, the session of Presence, and a closed one that PostgreSQL has not ended yet.
constexpr int every_process = 3;
// Three for analysis, and one for partitions and search indexes.
constexpr int every_api = 4;
// Matcher, changed workflows, preparation, recorder, leases, schedules (two), duties, pauses, push messages,
// the limit of mails, alerts, purchases.
constexpr int every_worker = 13;
constexpr int of_tracking = 2;  // worker::TrackingPuller

// The smallest numbers. With fewer writes or long reads, one business could use all of a thread.
constexpr int least_reads = 1;
constexpr int least_writes = 3;
constexpr int least_long_reads = 2;
constexpr int least_of_thread = least_reads + least_writes + least_long_reads;
constexpr int least_store_reads = 1;
constexpr int least_store_writes = 3;
constexpr int least_of_stores = least_store_reads + least_store_writes;

int fixed_connections(Roles roles) {
  return every_process + (roles.api ? every_api : 0) +
         (roles.worker ? every_worker + of_tracking + least_of_stores : 0);
}

/// Distributes the remaining connections, the most useful ones first.
class Spender {
 public:
  Spender(ConnectionPlan& plan, int left) : plan_(plan), left_(left) {}

  void spend(bool on_api, bool on_stores) {
    if (on_api) raise(&ConnectionPlan::writes, 4, plan_.io_threads);
    if (on_stores) raise(&ConnectionPlan::store_writes, 4, 1);
    if (on_api) raise(&ConnectionPlan::reads, 2, plan_.io_threads);
    if (on_api) raise(&ConnectionPlan::writes, 6, plan_.io_threads);
    if (on_stores) raise(&ConnectionPlan::store_writes, 5, 1);
    if (on_stores) raise(&ConnectionPlan::store_reads, 2, 1);
    if (on_api) raise(&ConnectionPlan::long_reads, 3, plan_.io_threads);
  }

 private:
  void raise(int ConnectionPlan::* member, int goal, int cost) {
    while (plan_.*member < goal && left_ >= cost) {
      ++(plan_.*member);
      left_ -= cost;
      plan_.total += cost;
    }
  }

  ConnectionPlan& plan_;
  int left_;
};

}  // namespace

ConnectionPlan plan_connections(Roles roles, std::int64_t most, std::int64_t io_threads, unsigned cores) {
  const int fixed = fixed_connections(roles);
  const int budget = static_cast<int>(most);
  ConnectionPlan plan;
  if (roles.api) {
    const int wanted = io_threads > 0 ? static_cast<int>(io_threads) : std::max(1, static_cast<int>(cores));
    const int possible = std::max(1, (budget - fixed) / least_of_thread);
    plan.io_threads = io_threads > 0 ? wanted : std::min(wanted, possible);
    plan.reads = least_reads;
    plan.writes = least_writes;
    plan.long_reads = least_long_reads;
  }
  if (roles.worker) {
    plan.store_reads = least_store_reads;
    plan.store_writes = least_store_writes;
  }
  plan.total = fixed + plan.io_threads * least_of_thread;
  if (plan.total > budget) {
    throw ConfigError("--database-connections " + std::to_string(most) + " is too small: `" + roles.name() +
                      "`" + (io_threads > 0 ? " with --io-threads " + std::to_string(io_threads) : "") +
                      " needs at least " + std::to_string(plan.total));
  }
  Spender(plan, budget - plan.total).spend(roles.api, roles.worker);
  return plan;
}

void check_available(std::int64_t wanted, std::int64_t available, std::int64_t most) {
  if (wanted <= available) return;
  throw ConfigError("--database-connections " + std::to_string(wanted) + " exceeds the " +
                    std::to_string(available) + " connections that PostgreSQL offers (max_connections " +
                    std::to_string(most) + " less " + std::to_string(most - available) +
                    " reserved): raise max_connections or lower --database-connections");
}

std::string too_many_allowed(std::int64_t allowed, std::int64_t wanted, std::int64_t available) {
  if (allowed + wanted <= available) return "";
  return "the running processes may open " + std::to_string(allowed) + " connections and this one " +
         std::to_string(wanted) + ", but PostgreSQL offers " + std::to_string(available) +
         ": raise max_connections or lower --database-connections";
}

}  // namespace waybill::app
