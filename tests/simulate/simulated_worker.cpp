#include "tests/simulate/simulated_worker.hpp"

#include <chrono>
#include <utility>

namespace waybill::simulate {
namespace {

using namespace std::chrono_literals;

worker::Worker::Options options() {
  worker::Worker::Options options;
  options.schedule = domain::RetrySchedule({100ms, 300ms, 1s, 2s, 4s, 8s, 8s});
  return options;
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
      services_({&pauses_, &leases_, &pipeline_, &mailer_, http_.get()}) {}

SimulatedWorker::~SimulatedWorker() = default;

}  // namespace waybill::simulate
