#include "worker/stores/import_sweep.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/system/system_error.hpp>

#include "base/database_clock.hpp"
#include "connectors/store_call.hpp"
#include "connectors/store_memory.hpp"
#include "storage/sql/imports.sql.hpp"
#include "worker/stores/import_orders.hpp"
#include "worker/stores/import_products.hpp"

namespace waybill::worker {
namespace {

using boost::asio::experimental::awaitable_operators::operator&&;
using connectors::StoreError;
using connectors::StoreProblem;
using std::chrono::steady_clock;

constexpr auto longest_turn = std::chrono::seconds(60);
constexpr auto forever = steady_clock::time_point::max();
constexpr int attempts_of_call = 3;
constexpr Duration max_wait = std::chrono::seconds(10);
constexpr std::int64_t failures_per_round = 50;
constexpr int max_rounds = 20;  // rounds of failures in one pass

/// Reported as busy, because a later request may succeed; smaller pages do not help.
StoreError too_large() {
  return {StoreProblem::busy, "The response of the store takes more memory than is available."};
}

struct Stopped {};
struct Yielded {};

/// A result or an exception.
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

/// Captures an exception, so that the failure of one of two parallel operations does not cancel the other.
template <typename Result>
asio::awaitable<Caught<Result>> capture(asio::awaitable<Result> work) {
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

/// Counts the bytes of a page until it is written, without texts that are allocated outside their objects.
template <typename Record>
connectors::StoreMemory::Charge charge_for(const connectors::StorePage<Record>& page) {
  std::size_t bytes = page.unreadable.size() * sizeof(connectors::Unreadable);
  for (const auto& record : page.records) bytes += bytes_of(record);
  connectors::StoreMemory::Charge charge;
  if (!charge.add(bytes)) throw too_large();
  return charge;
}

/// One pass over a store: its products for a limited time, then its orders, then the other products, with the
/// new orders after each turn.
class Sweep {
 public:
  Sweep(const ImportScope& scope, const ImportClaim& claim, connectors::Store& store,
        const SweepControl& control)
      : scope_(scope), claim_(claim), store_(store), control_(control) {}

  asio::awaitable<void> run(SweepResult& end) {
    if (claim_.wants_products && claim_.wants_orders) co_await begin_products(end);
    while (true) {
      if (claim_.wants_orders) co_await read_orders(end);
      if (products_failure_) std::rethrow_exception(products_failure_);
      if (!claim_.wants_products || end.has_products) co_return;
      co_await read_products(end, claim_.wants_orders ? steady_clock::now() + longest_turn : forever);
    }
  }

 private:
  /// The reading of a list, which can be interrupted between its pages.
  template <typename Record>
  struct Reading {
    std::unique_ptr<connectors::StoreSweep<Record>> pages = {};
    std::optional<Time> start = {};
    std::optional<connectors::StorePage<Record>> page = {};  // the next one, if it is read
    std::optional<Time> reached = {};
  };

  /// Begins to read a list with its first page: where the last import ended, or earlier if the store's clock
  /// was put back since then.
  template <typename Record, typename Open>
  asio::awaitable<Reading<Record>> begin(ImportProgress& progress, Open open) {
    Reading<Record> reading{.pages = open(progress), .start = progress.reached};
    reading.page = co_await call_store([&] { return reading.pages->next(); });
    const auto store_time = control_.store_time();
    const auto earlier =
        store_time ? reached_before_setback(progress, *store_time, database_clock().now()) : std::nullopt;
    if (earlier) {
      constexpr bool is_of_orders = std::is_same_v<Record, connectors::StoreOrder>;
      const auto at = [&](bool is_moved) { return is_moved ? earlier : std::nullopt; };
      co_await scope_.thread.database().write(
          storage::sql::imports::GoBack{.business = scope_.business,
                                        .integration = scope_.integration,
                                        .worker = scope_.worker,
                                        .orders_reached = at(is_of_orders),
                                        .products_reached = at(!is_of_orders)},
          {});
      progress = {.reached = earlier};
      reading = {.pages = open(progress), .start = earlier};
    }
    co_return reading;
  }

  asio::awaitable<void> read_orders(SweepResult& end) {
    end.has_orders = false;
    auto reading = co_await begin<connectors::StoreOrder>(orders_, [this](const ImportProgress& progress) {
      return store_.orders_since(order_import_start(progress, claim_.import_since));
    });
    co_await read_all(reading, import_orders, forever, end);
    co_await retry_failures(end);
    end.has_orders = true;
    if (reading.reached && (!orders_.reached || *reading.reached > *orders_.reached))
      orders_ = {.reached = reading.reached};
  }

  /// Reads the products before the orders, whose items have their measures, for a limited time. A failure is
  /// kept until the orders are read.
  asio::awaitable<void> begin_products(SweepResult& end) {
    const auto until = steady_clock::now() + products_first;
    may_yield_ = false;
    control_.end_requests_at(until);
    try {
      co_await read_products(end, until);
    } catch (const Stopped&) {
      throw;
    } catch (const LeaseLost&) {
      throw;
    } catch (const boost::system::system_error& error) {
      if (error.code() != asio::error::operation_aborted) products_failure_ = std::current_exception();
    } catch (...) {
      products_failure_ = std::current_exception();
    }
    control_.end_requests_at(std::nullopt);
    may_yield_ = true;
  }

  /// Reads the products from where an earlier call ended, and ends after a page at or after `until`.
  asio::awaitable<void> read_products(SweepResult& end, steady_clock::time_point until) {
    if (!products_.pages) {
      co_await ask_due_owners(end);
      if (co_await forget_aside()) products_from_.reached.reset();
      products_ = co_await begin<connectors::StoreProduct>(
          products_from_,
          [this](const ImportProgress& from) { return store_.products_since(import_start(from)); });
    }
    const auto write = [this](const ImportScope& scope,
                              connectors::StorePage<connectors::StoreProduct> page) {
      return import_products(scope, std::move(page), std::exchange(owners_, {}));
    };
    end.has_products = co_await read_all(products_, write, until, end);
  }

  /// Asks the store for products whose SKUs here others have waited for since earlier imports.
  asio::awaitable<void> ask_due_owners(SweepResult& end) {
    constexpr std::int64_t most_due = 10;
    const auto due = co_await scope_.thread.database().read(storage::sql::imports::DueOwners{
        .business = scope_.business, .integration = scope_.integration, .limit = most_due});
    connectors::StorePage<connectors::StoreProduct> page;
    for (const auto& row : due) co_await ask_owner(std::string(row.external_id), page);
    if (owners_.ids.empty()) co_return;
    const auto memory = charge_for(page);
    end.counts += co_await import_products(scope_, std::move(page), std::exchange(owners_, {}));
  }

  /// Asks the store for products that are not on the page and have SKUs here which its products have in the
  /// store; then for those that have SKUs of these.
  asio::awaitable<void> ask_owners(connectors::StorePage<connectors::StoreProduct>& page) {
    bool is_any_new = !page.records.empty();
    while (is_any_new && may_ask_owners()) {
      const auto ids = co_await owners_to_ask(scope_, page);
      is_any_new = std::ranges::any_of(ids, [this](const auto& id) { return !asked_.contains(id); });
      for (const auto& id : ids) co_await ask_owner(id, page);
    }
  }

  bool may_ask_owners() const {
    constexpr std::size_t most_asked = 30;
    return !has_unanswered_owner_ && asked_.size() < most_asked;
  }

  /// Adds what the store has of a product to the page, before the others, or notes that it is gone. If the
  /// store cannot answer, the products that need the SKUs wait.
  asio::awaitable<void> ask_owner(std::string id, connectors::StorePage<connectors::StoreProduct>& page) {
    if (!may_ask_owners() || asked_.contains(id)) co_return;
    connectors::StorePage<connectors::StoreProduct> found;
    try {
      found = co_await call_store([&] { return store_.product(id); });
    } catch (const StoreError&) {
      has_unanswered_owner_ = true;
    }
    asked_.insert(id);
    owners_.ids.push_back(id);
    if (!has_unanswered_owner_ && found.records.empty() && found.unreadable.empty())
      owners_.gone.push_back(id);
    for (auto& product : found.records) {
      if (product.external_id == id) page.records.insert(page.records.begin(), std::move(product));
    }
  }

  /// Forgets the products that were set aside because of a SKU that is free now. Returns true if there are
  /// any; all products of the store must then be read again.
  asio::awaitable<bool> forget_aside() {
    const auto forgotten = co_await scope_.thread.database().write(
        storage::sql::imports::ForgetAside{
            .business = scope_.business, .integration = scope_.integration, .worker = scope_.worker},
        {});
    co_return !forgotten.empty();
  }

  /// Returns false if it ended because of `until`.
  template <typename Record, typename Import>
  asio::awaitable<bool> read_all(Reading<Record>& reading, Import import, steady_clock::time_point until,
                                 SweepResult& end) {
    auto& pages = *reading.pages;
    if (!reading.page) reading.page = co_await call_store([&] { return pages.next(); });
    while (reading.page) {
      if constexpr (std::is_same_v<Record, connectors::StoreProduct>) co_await ask_owners(*reading.page);
      auto page = *std::exchange(reading.page, std::nullopt);
      const auto memory = charge_for(page);
      // The store's clock may be ahead, and be put right at any time.
      if (page.reached) reading.reached = page.reached = std::min(*page.reached, database_clock().now());
      const auto reached = page.reached;
      // The store prepares the next page while this one is written.
      auto [counts, next] = co_await (capture(import(scope_, std::move(page))) &&
                                      capture(call_store([&] { return pages.next(); })));
      end.counts += counts.get();
      // Yields only after progress beyond the overlap; otherwise each pass would read the same pages again.
      const bool has_advanced = reached && (!reading.start || *reached > *reading.start);
      if (may_yield_ && has_advanced && control_.others_wait() &&
          steady_clock::now() - control_.began > longest_turn)
        throw Yielded();
      reading.page = next.get();
      if (reading.page && steady_clock::now() >= until) co_return false;
    }
    co_return true;
  }

  /// Imports the orders that failed before again, one by one. If the store cannot answer for several in a
  /// row, the others wait for a later import.
  asio::awaitable<void> retry_failures(SweepResult& end) {
    constexpr int most_in_a_row = 3;
    int unanswered = 0;
    for (int round = 0; round < max_rounds; ++round) {
      const auto due = co_await scope_.thread.database().read(
          storage::sql::imports::DueFailures{.business = scope_.business,
                                             .integration = scope_.integration,
                                             .include_later = claim_.is_requested,
                                             .run = scope_.run,
                                             .limit = failures_per_round});
      for (const auto& failure : due) {
        const bool is_answered = co_await retry(std::string(failure.external_id), end);
        unanswered = is_answered ? 0 : unanswered + 1;
        if (unanswered == most_in_a_row) co_return;
      }
      if (due.size() < failures_per_round) co_return;
    }
  }

  /// Returns false if the store could not answer; the order then stays set aside.
  asio::awaitable<bool> retry(std::string id, SweepResult& end) {
    connectors::StorePage<connectors::StoreOrder> page;
    bool is_answered = true;
    try {
      page = co_await call_store([&] { return store_.order(id); });
    } catch (const StoreError& error) {
      if (!connectors::may_depend_on_size(error)) throw;
      is_answered = error.problem() == StoreProblem::refused;
      page.unreadable.push_back({id, std::nullopt, error.what()});
    }
    page.reached.reset();
    for (auto& each : page.unreadable) each.external_id = id;
    if (page.records.empty() && page.unreadable.empty()) {
      co_await forget_failure(scope_, std::move(id));
    } else {
      end.counts += co_await import_orders(scope_, std::move(page));
    }
    co_return is_answered;
  }

  /// Calls the store, and repeats the call after a short wait if the store is busy.
  template <typename Call>
  auto call_store(Call call) -> decltype(call()) {
    for (int attempt = 1;; ++attempt) {
      if (control_.must_stop()) throw Stopped();
      Duration wait = std::chrono::seconds(attempt);
      try {
        co_return co_await call();
      } catch (const StoreError& error) {
        if (control_.must_stop()) throw Stopped();
        wait = std::max(wait, error.retry_after().value_or(wait));
        if (!connectors::may_pass(error.problem()) || attempt == attempts_of_call || wait > max_wait) throw;
      }
      co_await control_.pause(wait);
    }
  }

  const ImportScope& scope_;
  const ImportClaim& claim_;
  connectors::Store& store_;
  const SweepControl& control_;
  ImportProgress orders_ = claim_.orders;
  ImportProgress products_from_ = claim_.products;
  Reading<connectors::StoreProduct> products_;
  AskedOwners owners_;           // since the last page of products was written
  std::set<std::string> asked_;  // the ids of all of them
  bool has_unanswered_owner_ = false;
  std::exception_ptr products_failure_;
  bool may_yield_ = true;
};

}  // namespace

asio::awaitable<SweepResult> sweep_store(const ImportScope& scope, const ImportClaim& claim,
                                         connectors::Store& store, const SweepControl& control) {
  SweepResult end;
  try {
    Sweep sweep(scope, claim, store, control);
    co_await sweep.run(end);
  } catch (const StoreError& error) {
    end.kind = SweepResult::Kind::failed;
    end.reason = error.what();
    end.retry_after = error.retry_after();
  } catch (const std::bad_alloc&) {
    end.kind = SweepResult::Kind::failed;
    end.reason = too_large().what();
  } catch (const Yielded&) {
    end.kind = SweepResult::Kind::yielded;
  } catch (const Stopped&) {
    end.kind = SweepResult::Kind::stopped;
  } catch (const LeaseLost&) {
    end.kind = SweepResult::Kind::stopped;
  }
  co_return end;
}

}  // namespace waybill::worker
