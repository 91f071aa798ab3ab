#include "api/accounts/account_fields.hpp"

#include <algorithm>

#include "api/accounts/password_hasher.hpp"
#include "api/http/client_network.hpp"
#include "api/records/fields.hpp"
#include "templates/parts.hpp"

namespace waybill::api {
namespace {

net::MailMessage message(const std::string& to, std::string subject, std::string text) {
  return {.to = {to},
          .subject = std::move(subject),
          .text = std::move(text),
          .headers = {{"Auto-Submitted", "auto-generated"}}};  // RFC 3834 section 5
}

}  // namespace

std::string text_of(const json::object& body, std::string_view name) {
  return text_at(body, name).value_or("");
}

Failure wrong_token() { return invalid("token", "is wrong, used or expired"); }

Principal mailed_user(const Guid& user, std::string_view email) {
  return {
      .business_id = {}, .token_id = {}, .user_id = user, .name = std::string(email), .caller = Caller::user};
}

const Guid& require_user(const Call& call) {
  if (!call.principal.is_user()) throw Failure(ErrorCode::forbidden, "Only the token of a user can do this.");
  return call.principal.user_id;
}

asio::awaitable<std::string> hash_password(const Call& call, Services& services, std::string password) {
  const auto turn = co_await services.passwords.turn(PasswordHasher::Purpose::other, network_of(call.peer));
  co_return co_await turn.hash(std::move(password));
}

void check_confirmation(const json::object& body, FieldErrors& errors) {
  const auto password = text_at(body, "password");
  const auto again = text_at(body, "confirmPassword");
  if (password && again && *password != *again) errors.push_back({"confirmPassword", "must equal password"});
}

net::MailMessage verification_mail(const Services& services, const std::string& to,
                                   const std::string& token) {
  return message(to, "Verify your e-mail address",
                 "Welcome to waybill.\n\n"
                 "Please verify your e-mail address within 24 hours by opening this link:\n\n" +
                     services.settings.public_url + "/verify?token=" + token +
                     "\n\nor by entering this token:\n\n" + token +
                     "\n\nIf you did not register, please ignore this mail.\n");
}

net::MailMessage reset_mail(const Services& services, const std::string& to, const std::string& token) {
  return message(
      to, "Choose a new password",
      "A new password was requested for your waybill account.\n\n"
      "Please choose it within one hour by opening this link:\n\n" +
          services.settings.public_url + "/reset-password?token=" + token +
          "\n\nor by entering this token:\n\n" + token +
          "\n\nIf you did not request it, please ignore this mail: your password does not change.\n");
}

net::MailMessage invitation_mail(const Services& services, const std::string& to, const std::string& token,
                                 const std::string& business) {
  // Anybody may found a business with any name, so the name is shown as one.
  std::string name = templates::short_line(business, 100);
  std::ranges::replace(name, '"', '\'');
  name = '"' + name + '"';
  return message(to, "You are invited to " + name,
                 "You are invited to work with the business " + name +
                     " in waybill.\n\n"
                     "Please accept within 7 days by opening this link:\n\n" +
                     services.settings.public_url + "/accept-invitation?token=" + token +
                     "\n\nor by entering this token:\n\n" + token +
                     "\n\nIf you do not know the business, please ignore this mail.\n");
}

}  // namespace waybill::api
