#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "api/background.hpp"
#include "storage/sync.hpp"

namespace waybill::api {

/// Threads for what reads much of a business's history: each call has a blocking session of its own.
class Analysis {
 public:
  explicit Analysis(std::string database_url)
      : database_url_(std::move(database_url)), background_({.threads = 2, .most_waiting = 32}) {}

  /// What `work(session)` returns or throws. No statement of it may take longer than 10 s or change anything.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work, storage::Session&>> run(Work work) {
    co_return co_await background_.run([this, work = std::move(work)]() mutable {
      storage::Session session(database_url_, "waybill analysis");
      session.execute("set statement_timeout = '10s'; set default_transaction_read_only = on");
      return work(session);
    });
  }

 private:
  std::string database_url_;
  Background background_;
};

}  // namespace waybill::api
