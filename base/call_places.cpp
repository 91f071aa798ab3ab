#include "base/call_places.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace waybill {

struct CallPlaces::Waiter {
  explicit Waiter(const asio::any_io_executor& executor) : timer(executor) {}

  asio::steady_timer timer;  // used on its executor only
};

/// A coroutine that waits. It leaves the line even if it is destroyed while it waits.
class CallPlaces::InLine {
 public:
  InLine(CallPlaces& places, std::string owner, std::shared_ptr<Waiter> waiter)
      : places_(places), owner_(std::move(owner)), waiter_(std::move(waiter)) {}
  ~InLine() { places_.leave(owner_, waiter_); }
  InLine(const InLine&) = delete;
  InLine& operator=(const InLine&) = delete;

 private:
  CallPlaces& places_;
  const std::string owner_;
  const std::shared_ptr<Waiter> waiter_;
};

asio::awaitable<std::shared_ptr<void>> CallPlaces::take(std::string owner, Duration most_wait) {
  const auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor);
  {
    const Lock lock(mutex_);
    Line& line = lines_[owner];
    if (line.used < places_of_owner_) {
      ++line.used;
      co_return place_of(owner);
    }
    line.waiting.push_back(waiter);
  }
  const InLine in_line(*this, owner, waiter);
  // A release posts the end of this wait, so it cannot come before the wait has begun.
  waiter->timer.expires_after(most_wait);
  boost::system::error_code ended;
  co_await waiter->timer.async_wait(asio::redirect_error(asio::use_awaitable, ended));
  const Lock lock(mutex_);
  if (given_.erase(waiter.get()) == 0) co_return nullptr;
  co_return place_of(owner);
}

/// Gives a place back that the waiter got but did not take.
void CallPlaces::leave(const std::string& owner, const std::shared_ptr<Waiter>& waiter) {
  {
    const Lock lock(mutex_);
    if (given_.erase(waiter.get()) == 0) {
      if (const auto line = lines_.find(owner); line != lines_.end())
        std::erase(line->second.waiting, waiter);
      return;
    }
  }
  release(owner);
}

std::shared_ptr<void> CallPlaces::place_of(const std::string& owner) {
  return {static_cast<void*>(this),
          [owner](void* places) { static_cast<CallPlaces*>(places)->release(owner); }};
}

void CallPlaces::release(const std::string& owner) {
  const Lock lock(mutex_);
  const auto line = lines_.find(owner);
  if (line->second.waiting.empty()) {
    if (--line->second.used == 0) lines_.erase(line);
    return;
  }
  const auto next = line->second.waiting.front();
  line->second.waiting.pop_front();
  given_.insert(next.get());
  asio::post(next->timer.get_executor(), [next] { next->timer.cancel(); });
}

}  // namespace waybill
