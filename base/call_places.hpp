#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/thread/mutex.hpp"

namespace waybill {

namespace asio = boost::asio;

/// Lets so many calls of one owner run at a time; the others wait in their order. Thread-safe.
class CallPlaces {
 public:
  explicit CallPlaces(std::size_t places_of_owner) : places_of_owner_(places_of_owner) {}

  /// A place, which is free again when the pointer is released; null if none became free within `most_wait`.
  /// The coroutine resumes on its own executor. The object outlives all places.
  asio::awaitable<std::shared_ptr<void>> take(std::string owner, Duration most_wait);

 private:
  struct Waiter;
  class InLine;
  struct Line {
    std::size_t used = 0;
    std::deque<std::shared_ptr<Waiter>> waiting;
  };

  std::shared_ptr<void> place_of(const std::string& owner);
  void release(const std::string& owner);
  void leave(const std::string& owner, const std::shared_ptr<Waiter>& waiter);

  const std::size_t places_of_owner_;
  Mutex mutex_;
  std::unordered_map<std::string, Line> lines_ GUARDED_BY(mutex_);
  std::unordered_set<const Waiter*> given_ GUARDED_BY(mutex_);  // those with a place that they have not taken
};

}  // namespace waybill
