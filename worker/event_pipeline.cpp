#include "worker/event_pipeline.hpp"

#include <utility>

#include "base/database_clock.hpp"

namespace waybill::worker {
namespace {

/// The host and port of the mail server, without credentials; "mail" if mails go to a directory.
std::string mail_server(const net::MailOptions& options) {
  const auto server = options.smtp_url.empty() ? std::nullopt : net::parse_smtp_url(options.smtp_url);
  return server ? server->url.substr(server->url.find("//") + 2) : "mail";
}

Runner::Options runner_options(const Worker::Options& options, net::DestinationCounts* counts) {
  Runner::Options runner;
  runner.schedule = options.schedule;
  runner.retention = std::chrono::days(options.retention_days);
  runner.counts = counts;
  runner.mail_server = mail_server(options.mail);
  return runner;
}

}  // namespace

EventPipeline::EventPipeline(const Worker::Options& options, const storage::Sessions& sessions,
                             const Guid& worker, Catalogue& catalogue, PauseWriter& pauses, DueFloors& floors,
                             net::DestinationCounts* counts, const actions::Effects& effects)
    : recorder_(std::make_unique<Recorder>(Recorder::Options{.sessions = sessions, .worker = worker}, pauses,
                                           upstream())),
      runner_(runner_options(options, counts), catalogue, effects, *recorder_, upstream()),
      preparation_({.sessions = sessions,
                    .worker = worker,
                    .public_url = options.public_url,
                    .retention = std::chrono::days(options.retention_days)},
                   catalogue, runner_, database_clock(), upstream()),
      guard_({.factor = options.blast_factor, .minimum = options.blast_minimum}, pauses, database_clock()),
      pump_({.sessions = sessions,
             .worker = worker,
             .public_url = options.public_url,
             .retention = std::chrono::days(options.retention_days)},
            catalogue, guard_, pauses, runner_, preparation_, floors, database_clock()) {
  runner_.allow_until({});
}

void EventPipeline::start() {
  recorder_->start();
  preparation_.start();
  pump_.start();
}

void EventPipeline::leases_last(std::chrono::steady_clock::time_point until) {
  if (!pump_.has_expired_leases()) runner_.allow_until(until);
}

void EventPipeline::stop_accepting() {
  pump_.stop_accepting();
  preparation_.stop_accepting();
  runner_.stop();
  recorder_->flush(std::chrono::seconds(1));
}

void EventPipeline::drain(Moment until) {
  runner_.drain(std::chrono::duration_cast<Duration>(until - std::chrono::steady_clock::now()));
}

void EventPipeline::stop(Moment until) {
  recorder_->stop(std::max(until, std::chrono::steady_clock::now() + std::chrono::seconds(1)));
}

}  // namespace waybill::worker
