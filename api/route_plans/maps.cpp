#include "api/route_plans/maps.hpp"

#include <atomic>
#include <chrono>

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/ascii.hpp"
#include "base/observe.hpp"
#include "domain/places/postal_code.hpp"
#include "net/maps/nominatim.hpp"
#include "net/maps/osrm.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t most_cached_points = 50'000;

void report(std::string_view service, const net::HttpResponse& response, std::uint64_t times) {
  observe(Observable::map_service_failed,
          {{"service", service}, {"status", response.status}, {"error", response.error}, {"times", times}},
          times);
}

/// Returns the distances of the OSRM server's table, and straight lines where it has none.
domain::Distances distances_from(const std::optional<net::HttpResponse>& answer,
                                 const std::vector<domain::Point>& points) {
  auto distances = domain::estimate_distances(points);
  if (!answer) return distances;
  const auto table = net::read_osrm_table(*answer, points.size());
  if (!table) {
    report("osrm", *answer, 1);
    return distances;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      const double kilometres = (*table)[i * points.size() + j];
      if (kilometres >= 0) distances(i, j) = kilometres;
    }
  }
  return distances;
}

/// Returns the address with a country: that of its postal code, if only one has such codes, or else `home`.
domain::PostalAddress with_country(domain::PostalAddress address, std::string_view home) {
  if (trimmed(address.country).empty())
    address.country = domain::country_of_postal_code(address.postal_code).value_or(home);
  return address;
}

/// A group of requests; the last response resumes the coroutine that waits for all of them.
template <typename Handler>
struct Batch {
  Batch(Handler on_done, std::size_t count) : handler(std::move(on_done)), responses(count), open(count) {}
  Handler handler;
  std::vector<net::HttpResponse> responses;
  std::atomic<std::size_t> open;
};

}  // namespace

Maps::Maps(Options options) : options_(std::move(options)) {
  if (options_.geocoder_url.empty() && options_.osrm_url.empty()) return;
  net::HttpClient::Options client;
  client.ca_file = options_.ca_file;
  client.max_connections_per_host = 2 * MapCalls::most_at_a_time;  // both servers may be one host
  client_ = std::make_unique<net::HttpClient>(client);
  if (!options_.geocoder_url.empty()) geocoder_.emplace(*client_);
  if (!options_.osrm_url.empty()) osrm_.emplace(*client_);
}

void Maps::stop(Moment until) {
  if (geocoder_) geocoder_->close();
  if (osrm_) osrm_->close();
  if (client_) client_->stop(until);
  work_.stop(until);
}

/// Returns the answers to requests with the same time limit, which begins now.
asio::awaitable<std::vector<net::HttpResponse>> Maps::fetch(MapCalls& calls, const Guid& business,
                                                            std::vector<net::HttpRequest> requests) {
  if (requests.empty()) co_return std::vector<net::HttpResponse>();
  const auto executor = co_await asio::this_coro::executor;
  const auto until = std::chrono::steady_clock::now() + requests.front().total_timeout;
  asio::steady_timer end(executor, until);
  end.async_wait([&calls](const boost::system::error_code& error) {
    if (!error) calls.expire();
  });
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                          void(std::vector<net::HttpResponse>)>(
      [&calls, &business, until, executor, &requests](auto handler) {
        using Shared = Batch<decltype(handler)>;
        const auto batch = std::make_shared<Shared>(std::move(handler), requests.size());
        const auto work = asio::make_work_guard(executor);
        for (std::size_t i = 0; i < requests.size(); ++i) {
          calls.send(business, std::move(requests[i]), until,
                     [batch, work, executor, i](net::HttpResponse response) {
                       batch->responses[i] = std::move(response);
                       if (--batch->open > 0) return;
                       asio::post(executor, [batch] { batch->handler(std::move(batch->responses)); });
                     });
        }
      },
      asio::use_awaitable);
}

std::optional<domain::Point> Maps::find_cached(const std::string& key) const {
  const Lock lock(mutex_);
  const auto found = cached_points_.find(key);
  if (found == cached_points_.end()) return std::nullopt;
  return found->second;
}

void Maps::cache(const std::string& key, const domain::Point& point) {
  const Lock lock(mutex_);
  if (cached_points_.size() >= most_cached_points) cached_points_.clear();
  cached_points_.emplace(key, point);
}

asio::awaitable<void> Maps::query_geocoder(const Guid& business,
                                           const std::vector<domain::PostalAddress>& addresses,
                                           std::string_view home,
                                           std::vector<std::optional<domain::Point>>& points) {
  std::vector<net::HttpRequest> requests;
  std::vector<std::pair<std::string, std::size_t>> queried;  // URL and index of the address
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    auto request = net::nominatim_request(options_.geocoder_url, with_country(addresses[i], home));
    points[i] = find_cached(request.url);
    if (points[i] || (addresses[i].city.empty() && addresses[i].postal_code.empty())) continue;
    queried.emplace_back(request.url, i);
    requests.push_back(std::move(request));
  }
  const auto responses = co_await fetch(*geocoder_, business, std::move(requests));
  std::uint64_t failures = 0;
  const net::HttpResponse* failed = nullptr;
  for (std::size_t i = 0; i < responses.size(); ++i) {
    const auto& [url, address] = queried[i];
    const auto point = net::read_nominatim(responses[i]);
    if (point) cache(url, *point);
    points[address] = point;
    if (responses[i].status == 200) continue;
    ++failures;
    failed = &responses[i];
  }
  if (failed != nullptr) report("geocoder", *failed, failures);
}

asio::awaitable<std::vector<std::optional<domain::Point>>> Maps::locate(
    const Guid& business, const std::vector<domain::PostalAddress>& addresses, std::string_view home) {
  std::vector<std::optional<domain::Point>> points(addresses.size());
  if (geocoder_) co_await query_geocoder(business, addresses, home, points);
  // The coroutine waits here, so the references in the work stay valid.
  co_return co_await run(business, [&] {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (!points[i]) points[i] = domain::Gazetteer::builtin().locate(addresses[i], home);
    }
    return std::move(points);
  });
}

asio::awaitable<domain::Distances> Maps::distances(const Guid& business,
                                                   const std::vector<domain::Point>& points) {
  std::optional<net::HttpResponse> answer;
  if (osrm_ && points.size() > 1) {
    std::vector<net::HttpRequest> requests;
    requests.push_back(net::osrm_table_request(options_.osrm_url, points));
    answer = std::move((co_await fetch(*osrm_, business, std::move(requests))).front());
  }
  co_return co_await run(business, [&] { return distances_from(answer, points); });
}

}  // namespace waybill::api
