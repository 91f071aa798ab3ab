#include "actions/web_push/web_push_sender.hpp"

#include <future>
#include <utility>

#include "storage/statement/errors.hpp"

namespace waybill::actions {
namespace {

constexpr int database_attempts = 3;
constexpr auto database_pause = std::chrono::milliseconds(100);
constexpr auto longest_wait = std::chrono::milliseconds(100);  // for a free slot

}  // namespace

WebPushSender::WebPushSender(std::unique_ptr<SubscriptionDirectory> directory,
                             net::CircuitBreaker::Options breaker, net::DestinationCounts* counts)
    : directory_(std::move(directory)), services_(breaker), counts_(counts) {}

void WebPushSender::start() {
  thread_.start([this](const std::stop_token&) { run(); });
}

void WebPushSender::stop(Moment /*until*/) {
  {
    const Lock lock(mutex_);
    closed_ = true;
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WebPushSender::post(const Guid& business, Work work) {
  {
    const Lock lock(mutex_);
    posted_.push(business, std::move(work));
  }
  changed_.notify_all();
}

void WebPushSender::stop_accepting() {
  {
    const Lock lock(mutex_);
    closed_ = true;
  }
  if (!thread_.is_started()) return;
  changed_.notify_all();
  // Work that is already running may still be sending.
  std::promise<void> done;
  post({}, [&] {
    wake_waiting();
    done.set_value();
  });
  done.get_future().wait();
}

void WebPushSender::run() {
  for (Work work; next(work); work = nullptr) {
    if (work) {
      work();
    } else {
      wake_waiting();
    }
  }
}

// Leaves `work` empty if the work that waits for slots is due. Returns false once all work is done.
bool WebPushSender::next(Work& work) {
  Lock lock(mutex_);
  const auto has_work = [this]() REQUIRES(mutex_) { return stopping_ || !posted_.empty(); };
  if (waiting_.empty()) {
    changed_.wait(lock, has_work);
  } else if (!changed_.wait_for(lock, longest_wait, has_work)) {
    return true;
  }
  if (posted_.empty()) return !waiting_.empty();
  work = posted_.pop();
  return true;
}

void WebPushSender::slot_freed() { wake_waiting(); }

void WebPushSender::wake_waiting() {
  for (const Work& work : std::exchange(waiting_, {})) work();
}

std::optional<PushAudience> WebPushSender::find(const Guid& business, const std::optional<Guid>& user) {
  for (int attempt = 1;; ++attempt) {
    try {
      return directory_->find(business, user);
    } catch (const storage::DatabaseUnavailable&) {
      // The pause lets the session reconnect, and keeps requeued runs from repeating without delay.
      Lock lock(mutex_);
      changed_.wait_for(lock, database_pause, [this] { return closed_.load(); });
      if (closed_ || attempt == database_attempts) return std::nullopt;
    }
  }
}

void WebPushSender::remove(const Guid& business, const storage::PushSubscription& subscription) {
  try {
    directory_->remove(business, subscription);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a later attempt finds it gone again
  }
}

}  // namespace waybill::actions
