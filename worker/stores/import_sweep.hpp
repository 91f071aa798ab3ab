#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "connectors/connector.hpp"
#include "worker/stores/import_claim.hpp"
#include "worker/stores/import_scope.hpp"

namespace waybill::worker {

/// What a sweep is told while it goes on. All on one thread.
struct SweepControl {
  std::function<bool()> ended;                                    // nothing more is to be done
  std::function<bool()> crowded;                                  // others wait for a place
  std::function<asio::awaitable<void>(Duration duration)> pause;  // at most so long
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
};

struct SweepEnd {
  enum class Kind : std::uint8_t {
    complete,
    gave_way,  // others waited; the rest is for the next sweep
    stopped,   // the worker stops, or the integration is not its any more
    failed,    // the store ended it, or we
  };
  Kind kind = Kind::complete;
  std::string reason;                   // of a failure, a sentence
  std::optional<Duration> retry_after;  // that the store asked for
  bool has_orders = false;              // all were read
  bool has_products = false;
  PageCounts counts;
};

/// Reads what has changed in a store, page by page, and writes each as it comes: memory does not grow with
/// the store. Throws DatabaseUnavailable and StatementError.
asio::awaitable<SweepEnd> sweep_store(const ImportScope& scope, const ImportClaim& claim,
                                      connectors::Store& store, const SweepControl& control);

}  // namespace waybill::worker
