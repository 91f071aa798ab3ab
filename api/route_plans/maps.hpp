#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "domain/places/gazetteer.hpp"
#include "domain/routing/tour.hpp"
#include "net/http_client.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// Where addresses lie and how far apart places are, for all io threads at once. Asks the geocoder and the
/// OSRM server when the operator named them; what they do not answer in time is taken from the gazetteer of
/// cities and from straight lines. Nothing here throws but std::bad_alloc. What the geocoder found is kept in
/// memory, a few megabytes at most.
class Maps {
 public:
  struct Options {
    std::string geocoder_url;  // empty: the gazetteer alone
    std::string osrm_url;      // empty: straight lines alone
    std::string ca_file;
  };

  explicit Maps(Options options);
  ~Maps();
  Maps(const Maps&) = delete;
  Maps& operator=(const Maps&) = delete;

  /// Gives up what is in flight. Called while the io contexts of those who wait still exist.
  void shut_down();

  /// Where each of the addresses lies, in their order; `home` is the country of those that name none. Takes
  /// five seconds at most.
  asio::awaitable<std::vector<std::optional<domain::Point>>> locate(
      const std::vector<domain::PostalAddress>& addresses, std::string_view home);

  /// Kilometres by road between all points. Takes ten seconds at most.
  asio::awaitable<domain::Distances> distances(const std::vector<domain::Point>& points);

  /// Runs `work` beside the io threads: for what takes more than a few milliseconds. What it throws comes
  /// back.
  template <typename Work>
  asio::awaitable<std::invoke_result_t<Work&>> run(Work work) {
    using Result = std::invoke_result_t<Work&>;
    auto task = [](Work own) -> asio::awaitable<std::shared_ptr<Result>> {
      co_return std::make_shared<Result>(own());
    };
    const auto result = co_await asio::co_spawn(pool_, task(std::move(work)), asio::use_awaitable);
    co_return std::move(*result);
  }

 private:
  asio::awaitable<std::vector<net::HttpResponse>> fetch(std::vector<net::HttpRequest> requests);
  asio::awaitable<void> ask_geocoder(const std::vector<domain::PostalAddress>& addresses,
                                     std::vector<std::optional<domain::Point>>& points);
  std::optional<domain::Point> known(const std::string& key) const;
  void remember(const std::string& key, const domain::Point& point);

  const Options options_;
  std::unique_ptr<net::HttpClient> client_;
  asio::thread_pool pool_{2};
  mutable std::mutex mutex_;                              // of known_
  std::unordered_map<std::string, domain::Point> known_;  // by the geocoder's URL
};

}  // namespace waybill::api
