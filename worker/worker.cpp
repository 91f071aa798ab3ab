#include "worker/worker.hpp"

#include <array>
#include <memory>
#include <unistd.h>
#include <utility>

#include "base/database_clock.hpp"
#include "base/observe.hpp"
#include "worker/alerts/alert_sender.hpp"
#include "worker/duties/duties.hpp"
#include "worker/event_pipeline.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/purchases/purchaser.hpp"
#include "worker/queue/due_floors.hpp"
#include "worker/senders.hpp"
#include "worker/shards/lease_keeper.hpp"
#include "worker/stores/importer.hpp"
#include "worker/timers/schedule_keeper.hpp"
#include "worker/tracking/tracking_puller.hpp"

namespace waybill::worker {
namespace {

std::string process_name() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + ":" + std::to_string(getpid());
}

AlertSender::Options alert_options(const Worker::Options& options) {
  return {.database_url = options.database_url,
          .public_url = options.public_url,
          .mail_from = options.mail_from,
          .schedule = options.schedule};
}

connectors::Gateways::Options gateway_options(const Worker::Options& options,
                                              net::DestinationCounts& counts) {
  return {.policy = options.destinations,
          .ca_file = options.ca_file,
          .own = options.carrier_gateways,
          .counts = &counts};
}

ScheduleKeeper::Options schedule_options(const Worker::Options& options, const Guid& worker) {
  return {.database_url = options.database_url,
          .worker = worker,
          .public_url = options.public_url,
          .blast = {.factor = options.blast_factor, .minimum = options.blast_minimum}};
}

Duties::Options duty_options(const Worker::Options& options, const SecretBox& secrets, DueFloors& floors,
                             net::DestinationCounts& counts, const Guid& worker) {
  return {.database_url = options.database_url,
          .retention_days = options.retention_days,
          .positions_retention_days = options.positions_retention_days,
          .deleted_retention_days = options.deleted_retention_days,
          .secrets = secrets,
          .longest_run = options.schedule.longest(),
          .retry_delays = options.schedule.delays(),
          .floors = &floors,
          .destinations = &counts,
          .worker = worker};
}

}  // namespace

class Worker::Impl {
 public:
  Impl(Options options, const SecretBox& secrets)
      : options_(std::move(options)),
        secrets_(secrets),
        catalogue_(secrets_),
        senders_(options_, guid_, secrets_, counts_),
        pauses_(options_.database_url, secrets_),
        pipeline_(options_, options_.database_url, guid_, catalogue_, pauses_, floors_, &counts_,
                  senders_.effects()),
        leases_(
            {.sessions = options_.database_url, .worker = guid_},
            [this](Duration lease) {
              return std::make_unique<storage::ServerLeases>(options_.database_url, guid_, process_name(),
                                                             lease);
            },
            pipeline_),
        schedules_(schedule_options(options_, guid_), catalogue_, pauses_, database_clock()),
        duties_(duty_options(options_, secrets_, floors_, counts_, guid_)),
        alerts_(alert_options(options_), secrets_, senders_.http(), senders_.mailer()),
        importer_({.worker = guid_,
                   .connectors = options_.connectors,
                   .interval = options_.import_interval,
                   .counts = &counts_},
                  secrets_, senders_.stores()),
        tracking_({.database_url = options_.database_url,
                   .worker = guid_,
                   .gateways = gateway_options(options_, counts_)},
                  secrets_),
        purchaser_({.database_url = options_.database_url,
                    .worker = guid_,
                    .gateways = gateway_options(options_, counts_),
                    .on_pulls = [this] { tracking_.look(); }},
                   secrets_) {}

  void start() {
    observe(Observable::worker_started, {{"worker", guid_.to_string()}});
    is_started_ = true;
    services_.start();
  }

  void stop(Moment until) {
    if (!std::exchange(is_started_, false)) return;
    observe(Observable::worker_stopping, {{"worker", guid_.to_string()}});
    services_.stop(until);
  }

  bool turns(std::chrono::steady_clock::duration limit) const { return pipeline_.silence() < limit; }

  bool healthy() const { return database_clock().now() - pipeline_.last_look() < std::chrono::minutes(1); }

 private:
  const Options options_;
  const Guid guid_ = Guid::random();
  const SecretBox& secrets_;
  net::DestinationCounts counts_;
  Catalogue catalogue_;
  Senders senders_;
  PauseWriter pauses_;
  DueFloors floors_;
  EventPipeline pipeline_;
  LeaseKeeper leases_;
  ScheduleKeeper schedules_;
  Duties duties_;
  AlertSender alerts_;
  Importer importer_;
  TrackingPuller tracking_;
  Purchaser purchaser_;  // wakes `tracking_`
  // They stop in the order in which work flows. At first the pipeline takes no more events, and the leases
  // end, so that other workers continue at once with the work that this one has not begun. Then imports and
  // attempts in flight have their time. The senders end what is left of these. The alerts store how theirs
  // ended, the recorder of the pipeline how those of runs ended. Last the leases release the runs that are
  // not finished. Purchases and pulls depend on none of these; the calls of purchases may take longest.
  ServiceList services_{{&purchaser_, &tracking_, &pauses_, &duties_, &schedules_, &leases_, &pipeline_,
                         &alerts_, &senders_, &importer_}};
  bool is_started_ = false;
};

Worker::Worker(Options options, const SecretBox& secrets)
    : impl_(std::make_unique<Impl>(std::move(options), secrets)) {}

Worker::~Worker() { stop_at_once(); }

void Worker::start() { impl_->start(); }

void Worker::stop(Moment until) { impl_->stop(until); }

bool Worker::healthy() const { return impl_->healthy(); }

bool Worker::turns(std::chrono::steady_clock::duration limit) const { return impl_->turns(limit); }

}  // namespace waybill::worker
