#include <string>

#include "api/accounts/account_fields.hpp"
#include "api/accounts/account_mails.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/gate/idempotency.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "base/token.hpp"
#include "net/mail/sealed_mail.hpp"
#include "storage/sql/businesses.sql.hpp"
#include "storage/sql/users.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::int64_t most_users = 1'000;  // the length of a list without pages

constexpr std::string_view statuses[] = {"invited", "active"};

/// `invite` requires the e-mail address, which cannot be changed later.
constexpr auto user_properties(bool invite) {
  return std::to_array<Property>({
      {.name = "guid", .kind = Kind::uuid, .nullable = false, .read_only = true},
      {.name = "email",
       .kind = Kind::email,
       .required = invite,
       .nullable = false,
       .read_only = !invite,
       .max_length = longest_email},
      {.name = "firstName", .kind = Kind::string},
      {.name = "lastName", .kind = Kind::string},
      {.name = "role",
       .kind = Kind::one_of,
       .nullable = false,
       .values = role_names,
       .description = invite ? "Default: viewer." : ""},
      {.name = "status", .kind = Kind::one_of, .nullable = false, .read_only = true, .values = statuses},
      {.name = "createdAt", .kind = Kind::timestamp, .nullable = false, .read_only = true},
  });
}
constexpr auto invite_properties = user_properties(true);
constexpr auto change_properties = user_properties(false);
constexpr Schema invite_schema{"UserInvitation", invite_properties};
constexpr Schema user_schema{"User", change_properties};

Failure only_owners() { return {ErrorCode::forbidden, "Only an owner can grant or revoke the role owner."}; }

asio::awaitable<Answer> list_users(Call& call, Services& services) {
  co_return Answer::of(json_array(co_await services.db.read(sql::users::List{.business = call.business()})));
}

asio::awaitable<Answer> get_user(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::users::Get{.business = call.business(), .user = call.id()});
  if (rows.empty()) throw not_found("user");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> invite_user(Call& call, Services& services) {
  const auto& body = call.object();
  const auto role = text_at(body, "role").value_or("viewer");
  if (parse_role(role) > call.principal.role) throw only_owners();
  const auto email = text_at(body, "email").value_or("");
  co_await count_invitation(call, services, email);
  const auto token = make_token();
  const auto mail = Guid::random();

  const auto transaction = co_await services.db.begin(call.cause());
  const auto business =
      co_await transaction->run(storage::sql::businesses::Lock{.business = call.business()});
  const auto count = co_await transaction->run(sql::users::Count{.business = call.business()});
  if (count.front().total >= most_users) throw conflict("A business has at most 1000 users.");
  const auto message = invitation_mail(services, email, token, std::string(business.front().name));
  const auto invited = co_await transaction->run(
      sql::users::Invite{.business = call.business(),
                         .email = email,
                         .first_name = text_at(body, "firstName"),
                         .last_name = text_at(body, "lastName"),
                         .role = role,
                         .token_hash = token_hash(token),
                         .mail = mail,
                         .sealed_mail = net::sealed_mail(services.secrets, mail, message)});
  co_await transaction->commit();
  co_await services.send_mails();
  co_return Answer::created(json_object(invited.all()),
                            "/api/business/users/" + invited.front().guid.to_string());
}

/// Throws Failure if `principal` may not change a user's role to `to` (nullopt removes the user): only an
/// owner may grant or revoke the role owner, and the last owner keeps it.
void check_role_change(const Principal& principal, const sql::users::LockMember::Row& member,
                       std::optional<Role> to) {
  const auto from = parse_role(member.role);
  if (from == to) return;
  const bool touches_owner = from == Role::owner || to == Role::owner;
  if (touches_owner && principal.role < Role::owner) throw only_owners();
  if (member.is_last_owner)
    throw conflict("The last owner of a business cannot be removed or given another role.");
}

/// Returns the user of the path and locks the business's list of users for the transaction.
asio::awaitable<storage::TypedRows<sql::users::LockMember>> lock_member(Call& call,
                                                                        storage::Transaction& transaction) {
  co_await transaction.run(storage::sql::businesses::Lock{.business = call.business()});
  auto member =
      co_await transaction.run(sql::users::LockMember{.business = call.business(), .user = call.id()});
  if (member.empty()) throw not_found("user");
  co_return member;
}

asio::awaitable<Answer> change_user(Call& call, Services& services) {
  const auto transaction = co_await services.db.begin(call.cause());
  const auto member = co_await lock_member(call, *transaction);
  if (const auto role = text_at(call.object(), "role")) {
    check_role_change(call.principal, member.front(), parse_role(*role));
  }
  const auto rows = co_await transaction->run(sql::users::ChangeMember{
      .business = call.business(), .user = member.front().guid, .changes = to_json(call.object())});
  co_await transaction->commit();
  services.tokens_changed();
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> remove_user(Call& call, Services& services) {
  const auto transaction = co_await services.db.begin(call.cause());
  const auto member = co_await lock_member(call, *transaction);
  check_role_change(call.principal, member.front(), std::nullopt);
  co_await transaction->run(sql::users::RemoveMember{
      .business = call.business(), .user = member.front().guid, .session_owner = owner_of_sessions});
  co_await transaction->commit();
  services.tokens_changed();
  co_return Answer::none();
}

constexpr Endpoint business_user_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/business/users",
     .permission = Permission::read,
     .handler = list_users,
     .operation_id = "listUsers",
     .summary = "Lists the users of the business",
     .description = "Invited users are included.",
     .tag = "Business",
     .answer = &user_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/business/users",
     .permission = Permission::administer,
     .handler = invite_user,
     .operation_id = "inviteUser",
     .summary = "Invites a user by mail",
     .description =
         "The mail has a link with a token, by which the person chooses a password and joins the business.",
     .tag = "Business",
     .body = &invite_schema,
     .body_kind = BodyKind::object,
     .answer = &user_schema,
     .status = 201},
    {.method = Method::get,
     .path = "/api/business/users/{guid}",
     .permission = Permission::read,
     .handler = get_user,
     .operation_id = "getUser",
     .summary = "Returns a user of the business",
     .description =
         "The guid of an accepted invitation names the user, too. A user of another business is 404.",
     .tag = "Business",
     .answer = &user_schema},
    {.method = Method::patch,
     .path = "/api/business/users/{guid}",
     .permission = Permission::administer,
     .handler = change_user,
     .operation_id = "updateUser",
     .summary = "Updates the name or the role of a user",
     .description = "Only owners change owners, and the last owner keeps the role (409).",
     .tag = "Business",
     .body = &user_schema,
     .body_kind = BodyKind::object,
     .answer = &user_schema},
    {.method = Method::del,
     .path = "/api/business/users/{guid}",
     .permission = Permission::administer,
     .handler = remove_user,
     .operation_id = "removeUser",
     .summary = "Removes a user from the business",
     .description = "An invitation that was not accepted becomes invalid.",
     .tag = "Business"},
};

}  // namespace

std::span<const Endpoint> business_user_endpoints() { return business_user_endpoint_table; }

}  // namespace waybill::api
