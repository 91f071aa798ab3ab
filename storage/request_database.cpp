#include "storage/request_database.hpp"

#include <algorithm>
#include <utility>

#include "storage/pq/write_pool.hpp"

namespace waybill::storage {

/// nullopt: the primary must serve this read and those that follow.
asio::awaitable<std::optional<Rows>> RequestDatabase::on_standby(OffloadedRead read) {
  if (standbys_ == nullptr) co_return std::nullopt;
  read.required = required_;
  auto found = co_await standbys_->read(read);
  if (!found) {
    standbys_ = nullptr;
    co_return std::nullopt;
  }
  required_ = std::max(required_, found->position);
  co_return std::move(found->rows);
}

asio::awaitable<Rows> RequestDatabase::read(const Statement& statement, Params params, Format format) {
  if (auto rows =
          co_await on_standby({.statement = statement, .text = {}, .params = params, .format = format}))
    co_return *std::move(rows);
  co_return co_await base_.read(statement, std::move(params), format);
}

asio::awaitable<Rows> RequestDatabase::read_merged(const Statement& statement, const Statement& merged,
                                                   Params key, Format format) {
  return base_.read_merged(statement, merged, std::move(key), format);
}

asio::awaitable<Rows> RequestDatabase::read_text(std::string_view name, std::string text, Params params,
                                                 Format format) {
  if (auto rows =
          co_await on_standby({.statement = {name, {}}, .text = text, .params = params, .format = format}))
    co_return *std::move(rows);
  co_return co_await base_.read_text(name, std::move(text), std::move(params), format);
}

asio::awaitable<Rows> RequestDatabase::read_long(Guid business, std::string_view name, std::string text,
                                                 Params params, Format format) {
  if (auto rows = co_await on_standby(
          {.statement = {name, {}}, .text = text, .params = params, .format = format, .alone_for = business}))
    co_return *std::move(rows);
  co_return co_await base_.read_long(business, name, std::move(text), std::move(params), format);
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
