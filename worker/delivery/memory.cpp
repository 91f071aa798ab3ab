#include "worker/delivery/memory.hpp"

#include <utility>

#include "base/thread/mutex.hpp"
#include "worker/delivery/shares.hpp"

namespace waybill::worker {

struct Memory::State {
  explicit State(std::size_t capacity) : shares(capacity) {}
  mutable Mutex mutex;
  Shares shares GUARDED_BY(mutex);
};

namespace {

/// Calls `end` when it is destroyed.
template <typename End>
class Held {
 public:
  explicit Held(End end) : end_(std::move(end)) {}
  ~Held() { end_(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  End end_;
};

}  // namespace

Memory::Memory(std::size_t capacity) : state_(std::make_shared<State>(capacity)) {}

std::shared_ptr<const void> Memory::hold(const Guid& business, std::size_t bytes) {
  {
    const Lock lock(state_->mutex);
    state_->shares.take(business, bytes);
  }
  auto give_back = [state = state_, business, bytes] {
    const Lock lock(state->mutex);
    state->shares.release(business, bytes);
  };
  return std::make_shared<const Held<decltype(give_back)>>(std::move(give_back));
}

bool Memory::may_take(const Guid& business) const {
  const Lock lock(state_->mutex);
  return state_->shares.may_take(business);
}

std::size_t Memory::free() const {
  const Lock lock(state_->mutex);
  return state_->shares.free();
}

std::vector<Guid> Memory::beyond_share() const {
  const Lock lock(state_->mutex);
  return state_->shares.beyond_share();
}

}  // namespace waybill::worker
