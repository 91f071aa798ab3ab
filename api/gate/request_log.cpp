#include "api/gate/request_log.hpp"

#include <string>

#include <prometheus/counter.h>
#include <prometheus/histogram.h>

#include "base/error.hpp"
#include "base/observe.hpp"

namespace waybill::api {
namespace {

std::string_view path_of(const RoutedEndpoint* endpoint) {
  return endpoint == nullptr ? std::string_view("none") : endpoint->row.path;
}

/// The label of an endpoint in metrics; "none" for a request without an endpoint.
std::string endpoint_label(const RoutedEndpoint* endpoint) {
  if (endpoint == nullptr) return "none";
  const auto method = method_name(to_request_method(endpoint->row.method));
  return std::string(method) + " " + std::string(endpoint->row.path);
}

}  // namespace

void RequestLog::add(const Entry& entry, std::chrono::duration<double> time) {
  if (entry.endpoint) seconds_of(*entry.endpoint).Observe(time.count());
  answers_of(entry.endpoint, entry.status).Increment();
  if (entry.status >= 500 || !entry.fault.empty()) return add_failure(entry, time);
  auto observed = Observable::request_served;
  if (entry.status == http_status(ErrorCode::rate_limited)) {
    observed = Observable::rate_limited;
  } else if (entry.status >= 400) {
    observed = Observable::request_refused;
  }
  observe(observed, {{"method", entry.method},
                     {"route", path_of(entry.endpoint)},
                     {"status", entry.status},
                     {"ms", time.count() * 1000},
                     {"request_id", entry.request_id}});
}

void RequestLog::add_failure(const Entry& entry, std::chrono::duration<double> time) {
  const auto left_out = failures_[{entry.endpoint, entry.status}].take(LineLimit::Steady::now());
  if (!left_out) return;
  observe(Observable::request_failed,
          {{"method", entry.method},
           {"route", path_of(entry.endpoint)},
           {"status", entry.status},
           {"ms", time.count() * 1000},
           {"request_id", entry.request_id},
           {"error", entry.fault},
           {"left_out", *left_out}},
          static_cast<std::uint64_t>(1 + *left_out));
}

prometheus::Histogram& RequestLog::seconds_of(const RoutedEndpoint& endpoint) {
  auto& known = seconds_[&endpoint];
  if (!known) known = &series(Histogram::http_request_seconds, endpoint_label(&endpoint));
  return *known;
}

prometheus::Counter& RequestLog::answers_of(const RoutedEndpoint* endpoint, int status) {
  auto& known = answers_[{endpoint, status}];
  if (!known) known = &waybill::answers(endpoint_label(endpoint), status);
  return *known;
}

}  // namespace waybill::api
