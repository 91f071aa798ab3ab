#include "worker/background_work.hpp"

#include "base/database_clock.hpp"

namespace waybill::worker {

BackgroundWork::BackgroundWork(const Worker::Options& options, const Guid& worker, const SecretBox& secrets,
                               const Catalogue& catalogue, PauseWriter& pauses, DueFloors& floors,
                               Senders& senders)
    : duties_(std::make_unique<Duties>(
          Duties::Options{.database_url = options.database_url,
                          .retention_days = options.retention_days,
                          .positions_retention_days = options.positions_retention_days,
                          .deleted_retention_days = options.deleted_retention_days,
                          .secrets = secrets,
                          .longest_run = options.schedule.longest(),
                          .retry_delays = options.schedule.delays(),
                          .floors = &floors})),
      alerts_(std::make_unique<AlertSender>(AlertSender::Options{.database_url = options.database_url,
                                                                 .public_url = options.public_url,
                                                                 .mail_from = options.mail_from,
                                                                 .schedule = options.schedule},
                                            secrets, senders.http(), senders.mailer())),
      schedules_(std::make_unique<ScheduleKeeper>(
          ScheduleKeeper::Options{
              .database_url = options.database_url,
              .worker = worker,
              .public_url = options.public_url,
              .blast = {.factor = options.blast_factor, .minimum = options.blast_minimum}},
          catalogue, pauses, database_clock())),
      importer_({.worker = worker, .connectors = options.connectors, .interval = options.import_interval},
                secrets, senders.stores()) {}

void BackgroundWork::stop(Duration limit) {
  alerts_->stop();
  schedules_.reset();
  importer_.stop(limit);
  duties_.reset();
}

}  // namespace waybill::worker
