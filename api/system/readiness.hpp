#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "storage/database.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// Answers /readyz. The io threads share one: the database is asked once a second at most, by one of them,
/// while the others go by its last answer.
class Readiness {
 public:
  /// Why the database cannot serve: it is away, a standby, read-only, or its schema lacks a migration of this
  /// program. Empty when it can.
  asio::awaitable<std::string> database_fault(storage::Database& database);

  /// Why workers do not keep up: none lives, or events wait for more than a minute. Empty when they do.
  asio::awaitable<std::string> worker_fault(storage::Database& database);

 private:
  using Moment = std::chrono::steady_clock::time_point;
  /// The last answer to one question.
  struct Known {
    std::optional<std::string> fault;  // nullopt: not asked yet
    Moment at{};                       // of the answer
    Moment next_question{};
  };
  using Ask = asio::awaitable<std::string> (*)(storage::Database& database);

  asio::awaitable<std::string> ask(Known& known, Ask question, storage::Database& database);

  std::mutex mutex_;
  Known database_;
  Known workers_;
};

}  // namespace waybill::api
