#include "api/gate/gate.hpp"

#include <chrono>
#include <utility>

#include "api/endpoint/entity_tag.hpp"
#include "api/gate/compression.hpp"
#include "api/gate/cors.hpp"
#include "api/gate/errors.hpp"
#include "api/gate/gate_exchange.hpp"
#include "base/observe.hpp"

namespace waybill::api {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::string_view every_method = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// The path and query of a target in origin-form or absolute-form (RFC 9112 section 3.2); empty for any
/// other.
std::string_view origin_form(std::string_view target) {
  if (target.starts_with('/')) return target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const auto path = target.find('/', scheme.size());
    return path == std::string_view::npos ? "/" : target.substr(path);
  }
  return {};
}

}  // namespace

Gate::Gate(const Router& router, Services& services, Authenticator& authenticator, const Plans& plans,
           Quota& quota, ByteLimits& bytes, Options options, StandbyReads offload)
    : router_(router),
      services_(services),
      authenticator_(authenticator),
      plans_(plans),
      quota_(quota),
      bytes_(bytes),
      options_(std::move(options)),
      offload_(offload) {}

asio::awaitable<void> Gate::respond(const Request& request, RequestBody& body, Response& response) {
  const auto started_at = Steady::now();
  Exchange exchange{.request = request, .body = body, .response = response};
  exchange.call.request_id =
      is_request_id(request.request_id) ? std::string(request.request_id) : request_ids_.next();
  response.add_header("X-Request-Id", exchange.call.request_id);
  std::string fault;
  try {
    co_await answer(exchange);
  } catch (const Disconnected&) {
    throw;
  } catch (...) {
    fault = apply_error(exchange, std::current_exception());
  }
  response.business = exchange.call.business();
  if (exchange.by_cookie) keep_private(response);
  if (response.status != 204) add_cors_headers(options_.cors_origins, request.origin, response);
  log_.add(
      {
          .endpoint = exchange.found.endpoint,
          .method = request.method,
          .status = response.status,
          .request_id = exchange.call.request_id,
          .fault = fault,
      },
      Steady::now() - started_at);
}

void Gate::refuse(const Failure& failure, Response& response) {
  response.add_header("X-Request-Id", request_ids_.next());
  auto error = error_answer(failure);
  response.status = error.status;
  response.body = std::move(error.body);
  if (error.retry_after) response.add_header("Retry-After", error.retry_after->count());
  observe(Observable::request_refused, {{"status", error.status}});
}

asio::awaitable<void> Gate::answer(Exchange& exchange) {
  std::optional<Failure> not_found;
  try {
    if (!find_endpoint(exchange)) co_return;
  } catch (const Failure& failure) {
    not_found = failure;
  }
  if (not_found) {
    co_await count_unrouted(exchange);
    throw Failure(*not_found);
  }
  const auto& endpoint = exchange.endpoint();
  if (endpoint.permission != Permission::everyone) co_await admit(exchange);
  if (endpoint.changes) exchange.response.add_header("Cache-Control", "no-store");
  co_await perform(exchange);
  auto& response = exchange.response;
  const bool is_compressible = may_be_compressed(endpoint, response);
  if (is_compressible) response.add_vary("Accept-Encoding");
  if (has_entity_tag(endpoint)) answer_conditionally(exchange.request.head, response);
  if (!is_compressible || response.status == 304) co_return;
  const auto accepted = find_field(exchange.request.head, "accept-encoding");
  if (!accepted || !wants_gzip(*accepted, response.body_size())) co_return;
  if (!co_await compress(response, services_.bodies, exchange.call.business())) co_return;
  response.held.reset();
  response.held = hold_answer(exchange, response.body.size());
  response.add_header("Content-Encoding", "gzip");
}

/// False if the response is complete: the answer to OPTIONS.
bool Gate::find_endpoint(Exchange& exchange) const {
  const auto& request = exchange.request;
  const auto method = parse_method(request.method);
  exchange.method = method.value_or(RequestMethod::get);
  if (request.target == "*" && method == RequestMethod::options) {
    answer_options(options_.cors_origins, request.origin, every_method, exchange.response);
    return false;
  }
  const auto target = origin_form(request.target);
  if (target.empty() || target.find('#') != std::string_view::npos) {
    throw Failure(ErrorCode::validation_error, "The request target is malformed.");
  }
  const auto question_mark = target.find('?');
  if (question_mark != std::string_view::npos) exchange.query = target.substr(question_mark + 1);
  exchange.found = router_.find(exchange.method, target.substr(0, question_mark));
  const auto& found = exchange.found;
  if (found.allow.empty()) throw Failure(ErrorCode::not_found, "There is no such path.");
  if (method == RequestMethod::options) {
    answer_options(options_.cors_origins, request.origin, found.allow, exchange.response);
    return false;
  }
  if (!method || !found.endpoint) {
    exchange.response.add_header("Allow", found.allow);
    throw Failure(ErrorCode::method_not_allowed, "This path accepts " + std::string(found.allow) + ".");
  }
  return true;
}

/// Writes the response to an exception. Returns the fault for the operator; empty if there is none.
std::string Gate::apply_error(Exchange& exchange, const std::exception_ptr& thrown) {
  auto error = error_answer(thrown, exchange.call.request_id);
  if (error.is_disk_full) services_.note_full_disk();
  auto& response = exchange.response;
  response.status = error.status;
  response.before = {};
  response.body = std::move(error.body);
  response.after.clear();
  response.held.reset();
  if (error.status == http_status(ErrorCode::unauthorized)) response.add_header("WWW-Authenticate", "Bearer");
  if (error.retry_after) response.add_header("Retry-After", error.retry_after->count());
  return std::move(error.fault);
}

}  // namespace waybill::api
