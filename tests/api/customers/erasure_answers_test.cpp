// Kept answers of idempotent requests about an erased person.
#include <string>

#include "tests/api/customers/erasure_fixture.hpp"

namespace waybill::tests {
namespace {

class ErasedAnswers : public ErasureTest {
 protected:
  /// The guid of a new template of mails about orders.
  std::string create_template(const json::object& texts) {
    json::object body{
        {"code", "t"}, {"name", "T"}, {"entityType", "Order"}, {"type", "send_email"}, {"subject", "S"}};
    for (const auto& [name, text] : texts) body[name] = text;
    const auto created = http.post("/api/workflows/templates", body);
    EXPECT_EQ(created.status, 201) << created.text;
    return text_at(created.data(), "guid");
  }
  /// Tests a workflow with the order, always with the same key.
  Response test_workflow(const std::string& order) {
    return http.post("/api/workflows/test",
                     {{"entityId", order},
                      {"definition",
                       {{"name", "w"},
                        {"entityType", "Order"},
                        {"triggerId", trigger_guid("order_created")},
                        {"action", {{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/x"}}}}}},
                     {{"Idempotency-Key", "test"}});
  }
};

TEST_F(ErasedAnswers, KeptPreviewsAreErasedToo) {
  const auto customer = create_person();
  const auto order = tenant.create_order({{"customer", nullptr}, {"customerId", customer}});
  const auto other = tenant.create_order();
  const auto mail = create_template({{"body", "For {{customer.name}}"}});
  const auto preview = [&](const std::string& of) {
    return http.post("/api/workflows/templates/" + mail + "/preview", {{"entityId", of}},
                     {{"Idempotency-Key", "preview " + of}});
  };
  EXPECT_NE(preview(order).text.find(name), std::string::npos);
  EXPECT_NE(test_workflow(order).text.find(name), std::string::npos);
  const auto of_other = preview(other).text;

  erase(customer);
  for (const auto& again : {preview(order), test_workflow(order)}) {
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_TRUE(at(again.body, "data").is_null()) << again.text;
  }
  EXPECT_EQ(preview(other).text, of_other) << "answers about others are kept";
}

// The person's name is "metadata", which occurs in the answer only as the name of a member.
TEST_F(ErasedAnswers, KeptAnswersAboutOthersStay) {
  const auto created = http.post("/api/v1/Customers", {{"name", "metadata"}});
  ASSERT_EQ(created.status, 201) << created.text;
  const auto order = tenant.create_order();
  const auto answer = test_workflow(order).text;
  ASSERT_NE(answer.find("metadata"), std::string::npos) << answer;
  erase(text_at(created.data(), "guid"));
  EXPECT_EQ(test_workflow(order).text, answer);
}

// One statement reads 100 answers; the test stores more.
TEST_F(ErasedAnswers, AllKeptAnswersAreSearched) {
  const auto customer = create_person();
  const auto other = tenant.create_order();
  const auto mail = create_template({{"body", "B"}, {"html", "For {{deliveryAddress.name}}"}});
  const auto preview = [&](const std::string& of, int number) {
    return http.post("/api/workflows/templates/" + mail + "/preview", {{"entityId", of}},
                     {{"Idempotency-Key", "preview " + std::to_string(1'000 + number)}});
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

TEST_F(ErasedAnswers, KeptAnswersAreSearchedForTheThousandNewestTextsOfRecords) {
  const auto customer = create_person();
  tenant.sql.rows(
      "insert into orders (business_id, order_number, customer_id, delivery_name, created_at)"
      " select $1, 'O' || n, $2, case when n = 1 then 'Somebody' else 'Recipient ' || n end,"
      " now() - interval '1 hour' + n * interval '1 second'"
      " from generate_series(1, 1001) n",
      {tenant.id, customer});
  const auto mail = create_template({{"body", "For {{deliveryAddress.name}}."}});
  const auto preview = [&](const std::string& number) {
    const auto order = tenant.sql.value(
        "select guid from orders where business_id = $1 and order_number = $2", {tenant.id, number});
    return http.post("/api/workflows/templates/" + mail + "/preview", {{"entityId", order}},
                     {{"Idempotency-Key", "preview " + number}});
  };
  EXPECT_EQ(text_at(preview("O2").data(), "body"), "For Recipient 2.");
  // No newer text contains that of the oldest order.
  EXPECT_EQ(text_at(preview("O1").data(), "body"), "For Somebody.");
  erase(customer);
  EXPECT_TRUE(at(preview("O2").body, "data").is_null());
  EXPECT_FALSE(at(preview("O1").body, "data").is_null());
}

// The shipment was made for the present customer.
TEST_F(ErasedAnswers, KeptAnswersOfAnOrderThatMovedAreErasedUntilThen) {
  const auto customer = create_person();
  const auto other = http.post("/api/v1/Customers", {{"name", "Bob Miller"}});
  ASSERT_EQ(other.status, 201) << other.text;
  const auto create_order = [&] {
    return http.post("/api/v1/Orders",
                     {{"customerId", customer},
                      {"items", {{{"description", "Lamp"}, {"quantity", 2}, {"price", 19.99}}}},
                      {"deliveryAddress", {{"street", "Rua 1"}, {"city", "Lisbon"}}}},
                     {{"Idempotency-Key", "order"}});
  };
  const auto created = create_order();
  ASSERT_EQ(created.status, 201) << created.text;
  const auto order = text_at(created.data(), "guid");
  tenant.put_order(order, {{"customerId", text_at(other.data(), "guid")}});
  const auto ship = [&] {
    return http.post("/api/v1/Orders/" + order + "/shipment", json::object(),
                     {{"Idempotency-Key", "shipment"}});
  };
  const auto shipped = ship();
  ASSERT_EQ(shipped.status, 201) << shipped.text;
  EXPECT_NE(created.text.find(name), std::string::npos);

  erase(customer);
  EXPECT_TRUE(at(create_order().body, "data").is_null());
  EXPECT_EQ(ship().text, shipped.text);
}

TEST_F(ErasedAnswers, ARepeatedRequestGetsNoDataOfThePerson) {
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
