#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "api/threads/background.hpp"
#include "storage/session.hpp"

namespace waybill::api {

/// Threads for requests that read much of a business's history: each call has a blocking session of its own.
/// Businesses take turns, as Background says.
class Analysis {
 public:
  explicit Analysis(std::string database_url)
      : database_url_(std::move(database_url)),
        background_({.threads = 3, .most_waiting = 512, .most_of_one = 32}) {}

  /// Returns or throws what `work(session)` does. No statement of it may take longer than 10 s or change
  /// anything. Throws Failure (UNAVAILABLE) when too much waits, in all or of the business.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work, storage::Session&>> run(Guid business, Work work) {
    co_return co_await background_.run(business, [this, work = std::move(work)]() mutable {
      storage::Session session(database_url_, "waybill analysis");
      session.execute("set statement_timeout = '10s'; set default_transaction_read_only = on");
      return work(session);
    });
  }

  /// True when a call would wait.
  bool is_busy() const { return background_.is_busy(); }

 private:
  std::string database_url_;
  Background background_;
};

}  // namespace waybill::api
