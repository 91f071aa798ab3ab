#include <algorithm>
#include <array>
#include <optional>

#include "api/endpoint/endpoint.hpp"
#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

using api::BodyKind;
using api::Endpoint;
using api::Method;
using api::Permission;
using api::Role;

constexpr Role roles[] = {Role::viewer, Role::operator_, Role::admin, Role::owner};

std::string_view name_of(Role role) { return api::role_names[static_cast<std::size_t>(role)]; }

bool begins(const Endpoint& endpoint, std::string_view prefix) { return endpoint.path.starts_with(prefix); }

/// True for views and settings, which each user of a business has and API tokens have not.
bool belongs_to_users(const Endpoint& endpoint) {
  return endpoint.path == "/api/user/views" || endpoint.path == "/api/user/settings";
}

/// The permission of an endpoint by the contract, from its method and path alone; nullopt where it is
/// ambiguous.
std::optional<Permission> contract_permission(const Endpoint& endpoint) {
  constexpr std::string_view public_paths[] = {"/api/user/login",
                                               "/api/user/register",
                                               "/api/user/verify",
                                               "/api/user/accept-invitation",
                                               "/healthz",
                                               "/readyz",
                                               "/openapi.json",
                                               "/api/integrations/{guid}/inbound",
                                               "/api/carriers/{guid}/inbound",
                                               "/track/{token:text}",
                                               "/verify",
                                               "/accept-invitation",
                                               "/reset-password",
                                               "/api/user/forgot-password",
                                               "/api/user/reset-password",
                                               "/api/user/resend-verification"};
  if (std::ranges::find(public_paths, endpoint.path) != std::end(public_paths) || begins(endpoint, "/docs") ||
      begins(endpoint, "/console") || begins(endpoint, "/pages/")) {
    return Permission::everyone;
  }
  if (belongs_to_users(endpoint)) return Permission::read;
  if (begins(endpoint, "/api/user/") || endpoint.path == "/api/business/soft-check" ||
      (endpoint.path == "/api/business" && endpoint.method == Method::post)) {
    return Permission::signed_in;
  }
  if (endpoint.path == "/api/workflows/configured/{guid}/headers" || endpoint.path.ends_with("/resolve"))
    return Permission::administer;
  if (endpoint.path == "/api/messages/{guid}") return Permission::operate;
  if (endpoint.method == Method::get && !endpoint.changes) return Permission::read;
  // Neither clearly an operation nor clearly a change reserved to admins.
  const bool is_read_only = endpoint.path.ends_with("/preview") || endpoint.path.ends_with("/test") ||
                            endpoint.path.ends_with("/backtest") || endpoint.path.ends_with("/sync");
  const bool is_ambiguous = is_read_only || endpoint.path == "/api/carriers" ||
                            begins(endpoint, "/api/carriers/contacts") ||
                            endpoint.path.ends_with("/settings");
  if (is_ambiguous) return std::nullopt;
  if (endpoint.path == "/api/integrations/save-vapid-subscription" || endpoint.path.ends_with("/replay") ||
      endpoint.path.ends_with("/cancel")) {
    return Permission::operate;
  }
  for (const std::string_view prefix :
       {"/api/business", "/api/carriers", "/api/integrations", "/api/workflows"}) {
    if (begins(endpoint, prefix)) return Permission::administer;
  }
  return Permission::operate;
}

Role lowest_role(Permission permission) {
  if (permission == Permission::administer) return Role::admin;
  return permission == Permission::operate ? Role::operator_ : Role::viewer;
}

std::string_view method_of(const Endpoint& endpoint) {
  constexpr std::array<std::string_view, 5> names{"GET", "POST", "PUT", "PATCH", "DELETE"};
  return names[static_cast<std::size_t>(endpoint.method)];
}

/// A path of the endpoint that leads to no record.
std::string path_of(const Endpoint& endpoint) {
  std::string path(endpoint.path);
  for (auto open = path.find('{'); open != std::string::npos; open = path.find('{')) {
    const auto close = path.find('}', open);
    const bool is_text = path.substr(open, close - open).find(':') != std::string::npos;
    path.replace(open, close - open + 1, is_text ? "Order" : unknown_guid);
  }
  return path;
}

/// A request that changes nothing even if allowed: without required fields, for records that do not exist.
Response ask(Http& client, std::string_view method, const Endpoint& endpoint) {
  json::value body;
  if (endpoint.body_kind == BodyKind::object) body = json::object{};
  if (endpoint.body_kind == BodyKind::array) body = json::array{{{"guid", unknown_guid}}};
  if (endpoint.body_kind == BodyKind::multipart) body = "no form";
  return client.request(method, path_of(endpoint), body);
}

class RolesTest : public AccountTest {
 protected:
  static std::vector<Endpoint> endpoints() {
    auto all = api::all_endpoints();
    std::erase_if(all, [](const Endpoint& endpoint) { return endpoint.path == "/api/user/logout"; });
    return all;
  }

  void without_limits() { world.database.exec("update businesses set plan = 'unlimited'"); }

  /// Checks that `client` may call exactly the endpoints of its role.
  static void expect_role(Http& client, Role role, bool is_token = false) {
    for (const auto& endpoint : endpoints()) {
      if (endpoint.permission == Permission::everyone || endpoint.permission == Permission::signed_in)
        continue;
      if (is_token && belongs_to_users(endpoint)) continue;  // user_preferences_test.cpp
      std::vector<std::string_view> methods{method_of(endpoint)};
      if (endpoint.changes) methods.push_back("POST");
      for (const auto method : methods) {
        const auto response = ask(client, method, endpoint);
        const auto endpoint_name =
            std::string(name_of(role)) + " " + std::string(method) + " " + std::string(endpoint.path);
        if (role < lowest_role(endpoint.permission)) {
          EXPECT_EQ(response.status, 403) << endpoint_name << " " << response.text;
          EXPECT_EQ(response.error_code(), "FORBIDDEN") << endpoint_name;
        } else {
          EXPECT_NE(response.status, 401) << endpoint_name << " " << response.text;
          EXPECT_NE(response.status, 403) << endpoint_name << " " << response.text;
          EXPECT_LT(response.status, 500) << endpoint_name << " " << response.text;
        }
      }
    }
  }
};

TEST_F(RolesTest, EveryRouteHasThePermissionOfTheContract) {
  for (const auto& endpoint : api::all_endpoints()) {
    const auto expected = contract_permission(endpoint);
    if (expected) EXPECT_EQ(endpoint.permission, *expected) << method_of(endpoint) << " " << endpoint.path;
  }
}

TEST_F(RolesTest, EveryRouteChecksTheRoleOfAUser) {
  auto owner = new_owner();
  for (const auto role : roles) {
    auto user = role == Role::owner ? owner.with_token(owner.token()) : new_member(owner, name_of(role));
    without_limits();
    expect_role(user, role);
  }
}

TEST_F(RolesTest, EveryRouteChecksTheRoleOfAToken) {
  auto owner = new_owner();
  without_limits();
  for (const auto role : roles) {
    const auto made = owner.post("/api/business/tokens", {{"role", name_of(role)}});
    ASSERT_EQ(made.status, 201) << made.text;
    auto token = world.waybill.http(text_at(made.data(), "token"));
    expect_role(token, role, true);
  }
}

TEST_F(RolesTest, WithoutATokenEveryRouteButThePublicOnesIs401) {
  for (const auto& endpoint : api::all_endpoints()) {
    const auto response = ask(http, method_of(endpoint), endpoint);
    const auto endpoint_name = std::string(method_of(endpoint)) + " " + std::string(endpoint.path);
    if (endpoint.permission == Permission::everyone) {
      EXPECT_NE(response.status, 403) << endpoint_name;
      EXPECT_LT(response.status, 500) << endpoint_name << " " << response.text;
    } else {
      EXPECT_EQ(response.status, 401) << endpoint_name << " " << response.text;
      EXPECT_EQ(response.header("WWW-Authenticate"), "Bearer") << endpoint_name;
    }
  }
}

TEST_F(RolesTest, AUserWithoutABusinessCanOnlyCreateOneUseSoftCheckAndReadMe) {
  const auto email = fresh_address();
  auto user = new_user(email);
  int request_count = 0;
  for (const auto& endpoint : endpoints()) {
    if (endpoint.permission == Permission::everyone) continue;
    // A session without a plan has sixty requests a minute.
    if (++request_count % 50 == 0) user = session(email);
    const auto response = ask(user, method_of(endpoint), endpoint);
    const auto endpoint_name = std::string(method_of(endpoint)) + " " + std::string(endpoint.path);
    if (endpoint.permission == Permission::signed_in) {
      EXPECT_NE(response.status, 403) << endpoint_name << " " << response.text;
      EXPECT_LT(response.status, 429) << endpoint_name << " " << response.text;
    } else {
      EXPECT_EQ(response.status, 403) << endpoint_name << " " << response.text;
    }
  }
  EXPECT_EQ(user.post("/api/user/logout").status, 200);
}

TEST_F(RolesTest, OnTheFreePlanATokenIs403BeforeItIs429AndAUserWorks) {
  auto owner = new_owner();
  const auto email = text_at(owner.get("/api/user/me").data(), "email");
  const auto token_text = text_at(owner.post("/api/business/tokens").data(), "token");
  world.database.rows(
      "update businesses set plan = 'free' where guid = (select business_id from users where email = $1)",
      {email});
  auto token = world.waybill.http(token_text);
  Response response;
  for (int count = 0; count < 70; ++count) {
    response = token.get("/api/v1/Orders");
    expect_refused(response, 403, "FORBIDDEN");
  }
  EXPECT_EQ(response.header("X-RateLimit-Limit"), "60");
  EXPECT_EQ(response.header("X-RateLimit-Remaining"), "0");
  auto user = session(email);
  response = user.get("/api/v1/Orders");
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.header("X-RateLimit-Limit"), "60");
}

}  // namespace
}  // namespace waybill::tests
