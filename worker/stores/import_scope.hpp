#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "storage/database.hpp"

namespace waybill::worker {

namespace asio = boost::asio;

/// Another worker imports this integration now, or it was disabled or removed: nothing more may be written.
class NotOurs : public std::exception {
 public:
  const char* what() const noexcept override { return "the integration is not this worker's any more"; }
};

/// Whose page is written.
struct ImportScope {
  storage::Database& db;
  Guid business;
  Guid integration;
  Guid worker;
  Guid run;
  std::string cause;  // of the events
  Duration lease;
};

/// A record that could not be imported, or not wholly.
struct Refused {
  std::string external_id;  // may be empty
  std::optional<std::string> number;
  std::string reason;
};

struct PageCounts {
  std::int64_t imported = 0;
  std::int64_t updated = 0;
  std::int64_t unchanged = 0;
  std::int64_t failed = 0;
  PageCounts& operator+=(const PageCounts& more);
};

/// One page's transaction: begun by proving that the integration is this worker's, ended with the run's
/// counters and the cursor, so that they tell of what was committed. Dropped without `commit`, it leaves
/// nothing.
class PageWork {
 public:
  /// Throws NotOurs; like all below, StatementError and DatabaseUnavailable.
  static asio::awaitable<PageWork> begin(const ImportScope& scope);

  asio::awaitable<storage::Rows> run(const storage::Statement& statement, storage::Params params);

  struct Advance {
    PageCounts counts;
    std::optional<Time> orders_reached, products_reached;
  };
  asio::awaitable<void> commit(Advance advance, const std::vector<Refused>& refused);

  /// $1 and $2 of most statements: business and integration.
  storage::Params key() const;
  const ImportScope& scope() const { return scope_; }

 private:
  PageWork(const ImportScope& scope, std::unique_ptr<storage::Transaction> transaction)
      : scope_(scope), transaction_(std::move(transaction)) {}

  const ImportScope& scope_;
  std::unique_ptr<storage::Transaction> transaction_;
};

/// As `errors` of a run shows it.
std::string errors_json(const std::vector<Refused>& refused);

/// What a record is refused for, as a sentence.
std::string refusal_text(const storage::StatementError& error);

}  // namespace waybill::worker
