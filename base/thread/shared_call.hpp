#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace waybill {

/// Work for another thread and the place of its result. Copies share both, so the work can end after the
/// caller is gone.
template <class Work, class... Arguments>
class SharedCall {
 public:
  using Result = std::invoke_result_t<Work&, Arguments...>;

  explicit SharedCall(Work work) : state_(std::make_shared<State>(std::move(work))) {}

  /// Does the work; a later call replaces the result. Throws what the work throws.
  void operator()(Arguments... arguments) const {
    if constexpr (std::is_void_v<Result>) {
      state_->work(std::forward<Arguments>(arguments)...);
    } else {
      state_->result.emplace(state_->work(std::forward<Arguments>(arguments)...));
    }
  }

  /// Moves the result out. The work must have ended without an exception.
  Result take() const {
    if constexpr (!std::is_void_v<Result>) return *std::move(state_->result);
  }

 private:
  struct NoResult {};
  struct State {
    explicit State(Work&& given) : work(std::move(given)) {}
    Work work;
    std::optional<std::conditional_t<std::is_void_v<Result>, NoResult, Result>> result;
  };

  std::shared_ptr<State> state_;
};

}  // namespace waybill
