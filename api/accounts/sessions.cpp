// Sessions of people: logins with a password or a one-time link, by token or by cookie, and their end.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/accounts/account_fields.hpp"
#include "api/accounts/login_attempt.hpp"
#include "api/accounts/password_hasher.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/http/client_network.hpp"
#include "api/http/session_cookie.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "base/observe.hpp"
#include "base/token.hpp"
#include "storage/sql/console_sessions.sql.hpp"
#include "storage/sql/user_sessions.sql.hpp"
#include "storage/sql/users.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property account_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .description = "Null for the session of a one-time link."},
    {.name = "email", .kind = Kind::email, .description = "Null for the session of a one-time link."},
    {.name = "firstName", .kind = Kind::string},
    {.name = "lastName", .kind = Kind::string},
    {.name = "role",
     .kind = Kind::one_of,
     .values = role_names,
     .description = "The role in the business; null for a user without a business."},
    {.name = "name",
     .kind = Kind::string,
     .nullable = false,
     .description =
         "First and last name, or else the e-mail address. The session of a one-time link is nobody's: "
         "its name is `console link`."},
};
constexpr Schema account_schema{"Account", account_properties};

constexpr std::string_view session_kinds[] = {"cookie"};
/// Not Kind::email: an invalid address gets the same answer as an address without an account.
constexpr Property login_properties[] = {
    {.name = "email",
     .kind = Kind::string,
     .max_length = longest_email,
     .description = "Required without `link`."},
    {.name = "password",
     .kind = Kind::string,
     .max_length = longest_password,
     .description = "Required without `link`."},
    {.name = "link",
     .kind = Kind::string,
     .description =
         "The secret of a one-time link (`waybill console-link`), instead of address and password."},
    {.name = "session",
     .kind = Kind::one_of,
     .values = session_kinds,
     .description = "`cookie`: the token is in a cookie and not in the answer. Required with `link`."},
};
constexpr Schema login_schema{"Login", login_properties};

constexpr Property session_properties[] = {
    {.name = "token",
     .kind = Kind::string,
     .description = "Only in this answer; null if it is in the session cookie."},
    {.name = "expiresAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "user", .kind = Kind::object, .nullable = false, .schema = &account_schema},
};
constexpr Schema session_schema{"UserSession", session_properties};

void check_login(const json::object& body, FieldErrors& errors) {
  const bool has_link = find_value(body, "link") != nullptr;
  for (const std::string_view name : {"email", "password"}) {
    const auto* const value = find_value(body, name);
    if (has_link && value != nullptr) {
      errors.push_back({std::string(name), "must not be given with link"});
    } else if (!has_link && value == nullptr) {
      errors.push_back({std::string(name), "is required"});
    } else if (!has_link) {
      check_has_text(body, name, errors);
    }
  }
  if (has_link && find_value(body, "session") == nullptr)
    errors.push_back({"session", "must be cookie with link"});
}

/// The cookie of the session that the request asks for; nullopt if it asks for a token. Throws Failure:
/// UNAUTHORIZED for a request that the console has not sent, VALIDATION_ERROR if the service's URL allows no
/// cookie.
std::optional<SessionCookie> wanted_cookie(const Call& call, const Services& services) {
  if (!text_at(call.object(), "session")) return std::nullopt;
  if (!is_from_console(call.head)) {
    throw Failure(
        ErrorCode::unauthorized,
        "A login by cookie needs the headers X-Waybill-Console: 1 and Sec-Fetch-Site: same-origin.");
  }
  auto cookie = SessionCookie::of(services.settings.public_url);
  if (!cookie) {
    throw invalid(
        "session",
        "cannot be cookie here: the service's --public-url is neither https nor a loopback address");
  }
  return cookie;
}

/// The answer to a login. `user` is JSON.
Answer session_answer(const std::optional<SessionCookie>& cookie, const std::string& token, Time expires_at,
                      const std::string& user) {
  auto answer = Answer::of(R"({"token":)" + (cookie ? "null" : '"' + token + '"') + R"(,"expiresAt":")" +
                           format_timestamp(expires_at) + R"(","user":)" + user + "}");
  if (cookie) answer.headers = cookie->set(token);
  return answer;
}

/// Returns the account of e-mail address and password. Neither the error nor the response time reveals which
/// of the two was wrong.
asio::awaitable<storage::TypedRows<sql::users::FindForLogin>> authenticate(Call& call, Services& services) {
  const auto email = text_of(call.object(), "email");
  auto network = network_of(call.peer);
  const auto turn = co_await services.passwords.turn(PasswordHasher::Purpose::login, network);
  const auto attempt = co_await LoginAttempt::begin(services, email, std::move(network));
  auto found = co_await services.db.read(sql::users::FindForLogin{.email = email});
  std::string hash(found.empty() ? "" : found.front().password_hash);
  if (!co_await turn.matches(text_of(call.object(), "password"), std::move(hash))) {
    observe(Observable::login_failed, {{"address", call.peer}});
    throw Failure(ErrorCode::unauthorized, "The e-mail address or the password is wrong.");
  }
  co_await attempt.succeed(services);
  if (!found.front().is_verified) {
    throw Failure(ErrorCode::forbidden, "The e-mail address is not verified yet; see the mail sent to it.");
  }
  if (found.front().is_suspended) throw business_suspended();
  co_return found;
}

asio::awaitable<Answer> log_in_by_password(Call& call, Services& services,
                                           const std::optional<SessionCookie>& cookie) {
  const auto found = co_await authenticate(call, services);
  const auto account = found.front();
  const auto token = make_token();
  const auto transaction = co_await services.db.begin({});
  co_await transaction->run(sql::users::Lock{.user = account.guid});
  const auto session =
      co_await transaction->run(storage::sql::user_sessions::Start{.user = account.guid,
                                                                   .token_hash = token_hash(token),
                                                                   .password_hash = account.password_hash,
                                                                   .by_cookie = cookie.has_value()});
  co_await transaction->commit();
  if (session.empty()) throw Failure(ErrorCode::unauthorized, "The password was changed by another request.");
  if (session.front().ended > 0) services.tokens_changed();
  const auto shown = co_await services.db.read(sql::users::Me{.user = account.guid});
  if (shown.empty()) throw Failure(ErrorCode::unauthorized, "The account was deleted.");
  co_return session_answer(cookie, token, session.front().expires_at, json_object(shown));
}

/// The session of a one-time link as an Account.
std::string link_account(Role role) {
  return to_json(json::object{{"guid", nullptr},
                              {"email", nullptr},
                              {"firstName", nullptr},
                              {"lastName", nullptr},
                              {"role", role_names[static_cast<std::size_t>(role)]},
                              {"name", "console link"}});
}

Failure wrong_link(const Call& call) {
  observe(Observable::login_failed, {{"address", call.peer}});
  return invalid("link", "is wrong, used or expired");
}

/// The link is read first because the author of its use in the audit log is the operator who made it. Only
/// UseLink decides which of several uses succeeds.
asio::awaitable<Answer> log_in_by_link(Call& call, Services& services, const SessionCookie& cookie) {
  const auto hash = token_hash(text_of(call.object(), "link"));
  const auto attempt = co_await LoginAttempt::begin(services, std::nullopt, network_of(call.peer));
  const auto found = co_await services.db.read(sql::console_sessions::FindLink{.link_hash = hash});
  const auto link = found.find();
  if (!link) throw wrong_link(call);
  if (link->suspended) {
    co_await attempt.succeed(services);
    throw business_suspended();
  }
  call.principal = {.business_id = link->business_id,
                    .token_id = link->guid,
                    .user_id = {},
                    .name = std::string(link->operator_name),
                    .role = parse_role(link->role),
                    .caller = Caller::link,
                    .by_cookie = true};
  const auto token = make_token();
  const auto session = co_await services.db.write(
      sql::console_sessions::UseLink{.link_hash = hash, .token_hash = token_hash(token)}, call.cause());
  if (session.empty()) throw wrong_link(call);
  co_await attempt.succeed(services);
  co_return session_answer(cookie, token, session.front().expires_at, link_account(call.principal.role));
}

asio::awaitable<Answer> log_in(Call& call, Services& services) {
  const auto cookie = wanted_cookie(call, services);
  if (cookie && text_at(call.object(), "link")) co_return co_await log_in_by_link(call, services, *cookie);
  co_return co_await log_in_by_password(call, services, cookie);
}

void require_session(const Call& call) {
  if (call.principal.caller == Caller::api_token)
    throw Failure(ErrorCode::forbidden, "Only the token of a user can do this.");
}

asio::awaitable<Answer> log_out(Call& call, Services& services) {
  require_session(call);
  co_await services.db.write(storage::sql::user_sessions::Finish{.session = call.principal.token_id}, {});
  services.tokens_changed();
  auto answer = Answer::none();
  const auto cookie = SessionCookie::of(services.settings.public_url);
  if (call.principal.by_cookie && cookie) answer.headers = cookie->clear();
  co_return answer;
}

asio::awaitable<Answer> get_me(Call& call, Services& services) {
  require_session(call);
  if (call.principal.caller == Caller::link) co_return Answer::of(link_account(call.principal.role));
  const auto rows = co_await services.db.read(sql::users::Me{.user = call.principal.user_id});
  if (rows.empty()) throw not_found("user");
  co_return Answer::of(json_object(rows));
}

constexpr ErrorCode login_errors[] = {ErrorCode::unauthorized, ErrorCode::forbidden, ErrorCode::rate_limited};
/// The answers to logins must not stay in a cache: they have a token, or set a cookie.
constexpr HeaderField login_headers[] = {{"Cache-Control", "private, no-cache"},
                                         {"Vary", "Authorization, Cookie"}};

constexpr Endpoint session_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/user/login",
     .permission = Permission::everyone,
     .handler = log_in,
     .operation_id = "logIn",
     .summary = "Begins a session of 24 hours",
     .description =
         "The user keeps the newest 20 sessions; older ones end. With `session` `cookie` the token is in a "
         "cookie "
         "that scripts cannot read. Such a login, and each call with the cookie, needs the headers "
         "`X-Waybill-Console: 1` and `Sec-Fetch-Site: same-origin`. It is 400 unless the service's URL is "
         "https "
         "or a loopback address. A `link` works once, within 10 minutes; a wrong, used or old one is 400.",
     .tag = "Users",
     .body = &login_schema,
     .body_check = check_login,
     .body_kind = BodyKind::object,
     .answer = &session_schema,
     .needs_body = true,
     .errors = login_errors,
     .headers = login_headers,
     .is_audited = true},
    {.method = Method::post,
     .path = "/api/user/logout",
     .permission = Permission::signed_in,
     .handler = log_out,
     .operation_id = "logOut",
     .summary = "Ends the session",
     .description = "Also removes the session cookie. Other sessions of the user stay.",
     .tag = "Users",
     .while_suspended = true},
    {.method = Method::get,
     .path = "/api/user/me",
     .permission = Permission::signed_in,
     .handler = get_me,
     .operation_id = "getCurrentUser",
     .summary = "Returns the user of the session",
     .description = "A user without a business can call it, too. An API token gets 403.",
     .tag = "Users",
     .answer = &account_schema},
};

}  // namespace

std::span<const Endpoint> session_endpoints() { return session_endpoint_table; }

}  // namespace waybill::api
