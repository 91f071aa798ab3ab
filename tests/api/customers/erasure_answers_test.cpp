// Kept answers of idempotent requests about an erased person.
#include <string>

#include "tests/api/customers/erasure_fixture.hpp"

namespace waybill::tests {
namespace {

TEST_F(ErasureTest, KeptPreviewsAreErasedToo) {
  const auto customer = create_person();
  const auto order = tenant.create_order({{"customer", nullptr}, {"customerId", customer}});
  const auto other = tenant.create_order();
  const auto made = http.post("/api/workflows/templates", {{"code", "t"},
                                                           {"name", "T"},
                                                           {"entityType", "Order"},
                                                           {"type", "send_email"},
                                                           {"subject", "S"},
                                                           {"body", "For {{customer.name}}"}});
  ASSERT_EQ(made.status, 201) << made.text;
  const auto preview = [&](const std::string& of) {
    return http.post("/api/workflows/templates/" + text_at(made.data(), "guid") + "/preview",
                     {{"entityId", of}}, {{"Idempotency-Key", "preview " + of}});
  };
  const auto test = [&] {
    return http.post("/api/workflows/test",
                     {{"entityId", order},
                      {"definition",
                       {{"name", "w"},
                        {"entityType", "Order"},
                        {"triggerId", trigger_guid("order_created")},
                        {"action", {{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/x"}}}}}},
                     {{"Idempotency-Key", "test"}});
  };
  EXPECT_NE(preview(order).text.find(name), std::string::npos);
  EXPECT_NE(test().text.find(name), std::string::npos);
  const auto of_other = preview(other).text;

  erase(customer);
  for (const auto& again : {preview(order), test()}) {
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_TRUE(at(again.body, "data").is_null()) << again.text;
  }
  EXPECT_EQ(preview(other).text, of_other) << "answers about others are kept";
}

// The word occurs as the name of a member.
TEST_F(ErasureTest, KeptAnswersAboutOthersStay) {
  const auto created = http.post("/api/v1/Customers", {{"name", "metadata"}});
  ASSERT_EQ(created.status, 201) << created.text;
  const auto order = tenant.create_order();
  const auto test = [&] {
    return http.post("/api/workflows/test",
                     {{"entityId", order},
                      {"definition",
                       {{"name", "w"},
                        {"entityType", "Order"},
                        {"triggerId", trigger_guid("order_created")},
                        {"action", {{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/x"}}}}}},
                     {{"Idempotency-Key", "test"}});
  };
  const auto answer = test().text;
  ASSERT_NE(answer.find("metadata"), std::string::npos) << answer;
  erase(text_at(created.data(), "guid"));
  EXPECT_EQ(test().text, answer);
}

// One statement reads 100 answers.
TEST_F(ErasureTest, AllKeptAnswersAreSearched) {
  const auto customer = create_person();
  const auto other = tenant.create_order();
  const auto made = http.post("/api/workflows/templates", {{"code", "t"},
                                                           {"name", "T"},
                                                           {"entityType", "Order"},
                                                           {"type", "send_email"},
                                                           {"subject", "S"},
                                                           {"body", "B"},
                                                           {"html", "For {{deliveryAddress.name}}"}});
  ASSERT_EQ(made.status, 201) << made.text;
  const auto preview = [&](const std::string& of, int number) {
    return http.post("/api/workflows/templates/" + text_at(made.data(), "guid") + "/preview",
                     {{"entityId", of}}, {{"Idempotency-Key", "preview " + std::to_string(1'000 + number)}});
  };
  for (int i = 0; i < 101; ++i) EXPECT_EQ(preview(other, i).status, 200);
  const auto order = tenant.create_order(
      {{"customer", nullptr},
       {"customerId", customer},
       {"deliveryAddress", {{"name", "Yolanda \"Yo\" O'Brandt"}, {"street", "Rua 1"}, {"city", "Lisbon"}}}});
  EXPECT_EQ(text_at(preview(order, 101).data(), "html"), "For Yolanda &quot;Yo&quot; O&#39;Brandt");
  erase(customer);
  EXPECT_TRUE(at(preview(order, 101).body, "data").is_null());
  for (const int i : {0, 99, 100}) EXPECT_FALSE(at(preview(other, i).body, "data").is_null());
}

TEST_F(ErasureTest, KeptAnswersAreSearchedForTheThousandNewestTextsOfRecords) {
  const auto customer = create_person();
  tenant.sql.rows(
      "insert into orders (business_id, order_number, customer_id, delivery_name, created_at)"
      " select $1, 'O' || n, $2, 'Recipient ' || n, now() - n * interval '1 minute'"
      " from generate_series(1, 1001) n",
      {tenant.id, customer});
  const auto made = http.post("/api/workflows/templates", {{"code", "t"},
                                                           {"name", "T"},
                                                           {"entityType", "Order"},
                                                           {"type", "send_email"},
                                                           {"subject", "S"},
                                                           {"body", "For {{deliveryAddress.name}}."}});
  ASSERT_EQ(made.status, 201) << made.text;
  const auto preview = [&](const std::string& number) {
    const auto order = tenant.sql.value(
        "select guid from orders where business_id = $1 and order_number = $2", {tenant.id, number});
    return http.post("/api/workflows/templates/" + text_at(made.data(), "guid") + "/preview",
                     {{"entityId", order}}, {{"Idempotency-Key", "preview " + number}});
  };
  EXPECT_EQ(text_at(preview("O1000").data(), "body"), "For Recipient 1000.");
  // The text of the oldest order is not part of another one.
  tenant.sql.rows("update orders set delivery_name = 'Somebody' where order_number = 'O1001'");
  EXPECT_EQ(text_at(preview("O1001").data(), "body"), "For Somebody.");
  erase(customer);
  EXPECT_TRUE(at(preview("O1000").body, "data").is_null());
  EXPECT_FALSE(at(preview("O1001").body, "data").is_null());
}

TEST_F(ErasureTest, ARepeatedRequestGetsNoDataOfThePerson) {
  const auto customer = create_person();
  erase(customer);
  const auto again = post_person();
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
  EXPECT_EQ(again.text.find("Quux"), std::string::npos) << again.text;
  EXPECT_EQ(tenant.sql.number("select count(*) from customers where business_id = $1", {tenant.id}), 1);
}

}  // namespace
}  // namespace waybill::tests
