#pragma once

#include <atomic>
#include <memory>

#include "actions/action.hpp"
#include "actions/web_push/web_push_sender.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "net/http/http_client.hpp"
#include "net/mail/mail.hpp"
#include "worker/stores/store_thread.hpp"
#include "worker/stores/store_tracking_sender.hpp"
#include "worker/worker.hpp"

namespace waybill::worker {

/// The clients with which a worker reaches other systems: HTTP, mail, push messages and stores. Owns their
/// threads and connections.
class Senders {
 public:
  /// `options` and `secrets` outlive it. `worker` owns the locks of orders at stores.
  Senders(const Worker::Options& options, const Guid& worker, const SecretBox& secrets);
  ~Senders() = default;
  Senders(const Senders&) = delete;
  Senders& operator=(const Senders&) = delete;

  /// For the actions of runs. Valid until `close`.
  actions::Effects effects();

  /// Valid until `close`, as is the mailer.
  net::HttpClient& http() { return *http_; }
  net::Mailer& mailer() { return *mailer_; }
  /// Valid as long as this object.
  StoreThread& stores() { return stores_; }

  /// Ends all attempts in flight: they finish before it returns, as cancelled, and do not count. The imports
  /// on the thread for stores must be stopped. Call it once.
  void close();

 private:
  const Worker::Options& options_;
  std::unique_ptr<actions::WebPushSender> push_;
  std::unique_ptr<net::HttpClient> http_;
  StoreThread stores_;
  StoreTrackingSender tracking_;
  std::atomic<bool> mailer_stopping_ = false;
  std::unique_ptr<net::Mailer> mailer_;
};

}  // namespace waybill::worker
