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
#include "api/http/failure_limit.hpp"
#include "api/records/fields.hpp"
#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "base/token.hpp"
#include "net/sealed_mail.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::users;

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

/// Runs `request` (users.request_reset or users.request_verification) for the account of an address, if there
/// is one. The mail goes to the account's own spelling of the address.
asio::awaitable<void> request_mail(Services& services, const std::string& email,
                                   const storage::Statement& request, MailText text) {
  enum Column { guid, password_hash, is_verified, address };
  const auto rows = co_await services.db.read(sql::find_for_login, storage::Params().add(email));
  if (rows.empty()) co_return;
  const auto token = make_token();
  const auto mail = Guid::random();
  storage::Params params;
  params.add(rows.get(0, guid)).add(token_hash(token)).add(mail.to_string());
  params.add(
      net::seal_mail(services.secrets, mail, text(services, std::string(rows.get(0, address)), token)));
  co_await services.db.write(request, std::move(params), {});
  asio::co_spawn(co_await asio::this_coro::executor, services.send_mails(), asio::detached);
}

/// Answers identically and after the same time for addresses with and without an account.
asio::awaitable<Answer> answer_request(Call& call, Services& services, const storage::Statement& request,
                                       MailText text) {
  const auto email = text_of(call.object(), "email");
  co_await count_account_mail(call, services, email);
  asio::steady_timer answer_at(co_await asio::this_coro::executor, answer_time);
  co_await request_mail(services, email, request, text);
  co_await answer_at.async_wait(asio::use_awaitable);
  co_return Answer::none();
}

asio::awaitable<Answer> forgot_password(Call& call, Services& services) {
  return answer_request(call, services, sql::request_reset, reset_mail);
}

asio::awaitable<Answer> resend_verification(Call& call, Services& services) {
  return answer_request(call, services, sql::request_verification, verification_mail);
}

asio::awaitable<Answer> reset_password(Call& call, Services& services) {
  const auto token = token_hash(text_of(call.object(), "token"));
  // Hashing is expensive, so the token is checked first.
  const auto known = co_await services.db.read(sql::find_reset, storage::Params().add(token));
  if (known.get(0, 0) != "t") throw wrong_token();
  const auto hash = co_await hash_password(call, services, text_of(call.object(), "password"));
  const auto transaction = co_await services.db.begin({});
  const auto account = co_await transaction->run(sql::reset_password, storage::Params().add(token).add(hash));
  if (account.empty()) throw wrong_token();
  co_await transaction->run(storage::sql::user_sessions::finish_others,
                            storage::Params().add(account.get(0, 0)).add_null());
  co_await transaction->commit();
  services.tokens_changed();
  co_return Answer::none();
}

/// Checks `currentPassword` and returns the stored hash. A wrong password counts as a failed login, so that
/// the holder of a token cannot guess passwords.
asio::awaitable<std::string> check_current_password(Call& call, Services& services, const std::string& user) {
  enum Column { email, password_hash };
  const auto rows = co_await services.db.read(sql::get_credentials, storage::Params().add(user));
  if (rows.empty()) throw not_found("user");
  auto network = network_of(call.peer);
  const auto turn = co_await services.passwords.turn(PasswordHasher::Purpose::login, network);
  const auto attempt =
      co_await LoginAttempt::begin(services, std::string(rows.get(0, email)), std::move(network));
  std::string hash(rows.get(0, password_hash));
  if (!co_await turn.matches(text_of(call.object(), "currentPassword"), hash)) {
    throw invalid("currentPassword", "is wrong");
  }
  co_await attempt.succeed(services);
  co_return hash;
}

asio::awaitable<Answer> change_password(Call& call, Services& services) {
  require_user(call);
  const auto user = call.principal.user_id.to_string();
  auto old_hash = co_await check_current_password(call, services, user);
  auto hash = co_await hash_password(call, services, text_of(call.object(), "password"));
  const auto transaction = co_await services.db.begin({});
  const auto changed =
      co_await transaction->run(sql::change_password, storage::Params().add(user).add(old_hash).add(hash));
  if (changed.empty()) throw conflict("The password was changed by another request.");
  co_await transaction->run(storage::sql::user_sessions::finish_others,
                            storage::Params().add(user).add(call.principal.token_id.to_string()));
  co_await transaction->commit();
  services.tokens_changed();
  co_return Answer::none();
}

constexpr ErrorCode limited_errors[] = {ErrorCode::rate_limited};

constexpr Route routes[] = {
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
     .body_kind = BodyKind::object},
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
     .body_kind = BodyKind::object},
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

std::span<const Route> password_routes() { return routes; }

}  // namespace waybill::api
