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
#include "storage/changes/status_change.hpp"
#include "storage/database/database.hpp"
#include "worker/stores/import_claim.hpp"
#include "worker/stores/store_thread.hpp"

namespace waybill::worker {

/// Another worker has claimed the integration, or it was disabled or removed. Nothing more may be written.
class LeaseLost : public std::exception {
 public:
  const char* what() const noexcept override { return "the worker has lost the lease of the integration"; }
};

/// The import to which a page belongs.
struct ImportScope {
  StoreThread& thread;
  Guid business;
  Guid integration;
  Guid worker;
  Guid run;
  std::string cause;  // cause of the import's events
  Duration lease;
  const connectors::Connector& connector;
  const ImportClaim& claim;
};

/// A record that could not be imported, or only in part.
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

/// The transaction of one page. It begins with a check of this worker's lease, and ends with the run's
/// counters and the cursor, so that these match the committed records. Without `commit` it is rolled back.
class PageWork {
 public:
  /// Throws LeaseLost. All methods throw StatementError and DatabaseUnavailable.
  static asio::awaitable<PageWork> begin(const ImportScope& scope);

  template <storage::TypedStatement S>
  asio::awaitable<storage::ResultOf<S>> run(const S& statement) {
    return transaction_->run(statement);
  }
  asio::awaitable<storage::ChangeResult> change_status(storage::StatusChange change) {
    return storage::change_status(*transaction_, scope_.business, std::move(change));
  }

  struct Advance {
    PageCounts counts;
    std::optional<Time> orders_reached, products_reached;
    std::int64_t recent_orders = 0;  // new or changed ones
    int most_errors = 100;           // more errors of the run are not kept
  };
  asio::awaitable<void> commit(Advance advance, const std::vector<Refused>& refused);

 private:
  PageWork(const ImportScope& scope, std::unique_ptr<storage::Transaction> transaction)
      : scope_(scope), transaction_(std::move(transaction)) {}

  const ImportScope& scope_;
  std::unique_ptr<storage::Transaction> transaction_;
};

/// The JSON text of `errors` of a run.
std::string errors_json(const std::vector<Refused>& refused);

/// The reason that the database refused a record, as a sentence.
std::string refusal_text(const storage::StatementError& error);

}  // namespace waybill::worker
