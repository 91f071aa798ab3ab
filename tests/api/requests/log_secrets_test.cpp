#include <sstream>

#include <gtest/gtest.h>

#include "tests/connectors/connected_store.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/smtp.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

/// Secrets that users and operators entrust to the service, each recognizable.
struct Secrets {
  std::string password = "pass-word-6b1f0c";
  std::string wrong_password = "wrong-word-8e21aa";
  std::string smtp_password = "smtp-word-19ac77";
  std::string database_password = "database-word-4f0d52";
  std::string api_key = "carrier-key-77aa13";
  std::string api_secret = "carrier-secret-b0c9d1";
  std::string header = "header-word-c4c4aa";
  std::string foreign_token = "wb_foreign-token-5a5a5a";
  std::string webhook = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0a0a0a0a";
  std::string idempotency_body = "note-in-a-body-31f31f";
};

TEST(LogSecrets, NoSecretIsLoggedWithAnyError) {
  const Secrets known;
  std::vector<std::string> secrets{
      known.password,          known.wrong_password,  known.smtp_password, known.database_password,
      known.api_key,           known.api_secret,      known.header,        known.foreign_token,
      known.webhook.substr(6), known.idempotency_body};
  // The server expects another password, so that every mail fails with a message about credentials.
  SmtpServer smtp({{"starttls", false}, {"user", "post"}, {"password", "another"}});
  const TestDatabase database;
  std::string url = database.url();
  url.replace(url.find("waybill@"), 8, "waybill:" + known.database_password + "@");
  Waybill::Options options;
  options.retry_schedule = "1s";
  options.arguments = {"--log-format", "json",       "--log-level",
                       "debug",        "--smtp-url", smtp.url("post:" + known.smtp_password) + "?tls=none"};
  Waybill waybill(url, options);
  Receiver receiver;
  receiver.answer("/failing", Reply::with_status(500, {}, "no"));

  Tenant tenant(waybill, "secretive");
  secrets.push_back(tenant.http.token());
  Http anonymous = waybill.http();
  const json::object account{{"email", "ada@example.com"},
                             {"password", known.password},
                             {"confirmPassword", known.password},
                             {"acceptedTerms", true}};
  ASSERT_EQ(anonymous.post("/api/user/register", account).status, 201);
  EXPECT_TRUE(waybill.process().wait_for_line("mail.delayed"));
  tenant.sql.exec("update users set verified_at = now()");
  ASSERT_EQ(
      anonymous.post("/api/user/login", {{"email", "ada@example.com"}, {"password", known.wrong_password}})
          .status,
      401);
  const Response session =
      anonymous.post("/api/user/login", {{"email", "ada@example.com"}, {"password", known.password}});
  ASSERT_EQ(session.status, 200) << session.text;
  secrets.push_back(text_at(session.body, "data.token"));
  EXPECT_EQ(waybill.http(known.foreign_token).get("/api/v1/Orders").status, 401);
  const Response made = tenant.http.post("/api/business/tokens", {{"name", "second"}, {"role", "viewer"}});
  ASSERT_EQ(made.status, 201) << made.text;
  secrets.push_back(text_at(made.body, "data.token"));
  EXPECT_EQ(tenant.http.get("/api/v1/Orders?token=" + known.foreign_token).status, 200);

  const std::string carrier = tenant.sql.value("select guid from carriers where code = 'ups' limit 1");
  ASSERT_EQ(tenant.http
                .post("/api/carriers/configure", {{"carrierId", carrier},
                                                  {"apiKey", known.api_key},
                                                  {"apiSecret", known.api_secret},
                                                  {"accountNumber", "A-1"}})
                .status,
            200);
  WooCommerceSimulator store;
  secrets.push_back(store.key());
  secrets.push_back(store.secret());
  secrets.push_back(url_encode(store.secret()));
  const json::object settings{{"autoImportOrders", true}, {"pushTracking", true}};
  const auto configure = [&] {
    return tenant.http.post("/api/integrations/provider/configure", configuration(store, settings));
  };
  store.fail(failing_with(500), 100);
  ASSERT_EQ(configure().status, 400);
  store.stop_failing();
  const Response connected = configure();
  ASSERT_EQ(connected.status, 201) << connected.text;
  const std::string integration = text_at(connected.body, "data.guid");
  anonymous.post("/api/integrations/" + integration + "/inbound?consumer_key=" + store.key());
  store.revoke_key();
  const std::string shipment = tenant.insert_shipment(
      tenant.insert_order({{"integration_id", "'" + integration + "'"},
                           {"external_id", "'" + std::to_string(store.add_order()) + "'"}}));
  tenant.move_shipment(shipment, "collected");
  tenant.run_with_status(push_tracking_workflow(tenant), "dead");

  const std::string workflow = tenant.webhook(receiver.url("/failing"), "order_created",
                                              {{"action",
                                                {{"type", "webhook"},
                                                 {"recipient", receiver.url("/failing")},
                                                 {"secret", known.webhook},
                                                 {"headers", {{"X-Api-Key", known.header}}}}}});
  tenant.webhook(
      "http://user:" + std::string("x") + "@127.0.0.1:1/", "order_created",
      {{"action",
        {{"type", "send_email"}, {"recipient", "ada@example.com"}, {"subject", "s"}, {"body", "b"}}}});
  tenant.create_order({{"notes", known.idempotency_body}});
  tenant.run_with_status(workflow, "dead");
  const Response rotated =
      tenant.http.post("/api/workflows/configured/" + workflow + "/rotate-secret", json::object());
  ASSERT_EQ(rotated.status, 200) << rotated.text;
  secrets.push_back(text_at(rotated.body, "data.secret").substr(6));

  // Many errors contain the address of an unreachable database.
  Session admin = postgres().admin();
  admin.exec("alter database " + database.name() + " allow_connections false");
  tenant.sql.exec(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() "
      "and pid <> pg_backend_pid()");
  EXPECT_TRUE(eventually([&] { return tenant.http.get("/api/v1/Orders").status == 503; }));
  admin.exec("alter database " + database.name() + " allow_connections true");
  EXPECT_TRUE(eventually([&] { return tenant.http.get("/api/v1/Orders").status == 200; }));
  EXPECT_EQ(waybill.stop(), 0);

  const std::string log = waybill.process().standard_error();
  for (const std::string& secret : secrets) {
    ASSERT_FALSE(secret.empty());
    EXPECT_EQ(log.find(secret), std::string::npos) << secret;
    EXPECT_EQ(waybill.process().standard_output().find(secret), std::string::npos) << secret;
  }
  std::istringstream lines(log);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    ASSERT_NO_THROW(json::parse(line)) << line;
    const json::value value = json::parse(line);
    for (const char* field : {"ts", "level", "event"}) EXPECT_TRUE(value.as_object().contains(field)) << line;
  }
  EXPECT_GT(count, 20U) << "every error is logged";
}

}  // namespace
}  // namespace waybill::tests
