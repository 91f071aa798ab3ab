#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fair_queue.hpp"
#include "base/guid.hpp"
#include "net/circuit_breaker.hpp"
#include "net/web_push.hpp"
#include "storage/push_store.hpp"

namespace waybill::actions {

/// Whom a push message goes to, and what signs it.
struct PushAudience {
  std::vector<storage::PushSubscription> subscriptions;
  std::shared_ptr<net::VapidSigner> signer;  // null: the business has no keys
};

/// Where subscriptions are kept. One thread at a time; methods block, and throw storage::DatabaseUnavailable,
/// after which they may be called again, or another std::exception.
class SubscriptionDirectory {
 public:
  virtual ~SubscriptionDirectory() = default;
  /// As it is now: of the whole business, or of one user.
  virtual PushAudience find(const Guid& business, const std::optional<Guid>& user) = 0;
  virtual void remove(const Guid& business, const storage::PushSubscription& subscription) = 0;
};

/// The thread on which push messages are worked on: reading subscriptions blocks and encrypting takes a tenth
/// of a millisecond each, which neither the HTTP client's thread nor the worker's may wait for. It also knows
/// how much each push service bears. Nothing survives a crash, nor needs to: the run's tries say what is
/// left.
class WebPushSender {
 public:
  using Work = std::function<void()>;

  explicit WebPushSender(std::unique_ptr<SubscriptionDirectory> directory,
                         net::CircuitBreaker::Options breaker = {});
  /// Does what was posted, and joins.
  ~WebPushSender();
  WebPushSender(const WebPushSender&) = delete;
  WebPushSender& operator=(const WebPushSender&) = delete;

  /// From any thread. `work` must not throw. Businesses take turns; the work of one is done in order.
  void post(const Guid& business, Work work);

  /// After this, nothing more is sent: the HTTP client may go, and then the sender.
  void close();

  // The rest is for work on the sender's thread.

  bool closed() const { return closed_; }
  /// nullopt while the database is away. Throws what the directory throws else.
  std::optional<PushAudience> find(const Guid& business, const std::optional<Guid>& user);
  /// Tries to; a subscription that stays is found gone again the next time.
  void remove(const Guid& business, const storage::PushSubscription& subscription);

  /// The places at push services, as in the runner: a business has its own ("host:port/business").
  net::CircuitBreaker& services() { return services_; }
  /// Once, when a place may have become free, or a while later.
  void when_place(Work work) { waiting_.push_back(std::move(work)); }
  void place_freed();

 private:
  void run();
  bool next(Work& work);
  void wake_waiting();

  const std::unique_ptr<SubscriptionDirectory> directory_;
  net::CircuitBreaker services_;  // the thread's
  std::vector<Work> waiting_;     // the thread's
  std::mutex mutex_;
  std::condition_variable changed_;
  FairQueue<Guid, Work> posted_;
  bool ending_ = false;
  std::atomic<bool> closed_ = false;
  std::thread thread_;
};

}  // namespace waybill::actions
