#include <string>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/paging.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "base/token.hpp"
#include "storage/sql/tokens.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view statuses[] = {"active", "revoked"};

constexpr Property entry_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "role", .kind = Kind::one_of, .nullable = false, .values = role_names},
    {.name = "createdAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "expiresAt",
     .kind = Kind::timestamp,
     .description = "From then on the token is refused, also while its status is active."},
    {.name = "lastUsed", .kind = Kind::timestamp, .description = "Accurate to the minute."},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = statuses},
};
constexpr Schema entry_schema{"TokenEntry", entry_properties};

constexpr Property token_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "role", .kind = Kind::one_of, .nullable = false, .values = role_names},
    {.name = "createdAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "expiresAt", .kind = Kind::timestamp},
    {.name = "lastUsed", .kind = Kind::timestamp},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = statuses},
};
constexpr Schema token_schema{"Token", token_properties};

constexpr Property create_properties[] = {
    {.name = "name", .kind = Kind::string, .min_length = 1, .description = "Default: API token."},
    {.name = "role", .kind = Kind::one_of, .values = role_names, .description = "Default: admin."},
    {.name = "expiresAt", .kind = Kind::timestamp, .description = "Null: the token does not expire."},
};
constexpr Schema create_schema{"TokenCreate", create_properties};

constexpr Property created_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "token", .kind = Kind::string, .nullable = false, .description = "Only in this answer."},
    {.name = "role", .kind = Kind::one_of, .nullable = false, .values = role_names},
    {.name = "createdAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "expiresAt", .kind = Kind::timestamp},
};
constexpr Schema created_schema{"TokenCreated", created_properties};

constexpr Property generated_properties[] = {
    {.name = "token", .kind = Kind::string, .nullable = false, .description = "Only in this answer."},
    {.name = "createdAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "expiresAt", .kind = Kind::timestamp, .description = "Null: the token does not expire."},
};
constexpr Schema generated_schema{"TokenGenerated", generated_properties};

constexpr Parameter page_parameters[] = {page_parameter, page_size_parameter};

void check_name(const json::object& body, FieldErrors& errors) { check_not_blank(body, "name", errors); }

std::string path_of(std::string_view guid) { return "/api/business/tokens/" + std::string(guid); }

struct NewToken {
  std::string token;
  json::object record;  // guid, name, role, createdAt, expiresAt
};

asio::awaitable<NewToken> make(Call& call, Services& services, std::string_view name, std::string_view role,
                               std::optional<Time> expires_at) {
  NewToken made{.token = make_token(), .record = {}};
  const auto rows = co_await services.db.write(sql::tokens::Create{.business = call.business(),
                                                                   .name = name,
                                                                   .role = role,
                                                                   .token_hash = token_hash(made.token),
                                                                   .expires_at = expires_at},
                                               call.cause());
  made.record = json::parse(json_object(rows.all())).as_object();
  co_return made;
}

asio::awaitable<Answer> list_tokens(Call& call, Services& services) {
  const auto page = page_of(call);
  const auto rows = co_await services.db.read(
      sql::tokens::List{.business = call.business(), .limit = page.limit(), .offset = page.offset()});
  std::int64_t total = 0;
  if (!rows.empty()) {
    total = rows.front().total;
  } else if (page.number > 1) {
    total = (co_await services.db.read(sql::tokens::Count{.business = call.business()})).front().total;
  }
  co_return page_answer(json_array(rows.more()), page, total);
}

asio::awaitable<Answer> get_token(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::tokens::Get{.business = call.business(), .token = call.id()});
  if (rows.empty()) throw not_found("token");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> generate_token(Call& call, Services& services) {
  const auto made = co_await make(call, services, "Generated token", "admin", std::nullopt);
  const json::object data{{"token", made.token},
                          {"createdAt", made.record.at("createdAt")},
                          {"expiresAt", made.record.at("expiresAt")}};
  co_return Answer::created(to_json(data), path_of(made.record.at("guid").as_string()));
}

asio::awaitable<Answer> create_token(Call& call, Services& services) {
  const auto& body = call.object();
  const auto role = text_at(body, "role").value_or("admin");
  const auto expires_at = parse_timestamp(text_at(body, "expiresAt").value_or(""));
  if (expires_at && *expires_at <= services.clock.now()) throw invalid("expiresAt", "must be in the future");
  if (parse_role(role) > call.principal.role) {
    throw Failure(ErrorCode::forbidden, "Only an owner can create a token with the role owner.");
  }
  const auto name = text_at(body, "name").value_or("API token");
  const auto made = co_await make(call, services, name, role, expires_at);
  json::object data;
  for (const auto& property : created_properties) {
    data[property.name] = property.name == "token" ? json::value(made.token) : made.record.at(property.name);
  }
  co_return Answer::created(to_json(data), path_of(data.at("guid").as_string()));
}

asio::awaitable<Answer> revoke_token(Call& call, Services& services) {
  const bool by_owner = call.principal.role == Role::owner;
  const auto rows = co_await services.db.write(
      sql::tokens::Revoke{.business = call.business(), .token = call.id(), .by_owner = by_owner},
      call.cause());
  if (rows.affected() == 0) {
    const auto token =
        co_await services.db.read(sql::tokens::Get{.business = call.business(), .token = call.id()});
    if (token.empty()) throw not_found("token");
    throw Failure(ErrorCode::forbidden, "Only an owner can revoke a token with the role owner.");
  }
  services.tokens_changed();
  co_return Answer::none();
}

constexpr ErrorCode creation_errors[] = {ErrorCode::conflict};  // 1000 live tokens

constexpr Endpoint token_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/business/generate-api-token",
     .permission = Permission::administer,
     .handler = generate_token,
     .operation_id = "generateToken",
     .summary = "Creates an API token that does not expire",
     .description = "The token has the role admin. At most 1000 tokens of a business are neither revoked nor "
                    "expired.",
     .tag = "Business",
     .answer = &generated_schema,
     .status = 201,
     .changes = true,
     .errors = creation_errors},
    {.method = Method::get,
     .path = "/api/business/tokens",
     .permission = Permission::read,
     .handler = list_tokens,
     .operation_id = "listTokens",
     .summary = "Lists the API tokens, newest first",
     .description = "Revoked tokens are included.",
     .tag = "Business",
     .query = page_parameters,
     .answer = &entry_schema,
     .answer_is_array = true,
     .paginated = true},
    {.method = Method::post,
     .path = "/api/business/tokens",
     .permission = Permission::administer,
     .handler = create_token,
     .operation_id = "createToken",
     .summary = "Creates an API token",
     .description = "At most 1000 tokens of a business are neither revoked nor expired.",
     .tag = "Business",
     .body = &create_schema,
     .body_check = check_name,
     .body_kind = BodyKind::object,
     .answer = &created_schema,
     .status = 201,
     .errors = creation_errors},
    {.method = Method::get,
     .path = "/api/business/tokens/{guid}",
     .permission = Permission::read,
     .handler = get_token,
     .operation_id = "getToken",
     .summary = "Returns an API token without its value",
     .description = "A revoked token stays and has the status revoked.",
     .tag = "Business",
     .answer = &token_schema},
    {.method = Method::del,
     .path = "/api/business/tokens/{guid}",
     .permission = Permission::administer,
     .handler = revoke_token,
     .operation_id = "revokeToken",
     .summary = "Revokes an API token",
     .description =
         "Every node refuses the token within a second. Only an owner revokes a token of the role owner.",
     .tag = "Business"},
};

}  // namespace

std::span<const Endpoint> token_endpoints() { return token_endpoint_table; }

}  // namespace waybill::api
