#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/route_plans/map_calls.hpp"
#include "api/threads/background.hpp"
#include "base/guid.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/service.hpp"
#include "domain/places/gazetteer.hpp"
#include "domain/routing/tour.hpp"
#include "net/http/http_client.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// Locates addresses and measures distances, for all io threads. Queries the geocoder and the OSRM server if
/// they are configured; without an answer in time, the gazetteer of cities and straight lines are used.
/// Businesses share its threads by turns (Background), and so they do the connections to each server
/// (MapCalls). The work of a business beyond its limit is refused with UNAVAILABLE. The geocoder's results
/// are cached in memory, a few megabytes at most.
class Maps final : public Service {
 public:
  struct Options {
    std::string geocoder_url;  // empty: the gazetteer only
    std::string osrm_url;      // empty: straight lines only
    std::string ca_file;
  };

  explicit Maps(Options options);
  ~Maps() override { stop_at_once(); }

  /// Aborts all requests in flight. Must run while the io contexts of the callers still exist.
  void stop(Moment until) override;

  /// Returns the place of each address, in their order; nullopt if unknown. `home` is the country of
  /// addresses without one. Takes at most five seconds.
  asio::awaitable<std::vector<std::optional<domain::Point>>> locate(
      const Guid& business, const std::vector<domain::PostalAddress>& addresses, std::string_view home);

  /// Returns the kilometres by road between all points. Takes at most ten seconds.
  asio::awaitable<domain::Distances> distances(const Guid& business,
                                               const std::vector<domain::Point>& points);

  /// Runs `work` outside the io threads, for work of more than a few milliseconds. Rethrows its exceptions.
  template <typename Work>
  asio::awaitable<std::invoke_result_t<Work&>> run(const Guid& business, Work work) {
    return work_.run(business, std::move(work));
  }

 private:
  asio::awaitable<std::vector<net::HttpResponse>> fetch(MapCalls& calls, const Guid& business,
                                                        std::vector<net::HttpRequest> requests);
  asio::awaitable<void> query_geocoder(const Guid& business,
                                       const std::vector<domain::PostalAddress>& addresses,
                                       std::string_view home,
                                       std::vector<std::optional<domain::Point>>& points);
  std::optional<domain::Point> find_cached(const std::string& key) const;
  void cache(const std::string& key, const domain::Point& point);

  const Options options_;
  std::unique_ptr<net::HttpClient> client_;
  std::optional<MapCalls> geocoder_, osrm_;  // of `client_`; empty without their URL
  Background work_{{.kind = ThreadKind::maps,
                    .most = 512,
                    .most_of_one = 256,
                    .refusal = "The service plans too many routes; try again."}};
  mutable Mutex mutex_;
  std::unordered_map<std::string, domain::Point> cached_points_ GUARDED_BY(mutex_);  // by the geocoder's URL
};

}  // namespace waybill::api
