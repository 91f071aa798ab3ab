#include "worker/event_pipeline.hpp"

#include <utility>

#include "base/database_clock.hpp"

namespace waybill::worker {
namespace {

Runner::Options runner_options(const Worker::Options& options) {
  Runner::Options runner;
  runner.schedule = options.schedule;
  return runner;
}

}  // namespace

EventPipeline::EventPipeline(const Worker::Options& options, const storage::Sessions& sessions,
                             const Guid& worker, Catalogue& catalogue, PauseWriter& pauses, DueFloors& floors,
                             const actions::Effects& effects)
    : recorder_(std::make_unique<Recorder>(
          Recorder::Options{.sessions = sessions, .worker = worker}, pauses,
          [this](const auto& events, const auto& next_due) { pump_.settled(events, next_due); })),
      runner_(runner_options(options), catalogue, effects, *recorder_,
              [this](storage::ClaimedRun run) { return preparation_.go_on(std::move(run)); }),
      preparation_({.sessions = sessions, .worker = worker, .public_url = options.public_url}, catalogue,
                   runner_, database_clock(), [this] { pump_.note_room(); }),
      guard_({.factor = options.blast_factor, .minimum = options.blast_minimum}, pauses, database_clock()),
      pump_({.sessions = sessions,
             .worker = worker,
             .public_url = options.public_url,
             .retention = std::chrono::days(options.retention_days)},
            catalogue, guard_, pauses, runner_, preparation_, floors, database_clock()) {}

void EventPipeline::start() {
  recorder_->start();
  preparation_.start();
  pump_.start();
}

LeaseKeeper::Callbacks EventPipeline::lease_callbacks() {
  runner_.allow_until({});
  return {.changed = [this](const storage::HeldShards& held) { pump_.hold(held); },
          .busy = [this](std::int16_t shard) { return pump_.is_busy(shard); },
          .hand_over = [this](const std::vector<std::int16_t>& shards) { runner_.hand_over(shards); },
          .renewed =
              [this](std::chrono::steady_clock::time_point until) {
                if (!pump_.has_expired_leases()) runner_.allow_until(until);
              },
          .expired = [this] { pump_.leases_expired(); },
          .matched_until = [this] { return pump_.matched_until(); },
          .can_match = [this] { return pump_.can_match(); }};
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
