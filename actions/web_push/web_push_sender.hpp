#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/fair_queue.hpp"
#include "base/guid.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/service.hpp"
#include "base/thread/thread.hpp"
#include "net/destination/circuit_breaker.hpp"
#include "net/destination/destination_counts.hpp"
#include "net/web_push/web_push.hpp"
#include "storage/settings/push_subscriptions.hpp"

namespace waybill::actions {

/// The subscriptions that a push message goes to, and the signer of its requests.
struct PushAudience {
  std::vector<storage::PushSubscription> subscriptions;
  std::shared_ptr<net::VapidSigner> signer;  // null: the business has no keys
};

/// Finds and removes stored subscriptions. One thread at a time. Methods block; they throw
/// storage::DatabaseUnavailable, after which they may be called again, or another std::exception.
class SubscriptionDirectory {
 public:
  virtual ~SubscriptionDirectory() = default;
  /// Returns the current subscriptions of one user, or of the whole business.
  virtual PushAudience find(const Guid& business, const std::optional<Guid>& user) = 0;
  virtual void remove(const Guid& business, const storage::PushSubscription& subscription) = 0;
};

/// The thread that prepares push messages. Reading subscriptions blocks and encryption takes 0.1 ms for each,
/// too long for the thread of the HTTP client or the worker. It also limits the requests to each push
/// service. A crash loses its state, which is harmless: the run's attempts show which subscriptions remain.
class WebPushSender final : public Service {
 public:
  using Work = std::function<void()>;

  /// `counts` counts the requests, and outlives the sender.
  explicit WebPushSender(std::unique_ptr<SubscriptionDirectory> directory,
                         net::CircuitBreaker::Options breaker = {}, net::DestinationCounts* counts = nullptr);
  ~WebPushSender() override { stop_at_once(); }

  void start() override;
  /// After this, nothing more is sent, and the HTTP client may stop.
  void stop_accepting() override;
  /// Performs the posted work, then joins. The HTTP client must be stopped.
  void stop(Moment until) override;

  /// Any thread may call it. `work` must not throw. Businesses take turns; the work of each is done in order.
  void post(const Guid& business, Work work);

  // The following methods may only be called by work on the sender's thread.

  bool closed() const { return closed_; }
  /// Returns nullopt while the database is unavailable. Throws the other exceptions of the directory.
  std::optional<PushAudience> find(const Guid& business, const std::optional<Guid>& user);
  /// Errors are ignored: a subscription that could not be removed is found gone again later.
  void remove(const Guid& business, const storage::PushSubscription& subscription);

  /// Limits requests by push service and business ("host:port/business"), as the runner does by destination.
  net::CircuitBreaker& services() { return services_; }
  /// Null if requests are not counted.
  net::DestinationCounts* counts() { return counts_; }
  /// Calls `work` once, when a slot at a push service may be free, or after a short delay.
  void when_slot_is_free(Work work) { waiting_.push_back(std::move(work)); }
  void slot_freed();

 private:
  void run();
  bool next(Work& work);
  void wake_waiting();

  const std::unique_ptr<SubscriptionDirectory> directory_;
  net::CircuitBreaker services_;  // used by thread_ only
  net::DestinationCounts* const counts_;
  std::vector<Work> waiting_;  // used by thread_ only
  Mutex mutex_;
  Condition changed_;
  FairQueue<Guid, Work> posted_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::atomic<bool> closed_ = false;
  Thread thread_{ThreadKind::push};
};

}  // namespace waybill::actions
