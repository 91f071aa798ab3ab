#include "worker/worker.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <unistd.h>

#include "actions/stored_subscriptions.hpp"
#include "base/observe.hpp"
#include "net/http_client.hpp"
#include "worker/alerts/alert_sender.hpp"
#include "worker/delivery/mail_limit.hpp"
#include "worker/delivery/recorder.hpp"
#include "worker/delivery/runner.hpp"
#include "worker/duties/duties.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/pipeline/lease_keeper.hpp"
#include "worker/pipeline/preparation.hpp"
#include "worker/pipeline/pump.hpp"
#include "worker/pipeline/schedule_keeper.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/stores/importer.hpp"
#include "worker/stores/tracking_sender.hpp"

namespace waybill::worker {
namespace {

std::string process_name() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + ":" + std::to_string(getpid());
}

Runner::Options runner_options(const Worker::Options& options) {
  Runner::Options runner;
  runner.schedule = options.schedule;
  return runner;
}

BlastGuard::Options blast_options(const Worker::Options& options) {
  return {.factor = options.blast_factor, .minimum = options.blast_minimum};
}

std::unique_ptr<net::Mailer> make_mailer(const Worker::Options& options) {
  auto mailer = net::make_mailer(options.mail);
  if (options.mails_per_day == 0) return mailer;
  return std::make_unique<MailLimit>(
      MailLimit::Options{.database_url = options.database_url, .recipients_per_day = options.mails_per_day},
      std::move(mailer));
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
        pauses_(options_.database_url, secrets_),
        recorder_(std::make_unique<Recorder>(
            Recorder::Options{.database_url = options_.database_url, .worker = guid_}, pauses_,
            [this](const auto& events, auto next_due) { pump_.settled(events, next_due); })),
        runner_(runner_options(options_), catalogue_,
                {.http = *http_,
                 .clock = system_clock(),
                 .mailer = *mailer_,
                 .mail_from = options_.mail_from,
                 .mailer_stopping = &mailer_stopping_,
                 .push = push_.get(),
                 .tracking = &tracking_},
                *recorder_, [this](storage::ClaimedRun run) { return preparation_.go_on(std::move(run)); }),
        preparation_(
            {.database_url = options_.database_url, .worker = guid_, .public_url = options_.public_url},
            catalogue_, runner_, system_clock(), [this] { pump_.note_room(); }),
        guard_(blast_options(options_), pauses_, system_clock()),
        pump_({.database_url = options_.database_url,
               .worker = guid_,
               .public_url = options_.public_url,
               .retention = std::chrono::days(options_.retention_days)},
              catalogue_, guard_, pauses_, runner_, preparation_, system_clock()) {}

  void start() {
    observe(Observable::worker_started, {{"worker", guid_.to_string()}});
    preparation_.start();
    pump_.start();
    leases_ = std::make_unique<LeaseKeeper>(
        LeaseKeeper::Options{.database_url = options_.database_url, .worker = guid_, .name = process_name()},
        LeaseKeeper::Callbacks{
            .changed = [this](const storage::HeldShards& held) { pump_.hold(held); },
            .busy = [this](std::int16_t shard) { return pump_.is_busy(shard); },
            .hand_over = [this](const std::vector<std::int16_t>& shards) { runner_.hand_over(shards); },
            .matched_until = [this] { return pump_.matched_until(); },
            .can_match = [this] { return pump_.can_match(); }});
    duties_ = std::make_unique<Duties>(
        Duties::Options{.database_url = options_.database_url,
                        .retention_days = options_.retention_days,
                        .positions_retention_days = options_.positions_retention_days,
                        .deleted_retention_days = options_.deleted_retention_days,
                        .secrets = secrets_,
                        .longest_run = options_.schedule.longest()});
    alerts_ = std::make_unique<AlertSender>(AlertSender::Options{.database_url = options_.database_url,
                                                                 .public_url = options_.public_url,
                                                                 .mail_from = options_.mail_from,
                                                                 .schedule = options_.schedule},
                                            secrets_, *http_, *mailer_);
    schedules_ =
        std::make_unique<ScheduleKeeper>(ScheduleKeeper::Options{.database_url = options_.database_url,
                                                                 .worker = guid_,
                                                                 .public_url = options_.public_url,
                                                                 .blast = blast_options(options_)},
                                         catalogue_, pauses_, system_clock());
    importer_ = std::make_unique<Importer>(
        Importer::Options{
            .worker = guid_, .connectors = options_.connectors, .interval = options_.import_interval},
        secrets_, stores_);
  }

  void stop(Duration limit) {
    if (!leases_) return;
    observe(Observable::worker_stopping, {{"worker", guid_.to_string()}});
    const auto deadline = std::chrono::steady_clock::now() + limit;
    const auto remaining = [&] {
      return std::chrono::duration_cast<Duration>(deadline - std::chrono::steady_clock::now());
    };
    hand_over();
    alerts_->stop();
    schedules_.reset();
    importer_->stop(std::min<Duration>(limit, std::chrono::seconds(3)));
    duties_.reset();
    runner_.drain(remaining());
    push_->close();
    tracking_.close();
    http_.reset();  // attempts still in flight end as cancelled and do not count
    push_.reset();
    stores_.stop();
    mailer_stopping_ = true;
    mailer_.reset();
    alerts_.reset();
    recorder_->flush(std::max<Duration>(remaining(), std::chrono::seconds(1)));
    recorder_.reset();
    release_claims();
    leases_.reset();
  }

  bool turns(std::chrono::steady_clock::duration limit) const {
    return std::max(pump_.heartbeat().age(), preparation_.heartbeat().age()) < limit;
  }

  bool healthy() const { return system_clock().now() - pump_.last_look() < std::chrono::minutes(1); }

 private:
  /// Lets other workers continue at once with the work that this worker has not begun.
  void hand_over() {
    pump_.stop();
    preparation_.stop();
    runner_.stop();
    recorder_->flush(std::chrono::seconds(1));
    leases_->leave();
  }

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
  std::unique_ptr<actions::WebPushSender> push_ = std::make_unique<actions::WebPushSender>(
      std::make_unique<actions::StoredSubscriptions>(options_.database_url, secrets_, options_.push_contact));
  std::unique_ptr<net::HttpClient> http_ = std::make_unique<net::HttpClient>(
      net::HttpClient::Options{.policy = options_.destinations, .ca_file = options_.ca_file});
  StoreThread stores_{{.database_url = options_.database_url,
                       .destinations = options_.destinations,
                       .ca_file = options_.ca_file,
                       .read_connections = options_.store_reads,
                       .write_connections = options_.store_writes}};
  StoreTrackingSender tracking_{
      {.worker = guid_, .connectors = options_.connectors, .public_url = options_.public_url},
      secrets_,
      system_clock(),
      stores_};
  std::atomic<bool> mailer_stopping_ = false;
  std::unique_ptr<net::Mailer> mailer_ = make_mailer(options_);
  PauseWriter pauses_;
  std::unique_ptr<Recorder> recorder_;
  Runner runner_;
  Preparation preparation_;
  BlastGuard guard_;  // used by the pump's thread only
  Pump pump_;
  std::unique_ptr<LeaseKeeper> leases_;
  std::unique_ptr<Duties> duties_;
  std::unique_ptr<AlertSender> alerts_;
  std::unique_ptr<ScheduleKeeper> schedules_;
  std::unique_ptr<Importer> importer_;
};

Worker::Worker(Options options, const SecretBox& secrets)
    : impl_(std::make_unique<Impl>(std::move(options), secrets)) {}

Worker::~Worker() { stop(Duration::zero()); }

void Worker::start() { impl_->start(); }

void Worker::stop(Duration limit) { impl_->stop(limit); }

bool Worker::healthy() const { return impl_->healthy(); }

bool Worker::turns(std::chrono::steady_clock::duration limit) const { return impl_->turns(limit); }

}  // namespace waybill::worker
