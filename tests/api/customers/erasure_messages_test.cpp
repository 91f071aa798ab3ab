// The remains of messages to and about a person after an erasure.
#include <string>

#include "tests/api/customers/erasure_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

TEST_F(ErasureTest, MessagesLoseTheirTextsAndNoAddressFindsThem) {
  mail_workflow("order_status_changed");
  const auto to_shop = mail_workflow("order_status_changed", {{"action",
                                                               {{"type", "send_email"},
                                                                {"recipient", "shop@example.com"},
                                                                {"subject", "{{customer.name}}"},
                                                                {"body", "Call {{customer.phone}}"}}}});
  const auto customer = create_person();
  const auto order = create_order_of(customer);
  tenant.run_with_status(to_shop, "succeeded");
  const auto messages = [&](const std::string& query) {
    return http.get("/api/messages?" + query).data().as_array();
  };
  ASSERT_TRUE(eventually([&] { return messages("address=" + std::string(email)).size() == 1; }));
  ASSERT_EQ(messages("address=shop@example.com").size(), 1U);
  ASSERT_EQ(text_at(messages("address=shop@example.com").at(0), "subject"), name);
  const auto exported = http.get("/api/v1/Customers/" + customer + "/export").data();
  EXPECT_EQ(at(exported, "messages").as_array().size(), 2U);
  EXPECT_EQ(messages("customerId=" + customer).size(), 2U);

  erase(customer);
  EXPECT_TRUE(messages("address=" + std::string(email)).empty());
  EXPECT_TRUE(messages("address=shop@example.com").empty()) << "the mail was about the person";
  const auto left = messages("entityId=" + order);
  ASSERT_EQ(left.size(), 2U);
  for (const auto& message : left) {
    for (const char* const field : {"to", "subject", "response"})
      EXPECT_TRUE(at(message, field).is_null()) << field;
    const auto whole = http.get("/api/messages/" + text_at(message, "guid")).data();
    EXPECT_TRUE(at(whole, "request").is_null());
  }
  EXPECT_EQ(tenant.sql.number("select count(*) from mail_addresses where business_id = $1", {tenant.id}), 0);
}

TEST_F(ErasureTest, OpenMailsGoToTheRecipientsWhoAreLeft) {
  const auto mail_to = [](const json::value& recipient) {
    return json::object{{"type", "send_email"},
                        {"recipient", recipient},
                        {"subject", "{{customer.name}}"},
                        {"body", "{{customer.name}}"}};
  };
  const json::object to_person = mail_to("{{customer.email}}");
  const json::object to_both = mail_to(json::array{"{{customer.email}}", "shop@example.com"});
  const auto hook = [&](std::string_view path) {
    return json::object{{"type", "webhook"}, {"recipient", receiver.url(tenant.path(path))}};
  };
  const auto steps = [&](const json::array& of) {
    return text_at(tenant.configure({{"name", "steps"},
                                     {"entityType", "Order"},
                                     {"triggerId", trigger_guid("order_created")},
                                     {"steps", of}}),
                   "guid");
  };
  const json::object pause{{"type", "wait"}, {"delay", "PT2H"}};
  const auto alone = mail_workflow("order_created", {{"action", to_person}, {"delay", "PT2H"}});
  const auto both = mail_workflow("order_created", {{"action", to_both}, {"delay", "PT2H"}});
  const auto alone_later = steps({hook("first"), pause, to_person, hook("last")});
  const auto both_later = steps({pause, to_both});
  const auto customer = create_person();
  tenant.create_order({{"customer", nullptr}, {"customerId", customer}});
  for (const auto& workflow : {alone, both, alone_later, both_later})
    tenant.run_with_status(workflow, "waiting");

  erase(customer);
  EXPECT_EQ(text_at(tenant.run_with_status(alone, "skipped"), "code"), "ERASED");
  tenant.sql.rows("update run_queue set due_at = now() where business_id = $1 and status = 'waiting'",
                  {tenant.id});
  tenant.sql.exec("notify waybill_queue");
  for (const auto& workflow : {both, both_later}) {
    const json::object run = tenant.run_with_status(workflow, "succeeded");
    EXPECT_EQ(at(run, "request.to"), json::array{"shop@example.com"});
    EXPECT_EQ(at(run, "request.subject"), "Erased");
  }
  EXPECT_EQ(receiver.wait_for(tenant.path("last"), 1).size(), 1U);
  const json::object run = tenant.run_with_status(alone_later, "succeeded");
  EXPECT_EQ(at(run, "steps.2.status"), "skipped");
  EXPECT_EQ(at(run, "steps.2.code"), "ERASED");
  EXPECT_EQ(at(run, "steps.3.status"), "succeeded");
  EXPECT_EQ(files_with_the_address(), 0);
  EXPECT_EQ(traces(), std::vector<std::string>());
}

TEST_F(ErasureTest, TheAddressOfThePersonIsRemovedFromMailsAboutOthers) {
  const auto workflow =
      mail_workflow("order_created", {{"action",
                                       {{"type", "send_email"},
                                        {"recipient", json::array{email, "shop@example.com"}},
                                        {"subject", "New"},
                                        {"body", "{{orderNumber}}"}}}});
  const auto customer = create_person();
  const auto other = tenant.create_order();
  tenant.run_with_status(workflow, "succeeded");
  const auto found = [&](std::string_view address) {
    return http.get("/api/messages?address=" + std::string(address)).data().as_array().size();
  };
  ASSERT_EQ(found(email), 1U);
  erase(customer);
  EXPECT_EQ(found(email), 0U);
  EXPECT_EQ(found("shop@example.com"), 1U) << "the mail is about another customer";
}

}  // namespace
}  // namespace waybill::tests
