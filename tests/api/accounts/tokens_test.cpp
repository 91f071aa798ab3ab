#include <atomic>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "base/clock.hpp"
#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using Names = std::set<std::string>;

class TokensTest : public ApiTest {
 protected:
  static constexpr std::string_view path = "/api/business/tokens";
  static constexpr std::string_view generate = "/api/business/generate-api-token";

  static Names names_of(const json::value& object) {
    Names names;
    for (const auto& [name, value] : object.as_object()) names.insert(std::string(name));
    return names;
  }

  Response create(const json::object& body = {}) {
    auto response = http.post(path, body);
    EXPECT_EQ(response.status, 201) << response.text;
    return response;
  }

  Http client(const Response& created) { return world.waybill.http(text_at(created.data(), "token")); }
};

TEST_F(TokensTest, AreCreatedByGetAndByPost) {
  const auto got = http.get(generate);
  ASSERT_EQ(got.status, 200) << got.text;
  EXPECT_EQ(names_of(got.data()), (Names{"token", "createdAt", "expiresAt"}));
  EXPECT_TRUE(at(got.data(), "expiresAt").is_null());
  EXPECT_EQ(got.header("Cache-Control"), "no-store");
  EXPECT_EQ(got.header("Location"), "");
  const auto token = text_at(got.data(), "token");
  EXPECT_EQ(token.size(), 46U);
  EXPECT_TRUE(token.starts_with("wb_"));
  EXPECT_EQ(client(got).post("/api/v1/Customers", {{"name", "Ada"}}).status, 201)
      << "the token gives full access";

  const auto posted = http.post(generate);
  ASSERT_EQ(posted.status, 201) << posted.text;
  EXPECT_EQ(names_of(posted.data()), (Names{"token", "createdAt", "expiresAt"}));
  EXPECT_NE(text_at(posted.data(), "token"), token);
  const auto record = http.get(posted.header("Location"));
  EXPECT_EQ(text_at(record.data(), "role"), "admin");
  const auto head = http.request("HEAD", generate);
  EXPECT_EQ(head.status, 405);
}

TEST_F(TokensTest, HaveTheGivenNameRoleAndExpiry) {
  const auto response =
      create({{"name", "till"}, {"role", "viewer"}, {"expiresAt", "2126-01-01T00:00:00.000Z"}});
  EXPECT_EQ(names_of(response.data()), (Names{"guid", "name", "token", "role", "createdAt", "expiresAt"}));
  EXPECT_EQ(text_at(response.data(), "name"), "till");
  EXPECT_EQ(text_at(response.data(), "expiresAt"), "2126-01-01T00:00:00.000Z");
  EXPECT_EQ(response.header("Location"), std::string(path) + "/" + text_at(response.data(), "guid"));
  auto viewer = client(response);
  EXPECT_EQ(viewer.get("/api/v1/Orders").status, 200);
  expect_refused(viewer.post("/api/v1/Customers", {{"name", "Ada"}}), 403, "FORBIDDEN");

  const auto plain = create();
  EXPECT_EQ(text_at(plain.data(), "role"), "admin");
  EXPECT_TRUE(at(plain.data(), "expiresAt").is_null());
}

TEST_F(TokensTest, CreatingReportsBadFields) {
  expect_invalid(http.post(path, {{"name", ""}, {"role", "king"}, {"expiresAt", "soon"}, {"x", 1}}),
                 {"name", "role", "expiresAt", "x"});
  expect_invalid(http.post(path, {{"name", "  "}}), {"name"});
  expect_invalid(http.post(path, {{"name", std::string(201, 'x')}}), {"name"});
  expect_invalid(http.post(path, {{"expiresAt", "2020-01-01T00:00:00Z"}}), {"expiresAt"});
}

TEST_F(TokensTest, OnlyAnOwnerCreatesATokenWithTheRoleOwner) {
  expect_refused(http.post(path, {{"role", "owner"}}), 403, "FORBIDDEN");
  const auto admin = create();
  tenant.sql.rows("update api_tokens set role = 'owner' where guid = $1::uuid",
                  {text_at(admin.data(), "guid")});
  auto owner = client(admin);
  EXPECT_EQ(owner.post(path, {{"role", "owner"}}).status, 201);
}

TEST_F(TokensTest, StopWorkingWhenTheyExpire) {
  const auto created =
      create({{"expiresAt", format_timestamp(system_clock().now() + std::chrono::seconds(2))}});
  auto token = client(created);
  EXPECT_EQ(token.get("/api/v1/Orders").status, 200);
  EXPECT_TRUE(eventually([&] { return token.get("/api/v1/Orders").status == 401; }));
}

TEST_F(TokensTest, ABusinessHasAtMostAThousandThatAreNeitherRevokedNorExpired) {
  const auto add = [&](int count, const std::string& revoked, const std::string& expires) {
    tenant.sql.exec(
        "insert into api_tokens (business_id, name, token_hash, revoked_at, expires_at) select '" +
        tenant.id + "', 'n', sha256(gen_random_uuid()::text::bytea), " + revoked + ", " + expires +
        " from generate_series(1, " + std::to_string(count) + ")");
  };
  add(100, "now()", "null");
  add(100, "null", "now() - interval '1 second'");
  add(998, "null", "now() + interval '1 hour'");
  const auto last = create();
  expect_refused(http.post(path, json::object()), 409, "CONFLICT");
  expect_refused(http.get(generate), 409, "CONFLICT");
  expect_refused(http.post(generate), 409, "CONFLICT");
  const Finished command = run({waybill_binary(), "token", "create", "--database-url", world.database.url(),
                                "--business", tenant.name});
  EXPECT_EQ(command.status, 1);
  EXPECT_NE(command.standard_error.find("1000"), std::string::npos) << command.standard_error;
  EXPECT_EQ(other_business().http.post(path, json::object()).status, 201);

  EXPECT_EQ(http.del(last.header("Location")).status, 200);
  const auto key = Headers{{"Idempotency-Key", "the last"}};
  const auto replacing = http.post(path, json::object(), key);
  EXPECT_EQ(replacing.status, 201) << replacing.text;
  expect_refused(http.post(path, json::object()), 409, "CONFLICT");
  const auto replayed = http.post(path, json::object(), key);
  EXPECT_EQ(replayed.status, 201) << "an answer that is kept makes no token";
  EXPECT_EQ(replayed.text, replacing.text);
}

TEST_F(TokensTest, ConcurrentCallsDoNotExceedTheLimit) {
  tenant.sql.exec("insert into api_tokens (business_id, name, token_hash) select '" + tenant.id +
                  "', 'n', sha256(gen_random_uuid()::text::bytea) from generate_series(1, 994)");
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  threads.reserve(10);
  for (int index = 0; index < 10; ++index) {
    threads.emplace_back([&, client = http.with_token(http.token())]() mutable {
      made += client.post(path, json::object()).status == 201 ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made, 5) << "one is that of the test";
}

TEST_F(TokensTest, ATimeOfLastUseInTheFutureIsReplaced) {
  const auto created = create();
  tenant.sql.rows("update api_tokens set last_used = now() + interval '1 day' where guid = $1::uuid",
                  {text_at(created.data(), "guid")});
  EXPECT_EQ(client(created).get("/api/v1/Orders").status, 200);
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from api_tokens where guid = $1::uuid and last_used <= now()",
                             {text_at(created.data(), "guid")}) == 1;
  }));
}

TEST_F(TokensTest, AreListedInPagesNewestFirst) {
  for (int count = 0; count < 4; ++count) create({{"name", "n" + std::to_string(count)}});
  const auto response = http.get(std::string(path) + "?Page=1&PageSize=2");
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(names_of(at(response.data(), "0")),
            (Names{"guid", "name", "role", "createdAt", "expiresAt", "lastUsed", "status"}));
  EXPECT_EQ(texts(response, "name"), (std::vector<std::string>{"n3", "n2"}));
  EXPECT_EQ(at(response.body, "totalCount"), 5) << "including the token of the test";
  EXPECT_EQ(at(response.body, "totalPages"), 3);
  EXPECT_EQ(response.text.find("wb_"), std::string::npos);
  const auto past = http.get(std::string(path) + "?Page=9&PageSize=2");
  EXPECT_TRUE(past.data().as_array().empty());
  EXPECT_EQ(at(past.body, "totalCount"), 5);
  expect_invalid(http.get(std::string(path) + "?Page=0&PageSize=101"), {"Page", "PageSize"});
  EXPECT_EQ(other_business().http.get(path).data().as_array().size(), 1U);
}

TEST_F(TokensTest, ASingleTokenShowsAllFieldsButItsValue) {
  const auto created = create({{"name", "till"}});
  const auto record = http.get(created.header("Location"));
  EXPECT_EQ(names_of(record.data()),
            (Names{"guid", "name", "role", "createdAt", "expiresAt", "lastUsed", "status"}));
  expect_refused(other_business().http.get(created.header("Location")), 404, "NOT_FOUND");
  expect_refused(http.get(std::string(path) + "/" + std::string(unknown_guid)), 404, "NOT_FOUND");
}

TEST_F(TokensTest, AreRevokedAtOnceAndRemainListed) {
  const auto created = create({{"name", "till"}});
  auto token = client(created);
  EXPECT_EQ(token.get("/api/v1/Orders").status, 200);
  const auto record = created.header("Location");
  expect_refused(other_business().http.del(record), 404, "NOT_FOUND");
  const auto response = http.del(record);
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.text, R"({"success":true})");
  expect_refused(token.get("/api/v1/Orders"), 401, "UNAUTHORIZED");
  EXPECT_EQ(text_at(http.get(record).data(), "status"), "revoked");
  EXPECT_EQ(text_at(http.get(path).data(), "0.status"), "revoked");
  EXPECT_EQ(http.del(record).status, 200) << "a second revocation changes nothing";
  expect_refused(http.del(std::string(path) + "/" + std::string(unknown_guid)), 404, "NOT_FOUND");
}

TEST_F(TokensTest, AreRevokedAlsoForRequestsWhoseBodyHasNotArrived) {
  const std::string form =
      "--x\r\nContent-Disposition: form-data; name=\"file\"; "
      "filename=\"c.csv\"\r\n\r\nname\r\nAda\r\n--x--\r\n";
  const std::string_view json = "application/json", form_type = "multipart/form-data; boundary=x";
  const std::string name = R"({"name":"Ada"})";
  const std::tuple<std::string, std::string_view, std::string> requests[] = {
      {std::string(path), json, name},
      {"/api/v1/Customers", json, name},
      {"/api/v1/Customers", json, name + std::string(1'000'000, ' ')},
      {"/api/v1/Customers/upload", form_type, form},
  };
  for (const bool is_chunked : {false, true}) {
    const auto created = create({{"name", "till"}});
    const auto token = client(created).token();
    std::vector<RawConnection> waiting;
    for (const auto& [target, type, body] : requests) {
      auto& connection = waiting.emplace_back(http.raw());
      connection.send("POST " + target + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
                      "\r\nExpect: 100-continue\r\nContent-Type: " + std::string(type) +
                      (is_chunked ? "\r\nTransfer-Encoding: chunked\r\n\r\n"
                                  : "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n"));
      ASSERT_TRUE(connection.read_continue()) << target;
    }
    ASSERT_EQ(http.del(created.header("Location")).status, 200);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const auto& body = std::get<2>(requests[i]);
      std::ostringstream chunked;
      chunked << std::hex << body.size() << "\r\n" << body << "\r\n0\r\n\r\n";
      waiting[i].send(is_chunked ? chunked.str() : body);
      expect_refused(waiting[i].read_response(), 401, "UNAUTHORIZED");
    }
  }
  EXPECT_EQ(tenant.sql.number("select count(*) from api_tokens where business_id = $1 and revoked_at is null",
                              {tenant.id}),
            1);
  EXPECT_EQ(at(http.get("/api/v1/Customers").body, "totalCount"), 0);
  EXPECT_EQ(tenant.sql.number("select count(*) from customer_uploads where business_id = $1", {tenant.id}),
            0);
}

TEST_F(TokensTest, OnlyAnOwnerRevokesATokenWithTheRoleOwner) {
  const auto owners = create(), admins = create();
  tenant.sql.rows("update api_tokens set role = 'owner' where guid = $1::uuid",
                  {text_at(owners.data(), "guid")});
  expect_refused(client(admins).del(owners.header("Location")), 403, "FORBIDDEN");
  EXPECT_EQ(text_at(http.get(owners.header("Location")).data(), "status"), "active");
  EXPECT_EQ(client(owners).del(owners.header("Location")).status, 200);
}

TEST_F(TokensTest, TheTimeOfLastUseIsWrittenAtMostOnceAMinute) {
  const auto created = create();
  const auto guid = text_at(created.data(), "guid");
  const auto last_used = [&] {
    return tenant.sql.value("select last_used from api_tokens where guid = $1::uuid", {guid});
  };
  EXPECT_EQ(last_used(), "");
  auto token = client(created);
  EXPECT_EQ(token.get("/api/v1/Orders").status, 200);
  EXPECT_TRUE(eventually([&] { return !last_used().empty(); }));
  const auto first = last_used();
  EXPECT_FALSE(text_at(http.get(created.header("Location")).data(), "lastUsed").empty());

  // Another node, which has not seen the token yet, does not write it either.
  const Waybill second(world.database.url(),
                       {.command = "api", .secret_key_file = world.waybill.secret_key_file()});
  auto second_client = second.http(token.token());
  for (int count = 0; count < 20; ++count) EXPECT_EQ(second_client.get("/api/v1/Orders").status, 200);
  EXPECT_EQ(last_used(), first);
}

TEST_F(TokensTest, ARevocationAndAChangeOfPlanTakeEffectOnEveryNodeWithinASecond) {
  const Waybill second(world.database.url(),
                       {.command = "api", .secret_key_file = world.waybill.secret_key_file()});
  const auto created = create();
  auto first_client = client(created);
  auto second_client = second.http(first_client.token());
  EXPECT_EQ(second_client.get("/api/v1/Orders").header("X-RateLimit-Limit"), "1000000000");
  tenant.sql.rows("update businesses set plan = 'pro' where guid = $1::uuid", {tenant.id});
  for (auto* const client : {&first_client, &second_client}) {
    EXPECT_TRUE(
        eventually([&] { return client->get("/api/v1/Orders").header("X-RateLimit-Limit") == "6000"; },
                   std::chrono::seconds(1)));
  }
  EXPECT_EQ(http.del(created.header("Location")).status, 200);
  EXPECT_EQ(first_client.get("/api/v1/Orders").status, 401);
  EXPECT_TRUE(
      eventually([&] { return second_client.get("/api/v1/Orders").status == 401; }, std::chrono::seconds(1)));
}

}  // namespace
}  // namespace waybill::tests
