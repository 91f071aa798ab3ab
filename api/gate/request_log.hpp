#pragma once

#include <chrono>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "api/endpoint/router.hpp"
#include "api/gate/line_limit.hpp"

namespace prometheus {
class Counter;
class Histogram;
}  // namespace prometheus

namespace waybill::api {

/// The log lines and metrics of requests. Clients without a token can cause failures, too, so the lines of a
/// endpoint's failures with one status are limited (`LineLimit`). The next line tells how many were left out,
/// and counts them as failed; the counter of answers has them at once. Keeps the series of metrics that it
/// has used, because looking one up costs a lock and an allocation. Used by one thread.
class RequestLog {
 public:
  struct Entry {
    const RoutedEndpoint* endpoint;  // null without an endpoint
    std::string_view method;
    int status;
    std::string_view request_id;
    std::string_view fault;  // for the operator; empty if there is none
  };

  void add(const Entry& entry, std::chrono::duration<double> time);

 private:
  void add_failure(const Entry& entry, std::chrono::duration<double> time);
  prometheus::Histogram& seconds_of(const RoutedEndpoint& endpoint);
  prometheus::Counter& answers_of(const RoutedEndpoint* endpoint, int status);

  std::unordered_map<const RoutedEndpoint*, prometheus::Histogram*> seconds_;
  std::map<std::pair<const RoutedEndpoint*, int>, prometheus::Counter*> answers_;
  std::map<std::pair<const RoutedEndpoint*, int>, LineLimit> failures_;
};

}  // namespace waybill::api
