#pragma once

#include <memory>

#include "actions/action.hpp"
#include "actions/web_push/web_push_sender.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/service.hpp"
#include "net/http/http_client.hpp"
#include "net/mail/mail.hpp"
#include "worker/stores/store_thread.hpp"
#include "worker/stores/store_tracking_sender.hpp"
#include "worker/worker.hpp"

namespace waybill::worker {

/// The clients with which a worker reaches other systems: HTTP, mail, push messages and stores. Owns their
/// threads and connections.
class Senders final : public Service {
 public:
  /// `options`, `secrets` and `counts` outlive it. `worker` owns the locks of orders at stores.
  Senders(const Worker::Options& options, const Guid& worker, const SecretBox& secrets,
          net::DestinationCounts& counts);
  ~Senders() override { stop_at_once(); }

  void start() override { services_.start(); }
  /// Ends all attempts in flight: they finish before it returns, as cancelled, and do not count. The imports
  /// on the thread for stores must be stopped.
  void stop(Moment until) override { services_.stop(until); }

  /// For the actions of runs.
  actions::Effects effects();

  // Nothing is sent with these after `stop`.

  net::HttpClient& http() { return http_; }
  net::Mailer& mailer() { return *mailer_; }
  StoreThread& stores() { return stores_; }

 private:
  const Worker::Options& options_;
  actions::WebPushSender push_;
  net::HttpClient http_;
  StoreThread stores_;
  StoreTrackingSender tracking_;
  std::unique_ptr<net::Mailer> mailer_;
  // The clients of HTTP end first, and with them the attempts that the others have begun.
  ServiceList services_{{mailer_.get(), &stores_, &tracking_, &push_, &http_}};
};

}  // namespace waybill::worker
