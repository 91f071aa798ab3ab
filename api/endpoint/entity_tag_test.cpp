#include "api/endpoint/entity_tag.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

constexpr std::string_view tag = R"(W/"abc")";

bool named_by(std::string_view fields) {
  return names_entity_tag("GET / HTTP/1.1\r\nHost: x\r\n" + std::string(fields) + "\r\n\r\n", tag);
}

TEST(EntityTag, IsNamedByAListAStarOrTheStrongForm) {
  for (const std::string_view value :
       {R"(W/"abc")", R"("abc")", R"(  W/"abc"  )", R"("x", W/"abc")", R"("x","y" , "abc","z")",
        R"(, ,"abc")", R"("a,b","abc")", R"("","abc")", "*"}) {
    EXPECT_TRUE(named_by("If-None-Match: " + std::string(value))) << value;
  }
  EXPECT_TRUE(named_by("if-none-match: \"x\"\r\nAccept: */*\r\nIF-NONE-MATCH: \"abc\"")) << "two lines";
}

TEST(EntityTag, IsNotNamedByAnotherOrAMalformedOne) {
  for (const std::string_view value :
       {"", "abc", R"("ABC")", R"("abcd")", R"("abc)", R"(w/"abc")", R"("x",*)", R"(x, "abc")",
        R"("W/"abc"")", "\"", "W/", R"(W/ "abc")"}) {
    EXPECT_FALSE(named_by("If-None-Match: " + std::string(value))) << value;
  }
  EXPECT_FALSE(named_by("If-Match: \"abc\""));
}

TEST(EntityTag, DependsOnEachByteOfTheBody) {
  Response response{.before = "{", .body = "1", .after = "}"};
  const auto first = entity_tag(response);
  EXPECT_EQ(first.size(), std::string_view(R"(W/"")").size() + 22);
  for (auto* const part : {&response.body, &response.after}) {
    *part += ' ';
    EXPECT_NE(entity_tag(response), first);
    part->pop_back();
  }
  response.before = "[";
  EXPECT_NE(entity_tag(response), first);
}

TEST(EntityTag, AKnownAnswerHasTheHeadersButNoBody) {
  Response full{.body = "{}"};
  answer_conditionally("GET / HTTP/1.1\r\n\r\n", full);
  EXPECT_EQ(full.status, 200);
  EXPECT_EQ(full.body, "{}");
  Response known{.body = "{}"};
  answer_conditionally("GET / HTTP/1.1\r\nIf-None-Match: *\r\n\r\n", known);
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.body_size(), 0);
  EXPECT_EQ(known.headers, full.headers);
  EXPECT_NE(full.headers.find("Cache-Control: private, no-cache\r\n"), std::string::npos) << full.headers;
}

TEST(EntityTag, OnlyA200HasOne) {
  Response other{.status = 201, .body = "{}"};
  answer_conditionally("GET / HTTP/1.1\r\nIf-None-Match: *\r\n\r\n", other);
  EXPECT_EQ(other.status, 201);
  EXPECT_EQ(other.headers, "");
}

TEST(EntityTag, BelongsToTheJsonThatAGetReadsForAToken) {
  Endpoint endpoint{.method = Method::get, .path = "/x", .permission = Permission::read, .handler = nullptr};
  EXPECT_TRUE(has_entity_tag(endpoint));
  endpoint.changes = true;
  EXPECT_FALSE(has_entity_tag(endpoint)) << "it is never stored";
  endpoint.changes = false;
  endpoint.bare = true;
  EXPECT_FALSE(has_entity_tag(endpoint)) << "the feed of events";
  endpoint.bare = false;
  endpoint.media_type = "application/pdf";
  EXPECT_FALSE(has_entity_tag(endpoint));
  endpoint.media_type = {};
  endpoint.permission = Permission::everyone;
  EXPECT_FALSE(has_entity_tag(endpoint));
  endpoint.permission = Permission::read;
  static constexpr HeaderField secret[] = {{"Cache-Control", "no-store"}};
  endpoint.headers = secret;
  EXPECT_FALSE(has_entity_tag(endpoint)) << "it is never stored";
  endpoint.headers = {};
  endpoint.method = Method::post;
  EXPECT_FALSE(has_entity_tag(endpoint));
}

}  // namespace
}  // namespace waybill::api
