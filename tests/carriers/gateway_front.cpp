#include "tests/carriers/gateway_front.hpp"

#include <string_view>
#include <utility>

#include "tests/harness/http.hpp"

namespace waybill::tests {
namespace {

PurchaseCall call_of(const Received& request) {
  const std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
  if (!path.starts_with("/v1/shipments")) return PurchaseCall::other;
  if (request.method == "GET") return PurchaseCall::find;
  if (path == "/v1/shipments") return PurchaseCall::draft;
  if (path.ends_with("/purchase")) return PurchaseCall::buy;
  if (path.ends_with("/cancel")) return PurchaseCall::void_label;
  return path.ends_with("/documents/label") ? PurchaseCall::file : PurchaseCall::other;
}

}  // namespace

GatewayFront::GatewayFront(int port) : port_(port), receiver_(std::make_unique<Receiver>()) {
  receiver_->on_request([this](const Received& request) { return reply(request); });
}

GatewayFront::~GatewayFront() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (const auto& gate : gates_) gate->open();
  }
  receiver_.reset();
}

std::string GatewayFront::url() const { return "http://127.0.0.1:" + std::to_string(receiver_->port()); }

Reply GatewayFront::reply(const Received& request) {
  const auto kind = static_cast<std::size_t>(call_of(request));
  {
    const std::lock_guard lock(mutex_);
    ++counts_.at(kind);
    changed_.notify_all();
  }
  const auto fault = faults_.at(kind).take(request.method, request.target);
  Reply answer;
  if (!fault || fault->reaches_store) answer = passed_on(request);
  if (fault) fault->spoil(answer);
  if (answer.gate) {
    const std::lock_guard lock(mutex_);
    gates_.push_back(answer.gate);
    if (stopped_) answer.gate->open();
  }
  return answer;
}

Reply GatewayFront::passed_on(const Received& request) const {
  constexpr Deadline patience = std::chrono::minutes(2);
  constexpr int bad_gateway = 502;
  Headers headers;
  for (const auto* const name : {"authorization", "content-type", "accept", "x-request-id"}) {
    if (auto value = request.header(name); !value.empty()) headers.emplace_back(name, std::move(value));
  }
  try {
    Http http("127.0.0.1", port_);
    http.set_deadline(patience);
    const Response response = http.request_text(request.method, request.target, request.body, headers);
    if (response.status == 0) return Reply::of_kind(Reply::Kind::close);
    Headers shown;
    for (const auto* const name : {"content-type", "x-test-mode", "retry-after"}) {
      if (auto value = response.header(name); !value.empty()) shown.emplace_back(name, std::move(value));
    }
    return Reply::with_status(response.status, std::move(shown), response.text);
  } catch (const std::runtime_error&) {
    return Reply::with_status(bad_gateway, {{"Content-Type", "text/html"}}, "<html>Bad gateway</html>");
  }
}

void GatewayFront::fail(PurchaseCall call, Fault fault, std::size_t times) {
  faults_.at(static_cast<std::size_t>(call)).add(std::move(fault), times);
}

void GatewayFront::stop_failing() {
  for (auto& script : faults_) script.clear();
}

std::size_t GatewayFront::count(PurchaseCall call) const {
  const std::lock_guard lock(mutex_);
  return counts_.at(static_cast<std::size_t>(call));
}

bool GatewayFront::wait_for_calls(PurchaseCall call, std::size_t count, Deadline deadline) const {
  std::unique_lock lock(mutex_);
  const auto& calls = counts_.at(static_cast<std::size_t>(call));
  return changed_.wait_for(lock, deadline, [&] { return calls >= count; });
}

}  // namespace waybill::tests
