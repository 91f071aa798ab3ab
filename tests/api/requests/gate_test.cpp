#include "api/gate/gate.hpp"

#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "tests/api/fixtures/small_api.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view guid = "0b3b1c4e-9d5f-4f0a-8a51-2f0d5a1f7c11";

class DispatchTest : public testing::Test {
 protected:
  Response call(std::string_view line, std::string_view token = "", std::string_view headers = "",
                std::string_view body = "") {
    std::string text(line);
    text.append(" HTTP/1.1\r\nHost: x\r\n").append(headers);
    if (!token.empty()) text.append("Authorization: Bearer wb_").append(token).append("\r\n");
    if (!body.empty()) {
      if (headers.find("Content-Type") == std::string_view::npos)
        text.append("Content-Type: application/json\r\n");
      text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
    }
    text.append("\r\n").append(body);
    return ask(api, text);
  }

  static json::object error_of(const Response& reply) {
    return json::parse(reply.text).at("error").as_object();
  }

  static std::string code_of(const Response& reply) {
    const auto body = json::parse(reply.text).as_object();
    EXPECT_EQ(body.at("success"), false);
    return std::string(body.at("error").at("code").as_string());
  }

  SmallApi api{{}, {.cors_origins = {"https://app.example.com"}}};
};

TEST_F(DispatchTest, ResponsesHaveTheEnvelope) {
  EXPECT_EQ(call("GET /public").text, R"({"success":true})");
  EXPECT_EQ(call("GET /text/a%20b", "admin").text, R"({"data":"a b","success":true})");
  EXPECT_EQ(call("GET /bare").text, "true");
  EXPECT_EQ(call("GET /list?Page=3&PageSize=20", "admin").text,
            R"({"data":[1,2],"page":3,"pageSize":20,"totalCount":101,"totalPages":6,"success":true})");
}

TEST_F(DispatchTest, CreatedRecordsHaveALocation) {
  const auto reply = call("POST /things", "admin", "", R"({"name":"x"})");
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.header("location"), "/things/1");
}

TEST_F(DispatchTest, UnknownPathsAndMethodsAreReportedWithoutAToken) {
  const auto unknown = call("GET /nowhere");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(code_of(unknown), "NOT_FOUND");
  const auto wrong = call("PUT /things");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(code_of(wrong), "METHOD_NOT_ALLOWED");
  EXPECT_EQ(wrong.header("allow"), "POST, OPTIONS");
  EXPECT_EQ(call("BREW /things").status, 405);
}

TEST_F(DispatchTest, AllOtherPathsNeedAValidToken) {
  for (const std::string_view token : {"", "nobody", "revoked", "expired"}) {
    const auto reply = call("GET /list", token);
    EXPECT_EQ(reply.status, 401) << token;
    EXPECT_EQ(code_of(reply), "UNAUTHORIZED");
    EXPECT_EQ(reply.header("www-authenticate"), "Bearer");
    EXPECT_EQ(reply.header("x-ratelimit-limit"), "");
  }
  EXPECT_EQ(call("GET /list", "", "Authorization: Basic d2JfYWRtaW4=\r\n").status, 401);
  EXPECT_EQ(call("GET /list", "", "Authorization: bearer   wb_admin\r\n").status, 200);
}

TEST_F(DispatchTest, RolesHaveThePermissionsOfTheContract) {
  const std::string things = R"({"name":"x"})";
  EXPECT_EQ(call("GET /list", "viewer").status, 200);
  EXPECT_EQ(call("POST /things", "viewer", "", things).status, 403);
  EXPECT_EQ(call("POST /things", "operator", "", things).status, 201);
  EXPECT_EQ(call("POST /administer", "operator").status, 403);
  EXPECT_EQ(call("POST /administer", "admin").status, 200);
  EXPECT_EQ(call("GET /toggle", "viewer").status, 403);
  EXPECT_EQ(code_of(call("GET /toggle", "viewer")), "FORBIDDEN");
}

TEST_F(DispatchTest, AUserWithoutABusinessIsForbiddenElsewhere) {
  EXPECT_EQ(call("GET /me", "user_without_business").status, 200);
  EXPECT_EQ(call("GET /list", "user_without_business").status, 403);
}

TEST_F(DispatchTest, TheFreePlanForbidsApiTokensButNotUsers) {
  for (int count = 0; count < 65; ++count) ASSERT_EQ(call("GET /list", "free").status, 403);
  EXPECT_EQ(call("GET /list", "user").status, 200);
  EXPECT_EQ(call("GET /list", "unplanned").status, 403);
}

TEST_F(DispatchTest, ShowsTheQuotaAndRefusesFurtherRequests) {
  const auto first = call("GET /list", "standard");
  EXPECT_EQ(first.header("x-ratelimit-limit"), "600");
  EXPECT_EQ(first.header("x-ratelimit-remaining"), "599");
  EXPECT_GT(std::stoll(first.header("x-ratelimit-reset")), 1'700'000'000);
  EXPECT_EQ(call("GET /list", "admin").header("x-ratelimit-limit"), "1000000000");
  // Four requests touch at most two windows, so a later one is refused unless a minute has just ended.
  std::vector<Response> replies;
  for (int count = 0; count < 8; ++count) replies.push_back(call("GET /list", "small"));
  const auto& refused = replies.back();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(code_of(refused), "RATE_LIMITED");
  EXPECT_EQ(refused.header("x-ratelimit-remaining"), "0");
  EXPECT_GE(std::stoi(refused.header("retry-after")), 1);
  EXPECT_LE(std::stoi(refused.header("retry-after")), 60);
  EXPECT_EQ(call("PATCH /administer", "small").status, 429);
}

TEST_F(DispatchTest, RefusalsOfAKnownTokenAlsoShowTheQuota) {
  for (const std::string_view line : {"POST /administer", "GET /guid/x", "GET /fail/missing"}) {
    EXPECT_EQ(call(line, "viewer").header("x-ratelimit-limit").empty(), line == "GET /fail/missing") << line;
  }
}

TEST_F(DispatchTest, EveryResponseCarriesARequestId) {
  EXPECT_EQ(call("GET /public", "", "X-Request-Id: a.B_9-c\r\n").header("x-request-id"), "a.B_9-c");
  EXPECT_EQ(call("GET /nowhere", "", "X-Request-Id: abc\r\n").header("x-request-id"), "abc");
  EXPECT_EQ(call("GET /public", "", "X-Request-Id: " + std::string(128, 'x') + "\r\n").header("x-request-id"),
            std::string(128, 'x'));
  for (const std::string& insane : {std::string("a b"), std::string("<x>"), std::string(129, 'x')}) {
    const auto made = call("GET /public", "", "X-Request-Id: " + insane + "\r\n").header("x-request-id");
    EXPECT_EQ(made.size(), 32U);
  }
  EXPECT_NE(call("GET /public").header("x-request-id"), call("GET /public").header("x-request-id"));
}

TEST_F(DispatchTest, MalformedGuidsAreReported) {
  const auto reply = call("GET /guid/12", "admin");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(error_of(reply).at("details"), (json::value{{"guid", "must be a uuid"}}));
  EXPECT_EQ(call("GET /guid/" + std::string(guid), "admin").status, 200);
}

TEST_F(DispatchTest, AllBadParametersAreReported) {
  const auto reply = call("GET /list?Page=0&PageSize=101&$search=a&$search=b&unknown=1", "admin");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(error_of(reply).at("details"), (json::value{{"Page", "must be at least 1"},
                                                        {"PageSize", "must be at most 100"},
                                                        {"$search", "must be given once"}}));
  for (const std::string_view query :
       {"Page=x", "Page=1.5", "Page=", "Page=-1", "PageSize=0", "$filter=%FF"}) {
    EXPECT_EQ(call("GET /list?" + std::string(query), "admin").status, 400) << query;
  }
}

TEST_F(DispatchTest, BodiesMustHaveTheTypeOfTheRoute) {
  EXPECT_EQ(call("POST /things", "admin", "Content-Type: text/plain\r\n", "{}").status, 415);
  EXPECT_EQ(code_of(call("POST /things", "admin", "Content-Type: text/plain\r\n", "{}")),
            "UNSUPPORTED_MEDIA_TYPE");
  EXPECT_EQ(call("POST /things", "admin", "Content-Type: application/json; charset=latin1\r\n", "{}").status,
            415);
  EXPECT_EQ(call("POST /upload", "admin", "Content-Type: multipart/form-data\r\n", "x").status, 415);
  const std::string encoded = "Content-Type: application/json\r\nContent-Encoding: ";
  EXPECT_EQ(call("POST /things", "admin", encoded + "gzip\r\n", R"({"name":"x"})").status, 415);
  EXPECT_EQ(call("POST /things", "admin", encoded + "identity\r\n", R"({"name":"x"})").status, 201);
  for (const std::string_view type :
       {"application/json; charset=utf-8", "Application/JSON;charset=\"UTF-8\""}) {
    const auto header = "Content-Type: " + std::string(type) + "\r\n";
    EXPECT_EQ(call("POST /things", "admin", header, R"({"name":"x"})").status, 201) << type;
  }
}

TEST_F(DispatchTest, MalformedJsonIsRefused) {
  const std::string deep = std::string(33, '[') + std::string(33, ']');
  for (const std::string& body :
       {std::string("{"), std::string(R"({"name":"x","name":"y"})"), std::string("{\"name\":\"\xff\"}"),
        std::string(R"({"na\u0000me":"x"})"), R"({"name":)" + deep + "}", std::string("[]"), std::string("1"),
        std::string(R"({"name":"x"} x)")}) {
    const auto reply = call("POST /things", "admin", "", body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_TRUE(error_of(reply).at("details").as_object().contains("body")) << body;
  }
  EXPECT_EQ(error_of(call("POST /things", "admin")).at("details"), (json::value{{"name", "is required"}}));
}

TEST_F(DispatchTest, ErrorsAreNotManyTimesAsLongAsTheirRequest) {
  // Every bad value is named with the names of the members around it.
  const std::string name(900'000, 'k');
  std::string body = "{\"" + name + "\":[";
  for (int i = 0; i < 1'000; ++i) body += "\"\\u0000\",";
  body.back() = ']';
  const auto reply = call("POST /things", "admin", "", body + "}");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(error_of(reply).at("details").as_object().size(), 1'000U);
  EXPECT_LT(reply.text.size(), 2 * body.size());
}

TEST_F(DispatchTest, ALargeBodyIsReadBesideTheIoThreads) {
  const auto& state = small_api_state();
  const auto create = [&](std::size_t blanks) {
    return call("POST /things", "admin", "", R"({"name":"x")" + std::string(blanks, ' ') + "}").status;
  };
  ASSERT_EQ(create(0), 201);
  EXPECT_EQ(state.checked_on.load(), state.handled_on.load());
  ASSERT_EQ(create(20'000), 201);
  EXPECT_NE(state.checked_on.load(), state.handled_on.load());
}

TEST_F(DispatchTest, BulkArraysHaveAtMost1000Entries) {
  const auto bulk = [&](int count) {
    std::string body = "[";
    for (int index = 0; index < count; ++index) {
      body.append(index == 0 ? "" : ",").append("{\"guid\":\"").append(guid).append("\"}");
    }
    return call("POST /things/delete", "admin", "", body + "]");
  };
  EXPECT_EQ(bulk(1000).text, R"({"data":1000,"success":true})");
  EXPECT_EQ(bulk(1001).status, 400);
  const auto reply = call("POST /things/delete", "admin", "", R"([{"guid":"x"},1])");
  EXPECT_EQ(error_of(reply).at("details"),
            (json::value{{"[0].guid", "must be a uuid"}, {"[1]", "must be an object"}}));
}

TEST_F(DispatchTest, GetsThatChangeSomethingAlsoAnswerPostButNotHead) {
  const int before = small_api_state().toggles;
  const auto got = call("GET /toggle", "admin");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.header("cache-control"), "no-store");
  EXPECT_EQ(call("POST /toggle", "admin").status, 200);
  EXPECT_EQ(small_api_state().toggles, before + 2);
  const auto head = call("HEAD /toggle", "admin");
  EXPECT_EQ(head.status, 405);
  EXPECT_EQ(head.header("allow"), "GET, POST, OPTIONS");
  EXPECT_EQ(small_api_state().toggles, before + 2);
}

TEST_F(DispatchTest, OptionsAnswersWithoutAToken) {
  const auto reply = call("OPTIONS /things", "",
                          "Origin: https://app.example.com\r\nAccess-Control-Request-Method: POST\r\n");
  EXPECT_EQ(reply.status, 204);
  EXPECT_EQ(reply.header("allow"), "POST, OPTIONS");
  EXPECT_EQ(reply.header("access-control-allow-origin"), "https://app.example.com");
  EXPECT_EQ(reply.header("access-control-allow-methods"), "POST, OPTIONS");
  EXPECT_NE(reply.header("access-control-allow-headers").find("Authorization"), std::string::npos);
  EXPECT_EQ(call("OPTIONS /nowhere").status, 404);
  EXPECT_EQ(call("OPTIONS *").status, 204);
}

TEST_F(DispatchTest, OtherOriginsAreNotAllowed) {
  EXPECT_EQ(
      call("OPTIONS /things", "", "Origin: https://evil.example\r\n").header("access-control-allow-origin"),
      "");
  EXPECT_EQ(call("GET /public", "", "Origin: https://evil.example\r\n").header("access-control-allow-origin"),
            "");
  EXPECT_EQ(
      call("GET /public", "", "Origin: https://app.example.com\r\n").header("access-control-allow-origin"),
      "https://app.example.com");
  EXPECT_EQ(call("GET /public").header("vary"), "Origin");
}

TEST_F(DispatchTest, ExceptionsOfHandlersBecomeErrorsOfTheContract) {
  const auto unique = call("GET /fail/unique");
  EXPECT_EQ(unique.status, 409);
  EXPECT_EQ(error_of(unique).at("message"), "A customer with this email already exists.");
  EXPECT_EQ(call("GET /fail/missing").status, 404);
  for (const std::string_view path : {"GET /fail/away", "GET /fail/full", "GET /fail/slow"}) {
    const auto response = call(path);
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(code_of(response), "UNAVAILABLE");
    EXPECT_EQ(response.header("retry-after"), "1");
  }
}

TEST_F(DispatchTest, A500ShowsOnlyTheRequestId) {
  for (const std::string_view path : {"GET /fail/x", "GET /fail/odd"}) {
    const auto reply = call(path, "", "X-Request-Id: trace-7\r\n");
    EXPECT_EQ(reply.status, 500);
    EXPECT_EQ(code_of(reply), "INTERNAL_ERROR");
    EXPECT_EQ(reply.text.find("secret"), std::string::npos);
    EXPECT_NE(std::string(error_of(reply).at("message").as_string()).find("trace-7"), std::string::npos);
  }
}

class AwaitedBodyTest : public testing::Test {
 protected:
  static constexpr std::string_view body = R"({"name":"x"})";

  /// A connection of a caller who has been admitted and has sent no body yet.
  RawConnection admitted(std::string_view line, std::string_view token, std::string_view content_type) {
    auto connection = connect(api);
    connection.send(
        request_text(line, "Authorization: Bearer wb_" + std::string(token) +
                               "\r\nExpect: 100-continue\r\nContent-Length: 12\r\nContent-Type: " +
                               std::string(content_type) + "\r\n"));
    EXPECT_TRUE(connection.read_continue());
    return connection;
  }
  RawConnection admitted_thing() { return admitted("POST /things", "operator", "application/json"); }
  int status_of(RawConnection& connection) {
    connection.send(body);
    return connection.read_response().status;
  }
  int status_of_new_request() {
    return ask(api,
               request_text("POST /things",
                            "Authorization: Bearer wb_operator\r\nContent-Type: application/json\r\n", body))
        .status;
  }
  void change(const std::function<void(api::TokenRecord&)>& change) {
    api.tokens().change("operator", change);
  }

  // One thread, whose cached callers are those of all connections.
  SmallApi api{{}, {}, 1};
};

TEST_F(AwaitedBodyTest, ItsCallerGetsTheAnswerOfANewRequest) {
  const std::pair<int, std::function<void(api::TokenRecord&)>> changes[] = {
      {401, [](auto& token) { token.revoked = true; }},
      {401, [](auto& token) { token.expires_at = system_clock().now(); }},
      {403, [](auto& token) { token.principal.role = api::Role::viewer; }},
      {403, [](auto& token) { token.principal.business_id = {}; }},
      {403, [](auto& token) { token.is_suspended = true; }},
      {403, [](auto& token) { token.plan = "free"; }},
      {403, [](auto& token) { token.plan = "gone"; }},
  };
  api::TokenRecord usual;
  change([&](const auto& token) { usual = token; });
  for (const auto& [status, apply] : changes) {
    change([&](auto& token) { token = usual; });
    ASSERT_TRUE(eventually([&] { return status_of_new_request() == 201; }));
    auto thing = admitted_thing();
    auto upload = admitted("POST /upload", "operator", "multipart/form-data; boundary=x");
    change(apply);
    ASSERT_TRUE(eventually([&] { return status_of_new_request() == status; })) << status;
    EXPECT_EQ(status_of(thing), status);
    EXPECT_EQ(status_of(upload), status);
  }
}

TEST_F(AwaitedBodyTest, IsAcceptedOfACallerWhoMayStillDoIt) {
  auto thing = admitted_thing();
  change([](auto& token) { token.principal.role = api::Role::admin; });
  EXPECT_EQ(status_of(thing), 201);
  auto notice = connect(api);
  notice.send(request_text("POST /notice", "Expect: 100-continue\r\nContent-Length: 12\r\n"));
  EXPECT_TRUE(notice.read_continue());
  EXPECT_EQ(status_of(notice), 200) << "a public call has no caller";
}

TEST_F(AwaitedBodyTest, CountsOnceAgainstTheQuota) {
  auto first = admitted("POST /things", "standard", "application/json");
  EXPECT_EQ(status_of(first), 201);
  auto second = admitted("POST /things", "standard", "application/json");
  second.send(body);
  EXPECT_GE(std::stoi(second.read_response().header("x-ratelimit-remaining")), 598);
}

TEST_F(DispatchTest, WithoutADatabaseAnIdempotentPostIs503) {
  EXPECT_EQ(call("POST /things", "admin", "Idempotency-Key: k\r\n", R"({"name":"x"})").status, 503);
  const auto reply = call("POST /things", "admin", "Idempotency-Key: \xc3\xa9\r\n", R"({"name":"x"})");
  EXPECT_EQ(reply.status, 400);
  EXPECT_TRUE(error_of(reply).at("details").as_object().contains("Idempotency-Key"));
}

}  // namespace
}  // namespace waybill::tests
