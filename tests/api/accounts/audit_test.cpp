// The audit log: who changed workflows, templates, tokens, users, carriers, integrations and settings.
#include <set>
#include <string>
#include <vector>

#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/api/fixtures/jobs.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view log_path = "/api/business/audit";

class AuditTest : public AccountTest {
 protected:
  json::array entries(std::string_view query = "") {
    const Response list = owner.get(std::string(log_path) + "?PageSize=100" + std::string(query));
    EXPECT_EQ(list.status, 200) << list.text;
    return list.data().is_array() ? list.data().get_array() : json::array();
  }
  /// The entries of changes made since `mark`, oldest first.
  std::vector<json::value> since(std::size_t mark) {
    const json::array all = entries();
    std::vector<json::value> found(all.rbegin(), all.rend());
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(mark, found.size())));
    return found;
  }
  std::size_t mark() { return entries().size(); }
  /// Expects exactly one entry since `before` and returns it.
  json::value only(std::size_t before) {
    const auto found = since(before);
    EXPECT_EQ(found.size(), 1U) << json::serialize(json::value(entries()));
    return found.empty() ? json::value(json::object()) : found.back();
  }
  std::string business() { return text_at(owner.get("/api/business/my-business").data(), "guid"); }

  json::object workflow(const json::object& more = {}) {
    json::object body{{"name", "Tell the shop"},
                      {"entityType", "Order"},
                      {"triggerId", trigger_guid("order_created")},
                      {"conditions", json::object()},
                      {"action",
                       {{"type", "webhook"},
                        {"recipient", "https://shop.example/hook"},
                        {"headers", {{"Authorization", "header-secret-1"}}}}}};
    for (const auto& [name, value] : more) body[name] = value;
    return body;
  }

  Http owner = new_owner();
  std::size_t first_ = 0;
  TestDatabase& database = world.database;
};

TEST_F(AuditTest, AnEntryNamesActorEntityRequestAndAddress) {
  const std::size_t before = mark();
  const Response made =
      owner.post("/api/workflows/configure", workflow(), {{"X-Request-Id", "my-request-7"}});
  ASSERT_EQ(made.status, 201) << made.text;
  const json::value entry = only(before);
  EXPECT_EQ(names_of(entry), (std::set<std::string>{"guid", "at", "actor", "action", "entityType", "entityId",
                                                    "entityName", "changes", "requestId", "address"}));
  EXPECT_EQ(text_at(entry, "actor.type"), "user");
  EXPECT_EQ(text_at(entry, "actor.guid"), user_guid(owner));
  EXPECT_EQ(text_at(entry, "action"), "created");
  EXPECT_EQ(text_at(entry, "entityType"), "workflow");
  EXPECT_EQ(text_at(entry, "entityId"), text_at(made.data(), "guid"));
  EXPECT_EQ(text_at(entry, "entityName"), "Tell the shop");
  EXPECT_EQ(text_at(entry, "changes.trigger.to"), "order_created");
  EXPECT_TRUE(at(entry, "changes.trigger.from").is_null());
  EXPECT_EQ(text_at(entry, "requestId"), made.header("X-Request-Id"));
  EXPECT_EQ(text_at(entry, "requestId"), "my-request-7");
  EXPECT_EQ(text_at(entry, "address"), "127.0.0.1");
}

TEST_F(AuditTest, ExportsErasuresAndReadingSecretHeadersAreEntries) {
  const std::string person =
      text_at(owner.post("/api/v1/Customers", {{"name", "Zenobia Quux"}}).data(), "guid");
  const std::string guid = text_at(owner.post("/api/workflows/configure", workflow()).data(), "guid");
  const std::size_t before = mark();
  EXPECT_EQ(owner.get("/api/v1/Customers/" + person + "/export").status, 200);
  EXPECT_EQ(owner.get("/api/workflows/configured/" + guid + "/headers").status, 200);
  EXPECT_EQ(owner.post("/api/v1/Customers/" + person + "/erase", json::object()).status, 200);
  EXPECT_EQ(owner.get("/api/v1/Customers/" + guid + "/export").status, 404) << "is no entry";
  const auto found = since(before);
  ASSERT_EQ(found.size(), 3U) << json::serialize(json::value(entries()));
  const std::string expected[][3] = {
      {"exported", "customer", person}, {"read", "workflow", guid}, {"erased", "customer", person}};
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(text_at(found[i], "action"), expected[i][0]);
    EXPECT_EQ(text_at(found[i], "entityType"), expected[i][1]);
    EXPECT_EQ(text_at(found[i], "entityId"), expected[i][2]);
    EXPECT_EQ(text_at(found[i], "actor.guid"), user_guid(owner));
    EXPECT_NE(text_at(found[i], "requestId"), "");
    EXPECT_EQ(text_at(found[i], "address"), "127.0.0.1");
    EXPECT_EQ(json::serialize(found[i]).find("Zenobia"), std::string::npos);
  }
}

TEST_F(AuditTest, ExportsAndErasuresByJobsNameTheRequestThatBeganThem) {
  const std::string person =
      "/api/v1/Customers/" +
      text_at(owner.post("/api/v1/Customers", {{"name", "Zenobia Quux"}}).data(), "guid");
  const auto as_job_of = [](const std::string& request) {
    return Headers{{"Prefer", "respond-async"}, {"X-Request-Id", request}};
  };
  const std::size_t before = mark();
  result_of(owner, accepted(owner.get(person + "/export", as_job_of("export-7"))));
  result_of(owner, accepted(owner.post(person + "/erase", json::object(), as_job_of("erase-7"))));
  const auto found = since(before);
  ASSERT_EQ(found.size(), 2U) << json::serialize(json::value(entries()));
  const std::string expected[][2] = {{"exported", "export-7"}, {"erased", "erase-7"}};
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(text_at(found[i], "action"), expected[i][0]);
    EXPECT_EQ(text_at(found[i], "requestId"), expected[i][1]);
    EXPECT_EQ(text_at(found[i], "address"), "127.0.0.1");
  }
}

TEST_F(AuditTest, EachChangeOfAWorkflowIsOneEntryWithTheFieldsThatChanged) {
  const std::string guid = text_at(owner.post("/api/workflows/configure", workflow()).data(), "guid");
  const std::string path = "/api/workflows/configured/" + guid;
  std::size_t before = mark();
  ASSERT_EQ(owner.get(path + "/toggle").status, 200);
  EXPECT_EQ(at(only(before), "changes"), json::value({{"isActive", {{"from", true}, {"to", false}}}}));

  before = mark();
  ASSERT_EQ(owner.post("/api/workflows/configure", {{"guid", guid}, {"name", "Renamed"}}).status, 200);
  json::value entry = only(before);
  EXPECT_EQ(at(entry, "changes"), json::value({{"name", {{"from", "Tell the shop"}, {"to", "Renamed"}}}}));
  EXPECT_EQ(text_at(entry, "action"), "updated");

  before = mark();
  const json::object events{{"triggers", {"order_cancelled"}}};
  ASSERT_EQ(owner.post("/api/workflows/configure", {{"guid", guid}, {"cancelOn", events}}).status, 200);
  EXPECT_EQ(at(only(before), "changes.cancelOn.to.triggers"), json::array({"order_cancelled"}));

  before = mark();
  ASSERT_EQ(owner
                .post("/api/workflows/configure",
                      {{"guid", guid}, {"triggers", {"order_created", "order_cancelled"}}})
                .status,
            200);
  EXPECT_EQ(at(only(before), "changes"),
            json::value({{"trigger", {{"from", "order_created"}, {"to", nullptr}}},
                         {"triggers", {{"from", nullptr}, {"to", {"order_created", "order_cancelled"}}}}}));

  before = mark();
  const json::object timer{{"field", "createdAt"}, {"offset", "P1D"}};
  ASSERT_EQ(owner.post("/api/workflows/configure", {{"guid", guid}, {"timer", timer}}).status, 200);
  entry = only(before);
  EXPECT_EQ(at(entry, "changes.timer.to"), json::value(timer));
  EXPECT_TRUE(at(entry, "changes.triggers.to").is_null()) << json::serialize(entry);

  before = mark();
  const json::array steps{{{"type", "wait"}, {"delay", "PT1H"}},
                          {{"type", "webhook"}, {"recipient", "https://shop.example/other"}}};
  ASSERT_EQ(owner.post("/api/workflows/configure", {{"guid", guid}, {"steps", steps}}).status, 200);
  entry = only(before);
  EXPECT_TRUE(at(entry, "changes.action.to").is_null()) << json::serialize(entry);
  EXPECT_EQ(text_at(entry, "changes.steps.to.0.delay"), "PT1H") << json::serialize(entry);

  before = mark();
  ASSERT_EQ(owner.post(path + "/rotate-secret").status, 200);
  EXPECT_EQ(at(only(before), "changes"),
            json::value({{"secret", {{"from", "********"}, {"to", "********"}}}}));

  before = mark();
  ASSERT_EQ(owner.del(path).status, 200);
  entry = only(before);
  EXPECT_EQ(text_at(entry, "action"), "deleted");
  EXPECT_EQ(text_at(entry, "changes.name.from"), "Renamed");
  EXPECT_TRUE(at(entry, "changes.name.to").is_null());
}

TEST_F(AuditTest, AChangeOfNothingMakesNoEntry) {
  const std::string guid = text_at(owner.post("/api/workflows/configure", workflow()).data(), "guid");
  const json::value carriers = owner.get("/api/carriers").data();
  const std::string carrier = text_at(carriers, "0.guid");
  const json::object account{{"carrierId", carrier}, {"accountNumber", "A-1"}, {"apiKey", "key-secret-2"}};
  ASSERT_EQ(owner.post("/api/carriers/configure", account).status, 200);
  const std::size_t before = mark();
  EXPECT_EQ(owner.post("/api/workflows/configure", {{"guid", guid}, {"name", "Tell the shop"}}).status, 200);
  EXPECT_EQ(owner.post("/api/carriers/configure", account).status, 200);
  EXPECT_EQ(
      owner.put("/api/business", {{"name", text_at(owner.get("/api/business/my-business").data(), "name")}})
          .status,
      200);
  EXPECT_EQ(owner.patch("/api/v1/Products/settings", {{"defaultUnit", "cm"}}).status, 200);
  EXPECT_EQ(owner.put("/api/business/default-configuration", json::object()).status, 200);
  EXPECT_EQ(since(before).size(), 0U);
}

TEST_F(AuditTest, AChangeOfACarrierAndItsConfigurationIsOneEntry) {
  const std::string carrier = text_at(
      owner.post("/api/carriers", {{"name", "Own"}, {"code", "own"}, {"type", "courier"}}).data(), "guid");
  ASSERT_EQ(owner.post("/api/carriers/configure", {{"carrierId", carrier}, {"accountNumber", "A-1"}}).status,
            200);
  std::size_t before = mark();
  const std::string path = "/api/carriers/" + carrier, pattern = "https://own.example/{number}";
  ASSERT_EQ(owner.patch(path, {{"accountNumber", "A-2"}, {"trackingUrlPattern", pattern}}).status, 200);
  auto entries = since(before);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(text_at(entries[0], "changes.accountNumber.to"), "A-2");
  EXPECT_EQ(text_at(entries[0], "changes.trackingUrlPattern.to"), pattern);
  before = mark();
  for (const std::string number : {"A-3", "A-4"})
    ASSERT_EQ(owner.patch(path, {{"accountNumber", number}}, {{"X-Request-Id", "same"}}).status, 200);
  EXPECT_EQ(since(before).size(), 2U) << "of two requests";
}

TEST_F(AuditTest, TokensUsersTemplatesCarriersAndSettingsAreAudited) {
  std::vector<std::string> kinds;
  const auto note = [&](const Response& response) {
    EXPECT_EQ(response.status / 100, 2) << response.text;
    const std::size_t seen = kinds.size();
    const auto found = since(first_ + seen);
    EXPECT_EQ(found.size(), 1U) << response.text;
    for (const auto& entry : found)
      kinds.push_back(text_at(entry, "action") + " " + text_at(entry, "entityType"));
    return response;
  };
  first_ = mark();
  const Response token = note(owner.post("/api/business/tokens", {{"name", "till"}, {"role", "viewer"}}));
  note(owner.del("/api/business/tokens/" + text_at(token.data(), "guid")));
  const std::string address = fresh_address();
  const Response user = note(owner.post("/api/business/users", {{"email", address}, {"role", "viewer"}}));
  const std::string user_path = "/api/business/users/" + text_at(user.data(), "guid");
  note(owner.patch(user_path, {{"role", "operator"}}));
  note(owner.del(user_path));
  const Response text = note(owner.post("/api/workflows/templates", {{"code", "thanks"},
                                                                     {"name", "Thanks"},
                                                                     {"entityType", "Order"},
                                                                     {"type", "send_email"},
                                                                     {"subject", "Thanks"},
                                                                     {"body", "Thanks"}}));
  const std::string text_path = "/api/workflows/templates/" + text_at(text.data(), "guid");
  note(owner.put(text_path, {{"body", "Thank you"}}));
  note(owner.del(text_path));
  const Response carrier =
      note(owner.post("/api/carriers", {{"name", "Own"}, {"code", "own"}, {"type", "courier"}}));
  const std::string carrier_guid = text_at(carrier.data(), "guid");
  note(owner.post("/api/carriers/configure", {{"carrierId", carrier_guid}, {"accountNumber", "A-1"}}));
  note(owner.post("/api/carriers/" + carrier_guid + "/rotate-inbound-secret"));
  note(owner.del("/api/carriers/" + carrier_guid));
  note(owner.put("/api/business", {{"branding", {{"senderName", "The shop"}}}}));
  note(owner.put("/api/business/default-configuration", {{"defaultServiceLevel", "express"}}));
  note(owner.patch("/api/v1/Products/settings", {{"autoGenerateSku", true}}));
  EXPECT_EQ(kinds, (std::vector<std::string>{"created token", "deleted token", "created user", "updated user",
                                             "deleted user", "created template", "updated template",
                                             "deleted template", "created carrier", "created carrier",
                                             "updated carrier", "deleted carrier", "updated business",
                                             "updated business", "updated product_settings"}));
}

TEST_F(AuditTest, NoSecretEntersTheLog) {
  const std::string password = "another horse 99";
  const std::string guid = text_at(owner.post("/api/workflows/configure", workflow()).data(), "guid");
  const Response rotated = owner.post("/api/workflows/configured/" + guid + "/rotate-secret");
  const std::string carrier = text_at(owner.get("/api/carriers").data(), "0.guid");
  const Response configured = owner.post("/api/carriers/configure", {{"carrierId", carrier},
                                                                     {"accountNumber", "A-1"},
                                                                     {"apiKey", "key-secret-2"},
                                                                     {"apiSecret", "key-secret-3"}});
  const Response token = owner.post("/api/business/tokens", {{"name", "till"}});
  ASSERT_EQ(
      owner
          .post("/api/user/change-password",
                {{"currentPassword", good_password}, {"password", password}, {"confirmPassword", password}})
          .status,
      200);
  EXPECT_EQ(at(only(mark() - 1), "changes"),
            json::value({{"password", {{"from", "********"}, {"to", "********"}}}}));
  const std::string log = database.value(
      "select string_agg(a::text, '') from audit_log a where business_id = $1::uuid", {business()});
  const std::string hashes = database.value(
      "select string_agg(encode(sealed, 'hex'), ',') from workflow_secrets where workflow_id = $1::uuid",
      {guid});
  for (const std::string& secret :
       {std::string("header-secret-1"), std::string("key-secret-2"), std::string("key-secret-3"), password,
        text_at(token.data(), "token"), text_at(rotated.data(), "secret"),
        text_at(configured.data(), "inboundSecret"), hashes.substr(0, 40), std::string("argon2")}) {
    ASSERT_GE(secret.size(), 6U);
    EXPECT_EQ(log.find(secret), std::string::npos) << secret;
  }
}

TEST_F(AuditTest, ListsNewestFirstInPagesAndByTimeEntityAndActor) {
  const std::string first = text_at(owner.post("/api/business/tokens", {{"name", "one"}}).data(), "guid");
  const std::string key = text_at(owner.post("/api/business/tokens", {{"name", "two"}}).data(), "token");
  Http program = http.with_token(key);
  ASSERT_EQ(program.post("/api/business/tokens", {{"name", "three"}}).status, 201);
  const json::array all = entries();
  ASSERT_GE(all.size(), 3U);
  EXPECT_EQ(text_at(all[0], "entityName"), "three");
  EXPECT_EQ(text_at(all[0], "actor.type"), "token");
  EXPECT_EQ(text_at(all[0], "actor.name"), "two");
  EXPECT_EQ(text_at(all[1], "entityName"), "two");

  const Response page = owner.get(std::string(log_path) + "?Page=2&PageSize=1");
  EXPECT_EQ(at(page.body, "totalCount"), json::value(all.size()));
  EXPECT_EQ(at(page.data(), "0.guid"), at(all[1], "guid"));
  const Response beyond = owner.get(std::string(log_path) + "?Page=1000");
  EXPECT_EQ(beyond.status, 200);
  EXPECT_EQ(at(beyond.body, "totalCount"), json::value(all.size()));
  EXPECT_TRUE(beyond.data().as_array().empty());

  EXPECT_EQ(entries("&entityId=" + first).size(), 1U);
  EXPECT_EQ(entries("&actorId=" + text_at(all[0], "actor.guid")).size(), 1U);
  EXPECT_EQ(entries("&entityId=00000000-0000-4000-8000-00000000dead").size(), 0U);
  EXPECT_EQ(entries("&from=" + text_at(all[0], "at")).size(), 1U);
  EXPECT_EQ(entries("&to=" + text_at(all[0], "at")).size(), all.size());
  EXPECT_EQ(entries("&to=2020-01-01").size(), 0U);
  EXPECT_EQ(entries("&from=2020-01-01&entityId=" + first + "&actorId=" + user_guid(owner)).size(), 1U);
  expect_invalid(owner.get(std::string(log_path) + "?entityId=x&actorId=y&from=z&Page=0"),
                 {"entityId", "actorId", "from", "Page"});
}

TEST_F(AuditTest, AllRolesReadTheLogOfTheirBusinessAlone) {
  for (const char* role : {"admin", "operator", "viewer"})
    EXPECT_EQ(new_member(owner, role).get(log_path).status, 200) << role;
  expect_refused(http.get(log_path), 401, "UNAUTHORIZED");
  Http other = new_owner();
  const std::string guid = text_at(owner.post("/api/business/tokens", {{"name", "till"}}).data(), "guid");
  EXPECT_TRUE(other.get(std::string(log_path) + "?entityId=" + guid).data().as_array().empty());
}

TEST_F(AuditTest, AnInvitedUserIsTheAuthorOfTheAcceptance) {
  const std::string address = fresh_address();
  ASSERT_EQ(owner.post("/api/business/users", {{"email", address}, {"role", "viewer"}}).status, 201);
  std::size_t before = mark();
  const json::object passwords{{"password", good_password}, {"confirmPassword", good_password}};
  json::object body = passwords;
  body["token"] = mailed_token(address);
  ASSERT_EQ(http.post("/api/user/accept-invitation", body).status, 200);
  json::value entry = only(before);
  EXPECT_EQ(text_at(entry, "actor.type"), "user");
  EXPECT_EQ(text_at(entry, "actor.guid"), text_at(entry, "entityId"));
  EXPECT_EQ(text_at(entry, "actor.name"), address);
  EXPECT_EQ(text_at(entry, "address"), "127.0.0.1");

  // An existing account joins: one entry, although the invitation's row goes.
  const std::string known = fresh_address();
  make_account(known);
  ASSERT_EQ(owner.post("/api/business/users", {{"email", known}, {"role", "operator"}}).status, 201);
  before = mark();
  body["token"] = mailed_token(known, 2);
  ASSERT_EQ(http.post("/api/user/accept-invitation", body).status, 200);
  entry = only(before);
  EXPECT_EQ(text_at(entry, "action"), "created");
  EXPECT_EQ(text_at(entry, "actor.name"), known);

  before = mark();
  ASSERT_EQ(http.post("/api/user/forgot-password", {{"email", known}}).status, 200);
  body["token"] = mailed_token(known, 3);
  ASSERT_EQ(http.post("/api/user/reset-password", body).status, 200);
  entry = only(before);
  EXPECT_EQ(text_at(entry, "actor.name"), known);
  EXPECT_EQ(at(entry, "changes"), json::value({{"password", {{"from", "********"}, {"to", "********"}}}}));
}

TEST_F(AuditTest, AWriterWithPlainSqlCanNeitherForgeNorSuppressAnEntry) {
  const std::string id = business();
  const std::string role = "auditor_" + database.name();
  database.exec("create role " + role + " login; grant select, update on workflows, workflow_epoch to " +
                role);
  std::string url = database.url();
  url.replace(url.find("//waybill@"), 10, "//" + role + "@");
  {
    Session writer(url);
    writer.exec(R"(set waybill.cause = '{"by": {"type": "user", "guid": null, "name": "Somebody"}}')");
    writer.exec("set waybill.audit = off");
    writer.exec("update workflows set name = 'By SQL' where is_managed and business_id = '" + id +
                "' and action ->> "
                "'type' = 'push_tracking' and trigger_code = 'shipment_updated'");
    EXPECT_THROW(writer.exec("delete from audit_log"), std::runtime_error);
  }
  const json::value entry = entries().front();
  EXPECT_EQ(at(entry, "actor"), json::value({{"type", "sql"}, {"guid", nullptr}, {"name", role}}));
  EXPECT_EQ(text_at(entry, "changes.name.to"), "By SQL");
  EXPECT_TRUE(at(entry, "requestId").is_null());
  EXPECT_TRUE(at(entry, "address").is_null());
  database.exec("drop owned by " + role + "; drop role " + role);
}

TEST_F(AuditTest, AChangeThatIsRolledBackHasNoEntry) {
  const std::size_t before = mark();
  Session session = database.connect();
  session.exec("begin; update businesses set phone = '1' where guid = '" + business() + "'; rollback");
  EXPECT_EQ(since(before).size(), 0U);
}

TEST_F(AuditTest, AWorkflowThatTheWorkerPausesIsPausedByTheSystem) {
  Receiver receiver;
  receiver.answer("/gone", Reply::with_status(410));
  const Response made =
      owner.post("/api/workflows/configure",
                 workflow({{"action", {{"type", "webhook"}, {"recipient", receiver.url("/gone")}}}}));
  ASSERT_EQ(made.status, 201) << made.text;
  ASSERT_EQ(owner
                .post("/api/v1/Orders",
                      {{"customer", {{"name", "Ada"}}},
                       {"items", json::array{{{"description", "Pen"}, {"quantity", 1}, {"price", 1}}}},
                       {"deliveryAddress", {{"street", "Rua 1"}, {"city", "Lisbon"}}}})
                .status,
            201);
  const std::string query = "&entityId=" + text_at(made.data(), "guid");
  ASSERT_TRUE(eventually([&] { return entries(query).size() == 2; }));
  const json::value entry = entries(query).front();
  EXPECT_EQ(at(entry, "actor"), json::value({{"type", "system"}, {"guid", nullptr}, {"name", "waybill"}}));
  EXPECT_NE(text_at(entry, "changes.pausedReason.to"), "");
  EXPECT_EQ(at(entry, "changes").as_object().size(), 1U);
}

TEST_F(AuditTest, TheCommandLineIsTheOperator) {
  const std::string id = business();
  const std::size_t before = mark();
  const auto waybill = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), waybill_binary());
    arguments.insert(arguments.end(), {"--business", id, "--database-url", database.url()});
    return run(std::move(arguments)).status;
  };
  EXPECT_EQ(waybill({"business", "set-plan", "--plan", "pro"}), 0);
  EXPECT_EQ(waybill({"token", "create", "--name", "by hand"}), 0);
  EXPECT_EQ(waybill({"business", "suspend"}), 0);
  EXPECT_EQ(waybill({"business", "resume"}), 0);
  ASSERT_TRUE(eventually([&] { return owner.get(log_path).status == 200; }));
  const auto found = since(before);
  ASSERT_EQ(found.size(), 4U);
  for (const auto& entry : found) {
    EXPECT_EQ(text_at(entry, "actor.type"), "operator");
    EXPECT_NE(text_at(entry, "actor.name"), "");
  }
  EXPECT_EQ(text_at(found[0], "changes.plan.to"), "pro");
  EXPECT_EQ(text_at(found[1], "entityType"), "token");
  EXPECT_TRUE(at(found[2], "changes.suspendedAt.from").is_null());
  EXPECT_TRUE(at(found[3], "changes.suspendedAt.to").is_null());
}

TEST_F(AuditTest, ALongTextIsCut) {
  const std::string body(2001, 'x');
  ASSERT_EQ(owner
                .post("/api/workflows/templates", {{"code", "long"},
                                                   {"name", "Long"},
                                                   {"entityType", "Order"},
                                                   {"type", "send_email"},
                                                   {"subject", "Long"},
                                                   {"body", body}})
                .status,
            201);
  EXPECT_EQ(text_at(entries().front(), "changes.body.to"), body.substr(1) + "… (2001 characters)");
}

TEST_F(AuditTest, AnErasedPersonIsNotInTheLog) {
  const std::string address = fresh_address();
  const Response made =
      owner.post("/api/workflows/configure", workflow({{"conditions", {{"customer.email", address}}}}));
  ASSERT_EQ(made.status, 201) << made.text;
  const Response customer = owner.post("/api/v1/Customers", {{"name", "Ada"}, {"email", address}});
  ASSERT_EQ(customer.status, 201) << customer.text;
  const std::string path = "/api/v1/Customers/" + text_at(customer.data(), "guid");
  ASSERT_EQ(owner.post(path + "/erase").status / 100, 2);
  EXPECT_EQ(at(entries("&entityId=" + text_at(made.data(), "guid")).front(), "changes.conditions"),
            json::value({{"from", "Erased"}, {"to", "Erased"}}));
  EXPECT_EQ(text_at(entries("&entityId=" + text_at(made.data(), "guid")).front(), "changes.name.to"),
            "Tell the shop");
}

TEST(AuditLog, EntriesAreDeletedAfter400Days) {
  TestDatabase database;
  database.exec(
      "insert into audit_log (business_id, at, actor_type, action, entity_type, entity_id, changes) "
      "select gen_random_uuid(), now() - days * interval '1 day', 'sql', 'updated', 'business', "
      "gen_random_uuid(), '{}' "
      "from unnest(array[399, 401]) days");
  database.make_duties_due();
  const Waybill worker(database.url(), {.command = "worker"});
  EXPECT_TRUE(eventually([&] { return database.number("select count(*) from audit_log") == 1; }));
  EXPECT_EQ(database.number("select count(*) from audit_log where at > now() - interval '400 days'"), 1);
}

}  // namespace
}  // namespace waybill::tests
