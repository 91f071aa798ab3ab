#include "storage/standbys/request_database.hpp"

#include <algorithm>
#include <utility>

#include "storage/database/write_pool.hpp"

namespace waybill::storage {

asio::awaitable<Rows> RequestDatabase::run_read(Read read) {
  if (standbys_ == nullptr || !read.merged.text.empty()) return base_.run_read(std::move(read));
  if (base_.waits_for_lock(read)) {
    standbys_ = nullptr;
    return base_.run_read(std::move(read));
  }
  return read_on_standby(std::move(read));
}

/// Once no standby can serve a read, the primary serves it and those that follow.
asio::awaitable<Rows> RequestDatabase::read_on_standby(Read read) {
  auto found = co_await standbys_->read(read, required_);
  if (!found) {
    standbys_ = nullptr;
    co_return co_await base_.run_read(std::move(read));
  }
  required_ = std::max(required_, found->position);
  co_return std::move(found->rows);
}

asio::awaitable<Rows> RequestDatabase::write(const Statement& statement, Params params, Cause cause) {
  co_return co_await writes_of(base_).write(statement, params, cause, &commits_);
}

asio::awaitable<Rows> RequestDatabase::write_shared(SharedWrite change, Cause cause) {
  co_return co_await writes_of(base_).write_shared(change, cause, &commits_);
}

asio::awaitable<std::unique_ptr<Transaction>> RequestDatabase::begin(Cause cause) {
  co_return co_await writes_of(base_).begin(cause, &commits_);
}

asio::awaitable<bool> RequestDatabase::reachable() { return base_.reachable(); }

asio::awaitable<std::optional<StandbyTarget>> RequestDatabase::standby() {
  if (standbys_ == nullptr) co_return std::nullopt;
  co_return co_await standbys_->choose(required_);
}

std::optional<CommitPosition> RequestDatabase::read_position() const {
  if (standbys_ == nullptr) return std::nullopt;
  return required_;
}

}  // namespace waybill::storage
