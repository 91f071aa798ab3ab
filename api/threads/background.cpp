#include "api/threads/background.hpp"

#include <chrono>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/threads/shared_places.hpp"
#include "base/error.hpp"
#include "base/free_memory.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/run_on.hpp"

namespace waybill::api {
namespace {

constexpr std::chrono::seconds idle_interval{2};
constexpr int idle_releases = 10;

}  // namespace

/// The work that waits or runs. Thread-safe.
class Background::State {
 public:
  explicit State(const Options& options)
      : refusal_(options.refusal),
        places_({.places = options.threads, .most = options.most, .most_of_one = options.most_of_one}) {}

  using Handler = asio::async_result<asio::use_awaitable_t<>, void(std::exception_ptr)>::handler_type;
  struct Waiter {
    Handler handler;
    asio::any_io_executor executor;
  };

  /// True if the caller has a thread; otherwise it must call `wait`. Throws Failure if there is too much
  /// work.
  bool enter(const Guid& business) {
    const Lock lock(mutex_);
    const auto entry = places_.enter(business);
    if (entry == Places::Entry::refused) throw Failure(ErrorCode::unavailable, refusal_);
    return entry == Places::Entry::runs;
  }

  void wait(const Guid& business, Waiter waiter) {
    const Lock lock(mutex_);
    places_.wait(business, std::move(waiter));
    if (closed_) return refuse_waiting();
    serve();
  }

  void leave(const Guid& business) {
    const Lock lock(mutex_);
    places_.end(business);
    serve();
  }

  void close() {
    const Lock lock(mutex_);
    closed_ = true;
    refuse_waiting();
  }

  bool is_busy() const {
    const Lock lock(mutex_);
    return places_.has_waiting();
  }

 private:
  using Places = SharedPlaces<Waiter>;

  void serve() REQUIRES(mutex_) {
    while (auto next = places_.next()) resume(*std::move(next), nullptr);
  }

  void refuse_waiting() REQUIRES(mutex_) {
    for (Waiter& waiter : places_.take_fronts([](const Waiter&) { return true; })) {
      resume(std::move(waiter),
             std::make_exception_ptr(Failure(ErrorCode::unavailable, "The service is shutting down.")));
    }
  }

  static void resume(Waiter waiter, std::exception_ptr error) {
    const auto executor = waiter.executor;
    asio::post(executor, [handler = std::move(waiter.handler), error = std::move(error)]() mutable {
      handler(std::move(error));
    });
  }

  const std::string refusal_;
  mutable Mutex mutex_;
  Places places_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

Background::Turn::~Turn() {
  if (state_) state_->leave(business_);
}

Background::Background(const Options& options) : state_(std::make_shared<State>(options)) {
  for (std::size_t i = 0; i < options.threads; ++i)
    threads_.emplace_back(options.kind, [this](const std::stop_token&) { serve(); });
}

void Background::stop(Moment /*until*/) {
  state_->close();
  guard_.reset();
  threads_.clear();
}

/// Runs work until the guard is gone and nothing is left. What a thread allocates, such as a parsed body, is
/// freed by others after its work. So an idle thread gives memory back, several times.
void Background::serve() {
  int releases_left = 0;
  while (!work_.stopped()) {
    if (work_.run_one_for(idle_interval) > 0) {
      releases_left = idle_releases;
    } else if (releases_left > 0) {
      --releases_left;
      release_free_memory();
    }
  }
}

bool Background::is_busy() const { return state_->is_busy(); }

asio::awaitable<Background::Turn> Background::take_turn(std::shared_ptr<State> state, Guid business) {
  if (!state->enter(business)) {
    const auto executor = co_await asio::this_coro::executor;
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(
        [&](State::Handler handler) { state->wait(business, {std::move(handler), executor}); },
        asio::use_awaitable);
  }
  co_return Turn(std::move(state), business);
}

asio::awaitable<void> Background::perform(Guid business, std::function<void()> work) {
  const Turn turn = co_await take_turn(state_, business);
  co_await run_on(work_, std::move(work));
}

}  // namespace waybill::api
