#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "api/threads/background.hpp"
#include "storage/session.hpp"

namespace waybill::api {

/// Threads for requests that read much of the history of a business. Each call has its own blocking session.
/// Businesses take turns (see Background).
class Analysis {
 public:
  explicit Analysis(std::string database_url)
      : database_url_(std::move(database_url)),
        background_({.threads = 3, .most_waiting = 512, .most_of_one = 32}) {}

  /// Returns or throws the result of `work(session)`. Its statements take at most 10 s, and are read-only
  /// unless the work sets default_transaction_read_only. Throws Failure (UNAVAILABLE) if too many calls wait,
  /// in all or for the business.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work, storage::Session&>> run(Guid business, Work work) {
    co_return co_await background_.run(business, [this, work = std::move(work)]() mutable {
      storage::Session session(database_url_, "waybill analysis");
      session.execute("set statement_timeout = '10s'; set default_transaction_read_only = on");
      return work(session);
    });
  }

  /// True if a call would wait.
  bool is_busy() const { return background_.is_busy(); }

 private:
  std::string database_url_;
  Background background_;
};

}  // namespace waybill::api
