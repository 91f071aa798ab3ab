#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <boost/asio/awaitable.hpp>

#include "storage/database.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// For how long the oldest event has waited to be matched, whichever worker should do it. The io threads
/// share one: the database is asked once a second at most, by one of them, while the others go by the last
/// answer.
class MatchLag {
 public:
  /// 0 until it was asked once. Throws DatabaseUnavailable or StatementError.
  asio::awaitable<double> seconds(storage::Database& database);

 private:
  std::atomic<std::int64_t> next_question_{0};  // ns of the steady clock
  std::atomic<double> seconds_{0};
};

}  // namespace waybill::api
