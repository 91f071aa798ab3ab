#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "api/gate/quota.hpp"
#include "base/thread/mutex.hpp"

namespace waybill::api {

/// Leases without a database, for tests. Thread-safe.
class LocalLeases : public LeaseSource {
 public:
  asio::awaitable<std::vector<Lease>> lease(std::vector<Request> requests) override {
    const Lock lock(mutex_);
    ++count_;
    std::vector<Lease> leases;
    for (const auto& request : requests) leases.push_back(lease_of(request));
    co_return leases;
  }

  /// Ends all windows.
  void forget() {
    const Lock lock(mutex_);
    windows_.clear();
  }

  /// The number of calls so far.
  int count() const {
    const Lock lock(mutex_);
    return count_;
  }

 private:
  struct Window {
    std::int64_t start = 0;
    std::int64_t used = 0;
    Guid holder;
    bool is_shared = false;
  };
  Lease lease_of(const Request& request) REQUIRES(mutex_) {
    auto& window = windows_[request.holder];
    if (request.window > window.start) window = {.start = request.window, .holder = request.node};
    if (request.window == window.start) window.used = std::max(window.used, request.known_used);
    if (window.holder.is_nil()) window.holder = request.node;
    window.is_shared = window.is_shared || window.holder != request.node;
    window.holder = request.node;
    const auto wanted = window.is_shared ? request.wanted_if_shared : request.wanted;
    const auto granted = std::max<std::int64_t>(0, std::min(wanted, request.limit - window.used));
    window.used += granted;
    return {.granted = granted, .used = window.used, .is_shared = window.is_shared};
  }

  mutable Mutex mutex_;
  std::map<Guid, Window> windows_ GUARDED_BY(mutex_);
  int count_ GUARDED_BY(mutex_) = 0;
};

}  // namespace waybill::api
