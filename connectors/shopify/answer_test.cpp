#include "connectors/shopify/answer.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

StoreProblem problem_of(std::string_view answer, std::string* words = nullptr) {
  try {
    shopify_data(json::parse(answer));
  } catch (const StoreError& error) {
    if (words != nullptr) *words = error.what();
    return error.problem();
  }
  throw std::logic_error("no problem");
}

net::HttpResponse response(int status, std::string body = {}) {
  net::HttpResponse made;
  made.status = status;
  made.body = std::move(body);
  return made;
}

StoreProblem problem_of(const net::HttpResponse& answer) {
  try {
    require_shopify_answer(answer);
  } catch (const StoreError& error) {
    return error.problem();
  }
  throw std::logic_error("no problem");
}

TEST(ShopifyAnswer, ReturnsItsData) {
  EXPECT_EQ(*shopify_data(json::parse(R"({"data":{"shop":{"name":"Tea"}}})")),
            json::parse(R"({"shop":{"name":"Tea"}})").as_object());
}

TEST(ShopifyAnswer, HasNoErrorIfTheirListIsNullOrEmpty) {
  for (const auto* const errors : {"null", "[]", "[null]"})
    EXPECT_TRUE(shopify_data(json::parse(R"({"data":{"shop":{}},"errors":)" + std::string(errors) + "}")))
        << errors;
}

TEST(ShopifyAnswer, NamesTheScopeThatIsMissing) {
  std::string words;
  EXPECT_EQ(problem_of(R"({"data":{"orders":null},"errors":[{"message":"Access denied for orders field.",
      "path":["orders"],"extensions":{"code":"ACCESS_DENIED","requiredAccess":"`read_orders` access scope."}}]})",
                       &words),
            StoreProblem::credentials);
  EXPECT_NE(words.find("read_orders"), std::string::npos) << words;
}

TEST(ShopifyAnswer, KeepsRecordsWithADeniedField) {
  const auto data = shopify_data(json::parse(R"({"data":{"orders":{"nodes":[{"id":"1","customer":null}]}},
      "errors":[{"message":"Access denied for customer field.","path":["orders","nodes",0,"customer"],
                 "extensions":{"code":"ACCESS_DENIED"}}]})"));
  ASSERT_TRUE(data);
  EXPECT_TRUE(data->contains("orders"));
}

TEST(ShopifyAnswer, DistinguishesThrottledRefusedAndBrokenAnswers) {
  EXPECT_FALSE(
      shopify_data(json::parse(R"({"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}]})")));
  for (const auto* const code : {"INTERNAL_SERVER_ERROR", "TIMEOUT", "SHOP_INACTIVE"}) {
    EXPECT_EQ(
        problem_of(R"({"errors":[{"message":"x","extensions":{"code":")" + std::string(code) + R"("}}]})"),
        StoreProblem::busy);
  }
  std::string words;
  EXPECT_EQ(problem_of(R"({"errors":[{"message":"Field 'x' doesn't exist on type 'Order'",
      "extensions":{"code":"undefinedField"}}]})",
                       &words),
            StoreProblem::refused);
  EXPECT_NE(words.find("doesn't exist"), std::string::npos);
  EXPECT_EQ(problem_of(R"({"errors":"no"})"), StoreProblem::refused);
  for (const auto* const other : {"{}", "[]", "1", R"({"data":null})", R"({"data":[]})"}) {
    EXPECT_EQ(problem_of(other), StoreProblem::wrong_store) << other;
  }
}

TEST(ShopifyAnswer, ReportsTheCostOfATooCostlyQuery) {
  try {
    shopify_data(
        json::parse(R"({"errors":[{"message":"x","extensions":{"code":"MAX_COST_EXCEEDED","cost":2003,
        "maxCost":1000}}]})"));
    FAIL();
  } catch (const ShopifyTooCostly& error) {
    EXPECT_EQ(error.cost(), 2003);
    EXPECT_EQ(error.limit(), 1000);
  }
}

TEST(ShopifyAnswer, DistinguishesStatuses) {
  EXPECT_NO_THROW(require_shopify_answer(response(200)));
  EXPECT_EQ(problem_of(response(401)), StoreProblem::credentials);
  EXPECT_EQ(problem_of(response(403)), StoreProblem::credentials);
  EXPECT_EQ(problem_of(response(404)), StoreProblem::wrong_store);
  EXPECT_EQ(problem_of(response(301)), StoreProblem::wrong_store);
  EXPECT_EQ(problem_of(response(402)), StoreProblem::busy);
  EXPECT_EQ(problem_of(response(423)), StoreProblem::busy);
  EXPECT_EQ(problem_of(response(400)), StoreProblem::refused);
}

TEST(ShopifyAnswer, FindsTheMessageOfARefusal) {
  EXPECT_EQ(shopify_error_message(response(401, R"({"errors":"[API] Invalid API key"})")),
            "[API] Invalid API key");
  EXPECT_EQ(shopify_error_message(response(400, R"({"errors":[{"message":"no"}]})")), "no");
  EXPECT_EQ(shopify_error_message(response(400, R"({"error":"a","error_description":"b"})")), "b");
  EXPECT_EQ(shopify_error_message(response(400, R"({"error":"invalid_client"})")), "invalid_client");
  EXPECT_EQ(shopify_error_message(response(400, "<html>")), "");
}

TEST(ShopifyBudget, WaitsUntilThePointsOfAnOperationAreBack) {
  const Time start = *parse_timestamp("2026-07-01T10:00:00Z");
  ShopifyBudget budget;
  EXPECT_EQ(budget.wait_before("page", start), Duration::zero());
  budget.learn("page", json::parse(R"({"extensions":{"cost":{"requestedQueryCost":500,"throttleStatus":
      {"maximumAvailable":2000,"currentlyAvailable":300,"restoreRate":100}}}})"),
               start);
  EXPECT_EQ(budget.wait_before("page", start), std::chrono::seconds(2));
  EXPECT_EQ(budget.wait_before("another", start), Duration::zero());
  EXPECT_EQ(budget.wait_before("page", start + std::chrono::milliseconds(1500)),
            std::chrono::milliseconds(500));
  EXPECT_EQ(budget.wait_before("page", start + std::chrono::seconds(2)), Duration::zero());
  // A clock that was set back takes no points away.
  EXPECT_EQ(budget.wait_before("page", start - std::chrono::hours(1)), std::chrono::seconds(2));
}

TEST(ShopifyBudget, NeverWaitsForMoreThanTheMaximum) {
  const Time start = *parse_timestamp("2026-07-01T10:00:00Z");
  ShopifyBudget budget;
  budget.learn("page", json::parse(R"({"extensions":{"cost":{"requestedQueryCost":900,"throttleStatus":
      {"maximumAvailable":200,"currentlyAvailable":200,"restoreRate":100}}}})"),
               start);
  EXPECT_EQ(budget.wait_before("page", start), Duration::zero());
}

}  // namespace
}  // namespace waybill::connectors
