#include <string>
#include <utility>

#include "api/accounts/account_fields.hpp"
#include "api/accounts/account_mails.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "base/token.hpp"
#include "net/mail/sealed_mail.hpp"
#include "storage/sql/users.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property register_properties[] = {
    {.name = "email", .kind = Kind::email, .required = true, .max_length = longest_email},
    password_property,
    confirm_password_property,
    {.name = "firstName", .kind = Kind::string},
    {.name = "lastName", .kind = Kind::string},
    {.name = "acceptedTerms", .kind = Kind::boolean, .required = true, .description = "Must be true."},
};
constexpr Schema register_schema{"Registration", register_properties};

constexpr Property registered_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "email", .kind = Kind::email, .nullable = false},
};
constexpr Schema registered_schema{"Registered", registered_properties};

constexpr Property mail_token_properties[] = {
    {.name = "token", .kind = Kind::string, .required = true, .description = "The token of the mail."},
};
constexpr Schema mail_token_schema{"MailToken", mail_token_properties};

constexpr Schema acceptance_schema{"InvitationAcceptance", mailed_password_properties};

void check_registration(const json::object& body, FieldErrors& errors) {
  check_confirmation(body, errors);
  const auto* const accepted = find_value(body, "acceptedTerms");
  if (accepted && accepted->is_bool() && !accepted->get_bool()) {
    errors.push_back({"acceptedTerms", "must be true"});
  }
}

Failure account_exists() { return conflict("An account with this email already exists."); }

asio::awaitable<Answer> register_user(Call& call, Services& services) {
  const auto& body = call.object();
  const auto email = text_of(body, "email");
  co_await count_account_mail(call, services, email);
  const auto known = co_await services.db.read(sql::users::HasAccount{.email = email});
  if (known.front().is_known) throw account_exists();
  const auto hash = co_await hash_password(call, services, text_of(body, "password"));
  const auto token = make_token();
  const auto mail = Guid::random();
  const auto message = verification_mail(services, email, token);
  const auto rows = co_await services.db.write(
      sql::users::Register{.email = email,
                           .password_hash = hash,
                           .first_name = text_at(body, "firstName"),
                           .last_name = text_at(body, "lastName"),
                           .token_hash = token_hash(token),
                           .mail = mail,
                           .sealed_mail = net::sealed_mail(services.secrets, mail, message)},
      {});
  if (rows.empty()) throw account_exists();
  co_await services.send_mails();
  co_return Answer::created(json_object(rows), "/api/user/me");
}

asio::awaitable<Answer> verify_user(Call& call, Services& services) {
  const auto hash = token_hash(text_of(call.object(), "token"));
  const auto rows = co_await services.db.write(sql::users::Verify{.token_hash = hash}, {});
  if (rows.empty()) throw wrong_token();
  co_return Answer::none();
}

/// Turns the invitation into an account, or adds the existing account of its address to the business.
asio::awaitable<storage::Rows> accept(const Call& call, Services& services, const std::string& token,
                                      const std::string& hash) {
  const auto transaction = co_await services.db.begin(call.cause());
  const auto found = co_await transaction->run(sql::users::LockInvitation{.token_hash = token_hash(token)});
  const auto invitation = found.find();
  if (!invitation) throw wrong_token();
  const auto business = invitation->business_id;
  storage::Rows accepted;
  if (!invitation->account) {
    accepted = co_await transaction->run(
        sql::users::Accept{.business = business, .user = invitation->guid, .password_hash = hash});
  } else {
    const auto taken =
        co_await transaction->run(sql::users::TakeInvitation{.business = business, .user = invitation->guid});
    const auto terms = taken.front();
    accepted = co_await transaction->run(sql::users::Join{.user = *invitation->account,
                                                          .business = business,
                                                          .role = terms.role,
                                                          .first_name = terms.first_name,
                                                          .last_name = terms.last_name,
                                                          .password_hash = hash,
                                                          .invitation = invitation->guid});
    if (accepted.empty()) throw conflict("The user of this address belongs to another business.");
  }
  co_await transaction->commit();
  co_return accepted;
}

asio::awaitable<Answer> accept_invitation(Call& call, Services& services) {
  const auto token = text_of(call.object(), "token");
  // Hashing is expensive, so the token is checked first.
  const auto known = co_await services.db.read(sql::users::FindInvitation{.token_hash = token_hash(token)});
  if (known.empty()) throw wrong_token();
  call.principal = mailed_user(known.front().guid, known.front().email);
  const auto hash = co_await hash_password(call, services, text_of(call.object(), "password"));
  const auto rows = co_await accept(call, services, token, hash);
  services.tokens_changed();
  co_return Answer::of(json_object(rows));
}

constexpr ErrorCode conflict_errors[] = {ErrorCode::conflict};
constexpr ErrorCode register_errors[] = {ErrorCode::conflict, ErrorCode::rate_limited};

constexpr Endpoint user_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/user/register",
     .permission = Permission::everyone,
     .handler = register_user,
     .operation_id = "registerUser",
     .summary = "Creates a user account",
     .description = "A token that verifies the e-mail address is mailed.",
     .tag = "Users",
     .body = &register_schema,
     .body_check = check_registration,
     .body_kind = BodyKind::object,
     .answer = &registered_schema,
     .status = 201,
     .errors = register_errors},
    {.method = Method::post,
     .path = "/api/user/verify",
     .permission = Permission::everyone,
     .handler = verify_user,
     .operation_id = "verifyUser",
     .summary = "Verifies an e-mail address with a mailed token",
     .description = "The token is that of the mail and works once. A wrong or used one is 400.",
     .tag = "Users",
     .body = &mail_token_schema,
     .body_kind = BodyKind::object},
    {.method = Method::post,
     .path = "/api/user/accept-invitation",
     .permission = Permission::everyone,
     .handler = accept_invitation,
     .operation_id = "acceptInvitation",
     .summary = "Joins the business that sent an invitation",
     .description = "The token is that of the mail and works once. A wrong or used one is 400.",
     .tag = "Users",
     .body = &acceptance_schema,
     .body_check = check_confirmation,
     .body_kind = BodyKind::object,
     .answer = &registered_schema,
     .errors = conflict_errors,
     .is_audited = true},
};

}  // namespace

std::span<const Endpoint> user_endpoints() { return user_endpoint_table; }

}  // namespace waybill::api
