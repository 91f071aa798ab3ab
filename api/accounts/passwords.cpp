// Forgotten and changed passwords, and verification mails that are sent again.
#include <chrono>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/accounts/account_fields.hpp"
#include "api/accounts/account_mails.hpp"
#include "api/accounts/login_attempt.hpp"
#include "api/accounts/password_hasher.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/http/client_network.hpp"
#include "api/records/fields.hpp"
#include "base/token.hpp"
#include "net/mail/sealed_mail.hpp"
#include "storage/sql/user_sessions.sql.hpp"
#include "storage/sql/users.sql.hpp"

namespace waybill::api {
namespace {

/// Longer than finding an account and writing its mail takes, so that the response time does not reveal
/// whether the account exists.
constexpr std::chrono::milliseconds answer_time(250);

constexpr Property address_properties[] = {
    {.name = "email", .kind = Kind::email, .required = true, .max_length = longest_email},
};
constexpr Schema address_request_schema{"AccountAddress", address_properties};

constexpr Schema reset_schema{"PasswordReset", mailed_password_properties};

constexpr Property change_properties[] = {
    {.name = "currentPassword", .kind = Kind::string, .required = true, .max_length = longest_password},
    password_property,
    confirm_password_property,
};
constexpr Schema change_schema{"PasswordChange", change_properties};

using MailText = net::MailMessage (*)(const Services& services, const std::string& to,
                                      const std::string& token);

/// Runs a Request (RequestReset or RequestVerification) for the account of an address, if there is one. The
/// mail goes to the account's own spelling of the address.
template <typename Request>
asio::awaitable<void> request_mail(Services& services, const std::string& email, MailText text) {
  const auto found = co_await services.db.read(sql::users::FindForLogin{.email = email});
  const auto account = found.find();
  if (!account) co_return;
  const auto token = make_token();
  const auto mail = Guid::random();
  const auto message = text(services, std::string(account->email), token);
  co_await services.db.write(Request{.user = account->guid,
                                     .token_hash = token_hash(token),
                                     .mail = mail,
                                     .sealed_mail = net::sealed_mail(services.secrets, mail, message)},
                             {});
  asio::co_spawn(co_await asio::this_coro::executor, services.send_mails(), asio::detached);
}

/// Answers identically and after the same time for addresses with and without an account.
template <typename Request>
asio::awaitable<Answer> answer_request(Call& call, Services& services, MailText text) {
  const auto email = text_of(call.object(), "email");
  co_await count_account_mail(call, services, email);
  asio::steady_timer answer_at(co_await asio::this_coro::executor, answer_time);
  co_await request_mail<Request>(services, email, text);
  co_await answer_at.async_wait(asio::use_awaitable);
  co_return Answer::none();
}

asio::awaitable<Answer> forgot_password(Call& call, Services& services) {
  return answer_request<sql::users::RequestReset>(call, services, reset_mail);
}

asio::awaitable<Answer> resend_verification(Call& call, Services& services) {
  return answer_request<sql::users::RequestVerification>(call, services, verification_mail);
}

asio::awaitable<Answer> reset_password(Call& call, Services& services) {
  const auto token = token_hash(text_of(call.object(), "token"));
  // Hashing is expensive, so the token is checked first.
  const auto known = co_await services.db.read(sql::users::FindReset{.token_hash = token});
  if (known.empty()) throw wrong_token();
  call.principal = mailed_user(known.front().guid, known.front().email);
  const auto hash = co_await hash_password(call, services, text_of(call.object(), "password"));
  const auto transaction = co_await services.db.begin(call.cause());
  const auto account =
      co_await transaction->run(sql::users::ResetPassword{.token_hash = token, .password_hash = hash});
  if (account.empty()) throw wrong_token();
  co_await transaction->run(storage::sql::user_sessions::FinishOthers{.user = account.front().guid});
  co_await transaction->commit();
  services.tokens_changed();
  co_return Answer::none();
}

/// Checks `currentPassword` and returns the stored hash. A wrong password counts as a failed login, so that
/// the holder of a token cannot guess passwords.
asio::awaitable<std::string> check_current_password(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::users::GetCredentials{.user = call.principal.user_id});
  const auto credentials = rows.find();
  if (!credentials) throw not_found("user");
  auto network = network_of(call.peer);
  const auto turn = co_await services.passwords.turn(PasswordHasher::Purpose::login, network);
  const auto attempt =
      co_await LoginAttempt::begin(services, std::string(credentials->email), std::move(network));
  std::string hash(credentials->password_hash.value_or(""));
  if (!co_await turn.matches(text_of(call.object(), "currentPassword"), hash)) {
    throw invalid("currentPassword", "is wrong");
  }
  co_await attempt.succeed(services);
  co_return hash;
}

asio::awaitable<Answer> change_password(Call& call, Services& services) {
  const auto user = require_user(call);
  const auto old_hash = co_await check_current_password(call, services);
  const auto hash = co_await hash_password(call, services, text_of(call.object(), "password"));
  const auto transaction = co_await services.db.begin(call.cause());
  const auto changed = co_await transaction->run(
      sql::users::ChangePassword{.user = user, .checked_hash = old_hash, .new_hash = hash});
  if (changed.empty()) throw conflict("The password was changed by another request.");
  co_await transaction->run(
      storage::sql::user_sessions::FinishOthers{.user = user, .kept_session = call.principal.token_id});
  co_await transaction->commit();
  services.tokens_changed();
  co_return Answer::none();
}

constexpr ErrorCode limited_errors[] = {ErrorCode::rate_limited};

constexpr Endpoint password_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/user/forgot-password",
     .permission = Permission::everyone,
     .handler = forgot_password,
     .operation_id = "requestPasswordReset",
     .summary = "Mails a token that resets the password",
     .description = "The answer is the same if no account has this address.",
     .tag = "Users",
     .body = &address_request_schema,
     .body_kind = BodyKind::object,
     .errors = limited_errors},
    {.method = Method::post,
     .path = "/api/user/reset-password",
     .permission = Permission::everyone,
     .handler = reset_password,
     .operation_id = "resetPassword",
     .summary = "Replaces a forgotten password",
     .description = "All sessions of the user end.",
     .tag = "Users",
     .body = &reset_schema,
     .body_check = check_confirmation,
     .body_kind = BodyKind::object,
     .is_audited = true},
    {.method = Method::post,
     .path = "/api/user/change-password",
     .permission = Permission::signed_in,
     .handler = change_password,
     .operation_id = "changePassword",
     .summary = "Replaces the password of the user",
     .description = "All other sessions of the user end.",
     .tag = "Users",
     .body = &change_schema,
     .body_check = check_confirmation,
     .body_kind = BodyKind::object,
     .is_audited = true},
    {.method = Method::post,
     .path = "/api/user/resend-verification",
     .permission = Permission::everyone,
     .handler = resend_verification,
     .operation_id = "resendVerification",
     .summary = "Mails a new verification token",
     .description = "The answer is the same if no unverified account has this address.",
     .tag = "Users",
     .body = &address_request_schema,
     .body_kind = BodyKind::object,
     .errors = limited_errors},
};

}  // namespace

std::span<const Endpoint> password_endpoints() { return password_endpoint_table; }

}  // namespace waybill::api
