#include "worker/duties/overdue.hpp"

#include <algorithm>
#include <chrono>

#include "base/clock.hpp"
#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

constexpr int periods = 5;
constexpr Duration least_limit = 5min;
constexpr Duration merging_period = 1min;

std::string limit_of(Duration period) {
  return format_duration(std::max<Duration>(periods * period, least_limit));
}

}  // namespace

std::vector<OverdueDuty> overdue_duties(storage::blocking::Connection& session) {
  std::vector<std::string> names{std::string(merging_duty)};
  std::vector<std::string> limits{limit_of(merging_period)};
  std::vector<std::string> roles{"api"};
  for (const Duty& duty : all_duties()) {
    if (duty.by == Duty::By::each_worker) continue;
    names.emplace_back(duty.name);
    limits.push_back(limit_of(duty.every));
    roles.emplace_back("worker");
  }
  std::vector<OverdueDuty> overdue;
  for (const auto& row :
       session.run(storage::sql::duties::Overdue{.duties = names, .limits = limits, .roles = roles}))
    overdue.push_back({.name = std::string(row.duty), .seconds = row.seconds});
  return overdue;
}

}  // namespace waybill::worker
