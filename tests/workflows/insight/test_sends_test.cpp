#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

class SendTest : public WorkflowTest {
 protected:
  Response send(std::string_view workflow, const json::object& body = {}) {
    return tenant.http.post("/api/workflows/configured/" + std::string(workflow) + "/send-test", body);
  }
  std::size_t runs() { return tenant.runs("Page=1").size(); }
};

TEST_F(SendTest, SendsOneSignedRequestThatSaysThatItIsATest) {
  const json::object configured = tenant.configure(
      {{"name", "test"},
       {"entityType", "Order"},
       {"triggerId", trigger_guid("order_shipped")},
       {"action", {{"type", "webhook"}, {"recipient", url()}, {"headers", {{"X-Key", "4711"}}}}}});
  receiver.answer_next(tenant.path(), Reply::with_status(418, {}, "short and stout"));
  const auto answer = send(text_at(configured, "guid"));
  EXPECT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(at(answer.data(), "statusCode"), 418);
  EXPECT_EQ(text_at(answer.data(), "response"), "short and stout");
  EXPECT_FALSE(text_at(answer.data(), "error").empty());
  EXPECT_TRUE(at(answer.data(), "durationMs").is_number());
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].header("webhook-test"), "true");
  EXPECT_EQ(received[0].header("x-key"), "4711");
  EXPECT_EQ(expected_signature(text_at(configured, "action.secret"), received[0]),
            received[0].header("webhook-signature"));
  EXPECT_EQ(at(received[0].json_body(), "test"), true);
  EXPECT_EQ(text_at(received[0].json_body(), "type"), "order_shipped");
  EXPECT_EQ(runs(), 0U);
}

TEST_F(SendTest, SendsTheRecordThatIsNamed) {
  const std::string workflow = tenant.webhook(url(), "order_updated");
  const std::string order = tenant.create_order({{"notes", "this one"}});
  const auto answer = send(workflow, {{"entityId", order}, {"step", 1}});
  EXPECT_EQ(at(answer.data(), "statusCode"), 200) << answer.text;
  EXPECT_TRUE(at(answer.data(), "error").is_null());
  EXPECT_EQ(text_at(wait_for(1).at(0).json_body(), "data.entity.notes"), "this one");
  EXPECT_EQ(send(workflow, {{"entityId", tenant.id}}).status, 404);
  EXPECT_TRUE(send(workflow, {{"step", 2}}).details().contains("step"));
  Tenant other(world.waybill, test_name() + "-other");
  EXPECT_EQ(other.http.post("/api/workflows/configured/" + workflow + "/send-test", json::object()).status,
            404);
}

TEST_F(SendTest, AWorkflowWithAListOfTriggersNamesThemAsItsRunsDo) {
  const json::object configured =
      tenant.configure({{"name", "list"},
                        {"entityType", "Order"},
                        {"triggers", json::array{"order_shipped", "order_updated"}},
                        {"action", {{"type", "webhook"}, {"recipient", url()}}}});
  ASSERT_EQ(send(text_at(configured, "guid")).status, 200);
  ASSERT_EQ(send(tenant.webhook(url(), "order_shipped")).status, 200);
  const auto received = wait_for(2);
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[0].json_body().at("triggers"), json::parse(R"(["order_shipped"])"));
  EXPECT_EQ(text_at(received[0].json_body(), "type"), "order_shipped");
  EXPECT_FALSE(received[1].json_body().as_object().contains("triggers")) << "a workflow with a triggerId";
}

TEST_F(SendTest, AnOwnTemplateIsSentAsItIs) {
  const std::string workflow = tenant.webhook(
      url(), "order_created",
      {{"action", {{"type", "webhook"}, {"recipient", url()}, {"template", R"({"status": "{{status}}"})"}}}});
  ASSERT_EQ(send(workflow).status, 200);
  EXPECT_EQ(wait_for(1).at(0).body, R"({"status": "draft"})");
}

TEST_F(SendTest, ADestinationThatFailsIsReported) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  receiver.answer_next(tenant.path(), Reply::of_kind(Reply::Kind::reset));
  const auto answer = send(workflow);
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(at(answer.data(), "statusCode").is_null());
  EXPECT_FALSE(text_at(answer.data(), "error").empty());
}

TEST_F(SendTest, ActionsThatChangeRecordsAreRefused) {
  const auto answer = send(tenant.managed("shipped"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_TRUE(answer.details().contains("step"));
}

TEST_F(SendTest, StepsThatChangeRecordsWaitOrStopAreRefused) {
  const json::object configured = tenant.configure({{"name", "steps"},
                                                    {"entityType", "Order"},
                                                    {"triggerId", trigger_guid("order_created")},
                                                    {"steps",
                                                     {{{"type", "update_record"}, {"set", {{"notes", "x"}}}},
                                                      {{"type", "create_shipment"}},
                                                      {{"type", "update_status"}, {"status", "ready"}},
                                                      {{"type", "wait"}, {"delay", "PT1H"}},
                                                      {{"type", "stop"}},
                                                      {{"type", "webhook"}, {"recipient", url()}}}}});
  const std::string workflow = text_at(configured, "guid");
  for (int step = 1; step <= 5; ++step) {
    const Response answer = send(workflow, {{"step", step}});
    EXPECT_EQ(answer.status, 400) << step << answer.text;
    EXPECT_TRUE(answer.details().contains("step")) << step;
  }
  EXPECT_EQ(send(workflow, {{"step", 6}}).status, 200);
}

TEST_F(SendTest, AMailGoesOnlyToUsersOfTheBusiness) {
  const std::string workflow = tenant.webhook(
      url(), "order_created",
      {{"action",
        {{"type", "send_email"}, {"recipient", "x@example.com"}, {"subject", "Test"}, {"body", "Hello"}}}});
  EXPECT_TRUE(send(workflow).details().contains("to")) << "a token has no address";
  EXPECT_TRUE(send(workflow, {{"to", "x@example.com"}}).details().contains("to"));
  tenant.sql.rows(
      "insert into users (email, password_hash, business_id, role, verified_at) values ($2, 'x', $1, "
      "'viewer', now())",
      {tenant.id, "send-test@example.com"});
  const auto answer = send(workflow, {{"to", "Send-Test@example.com"}});
  EXPECT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(text_at(answer.data(), "to"), "send-test@example.com");
  EXPECT_TRUE(at(answer.data(), "error").is_null());
  EXPECT_EQ(runs(), 0U);
  const Headers key{{"Idempotency-Key", "mail"}};
  const std::string path = "/api/workflows/configured/" + workflow + "/send-test";
  const Response with_key = tenant.http.post(path, {{"to", "send-test@example.com"}}, key);
  EXPECT_EQ(with_key.data(), answer.data()) << "the answer waits for the mail, also with a key";
  EXPECT_EQ(tenant.http.post(path, {{"to", "send-test@example.com"}}, key).text, with_key.text);
}

TEST_F(SendTest, ARecordIsSentAsAnEventOfTheTriggerHasIt) {
  const std::string customer = text_at(
      tenant.http.post("/api/v1/Customers", {{"name", "Ada"}, {"email", "ada@example.com"}}).data(), "guid");
  const std::string erased = tenant.webhook(url("erased"), "customer_erased");
  EXPECT_EQ(send(erased, {{"entityId", customer}}).status, 200);
  EXPECT_EQ(at(receiver.wait_for(tenant.path("erased"), 1).at(0).json_body(), "data.entity"),
            json::value({{"guid", customer}}));
  const std::string timer = text_at(
      tenant.configure({{"name", "timer"},
                        {"entityType", "Customer"},
                        {"timer", {{"field", "createdAt"}, {"offset", "P30D"}}},
                        {"action",
                         {{"type", "webhook"},
                          {"recipient", url("timer")},
                          {"template", R"({"id": "{{event.id}}", "before": "{{previous.name}}"})"}}}}),
      "guid");
  tenant.sql.rows("update customers set name = 'Grace' where guid = $1", {customer});
  EXPECT_EQ(send(timer, {{"entityId", customer}}).status, 200);
  EXPECT_EQ(receiver.wait_for(tenant.path("timer"), 1).at(0).json_body(),
            json::value({{"id", ""}, {"before", ""}}));
}

TEST(SendTestByMail, HasTheSenderAndTheAddressForRepliesOfARun) {
  const TempDirectory directory;
  World world(
      {.arguments = {"--mail-dir", directory.path(), "--mail-from", "Waybill <mail@waybill.example>"}});
  Tenant tenant(world.waybill, "shop");
  tenant.sql.rows(
      "insert into users (email, password_hash, business_id, role, verified_at) values ('ada@example.com', "
      "'x', $1, 'viewer', now())",
      {tenant.id});
  const Response branded = tenant.http.put(
      "/api/business", {{"branding", {{"senderName", "Ada's shop"}, {"replyTo", "business@example.com"}}}});
  ASSERT_EQ(branded.status, 200) << branded.text;
  const auto sent_mail = [&](const json::object& more) {
    json::object action{
        {"type", "send_email"}, {"recipient", "x@example.com"}, {"subject", "Test"}, {"body", "Hello"}};
    for (const auto& [name, value] : more) action[name] = value;
    const std::string workflow = tenant.webhook("", "order_created", {{"action", action}});
    const Response answer =
        tenant.http.post("/api/workflows/configured/" + workflow + "/send-test", {{"to", "ada@example.com"}});
    EXPECT_EQ(answer.status, 200) << answer.text;
    std::string text;
    EXPECT_TRUE(eventually([&] {
      for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
        if (entry.path().extension() != ".eml") continue;
        std::ifstream file(entry.path());
        text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        file.close();
        std::filesystem::remove(entry.path());
        return true;
      }
      return false;
    }));
    return text;
  };
  const std::string own = sent_mail({{"replyTo", "replies@example.com"}});
  EXPECT_THAT(own, testing::HasSubstr("\r\nSubject: [Test] Test\r\n"));
  EXPECT_THAT(own, testing::HasSubstr("\r\nX-Test: true\r\n"));
  EXPECT_THAT(own, testing::HasSubstr("Ada's shop"));
  EXPECT_THAT(own, testing::HasSubstr("<mail@waybill.example>"));
  EXPECT_THAT(own, testing::ContainsRegex("Reply-To: .*replies@example.com"));
  EXPECT_THAT(own, testing::Not(testing::HasSubstr("business@example.com")));
  EXPECT_THAT(sent_mail({}), testing::ContainsRegex("Reply-To: .*business@example.com"));
}

TEST_F(SendTest, MoreThanThirtyInAMinuteAreRefused) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  int refused = 0;
  for (int i = 0; i < 61 && refused == 0; ++i) {  // two windows, if a minute ends in between
    const auto answer = send(workflow);
    if (answer.status != 429) continue;
    ++refused;
    EXPECT_FALSE(answer.header("retry-after").empty());
    EXPECT_GE(i, 30);
  }
  EXPECT_EQ(refused, 1);
}

}  // namespace
}  // namespace waybill::tests
