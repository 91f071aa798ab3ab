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
