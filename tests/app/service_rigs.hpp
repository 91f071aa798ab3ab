#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "actions/web_push/stored_subscriptions.hpp"
#include "app/process/liveness.hpp"
#include "base/thread/service.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/worker/no_upstream.hpp"
#include "worker/alerts/alert_sender.hpp"
#include "worker/delivery/mail_limit.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/outcomes/recorder.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/queue/preparation.hpp"
#include "worker/shards/lease_keeper.hpp"
#include "worker/stores/importer.hpp"
#include "worker/timers/schedule_keeper.hpp"
#include "worker/tracking/tracking_puller.hpp"
#include "worker/worker.hpp"

namespace waybill::tests {

/// A database in which a business with a limit of mails has a workflow with a schedule.
struct Place {
  Place() {
    database.rows(
        "insert into businesses (guid, name, registered_by_itself, plan) values ($1, 'Acme', true, "
        "'standard')",
        {business.to_string()});
    database.rows(
        "insert into workflows (business_id, name, entity_type, trigger_code, action, conditions) values "
        "($1, 'w', 0, 'schedule:order:{\"schedule\":{\"cron\":\"0 9 * * *\"}}', '{\"type\": \"nothing\"}', "
        "'{}')",
        {business.to_string()});
  }

  const Guid business = Guid::random();
  const Guid worker = Guid::random();
  TestDatabase database;
  TempDirectory directory;
  SecretBox secrets{SecretBox::Key{}};
};

/// A service and what it needs.
class Rig {
 public:
  virtual ~Rig() = default;
  virtual Service& service() = 0;
  /// Gives the service something to do for which it needs its session.
  virtual void prompt() {}
};

template <typename S>
class Plain final : public Rig {
 public:
  template <typename... Arguments>
  explicit Plain(Arguments&&... arguments) : service_(std::forward<Arguments>(arguments)...) {}
  Service& service() override { return service_; }

 private:
  S service_;
};

template <typename S, typename... Arguments>
std::unique_ptr<Rig> plain(Arguments&&... arguments) {
  return std::make_unique<Plain<S>>(std::forward<Arguments>(arguments)...);
}

class TrackingRig final : public Rig {
 public:
  explicit TrackingRig(const Place& place)
      : puller_({.database_url = place.database.url(), .worker = place.worker, .gateways = {}},
                place.secrets) {}
  Service& service() override { return puller_; }
  void prompt() override { puller_.look(); }

 private:
  worker::TrackingPuller puller_;
};

class PausesRig final : public Rig {
 public:
  explicit PausesRig(const Place& place) : place_(place), pauses_(place.database.url(), place.secrets) {}
  Service& service() override { return pauses_; }
  // The session is open only during a write, so there are many.
  void prompt() override {
    for (int i = 0; i < 10; ++i)
      pauses_.pause(worker::PauseRequest{
          .business_id = place_.business, .workflow_id = Guid::random(), .reason = "test"});
  }

 private:
  const Place& place_;
  worker::PauseWriter pauses_;
};

class RecorderRig final : public Rig {
 public:
  explicit RecorderRig(const Place& place)
      : pauses_(place.database.url(), place.secrets),
        recorder_({.sessions = place.database.url(), .worker = place.worker}, pauses_, upstream_) {}
  Service& service() override { return recorder_; }
  void prompt() override {
    recorder_.settle(
        storage::SettledEvent{.shard = 0, .key = {.id = 1, .at = system_clock().now()}, .runs = {}});
  }

 private:
  NoUpstream upstream_;
  worker::PauseWriter pauses_;
  worker::Recorder recorder_;
};

class SilentMailer final : public net::Mailer {
  void transmit(net::MailMessage, Done done) override { done({}); }
};

class AlertsRig final : public Rig {
 public:
  explicit AlertsRig(const Place& place)
      : alerts_({.database_url = place.database.url()}, place.secrets, http_, mailer_) {}
  Service& service() override { return alerts_; }

 private:
  net::HttpClient http_{{}};
  SilentMailer mailer_;
  worker::AlertSender alerts_;
};

class PreparationRig final : public Rig {
 public:
  explicit PreparationRig(const Place& place)
      : catalogue_(place.secrets),
        pauses_(place.database.url(), place.secrets),
        recorder_({.sessions = place.database.url(), .worker = place.worker}, pauses_, upstream_),
        runner_({}, catalogue_, {.http = http_, .clock = system_clock(), .mailer = mailer_}, recorder_,
                upstream_),
        preparation_({.sessions = place.database.url(), .worker = place.worker}, catalogue_, runner_,
                     system_clock(), upstream_) {}
  Service& service() override { return preparation_; }

 private:
  NoUpstream upstream_;
  net::HttpClient http_{{}};
  SilentMailer mailer_;
  worker::Catalogue catalogue_;
  worker::PauseWriter pauses_;
  worker::Recorder recorder_;
  worker::Runner runner_;
  worker::Preparation preparation_;
};

class MailLimitRig final : public Rig {
 public:
  explicit MailLimitRig(const Place& place)
      : place_(place),
        limit_({.database_url = place.database.url(), .recipients_per_day = 1},
               net::make_mailer({.smtp_url = {}, .directory = place.directory.path(), .ca_file = {}})) {}
  Service& service() override { return limit_; }
  void prompt() override {
    net::MailMessage message;
    message.from = "shop@example.com";
    message.to = {"ada@example.com"};
    message.subject = "test";
    message.text = "test";
    message.owner = place_.business.to_string();
    limit_.send(std::move(message), [](const net::MailOutcome&) {});
  }

 private:
  const Place& place_;
  worker::MailLimit limit_;
};

class PushRig final : public Rig {
 public:
  explicit PushRig(const Place& place)
      : place_(place),
        push_(std::make_unique<actions::StoredSubscriptions>(place.database.url(), place.secrets, "")) {}
  Service& service() override { return push_; }
  void prompt() override {
    push_.post(place_.business, [this] { push_.find(place_.business, std::nullopt); });
  }

 private:
  const Place& place_;
  actions::WebPushSender push_;
};

/// The thread of the stores with its imports.
class StoresRig final : public Rig, public Service {
 public:
  explicit StoresRig(const Place& place)
      : stores_({.database_url = place.database.url(), .destinations = {}, .ca_file = {}}),
        importer_({.worker = place.worker, .connectors = {}}, place.secrets, stores_) {}
  Service& service() override { return *this; }
  void start() override { services_.start(); }
  void stop(Moment until) override { services_.stop(until); }

 private:
  worker::StoreThread stores_;
  worker::Importer importer_;
  ServiceList services_{{&stores_, &importer_}};
};

class SchedulesRig final : public Rig {
 public:
  explicit SchedulesRig(const Place& place)
      : catalogue_(place.secrets),
        pauses_(place.database.url(), place.secrets),
        schedules_(
            {.database_url = place.database.url(), .worker = place.worker, .public_url = {}, .blast = {}},
            catalogue_, pauses_, system_clock()) {}
  Service& service() override { return schedules_; }

 private:
  worker::Catalogue catalogue_;
  worker::PauseWriter pauses_;
  worker::ScheduleKeeper schedules_;
};

class LivenessRig final : public Rig {
 public:
  Service& service() override { return liveness_; }

 private:
  app::ServiceManager manager_;
  std::atomic<bool> is_alive_ = true;
  app::Liveness liveness_{manager_, is_alive_, [](app::Liveness::Limit) { return true; }};
};

/// Matches all events at once.
class IdleHolder final : public worker::ShardHolder {
  void hold(const storage::HeldShards& /*held*/) override {}
  bool is_busy(std::int16_t /*shard*/) const override { return false; }
  void hand_over(const std::vector<std::int16_t>& /*shards*/) override {}
  void leases_last(Service::Moment /*until*/) override {}
  void leases_expired() override {}
  Time matched_until() const override { return system_clock().now(); }
  bool can_match() override { return true; }
};

class LeasesRig final : public Rig {
 public:
  explicit LeasesRig(Place& place)
      : leases_(
            {.sessions = place.database.url(), .worker = place.worker},
            [&place](Duration lease) {
              return std::make_unique<storage::ServerLeases>(place.database.url(), place.worker, "test",
                                                             lease);
            },
            holder_) {}
  Service& service() override { return leases_; }

 private:
  IdleHolder holder_;
  worker::LeaseKeeper leases_;
};

inline std::unique_ptr<Rig> whole_worker(Place& place) {
  worker::Worker::Options options;
  options.database_url = place.database.url();
  options.mail.directory = place.directory.path();
  options.mail_from = "shop@example.com";
  options.mails_per_day = 10;
  return plain<worker::Worker>(std::move(options), place.secrets);
}

}  // namespace waybill::tests
