#pragma once

#include <algorithm>
#include <map>
#include <mutex>

#include "api/gate/quota.hpp"

namespace waybill::api {

/// Leases without a database, for tests of what takes them. Thread-safe.
class LocalLeases : public LeaseSource {
 public:
  asio::awaitable<Lease> lease(const Wish& wish) override {
    const std::lock_guard lock(mutex_);
    ++count_;
    auto& window = windows_[wish.token];
    if (wish.window > window.start) window = {.start = wish.window, .holder = wish.node};
    if (window.holder.is_nil()) window.holder = wish.node;
    window.is_shared = window.is_shared || window.holder != wish.node;
    window.holder = wish.node;
    const auto wanted = window.is_shared ? wish.wanted_if_shared : wish.wanted;
    const auto granted = std::max<std::int64_t>(0, std::min(wanted, wish.limit - window.used));
    window.used += granted;
    co_return Lease{.granted = granted, .used = window.used, .is_shared = window.is_shared};
  }

  /// Leases taken so far.
  int count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  struct Window {
    std::int64_t start = 0;
    std::int64_t used = 0;
    Guid holder;
    bool is_shared = false;
  };
  mutable std::mutex mutex_;
  std::map<Guid, Window> windows_;
  int count_ = 0;
};

}  // namespace waybill::api
