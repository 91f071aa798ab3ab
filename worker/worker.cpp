#include "worker/worker.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>

#include "base/database_clock.hpp"
#include "base/observe.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session.hpp"
#include "worker/background_work.hpp"
#include "worker/event_pipeline.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/queue/due_floors.hpp"
#include "worker/senders.hpp"
#include "worker/shards/lease_keeper.hpp"

namespace waybill::worker {
namespace {

std::string process_name() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + ":" + std::to_string(getpid());
}

}  // namespace

// The parts stop in the order in which work flows: the pump and the leases first, so that other workers
// continue at once; then the runner, the HTTP client and the mailer; last the recorder.
class Worker::Impl {
 public:
  Impl(Options options, const SecretBox& secrets)
      : options_(std::move(options)),
        secrets_(secrets),
        catalogue_(secrets_),
        senders_(options_, guid_, secrets_),
        pauses_(options_.database_url, secrets_),
        pipeline_(options_, guid_, catalogue_, pauses_, floors_, senders_.effects()) {}

  void start() {
    observe(Observable::worker_started, {{"worker", guid_.to_string()}});
    pipeline_.start();
    leases_ = std::make_unique<LeaseKeeper>(
        LeaseKeeper::Options{.database_url = options_.database_url, .worker = guid_, .name = process_name()},
        pipeline_.lease_callbacks());
    background_ =
        std::make_unique<BackgroundWork>(options_, guid_, secrets_, catalogue_, pauses_, floors_, senders_);
  }

  void stop(Duration limit) {
    if (!leases_) return;
    observe(Observable::worker_stopping, {{"worker", guid_.to_string()}});
    const auto deadline = std::chrono::steady_clock::now() + limit;
    const auto remaining = [&] {
      return std::chrono::duration_cast<Duration>(deadline - std::chrono::steady_clock::now());
    };
    // Other workers continue at once with the work that this worker has not begun.
    pipeline_.stop();
    leases_->leave();
    background_->stop(std::min<Duration>(limit, std::chrono::seconds(3)));
    pipeline_.drain(remaining());
    senders_.close();
    background_->finish_alerts();
    pipeline_.finish(std::max<Duration>(remaining(), std::chrono::seconds(1)));
    release_claims();
    leases_.reset();
  }

  bool turns(std::chrono::steady_clock::duration limit) const { return pipeline_.silence() < limit; }

  bool healthy() const { return database_clock().now() - pipeline_.last_look() < std::chrono::minutes(1); }

 private:
  void release_claims() {
    try {
      storage::Session session(options_.database_url, "waybill stop", storage::worker_limits);
      storage::RunStore(session, guid_).release();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): their leases expire
    }
  }

  const Options options_;
  const Guid guid_ = Guid::random();
  const SecretBox& secrets_;
  Catalogue catalogue_;
  Senders senders_;
  PauseWriter pauses_;
  DueFloors floors_;
  EventPipeline pipeline_;
  std::unique_ptr<LeaseKeeper> leases_;
  std::unique_ptr<BackgroundWork> background_;
};

Worker::Worker(Options options, const SecretBox& secrets)
    : impl_(std::make_unique<Impl>(std::move(options), secrets)) {}

Worker::~Worker() { stop(Duration::zero()); }

void Worker::start() { impl_->start(); }

void Worker::stop(Duration limit) { impl_->stop(limit); }

bool Worker::healthy() const { return impl_->healthy(); }

bool Worker::turns(std::chrono::steady_clock::duration limit) const { return impl_->turns(limit); }

}  // namespace waybill::worker
