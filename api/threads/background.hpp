#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/guid.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// A few threads for work that would hold up an io thread. Any io thread may call; the coroutine resumes on
/// its own. A business has all threads but one at most, so that its long work leaves one to others, and a
/// free thread goes to the business that has the fewest, in turns. The work that waits or runs is bounded, in
/// all and for each business: one more is refused with UNAVAILABLE. The nil guid stands for no business: it
/// has no share. Destroyed before the io_contexts: work that runs is done first, work that waits is refused.
class Background {
 public:
  struct Options {
    std::size_t threads = 2;
    std::size_t most_waiting = 64;  // waits or runs
    std::size_t most_of_one = 32;   // likewise, of one business
    std::string refusal = "The service is busy with other requests of this kind; try again.";
  };

  Background() : Background(Options{}) {}
  explicit Background(Options options);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Returns or throws what `work` does, on the caller's thread. `work` runs on another thread and owns what
  /// it uses.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work>> run(Guid business, Work work) {
    const Turn turn = co_await take_turn(state_, business);
    co_return co_await asio::co_spawn(threads_, perform(std::move(work)), asio::use_awaitable);
  }
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work>> run(Work work) {
    return run(Guid(), std::move(work));
  }

  /// True when work waits for a thread.
  bool is_busy() const;

 private:
  class State;

  /// The use of one thread.
  class Turn {
   public:
    Turn(std::shared_ptr<State> state, const Guid& business)
        : state_(std::move(state)), business_(business) {}
    ~Turn();
    Turn(Turn&&) noexcept = default;
    Turn& operator=(Turn&&) = delete;

   private:
    std::shared_ptr<State> state_;
    Guid business_;
  };

  static asio::awaitable<Turn> take_turn(std::shared_ptr<State> state, Guid business);

  template <class Work>
  static asio::awaitable<std::invoke_result_t<Work>> perform(Work work) {
    co_return work();
  }

  std::shared_ptr<State> state_;  // of the turns, too
  asio::thread_pool threads_;
};

}  // namespace waybill::api
