#pragma once

#include <chrono>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "api/gate/line_limit.hpp"
#include "api/route/router.hpp"

namespace prometheus {
class Counter;
class Histogram;
}  // namespace prometheus

namespace waybill::api {

/// The log lines and metrics of requests. Clients without a token can cause failures, too, so the lines of a
/// route's failures with one status are limited (`LineLimit`). The next line tells how many were left out,
/// and counts them as failed; the counter of answers has them at once. Keeps the series of metrics that it
/// has used, because looking one up costs a lock and an allocation. Used by one thread.
class RequestLog {
 public:
  struct Entry {
    const Endpoint* endpoint;  // null without a route
    std::string_view method;
    int status;
    std::string_view request_id;
    std::string_view fault;  // for the operator; empty if there is none
  };

  void add(const Entry& entry, std::chrono::duration<double> time);

 private:
  void add_failure(const Entry& entry, std::chrono::duration<double> time);
  prometheus::Histogram& seconds_of(const Endpoint& endpoint);
  prometheus::Counter& answers_of(const Endpoint* endpoint, int status);

  std::unordered_map<const Endpoint*, prometheus::Histogram*> seconds_;
  std::map<std::pair<const Endpoint*, int>, prometheus::Counter*> answers_;
  std::map<std::pair<const Endpoint*, int>, LineLimit> failures_;
};

}  // namespace waybill::api
