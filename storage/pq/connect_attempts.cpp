#include "storage/pq/connect_attempts.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "base/thread/mutex.hpp"

namespace waybill::storage::pq {
namespace {

constexpr auto first_pause = std::chrono::milliseconds(25);
constexpr auto longest_pause = std::chrono::milliseconds(1000);

}  // namespace

std::shared_ptr<LastConnection> last_connection(const std::string& url) {
  static struct {
    Mutex mutex;
    std::unordered_map<std::string, std::shared_ptr<LastConnection>> connections GUARDED_BY(mutex);
  } known;
  const Lock lock(known.mutex);
  auto& last = known.connections[url];
  if (!last) last = std::make_shared<LastConnection>();
  return last;
}

ConnectAttempts::ConnectAttempts(std::size_t hosts, std::shared_ptr<LastConnection> last)
    : hosts_(hosts), last_(std::move(last)) {}

void ConnectAttempts::begin(SteadyTime now) {
  used_hosts_ = 0;
  begun_at_ = now;
  host_ = last_->host;
}

bool ConnectAttempts::try_next_host() {
  if (++used_hosts_ >= hosts_) return false;
  host_ = (host_ + 1) % hosts_;
  return true;
}

bool ConnectAttempts::connected() {
  last_->host = host_;
  return std::exchange(was_lost_, false);
}

bool ConnectAttempts::lost(bool was_connecting, SteadyTime now) {
  was_lost_ = true;
  if (was_connecting || (!has_answered_ && failures_ > 0)) {
    const Duration pause = std::min(first_pause * (1 << std::min(failures_++, 6)), longest_pause);
    next_attempt_ = now + spread(pause);
    return true;
  }
  if (!has_answered_) ++failures_;
  return false;
}

}  // namespace waybill::storage::pq
