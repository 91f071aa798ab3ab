#include "worker/stores/import_sweep.hpp"

#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "connectors/store_memory.hpp"
#include "storage/sql.hpp"
#include "worker/stores/import_orders.hpp"
#include "worker/stores/import_products.hpp"

namespace waybill::worker {
namespace {

using boost::asio::experimental::awaitable_operators::operator&&;
using connectors::StoreError;
using connectors::StoreProblem;

constexpr auto longest_turn = std::chrono::seconds(60);
constexpr int most_tries = 3;  // of one call
constexpr Duration longest_wait = std::chrono::seconds(10);
constexpr std::int64_t failures_at_once = 50;
constexpr int most_rounds = 20;  // of them in one sweep

/// Smaller pages do not help: asking again may.
StoreError too_large() {
  return {StoreProblem::busy, "What the store gives at a time takes more memory than there is left for it."};
}

struct Stopped {};
struct GaveWay {};

/// A result or what was thrown instead.
template <typename Result>
class Caught {
 public:
  Caught() = default;
  explicit Caught(Result result) : result_(std::move(result)) {}
  explicit Caught(std::exception_ptr thrown) : thrown_(std::move(thrown)) {}
  Result get() {
    if (thrown_) std::rethrow_exception(thrown_);
    return std::move(*result_);
  }

 private:
  std::optional<Result> result_;
  std::exception_ptr thrown_;
};

/// Of two that run side by side, the failure of one then does not cut the other short.
template <typename Result>
asio::awaitable<Caught<Result>> caught(asio::awaitable<Result> work) {
  try {
    co_return Caught<Result>(co_await std::move(work));
  } catch (...) {
    co_return Caught<Result>(std::current_exception());
  }
}

std::size_t bytes_of(const connectors::StoreOrder& order) {
  return sizeof(order) + order.items.size() * sizeof(connectors::StoreItem);
}

std::size_t bytes_of(const connectors::StoreProduct& product) {
  return sizeof(product) + product.variants.size() * sizeof(connectors::StoreVariant);
}

/// The bytes of a page until it is written, without the texts that are too long to stand in their objects.
template <typename Record>
connectors::StoreMemory::Charge charge_for(const connectors::StorePage<Record>& page) {
  std::size_t bytes = page.unreadable.size() * sizeof(connectors::Unreadable);
  for (const auto& record : page.records) bytes += bytes_of(record);
  connectors::StoreMemory::Charge charge;
  if (!charge.add(bytes)) throw too_large();
  return charge;
}

/// Who goes through a store once.
class Sweep {
 public:
  Sweep(const ImportScope& scope, const ImportClaim& claim, connectors::Store& store,
        const SweepControl& control)
      : scope_(scope), claim_(claim), store_(store), control_(control) {}

  asio::awaitable<void> run(SweepEnd& end) {
    if (claim_.wants_orders) {
      co_await read_all(store_.orders_since(sweep_start(claim_.orders)), import_orders, claim_.orders.at,
                        end);
      co_await retry_failures(end);
      end.has_orders = true;
    }
    if (claim_.wants_products) {
      co_await read_all(store_.products_since(sweep_start(claim_.products)), import_products,
                        claim_.products.at, end);
      end.has_products = true;
    }
  }

 private:
  template <typename Record, typename Import>
  asio::awaitable<void> read_all(std::unique_ptr<connectors::StoreSweep<Record>> pages, Import import,
                                 std::optional<Time> start, SweepEnd& end) {
    auto page = co_await ask([&] { return pages->next(); });
    while (page) {
      const auto memory = charge_for(*page);
      const auto reached = page->reached;
      // The store writes its next page while this one is written here.
      auto [counts, next] =
          co_await (caught(import(scope_, std::move(*page))) && caught(ask([&] { return pages->next(); })));
      end.counts += counts.get();
      // Only once there is progress beyond the overlap: else the next sweep would read the same again, for
      // ever.
      const bool got_on = reached && (!start || *reached > *start);
      if (got_on && control_.crowded() && std::chrono::steady_clock::now() - control_.began > longest_turn)
        throw GaveWay();
      page = next.get();
    }
  }

  /// Orders that could not be imported before, each by itself.
  asio::awaitable<void> retry_failures(SweepEnd& end) {
    for (int round = 0; round < most_rounds; ++round) {
      storage::Params params;
      params.add(scope_.business.to_string()).add(scope_.integration.to_string()).add(claim_.is_requested);
      params.add(scope_.run.to_string()).add(failures_at_once);
      const auto due = co_await scope_.db.read(storage::sql::imports::due_failures, std::move(params));
      for (int row = 0; row < due.size(); ++row) co_await retry(std::string(due.get(row, 0)), end);
      if (due.size() < failures_at_once) co_return;
    }
  }

  asio::awaitable<void> retry(std::string id, SweepEnd& end) {
    connectors::StorePage<connectors::StoreOrder> page;
    try {
      page = co_await ask([&] { return store_.order(id); });
    } catch (const StoreError& error) {
      if (error.problem() != StoreProblem::refused) throw;
      page.unreadable.push_back({id, std::nullopt, error.what()});
    }
    page.reached.reset();
    for (auto& each : page.unreadable) each.external_id = id;
    if (page.records.empty() && page.unreadable.empty()) {
      co_await forget_failure(scope_, std::move(id));
    } else {
      end.counts += co_await import_orders(scope_, std::move(page));
    }
  }

  /// A call of the store, again after a moment when it is busy.
  template <typename Call>
  auto ask(Call call) -> decltype(call()) {
    for (int tries = 1;; ++tries) {
      if (control_.ended()) throw Stopped();
      Duration wait = std::chrono::seconds(tries);
      try {
        co_return co_await call();
      } catch (const StoreError& error) {
        if (control_.ended()) throw Stopped();
        wait = std::max(wait, error.retry_after().value_or(wait));
        if (error.problem() != StoreProblem::busy || tries == most_tries || wait > longest_wait) throw;
      }
      co_await control_.pause(wait);
    }
  }

  const ImportScope& scope_;
  const ImportClaim& claim_;
  connectors::Store& store_;
  const SweepControl& control_;
};

}  // namespace

asio::awaitable<SweepEnd> sweep_store(const ImportScope& scope, const ImportClaim& claim,
                                      connectors::Store& store, const SweepControl& control) {
  SweepEnd end;
  try {
    Sweep sweep(scope, claim, store, control);
    co_await sweep.run(end);
  } catch (const StoreError& error) {
    end.kind = SweepEnd::Kind::failed;
    end.reason = error.what();
    end.retry_after = error.retry_after();
  } catch (const std::bad_alloc&) {
    end.kind = SweepEnd::Kind::failed;
    end.reason = too_large().what();
  } catch (const GaveWay&) {
    end.kind = SweepEnd::Kind::gave_way;
  } catch (const Stopped&) {
    end.kind = SweepEnd::Kind::stopped;
  } catch (const NotOurs&) {
    end.kind = SweepEnd::Kind::stopped;
  }
  co_return end;
}

}  // namespace waybill::worker
