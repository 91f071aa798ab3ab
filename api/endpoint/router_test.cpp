#include "api/endpoint/router.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

Endpoint row(Method method, std::string_view path, bool changes = false) {
  return {.method = method,
          .path = path,
          .permission = Permission::read,
          .handler = nullptr,
          .summary = path,
          .tag = "Test",
          .changes = changes};
}

const Router& router() {
  static const Router shared({
      row(Method::get, "/healthz"),
      row(Method::get, "/api/v1/Orders"),
      row(Method::post, "/api/v1/Orders"),
      row(Method::post, "/api/v1/Orders/delete"),
      row(Method::get, "/api/v1/Orders/{orderId}"),
      row(Method::put, "/api/v1/Orders/{orderId}"),
      row(Method::del, "/api/v1/Orders/{orderId}"),
      row(Method::patch, "/api/v1/Orders/{orderId}/status"),
      row(Method::del, "/api/v1/Customers/{customerId}/contacts/{contactId}"),
      row(Method::get, "/api/workflows/{entityType:text}/configured"),
      row(Method::get, "/api/workflows/configured/{guid}"),
      row(Method::get, "/api/workflows/configured/{guid}/toggle", true),
      row(Method::get, "/api/workflows/runs/{guid}"),
  });
  return shared;
}

std::string_view path_of(RequestMethod method, std::string_view path) {
  const auto found = router().find(method, path);
  return found.endpoint ? found.endpoint->row.path : std::string_view();
}

std::string_view allowed(std::string_view path) { return router().find(RequestMethod::options, path).allow; }

TEST(Router, LiteralSegmentsMatchWithoutRegardToCase) {
  EXPECT_EQ(path_of(RequestMethod::get, "/API/V1/orders"), "/api/v1/Orders");
  EXPECT_EQ(path_of(RequestMethod::get, "/api/v1/%4Frders"), "/api/v1/Orders");
}

TEST(Router, LiteralSegmentsWinOverParameters) {
  EXPECT_EQ(path_of(RequestMethod::post, "/api/v1/Orders/DELETE"), "/api/v1/Orders/delete");
  EXPECT_EQ(path_of(RequestMethod::get, "/api/v1/Orders/delete"), "");
  EXPECT_EQ(allowed("/api/v1/Orders/delete"), "POST, OPTIONS");
  EXPECT_EQ(path_of(RequestMethod::get, "/api/v1/Orders/other"), "/api/v1/Orders/{orderId}");
}

TEST(Router, FallsBackToAParameterWhereALiteralLeadsNowhere) {
  EXPECT_EQ(path_of(RequestMethod::get, "/api/workflows/order/configured"),
            "/api/workflows/{entityType:text}/configured");
  EXPECT_EQ(path_of(RequestMethod::get, "/api/workflows/runs/configured"), "/api/workflows/runs/{guid}");
  EXPECT_EQ(path_of(RequestMethod::get, "/api/workflows/configured/configured/toggle"),
            "/api/workflows/configured/{guid}/toggle");
}

TEST(Router, HandsOverTheParametersInOrder) {
  const auto found = router().find(RequestMethod::del, "/api/v1/Customers/a%20b/contacts/c");
  ASSERT_NE(found.endpoint, nullptr);
  ASSERT_EQ(found.endpoint->parameters.size(), 2U);
  EXPECT_EQ(found.endpoint->parameters[0].name, "customerId");
  EXPECT_EQ(found.values[0], "a b");
  EXPECT_EQ(found.values[1], "c");
  const auto text = router().find(RequestMethod::get, "/api/workflows/Order/configured");
  ASSERT_NE(text.endpoint, nullptr);
  EXPECT_EQ(text.endpoint->parameters[0].name, "entityType");
  EXPECT_TRUE(text.endpoint->parameters[0].is_text);
}

TEST(Router, UnknownPathsAllowNothing) {
  for (const std::string_view path :
       {"/", "", "api", "/api", "/api/v1/Orders/", "/api//v1/Orders", "/api/v1/Orders/x/y",
        "/api/v1/Orders/%zz", "/a/b/c/d/e/f/g/h/i/j/k/l/m/n", "/api/v1/Orders/%FF",
        "/api/v1/Orders//status"}) {
    EXPECT_EQ(allowed(path), "") << path;
  }
}

TEST(Router, AWrongMethodGetsTheAllowedOnes) {
  EXPECT_EQ(path_of(RequestMethod::post, "/api/v1/Orders/x"), "");
  EXPECT_EQ(allowed("/api/v1/Orders/x"), "GET, HEAD, PUT, DELETE, OPTIONS");
  EXPECT_EQ(allowed("/api/v1/orders"), "GET, HEAD, POST, OPTIONS");
}

TEST(Router, HeadAnswersLikeGetUnlessTheGetChangesSomething) {
  EXPECT_EQ(path_of(RequestMethod::head, "/api/v1/Orders"), "/api/v1/Orders");
  EXPECT_EQ(path_of(RequestMethod::head, "/api/workflows/configured/x/toggle"), "");
}

TEST(Router, GetsThatChangeSomethingAlsoAnswerPost) {
  EXPECT_EQ(path_of(RequestMethod::post, "/api/workflows/configured/x/toggle"),
            "/api/workflows/configured/{guid}/toggle");
  EXPECT_EQ(allowed("/api/workflows/configured/x/toggle"), "GET, POST, OPTIONS");
}

TEST(Router, RefusesTwoRowsForOneMethodAndPath) {
  EXPECT_THROW(Router({row(Method::get, "/a/{x}"), row(Method::get, "/A/{y}")}), std::logic_error);
  EXPECT_THROW(Router({row(Method::get, "/a", true), row(Method::post, "/a")}), std::logic_error);
}

TEST(Router, MethodsAreCaseSensitive) {
  EXPECT_EQ(parse_method("DELETE"), RequestMethod::del);
  EXPECT_FALSE(parse_method("get"));
  EXPECT_FALSE(parse_method("TRACE"));
}

}  // namespace
}  // namespace waybill::api
