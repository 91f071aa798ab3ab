#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "api/gate/gate_exchange.hpp"
#include "api/http/client_address.hpp"
#include "api/http/client_network.hpp"
#include "base/observe.hpp"

// The memory of large bodies and answers, by business and network.
namespace waybill::api {
namespace {

Failure memory_refusal(ByteLimits::Kind kind, ByteLimits::Limit limit, bool is_of_business) {
  observe(Observable::memory_refused);
  const bool is_body = kind == ByteLimits::Kind::body;
  std::string_view reason = "The server has no room for further large requests and answers; try again later.";
  if (limit == ByteLimits::Limit::network || (limit == ByteLimits::Limit::holder && !is_of_business)) {
    reason = is_body ? "Your network sends too many large bodies; try again later."
                     : "Your network has not read its other large answers; try again later.";
  } else if (limit == ByteLimits::Limit::holder) {
    reason = is_body ? "Other requests of this business have too many large bodies; try again later."
                     : "Clients of this business have not read its other large answers; try again later.";
  }
  return {ErrorCode::unavailable, std::string(reason)};
}

}  // namespace

/// Counts the body. Throws Failure (UNAVAILABLE) if too many large bodies are under way.
void Gate::hold_body(Exchange& exchange, std::size_t expected, std::size_t arrived) {
  if (expected < ByteLimits::small) return;
  const Guid& business = exchange.call.business();
  auto& held = exchange.held_body;
  if (!held)
    held.emplace(bytes_.claim(ByteLimits::Kind::body, holder(business, client_of(exchange.request))));
  if (const auto limit = held->raise(expected, arrived))
    throw memory_refusal(ByteLimits::Kind::body, *limit, !business.is_nil());
}

/// Counts a large answer for as long as the result lives. Throws Failure (UNAVAILABLE) if clients have not
/// taken too many others. Null for a small answer, and for one that is too late to refuse: it counts once it
/// waits (see `hold`).
std::shared_ptr<void> Gate::hold_answer(const Exchange& exchange, std::size_t size) const {
  const Guid& business = exchange.call.business();
  const std::size_t least = business.is_nil() ? ByteLimits::small : ByteLimits::large;
  if (size < least || exchange.method == RequestMethod::head || !exchange.is_refusable()) return nullptr;
  auto held = std::make_shared<ByteLimits::Claim>(
      bytes_.claim(ByteLimits::Kind::answer, holder(business, client_of(exchange.request))));
  if (const auto limit = held->raise(size, size))
    throw memory_refusal(ByteLimits::Kind::answer, *limit, !business.is_nil());
  return held;
}

std::shared_ptr<void> Gate::hold(const Client& client, std::size_t bytes) {
  const auto address = client_address(client.peer, client.forwarded_for, options_.trusted_proxies);
  auto held = std::make_shared<ByteLimits::Claim>(
      bytes_.claim(ByteLimits::Kind::answer, holder(client.business, address)));
  if (!held->raise(bytes, bytes)) return held;
  observe(Observable::memory_refused);
  return nullptr;
}

/// A proxy that does not name its clients is not limited as one network, except for clients without a
/// business.
ByteLimits::Holder Gate::holder(const Guid& business, std::string_view client) const {
  const bool is_network = business.is_nil() || !AddressBlock::any_has(options_.trusted_proxies, client);
  return {.business = business, .network = is_network ? network_of(client) : std::string()};
}

std::string_view Gate::client_of(const Request& request) const {
  return client_address(request.peer, request.forwarded_for, options_.trusted_proxies);
}

}  // namespace waybill::api
