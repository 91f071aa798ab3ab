#include "tests/simulate/simulated_worker.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waybill::simulate {
namespace {

using namespace std::chrono_literals;

worker::Worker::Options options() {
  worker::Worker::Options options;
  options.schedule = domain::RetrySchedule({100ms, 300ms, 1s, 2s, 4s, 8s, 8s});
  return options;
}

/// The duties on which it depends that nothing is lost.
std::span<const worker::Duty> duties() {
  static const std::vector<worker::Duty> simulated = [] {
    constexpr std::string_view names[] = {"postpone_blocked", "check_floors", "release_held",
                                          "read_passed_over", "bring_back_runs"};
    std::vector<worker::Duty> found;
    for (const worker::Duty& duty : worker::all_duties()) {
      if (std::ranges::find(names, duty.name) != std::end(names)) found.push_back(duty);
    }
    return found;
  }();
  return simulated;
}

}  // namespace

SimulatedWorker::SimulatedWorker(Database& database, Destinations& destinations,
                                 std::shared_ptr<ModelHttp> http, Owner owner, const Guid& guid)
    : http_(std::move(http)),
      guid_(guid),
      sessions_(storage::Sessions::Open(
          [&database, owner](std::string_view name) { return database.open(owner, name); })),
      options_(options()),
      mailer_(destinations),
      pauses_("", secrets_),
      pipeline_(
          options_, sessions_, guid_, catalogue_, pauses_, floors_, nullptr,
          {.http = *http_, .clock = database_clock(), .mailer = mailer_, .mail_from = "waybill@d0.test"}),
      leases_(
          {.sessions = sessions_, .worker = guid_},
          [&database, owner, guid](Duration lease) { return database.open_leases(owner, guid, lease); },
          pipeline_),
      duties_({.database_url = "dbname=" + std::to_string(owner),
               .secrets = secrets_,
               .retry_delays = options_.schedule.delays(),
               .tolerated_blocked = 0,
               .floors = &floors_,
               .worker = guid_},
              duties()),
      services_({&pauses_, &duties_, &leases_, &pipeline_, &mailer_, http_.get()}) {}

SimulatedWorker::~SimulatedWorker() = default;

}  // namespace waybill::simulate
