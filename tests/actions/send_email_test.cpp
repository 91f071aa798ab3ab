#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/packages.hpp"
#include "tests/harness/smtp.hpp"
#include "tests/net/raw_server.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A message as parsed by the npm package postal-mime.
json::object parse_mail(const std::string& raw) {
  const auto script = package_folder("mail") / "parse.js";
  const Finished parsed = tests::run({"node", script}, {.standard_input = raw});
  if (parsed.status != 0) throw std::runtime_error("parse.js: " + parsed.standard_error);
  return json::parse(parsed.standard_output).as_object();
}

std::string header(const json::object& mail, std::string_view key) {
  for (const json::value& entry : mail.at("headers").as_array()) {
    if (text_at(entry, "key") == key) return text_at(entry, "value");
  }
  return {};
}

/// A waybill that sends its mails to `smtp_url`, or writes them to a directory if that is empty.
struct MailWorld {
  explicit MailWorld(const std::string& smtp_url, std::vector<std::string> more = {})
      : waybill(database.url(),
                {.retry_schedule = "1s,1s,1s,1s,1s,1s", .arguments = arguments(smtp_url, std::move(more))}) {}

  std::vector<std::string> arguments(const std::string& smtp_url, std::vector<std::string> more) const {
    more.insert(more.end(),
                {"--mail-from", "Bücher & Co <shop@example.com>", "--mail-dir", directory / "mail"});
    if (!smtp_url.empty()) more.insert(more.end(), {"--smtp-url", smtp_url});
    return more;
  }

  TempDirectory directory;
  TestDatabase database;
  Waybill waybill;
  Tenant tenant{waybill, "Shop"};
};

std::string configure(Tenant& tenant, json::object action) {
  action["type"] = "send_email";
  if (!action.contains("recipient")) action["recipient"] = "{{customer.email}}";
  return text_at(tenant.configure({{"name", "mail"},
                                   {"entityType", "Order"},
                                   {"triggerId", trigger_guid("order_created")},
                                   {"action", std::move(action)}}),
                 "guid");
}

const json::object own_texts{{"subject", "Order {{orderNumber}}"}, {"body", "Hello"}};

json::object with(json::object base, const json::object& more) {
  for (const auto& [key, value] : more) base[key] = value;
  return base;
}

TEST(SendEmailBySmtp, LogsInOverStarttlsAndTheMailIsReadBackUnchanged) {
  const RawServer::Certificate certificate;
  const TempDirectory directory;
  std::ofstream(directory / "ca.pem") << certificate.pem();
  SmtpServer server(
      {{"key", certificate.key_pem()}, {"cert", certificate.pem()}, {"user", "u"}, {"password", "p"}});
  MailWorld world(server.url("u:p"), {"--ca-file", directory / "ca.pem"});
  Tenant& tenant = world.tenant;
  const auto workflow = configure(
      tenant, {{"recipient", json::array{"{{customer.name}} <{{customer.email}}>", "Bob <bob@example.com>"}},
               {"subject", "Grüße, {{customer.name}}\r\nBcc: eve@example.com"},
               {"body", "Für {{customer.name}}\n.\nEnde"},
               {"html", "<p>Für {{customer.name}}</p>"}});
  tenant.create_order({{"customer", {{"name", "Zoë <b>"}, {"email", "zoe@example.com"}}}});
  const auto run = tenant.run_with_status(workflow, "succeeded");

  const auto seen = server.message(1);
  EXPECT_TRUE(seen.at("secure").as_bool());
  EXPECT_EQ(text_at(seen, "user"), "u");
  EXPECT_EQ(text_at(seen, "from"), "shop@example.com");
  EXPECT_EQ(seen.at("to"), (json::array{"zoe@example.com", "bob@example.com"}));
  const auto mail = parse_mail(text_at(seen, "raw"));
  EXPECT_EQ(text_at(mail, "subject"), "Grüße, Zoë <b>  Bcc: eve@example.com");
  EXPECT_EQ(header(mail, "bcc"), "");
  EXPECT_EQ(text_at(mail, "from.name"), "Bücher & Co");
  EXPECT_THAT(header(mail, "content-type"), StartsWith("multipart/alternative"));
  EXPECT_THAT(text_at(mail, "text"), HasSubstr("Für Zoë <b>\n.\nEnde"));
  EXPECT_THAT(text_at(mail, "html"), HasSubstr("<p>Für Zoë &lt;b&gt;</p>"));
  EXPECT_EQ(text_at(mail, "messageId"), "<" + text_at(run, "guid") + "@example.com>");

  EXPECT_EQ(at(run, "request.to"), (json::array{"zoe@example.com", "Bob <bob@example.com>"}));
  EXPECT_EQ(text_at(run, "request.html"), "<p>Für Zoë &lt;b&gt;</p>");
  EXPECT_EQ(text_at(run, "request.body"), "Für Zoë <b>\n.\nEnde");
  EXPECT_EQ(at(run, "tries.0.statusCode"), 250);
}

TEST(SendEmailBySmtp, ATemporaryRefusalIsRetriedWithTheSameMessageId) {
  auto refusing =
      std::make_unique<SmtpServer>(json::object{{"starttls", false}, {"rcpt", "451 4.3.0 come back"}});
  const int port = refusing->port();
  MailWorld world(refusing->url());
  const auto workflow = configure(world.tenant, own_texts);
  world.tenant.create_order();
  json::object run = world.tenant.run_with_status(workflow, "retrying");
  EXPECT_EQ(text_at(run, "code"), "SMTP_451");
  EXPECT_EQ(at(run, "tries.0.statusCode"), 451);
  EXPECT_THAT(text_at(run, "tries.0.response"), HasSubstr("come back"));
  refusing.reset();
  SmtpServer server({{"starttls", false}, {"port", port}});
  run = world.tenant.run_with_status(workflow, "succeeded");
  EXPECT_GE(at(run, "attempts").to_number<int>(), 2);
  EXPECT_EQ(text_at(parse_mail(text_at(server.message(1), "raw")), "messageId"),
            "<" + text_at(run, "guid") + "@example.com>");
}

TEST(SendEmailBySmtp, APermanentRefusalEndsTheRunWithTheServersMessage) {
  SmtpServer server({{"starttls", false}, {"rcpt", "550 5.1.1 no such user"}});
  MailWorld world(server.url());
  const auto workflow = configure(world.tenant, own_texts);
  world.tenant.create_order();
  const auto run = world.tenant.run_with_status(workflow, "dead");
  EXPECT_EQ(text_at(run, "code"), "SMTP_550");
  EXPECT_EQ(at(run, "attempts"), 1);
  EXPECT_THAT(text_at(run, "tries.0.response"), HasSubstr("550 5.1.1 no such user"));
  EXPECT_THAT(text_at(run, "error"), HasSubstr("no such user"));
}

TEST(SendEmailBySmtp, OtherRecipientsGetTheMailOnceWhenOneIsRefused) {
  SmtpServer server({{"starttls", false},
                     {"rcpt",
                      {{"gone@example.com", "550 5.1.1 no such user"},
                       {"later@example.com", json::array{"450 4.2.1 mailbox busy"}}}}});
  MailWorld world(server.url());
  const auto workflow = configure(
      world.tenant, with(own_texts, {{"recipient", "ada@example.com, gone@example.com, later@example.com"}}));
  world.tenant.create_order();
  const auto run = world.tenant.run_with_status(workflow, "dead");
  EXPECT_EQ(server.message(1).at("to"), json::array{"ada@example.com"});
  EXPECT_EQ(server.message(2).at("to"), json::array{"later@example.com"});
  EXPECT_THAT(text_at(server.message(2), "raw"), HasSubstr("gone@example.com"))
      << "the retry sends the same mail";
  EXPECT_EQ(text_at(run, "code"), "SMTP_550");
  EXPECT_THAT(text_at(run, "error"), HasSubstr("550 5.1.1 no such user"));
  EXPECT_EQ(at(run, "attempts"), 2);
  EXPECT_EQ(at(run, "tries.0.statusCode"), 450);
  const json::value report = json::parse(text_at(run, "tries.0.response"));
  EXPECT_EQ(report.at("delivered"), 1);
  EXPECT_EQ(report.at("refused"), 1);
  EXPECT_EQ(report.at("failed"), 1);
  EXPECT_EQ(text_at(report, "recipients.1.address"), "gone@example.com");
  EXPECT_EQ(text_at(report, "recipients.1.reply"), "550 5.1.1 no such user");
}

TEST(SendEmailBySmtp, AMailInFlightWhenTheWorkerStopsIsSentByTheNextWorker) {
  auto silent = std::make_unique<Receiver>();
  const int port = silent->port();
  const std::string url = "smtp://127.0.0.1:" + std::to_string(port);
  MailWorld world(url);
  configure(world.tenant, own_texts);
  world.tenant.create_order();
  ASSERT_TRUE(eventually([&] { return silent->connections() > 0; }));
  EXPECT_EQ(world.waybill.stop(), 0);
  EXPECT_EQ(world.tenant.sql.value("select status || attempts from run_queue"), "queued0");
  silent.reset();
  SmtpServer server({{"starttls", false}, {"port", port}});
  Waybill next(world.database.url(),
               {.arguments = world.arguments(url, {}), .secret_key_file = world.waybill.secret_key_file()});
  EXPECT_EQ(server.message(1).at("to"), json::array{"ada@example.com"});
}

/// Tests without a mail server, which share one waybill.
struct DirectoryWorld : MailWorld {
  DirectoryWorld() : MailWorld("") {}
};

class SendEmail : public testing::Test {
 protected:
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(world.directory / "mail", none)) {
      if (entry.path().extension() == ".eml") found.push_back(entry.path());
    }
    return found;
  }

  /// The mail of a succeeded run.
  json::object mail_of(const json::object& run) const {
    for (const auto& file : files()) {
      std::ifstream stream(file);
      const std::string raw{std::istreambuf_iterator<char>(stream), {}};
      if (raw.find("<" + text_at(run, "guid") + "@") != std::string::npos) return parse_mail(raw);
    }
    throw std::runtime_error("no mail of the run " + json::serialize(run));
  }

  json::object run_of(std::string_view workflow, std::string_view order,
                      std::string_view status = "succeeded") {
    std::vector<json::object> runs;
    const bool is_found = eventually([&] {
      runs = tenant.runs("workflowId=" + std::string(workflow) + "&entityId=" + std::string(order));
      return runs.size() == 1 && text_at(runs[0], "status") == status;
    });
    if (!is_found) throw std::runtime_error("no run is " + std::string(status));
    return tenant.run(text_at(runs[0], "guid"));
  }

  std::string make_template(json::object body) {
    body = with({{"name", "T"}, {"entityType", "Order"}, {"type", "send_email"}, {"subject", "S"}}, body);
    const Response response = tenant.http.post("/api/workflows/templates", body);
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  }

  void change_template(std::string_view guid, const json::object& body) {
    const Response response = tenant.http.put("/api/workflows/templates/" + std::string(guid), body);
    EXPECT_EQ(response.status, 200) << response.text;
  }

  MailWorld& world = shared<DirectoryWorld>();
  Tenant tenant{world.waybill, testing::UnitTest::GetInstance()->current_test_info()->name()};
};

TEST_F(SendEmail, WithoutAMailServerAMailIsAWholeFile) {
  const auto workflow = configure(tenant, with(own_texts, {{"html", "<p>{{customer.name}}</p>"}}));
  const auto order = tenant.create_order();
  const auto mail = mail_of(run_of(workflow, order));
  EXPECT_EQ(text_at(mail, "to.0.address"), "ada@example.com");
  EXPECT_THAT(text_at(mail, "subject"), StartsWith("Order ORD-"));
  EXPECT_THAT(text_at(mail, "html"), HasSubstr("<p>Ada Lovelace</p>"));
  for (const auto& entry : std::filesystem::directory_iterator(world.directory / "mail")) {
    EXPECT_EQ(entry.path().extension(), ".eml") << "no temporary files remain";
  }
}

TEST_F(SendEmail, AMailWithoutRecipientsEndsTheRun) {
  const auto workflow = configure(tenant, with(own_texts, {{"recipient", "{{notes}}"}}));
  const auto run = run_of(workflow, tenant.create_order({{"notes", "no address"}}), "dead");
  EXPECT_EQ(text_at(run, "code"), "NO_RECIPIENT");
  EXPECT_EQ(at(run, "request.to"), json::array{});
}

TEST_F(SendEmail, UsesAChangedTemplateForTheNextRun) {
  const auto footer =
      make_template({{"code", "footer"}, {"body", "footer one"}, {"html", "<i>footer one</i>"}});
  const auto letter = make_template(
      {{"code", "letter"}, {"body", "letter one {{> footer}}"}, {"html", "<p>{{> footer}}</p>"}});
  const auto workflow = configure(tenant, {{"template", "letter"}});
  auto mail = mail_of(run_of(workflow, tenant.create_order()));
  EXPECT_THAT(text_at(mail, "text"), HasSubstr("letter one footer one"));
  EXPECT_THAT(text_at(mail, "html"), HasSubstr("<p><i>footer one</i></p>"));
  change_template(letter, {{"body", "letter two {{> footer}}"}});
  mail = mail_of(run_of(workflow, tenant.create_order()));
  EXPECT_THAT(text_at(mail, "text"), HasSubstr("letter two footer one"));
  change_template(footer, {{"body", "footer two"}});
  mail = mail_of(run_of(workflow, tenant.create_order()));
  EXPECT_THAT(text_at(mail, "text"), HasSubstr("letter two footer two"));
  EXPECT_EQ(at(run_of(workflow, tenant.create_order()), "workflowVersion"), 1) << "the workflow is unchanged";
}

TEST_F(SendEmail, UsesThePartialsOfTheBusiness) {
  const auto workflow = configure(tenant, {{"subject", "S"}, {"body", "own {{> sign}}."}});
  auto mail = mail_of(run_of(workflow, tenant.create_order()));
  EXPECT_THAT(text_at(mail, "text"), HasSubstr("own .")) << "the partial does not exist yet";
  make_template({{"code", "sign"}, {"body", "{{business.name}}"}});
  mail = mail_of(run_of(workflow, tenant.create_order()));
  EXPECT_THAT(text_at(mail, "text"), HasSubstr("own " + tenant.name + "."));
}

TEST_F(SendEmail, CarriesTheBrandingOfTheBusinessAsOfTheEvent) {
  const auto workflow = configure(tenant, own_texts);
  ASSERT_EQ(tenant.http
                .put("/api/business",
                     {{"branding", {{"senderName", "Zoë \"Ltd\", Köln"}, {"replyTo", "help@shop.example"}}}})
                .status,
            200);
  const auto branded = mail_of(run_of(workflow, tenant.create_order()));
  EXPECT_EQ(text_at(branded, "from.name"), "Zoë \"Ltd\", Köln");
  EXPECT_EQ(text_at(branded, "from.address"), "shop@example.com");
  EXPECT_EQ(header(branded, "reply-to"), "help@shop.example");

  ASSERT_EQ(tenant.http.put("/api/business", {{"branding", nullptr}}).status, 200);
  const auto plain = mail_of(run_of(workflow, tenant.create_order()));
  EXPECT_EQ(text_at(plain, "from.name"), "Bücher & Co");
  EXPECT_EQ(header(plain, "reply-to"), "");
}

TEST_F(SendEmail, ATemplateOfTheBusinessReplacesTheBuiltInTemplateWithItsCode) {
  const auto workflow = configure(tenant, {{"template", "order_created"}});
  auto mail = mail_of(run_of(workflow, tenant.create_order()));
  EXPECT_THAT(text_at(mail, "subject"), StartsWith("We have your order"));
  make_template({{"code", "order_created"}, {"subject", "Mine"}, {"body", "B"}});
  mail = mail_of(run_of(workflow, tenant.create_order()));
  EXPECT_EQ(text_at(mail, "subject"), "Mine");
  Tenant other(world.waybill, tenant.name + " two");
  const auto other_workflow = configure(other, {{"template", "order_created"}});
  other.create_order();
  EXPECT_THAT(text_at(other.run_with_status(other_workflow, "succeeded"), "request.subject"),
              StartsWith("We have your order"));
}

TEST_F(SendEmail, HasUnsubscribeHeadersIfItsTemplateSaysSo) {
  const std::string page = "https://example.com/" + std::string(80, 'p') + "?c=";
  make_template({{"code", "news"}, {"body", "B"}, {"url", page + "{{customer.guid}}"}});
  const auto workflow = configure(tenant, {{"template", "news"}});
  const auto order = tenant.create_order();
  const auto run = run_of(workflow, order);
  const auto link = page + text_at(tenant.http.get("/api/v1/Orders/" + order).data(), "customer.guid");
  EXPECT_EQ(text_at(run, "request.listUnsubscribe"), link);
  EXPECT_EQ(header(mail_of(run), "list-unsubscribe"), "<" + link + ">");
  const auto plain = configure(tenant, own_texts);
  EXPECT_EQ(header(mail_of(run_of(plain, tenant.create_order())), "list-unsubscribe"), "");
}

TEST_F(SendEmail, AStoredTemplateCanRenderAWebhookBody) {
  Receiver receiver;
  make_template(
      {{"code", "hook"}, {"type", "webhook"}, {"subject", nullptr}, {"body", R"({"n": "{{notes}}"})"}});
  tenant.webhook(
      receiver.url("/hook"), "order_created",
      {{"action", {{"type", "webhook"}, {"recipient", receiver.url("/hook")}, {"template", "hook"}}}});
  tenant.create_order({{"notes", "say \"hi\""}});
  const auto received = receiver.wait_for("/hook", 1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].body, R"({"n": "say \"hi\""})");
}

}  // namespace
}  // namespace waybill::tests
