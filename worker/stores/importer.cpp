#include "worker/stores/importer.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "base/database_clock.hpp"
#include "base/observe.hpp"
#include "domain/workflows/retry.hpp"
#include "net/destination/destination.hpp"
#include "net/http/counted_response.hpp"
#include "storage/sql/imports.sql.hpp"
#include "worker/stores/import_claim.hpp"
#include "worker/stores/import_sweep.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto claim_interval = 250ms;  // between two searches for due integrations
constexpr auto max_duration = 5min;     // length of an import while others wait
constexpr Duration longest_wait = 3s;   // for the imports at a stop
// The lifetime of an open store with its token and dialect.
constexpr auto max_unused = 10min;
constexpr auto max_age = 1h;

}  // namespace

// All private methods run on the thread only.
class Importer::Impl {
 public:
  Impl(Options options, const SecretBox& secrets, StoreThread& thread)
      : options_(std::move(options)), secrets_(secrets), thread_(thread) {}

  void start() {
    phase_ = Phase::started;
    tasks_.spawn(claim_due_imports());
    tasks_.spawn(renew_leases());
  }

  void stop_accepting() {
    if (phase_ != Phase::started) return;
    phase_ = Phase::stopping;
    tasks_.stop([this] {
      claim_timer_.cancel();
      renewal_timer_.cancel();
      for (auto& [integration, running] : running_) running.pause.cancel();
    });
  }

  void drain(Service::Moment until) {
    if (phase_ != Phase::stopping) return;
    phase_ = Phase::stopped;
    const auto left = std::chrono::ceil<Duration>(until - steady_clock::now());
    tasks_.wait(std::clamp<Duration>(left, Duration::zero(), longest_wait));
  }

 private:
  enum class Phase : std::uint8_t { none, started, stopping, stopped };

  struct Running {
    explicit Running(asio::io_context& io) : pause(io) {}
    bool has_lease = true;
    steady_clock::time_point opened_at = steady_clock::now();  // when its store was opened
    const steady_clock::time_point began = steady_clock::now();
    std::optional<steady_clock::time_point> requests_end;
    std::optional<Duration> store_is_ahead;  // by the Date of its last answer
    asio::steady_timer pause;
  };
  struct KeptStore {
    std::string sealed_key;
    std::optional<std::string> sealed_secret;
    std::string url;
    std::unique_ptr<connectors::Store> store;
    steady_clock::time_point opened_at, used_at;
  };

  asio::awaitable<void> wait(asio::steady_timer& timer, Duration duration) {
    if (tasks_.is_stopping()) co_return;
    timer.expires_after(duration);
    boost::system::error_code cancelled;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }

  /// Claims and starts due imports until the importer stops.
  asio::awaitable<void> claim_due_imports() {
    while (!tasks_.is_stopping()) {
      try {
        if (running_.size() < options_.places && co_await is_due()) co_await start_due();
        forget_stores();
        has_failed_ = false;
      } catch (const storage::DatabaseUnavailable&) {  // NOLINT(bugprone-empty-catch): logged by LeaseKeeper
      } catch (const std::exception& error) {
        if (!std::exchange(has_failed_, true))
          observe(Observable::import_failed, {{"error", std::string_view(error.what())}});
      }
      co_await wait(claim_timer_, claim_interval);
    }
  }

  asio::awaitable<bool> is_due() {
    const auto rows = co_await thread_.database().write(sql::imports::IsDue{}, {});
    co_return rows.front().is_due;
  }

  asio::awaitable<void> start_due() {
    const std::size_t places = options_.places - running_.size();
    std::vector<Guid> busy;
    busy.reserve(running_.size());
    for (const auto& [integration, running] : running_) busy.push_back(integration);
    std::vector<Guid> runs;
    runs.reserve(places);
    const std::int64_t now = to_unix_ms(database_clock().now());
    for (std::size_t i = 0; i < places; ++i) runs.push_back(Guid::timed_random(now));
    const auto claimed = co_await thread_.database().write(
        sql::imports::Claim{.worker = options_.worker,
                            .limit = places,
                            .lease = format_duration(options_.lease),
                            .busy = busy,
                            .new_runs = runs,
                            .max_per_business = options_.places_of_business},
        {});
    for (const auto& row : claimed) {
      ImportClaim claim = claim_of(row);
      running_.try_emplace(claim.integration, thread_.io());
      tasks_.spawn(perform(std::move(claim)));
    }
  }

  /// Renews the leases of running imports, even of slow stores, until the importer stops.
  asio::awaitable<void> renew_leases() {
    while (!tasks_.is_stopping()) {
      co_await wait(renewal_timer_, options_.lease / 3);
      if (tasks_.is_stopping() || running_.empty()) continue;
      std::vector<Guid> held;
      held.reserve(running_.size());
      for (const auto& [integration, running] : running_) held.push_back(integration);
      try {
        const auto rows = co_await thread_.database().write(
            sql::imports::Renew{
                .worker = options_.worker, .integrations = held, .lease = format_duration(options_.lease)},
            {});
        std::set<Guid> renewed;
        for (const auto& row : rows) renewed.insert(row.guid);
        for (const Guid& integration : held) {
          const auto running = running_.find(integration);
          if (running != running_.end() && !renewed.contains(integration)) running->second.has_lease = false;
        }
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): each page checks its lease
      }
    }
  }

  asio::awaitable<void> perform(ImportClaim claim) {
    const auto began_at = database_clock().now();
    const auto began = steady_clock::now();
    SweepResult result;
    try {
      result = co_await sweep(claim);
    } catch (const std::exception& error) {
      result.kind = SweepResult::Kind::failed;
      result.reason = "The import failed because of an internal error.";
      observe(Observable::import_failed,
              {{"integration", claim.integration.to_string()}, {"error", std::string_view(error.what())}});
    }
    try {
      co_await finish(claim, result, began_at);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the lease expires
    }
    report(claim, result, steady_clock::now() - began);
    running_.erase(claim.integration);
    claim_timer_.cancel();
  }

  asio::awaitable<SweepResult> sweep(const ImportClaim& claim) {
    if (claim.run.is_nil()) co_return SweepResult{};  // the integration imports neither orders nor products
    const auto* const connector = connectors::find_connector(claim.provider);
    if (connector == nullptr) {
      co_return SweepResult{.kind = SweepResult::Kind::failed,
                            .reason = "There is no connector for this provider."};
    }
    Running& running = running_.at(claim.integration);
    auto store = open(claim, *connector, running);
    const SweepControl control{
        .must_stop = [this, &running] { return tasks_.is_stopping() || !running.has_lease; },
        .others_wait = [this] { return running_.size() >= options_.places; },
        .pause = [this, &running](Duration duration) { return wait(running.pause, duration); },
        .end_requests_at = [&running](auto end) { running.requests_end = end; },
        .store_time = [&running]() -> std::optional<Time> {
          if (!running.store_is_ahead) return std::nullopt;
          return database_clock().now() + *running.store_is_ahead;
        }};
    const ImportScope scope{.thread = thread_,
                            .business = claim.business,
                            .integration = claim.integration,
                            .worker = options_.worker,
                            .run = claim.run,
                            .cause = cause_of(claim, connector->terms().name),
                            .lease = options_.lease,
                            .connector = *connector,
                            .claim = claim};
    auto result = co_await sweep_store(scope, claim, *store, control);
    if (result.kind != SweepResult::Kind::failed) keep_store(claim, running, std::move(store));
    co_return result;
  }

  std::unique_ptr<connectors::Store> open(const ImportClaim& claim, const connectors::Connector& connector,
                                          Running& running) {
    if (auto kept = stores_.extract(claim.integration)) {
      auto& found = kept.mapped();
      running.opened_at = found.opened_at;
      if (found.sealed_key == claim.sealed_key && found.sealed_secret == claim.sealed_secret &&
          found.url == claim.store_url)
        return std::move(found.store);
    }
    running.opened_at = steady_clock::now();
    return connector.open(credentials_of(secrets_, claim), send(claim.business, claim.integration),
                          database_clock(), options_.connectors);
  }

  /// True if the import must end because it exceeds `max_duration` while others wait.
  bool is_overdue(const Guid& integration) const {
    const auto running = running_.find(integration);
    return running != running_.end() && running_.size() >= options_.places &&
           steady_clock::now() - running->second.began > max_duration;
  }

  /// True if the import must not begin requests now.
  bool has_requests_ended(const Guid& integration) const {
    const auto running = running_.find(integration);
    return running != running_.end() && running->second.requests_end &&
           steady_clock::now() >= *running->second.requests_end;
  }

  void note_date(const Guid& integration, const net::HttpResponse& response) {
    constexpr int success = 200, redirection = 300;
    const auto running = running_.find(integration);
    const auto date = response.header("date");
    if (running == running_.end() || !date || response.status < success || response.status >= redirection)
      return;
    if (const auto time = domain::parse_http_date(*date))
      running->second.store_is_ahead = *time - database_clock().now();
  }

  connectors::Send send(Guid business, Guid integration) {
    return [this, business, integration](net::HttpRequest request) -> asio::awaitable<net::HttpResponse> {
      net::HttpResponse response;
      if (has_requests_ended(integration)) throw boost::system::system_error(asio::error::operation_aborted);
      if (is_overdue(integration)) {
        response.failure = net::HttpFailure::timeout;
        response.error = "it took too long while other stores waited.";
        co_return response;
      }
      request.owner = integration.to_string();
      const auto destination = net::parse_destination(request.url);
      response = co_await tasks_.fetch(std::move(request));
      note_date(integration, response);
      if (destination) {
        count_response(options_.counts,
                       {.business = business,
                        .kind = net::DestinationKind::store,
                        .destination = destination->key(),
                        .at = database_clock().now()},
                       response);
      }
      co_return response;
    };
  }

  void keep_store(const ImportClaim& claim, const Running& running,
                  std::unique_ptr<connectors::Store> store) {
    stores_.insert_or_assign(
        claim.integration, KeptStore{claim.sealed_key, claim.sealed_secret, claim.store_url, std::move(store),
                                     running.opened_at, steady_clock::now()});
  }

  void forget_stores() {
    const auto now = steady_clock::now();
    std::erase_if(stores_, [&](const auto& entry) {
      return entry.second.used_at < now - max_unused || entry.second.opened_at < now - max_age;
    });
  }

  asio::awaitable<void> finish(const ImportClaim& claim, const SweepResult& result, Time began) {
    using Kind = SweepResult::Kind;
    const bool has_failed = result.kind == Kind::failed;
    const bool goes_on =
        result.kind == Kind::yielded || (result.kind == Kind::stopped && tasks_.is_stopping());
    // Orders do not wait because of products that cannot be read.
    const bool lacks_products_only = has_failed && result.has_orders;
    const bool is_usual = result.kind == Kind::complete || lacks_products_only;
    const int failures = is_usual ? 0 : has_failed ? claim.failures + 1 : claim.failures;
    const int products_failures = lacks_products_only   ? claim.products_failures + 1
                                  : result.has_products ? 0
                                                        : claim.products_failures;
    std::optional<std::string> products_delay;
    if (lacks_products_only)
      products_delay = format_duration(pause_after(products_failures, result.retry_after, spread()));
    Duration pause = Duration::zero();
    if (has_failed) pause = pause_after(failures, result.retry_after, spread());
    if (is_usual) {
      // The spread only shortens the pause, so that the interval is never exceeded.
      const double part = 1 - std::abs(spread()) / 5;
      pause = Duration(std::llround(static_cast<double>(options_.interval.count()) * part));
    }
    std::vector<Refused> errors;
    if (has_failed) errors.push_back({{}, std::nullopt, result.reason});
    if (result.kind == Kind::stopped && !goes_on)
      errors.push_back({{}, std::nullopt, "Stopped: the integration was disabled or removed."});
    const auto swept_at = [&](bool is_swept) { return is_swept ? std::optional(began) : std::nullopt; };
    co_await thread_.database().write(sql::imports::Finish{.business = claim.business,
                                                           .integration = claim.integration,
                                                           .worker = options_.worker,
                                                           .run = claim.run,
                                                           .due_at = claim.due_at,
                                                           .delay = format_duration(pause),
                                                           .failures = failures,
                                                           .orders_swept_at = swept_at(result.has_orders),
                                                           .products_swept_at = swept_at(result.has_products),
                                                           .errors = errors_json(errors),
                                                           .continues = goes_on,
                                                           .products_failures = products_failures,
                                                           .products_delay = products_delay},
                                      {});
  }

  static void report(const ImportClaim& claim, const SweepResult& result, steady_clock::duration took) {
    const std::chrono::duration<double> seconds = took;
    const auto& counts = result.counts;
    record(Histogram::import_seconds, seconds.count());
    const auto count = [](Observable event, std::int64_t orders) {
      if (orders > 0) observe(event, {{"orders", orders}}, static_cast<std::uint64_t>(orders));
    };
    count(Observable::orders_imported, counts.imported);
    count(Observable::orders_updated, counts.updated);
    count(Observable::orders_unchanged, counts.unchanged);
    count(Observable::orders_failed, counts.failed);
    const bool has_failed = result.kind == SweepResult::Kind::failed;
    const bool is_news = has_failed || counts.imported + counts.updated + counts.failed > 0;
    const auto event = has_failed ? Observable::import_failed
                       : is_news  ? Observable::import_finished
                                  : Observable::import_idle;
    observe(event, {{"integration", claim.integration.to_string()},
                    {"provider", claim.provider},
                    {"run", claim.run.to_string()},
                    {"imported", counts.imported},
                    {"updated", counts.updated},
                    {"unchanged", counts.unchanged},
                    {"failed", counts.failed},
                    {"seconds", seconds.count()},
                    {"reason", result.reason}});
  }

  double spread() { return std::uniform_real_distribution(-1.0, 1.0)(random_); }

  const Options options_;
  const SecretBox& secrets_;
  StoreThread& thread_;
  Phase phase_ = Phase::none;  // used by the owner's thread only
  StoreTasks tasks_{thread_};
  asio::steady_timer claim_timer_{thread_.io()};
  asio::steady_timer renewal_timer_{thread_.io()};
  std::map<Guid, Running> running_;
  std::map<Guid, KeptStore> stores_;
  std::minstd_rand random_{std::random_device{}()};
  bool has_failed_ = false;
};

Importer::Importer(Options options, const SecretBox& secrets, StoreThread& thread)
    : impl_(std::make_unique<Impl>(std::move(options), secrets, thread)) {}

Importer::~Importer() = default;

void Importer::start() { impl_->start(); }

void Importer::stop_accepting() { impl_->stop_accepting(); }

void Importer::drain(Moment until) { impl_->drain(until); }

void Importer::stop(Moment until) {
  stop_accepting();
  drain(until);
}

}  // namespace waybill::worker
