#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/gate/gate_exchange.hpp"
#include "api/http/message.hpp"
#include "api/http/session_cookie.hpp"

// The checks of a request before it is read: token, plan, quota and role.
namespace waybill::api {
namespace {

// Requests per minute that a cookie session has at least: a page of the console makes several.
constexpr std::int64_t least_of_cookies = 600;

void check_permission(const Principal& principal, Permission permission) {
  if (permission == Permission::signed_in) return;
  if (principal.business_id.is_nil())
    throw Failure(ErrorCode::forbidden, "This call needs a business; create one first.");
  if (principal.role < least_role(permission))
    throw Failure(ErrorCode::forbidden, "The token's role does not allow this.");
}

/// The session cookie of a request, if it counts: the header Authorization is not given, and a script of the
/// console has sent the request.
std::optional<std::string_view> cookie_of(const Request& request, std::string_view public_url) {
  if (request.authorization.data() != nullptr) return std::nullopt;
  const auto cookie = SessionCookie::of(public_url);
  if (!cookie || !is_from_console(request.head)) return std::nullopt;
  return find_cookie(request.head, cookie->name);
}

/// Names the person and the business of a cookie session: that of the next login of the same person has the
/// same name.
std::string name_of_session(const Principal& principal) {
  return principal.business_id.to_string() + "." + principal.user_id.to_string();
}

/// A page sends its calls with the cookie that the browser has now, which a login in another tab may have
/// replaced. Throws Failure (UNAUTHORIZED) if the page names another session than that of the cookie.
void check_session(const Request& request, const Principal& principal) {
  if (!principal.by_cookie) return;
  const auto wanted = find_field(request.head, "x-waybill-session");
  if (wanted && *wanted != name_of_session(principal)) {
    throw Failure(ErrorCode::unauthorized,
                  "The session is that of another person or business than X-Waybill-Session names.");
  }
}

}  // namespace

/// The lowest role that has a permission.
Role least_role(Permission permission) {
  switch (permission) {
    case Permission::operate:
      return Role::operator_;
    case Permission::administer:
      return Role::admin;
    default:
      return Role::viewer;
  }
}

/// A request without an endpoint counts against the quota of its token, if it has a valid one.
asio::awaitable<void> Gate::count_unrouted(Exchange& exchange) {
  const auto& request = exchange.request;
  if (request.authorization.empty() && !find_field(request.head, "cookie")) co_return;
  try {
    co_await authenticate(exchange);
  } catch (const Failure& failure) {
    if (failure.code() != ErrorCode::unauthorized) throw;
  }
}

asio::awaitable<void> Gate::admit(Exchange& exchange) {
  co_await authenticate(exchange);
  check_permission(exchange.call.principal, exchange.endpoint().permission);
}

/// Checks a caller whose body was waited for as that of a new request, which counts against no quota: its
/// token may have ended since, or its role, business or plan may have changed.
asio::awaitable<void> Gate::admit_again(Exchange& exchange) {
  const auto record = co_await recognise(exchange);
  exchange.call.principal = record->principal;
  check_session(exchange.request, record->principal);
  check_business(exchange, *record, plan_of(*record));
  check_permission(exchange.call.principal, exchange.endpoint().permission);
}

/// The token of the request. Throws Failure (UNAUTHORIZED) if it has none that is valid.
asio::awaitable<Authenticator::Record> Gate::recognise(Exchange& exchange) {
  const auto cookie = cookie_of(exchange.request, services_.settings.public_url);
  if (!cookie) co_return co_await authenticator_.authenticate(exchange.request.authorization);
  exchange.by_cookie = true;
  co_return co_await authenticator_.authenticate_cookie(*cookie);
}

const Plan& Gate::plan_of(const TokenRecord& record) const {
  static const Plan without_business{.name = {}, .requests_per_minute = 60};
  if (record.principal.business_id.is_nil()) return without_business;
  const auto* const plan = plans_.find(record.plan);
  if (plan == nullptr) throw Failure(ErrorCode::forbidden, "The plan of the business is not configured.");
  return *plan;
}

void Gate::check_business(const Exchange& exchange, const TokenRecord& record, const Plan& plan) {
  const bool may_be_suspended = exchange.found.endpoint != nullptr && exchange.endpoint().while_suspended;
  if (record.is_suspended && !may_be_suspended) throw business_suspended();
  if (record.principal.caller == Caller::api_token && !plan.api_access)
    throw Failure(ErrorCode::forbidden, "The plan of this business does not include the API.");
}

/// People at the console neither take requests from the programs of their business nor wait for them: the
/// cookie sessions of a person share a quota of their own.
QuotaClaim Gate::quota_of(const Principal& principal, const Plan& plan) const {
  const bool has_business = !principal.business_id.is_nil();
  QuotaClaim claim{.token = principal.token_id,
                   .limit = plan.requests_per_minute,
                   .owner = has_business ? principal.business_id : principal.user_id,
                   .owner_limit = owner_limit(plan.requests_per_minute, options_.business_quota_factor)};
  if (principal.caller == Caller::api_token && !plan.api_access) claim.owner_limit = 0;
  if (!principal.by_cookie) return claim;
  claim.limit = std::max(claim.limit, least_of_cookies);
  if (!has_business) return claim;  // the user's guid is that of the owner
  if (principal.is_user()) claim.token = principal.user_id;
  claim.owner_limit = 0;
  return claim;
}

/// Checks token, session, plan and quota, in this order.
asio::awaitable<void> Gate::authenticate(Exchange& exchange) {
  const auto record = co_await recognise(exchange);
  const auto& principal = exchange.call.principal = record->principal;
  auto& response = exchange.response;
  if (principal.by_cookie) response.add_header("X-Waybill-Session", name_of_session(principal));
  check_session(exchange.request, principal);
  const Plan& plan = plan_of(*record);
  const auto grant = co_await quota_.take(quota_of(principal, plan), services_.clock.now());
  response.add_header("X-RateLimit-Limit", grant.limit);
  response.add_header("X-RateLimit-Remaining", grant.remaining);
  response.add_header("X-RateLimit-Reset", grant.reset);
  check_business(exchange, *record, plan);
  if (!grant.allowed) {
    const auto wait = grant.reset - to_unix_seconds(services_.clock.now());
    response.add_header("Retry-After", std::max<std::int64_t>(1, wait));
    throw Failure(ErrorCode::rate_limited, grant.is_of_owner
                                               ? "All tokens together have no requests left in this minute."
                                               : "The token has no requests left in this minute.");
  }
}

}  // namespace waybill::api
