#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "connectors/connector.hpp"
#include "worker/stores/import_claim.hpp"
#include "worker/stores/import_scope.hpp"

namespace waybill::worker {

/// The control of a running import by the importer. One thread.
struct SweepControl {
  std::function<bool()> must_stop;                                // the import must stop
  std::function<bool()> others_wait;                              // other imports wait for a slot
  std::function<asio::awaitable<void>(Duration duration)> pause;  // waits for `duration` or less
  /// Lets requests to the store that begin at or after a time fail with operation_aborted; nullopt: none.
  std::function<void(std::optional<std::chrono::steady_clock::time_point> end)> end_requests_at;
  std::function<std::optional<Time>()> store_time;  // present time by the last Date of the store
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
};

struct SweepResult {
  enum class Kind : std::uint8_t {
    complete,
    yielded,  // other imports waited; the next pass reads the rest
    stopped,  // the worker stops or has lost the lease of the integration
    failed,   // by an error of the store or of the worker
  };
  Kind kind = Kind::complete;
  std::string reason;                   // cause of a failure, as a sentence
  std::optional<Duration> retry_after;  // the delay that the store asked for
  bool has_orders = false;              // true if all orders were read
  bool has_products = false;            // true if all products were read
  PageCounts counts;
};

/// Reads the changes of a store page by page and writes each page at once, so that memory does not grow with
/// the store. Throws DatabaseUnavailable and StatementError.
asio::awaitable<SweepResult> sweep_store(const ImportScope& scope, const ImportClaim& claim,
                                         connectors::Store& store, const SweepControl& control);

}  // namespace waybill::worker
