// ETag and If-None-Match.
#include <string>

#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

class EntityTags : public ApiTest {
 protected:
  static Headers if_none_match(const std::string& tags) { return {{"If-None-Match", tags}}; }

  const std::string order = tenant.create_order();
  const std::string path = "/api/v1/Orders/" + order;
};

TEST_F(EntityTags, AKnownRecordIsAnsweredWithoutABody) {
  const auto first = http.get(path);
  const auto tag = first.header("ETag");
  ASSERT_TRUE(tag.starts_with("W/\"")) << tag;
  EXPECT_EQ(http.get(path).header("ETag"), tag);
  for (const std::string& tags : {tag, tag.substr(2), "\"x\", " + tag, std::string("*")}) {
    const auto known = http.get(path, if_none_match(tags));
    EXPECT_EQ(known.status, 304) << tags;
    EXPECT_EQ(known.text, "");
    for (const std::string name : {"ETag", "Cache-Control", "Vary", "X-RateLimit-Limit"})
      EXPECT_EQ(known.header(name), first.header(name)) << name;
    EXPECT_NE(known.header("X-Request-Id"), "");
    EXPECT_EQ(known.header("Content-Length"), "");
  }
  EXPECT_EQ(http.get(path, if_none_match("\"x\"")).status, 200) << "the connection is still in use";
  tenant.put_order(order, {{"notes", "new"}});
  const auto changed = http.get(path, if_none_match(tag));
  EXPECT_EQ(changed.status, 200);
  EXPECT_NE(changed.header("ETag"), tag);
}

TEST_F(EntityTags, AListChangesItsTagWithItsRowsItsTotalAndItsQuery) {
  const std::string list = "/api/v1/Orders?PageSize=1";
  const auto tag = http.get(list).header("ETag");
  EXPECT_EQ(http.get(list, if_none_match(tag)).status, 304);
  EXPECT_EQ(http.get(list + "&$orderby=status", if_none_match(tag)).status, 304) << "the same bytes";
  EXPECT_EQ(http.get(list + "&after=", if_none_match(tag)).status, 200);
  tenant.sql.rows(
      "insert into orders (business_id, order_number, created_at) values ($1, 'old', '2020-01-01')",
      {tenant.id});
  EXPECT_EQ(http.get(list, if_none_match(tag)).status, 200) << "the total is another";
  for (const std::string other :
       {"/api/workflows/runs", "/api/v1/shipments", "/api/business/tokens", "/api/workflows/runs?after="}) {
    const auto other_tag = http.get(other).header("ETag");
    EXPECT_EQ(http.get(other, if_none_match(other_tag)).status, 304) << other;
  }
}

TEST_F(EntityTags, APageByCursorHasATagUntilItsRowsChange) {
  tenant.create_order();
  for (const std::string list :
       {"/api/v1/Orders?after=&PageSize=1", "/api/v1/Orders?after=&PageSize=1&count=true&$orderby=status"}) {
    const auto first = http.get(list);
    ASSERT_NE(text_at(first.body, "nextCursor"), "");
    const auto tag = first.header("ETag");
    EXPECT_EQ(http.get(list, if_none_match(tag)).status, 304) << list;
    const auto next = "/api/v1/Orders?PageSize=1" + list.substr(list.find("&PageSize=1") + 11) +
                      "&after=" + text_at(first.body, "nextCursor");
    EXPECT_EQ(http.get(next).status, 200) << next;
    tenant.create_order();
    EXPECT_EQ(http.get(list, if_none_match(tag)).status, 200) << list;
  }
}

TEST_F(EntityTags, HeadHasTheTagOfTheGet) {
  const auto tag = http.get(path).header("ETag");
  EXPECT_EQ(http.request("HEAD", path).header("ETag"), tag);
  EXPECT_EQ(http.request("HEAD", path, {}, if_none_match(tag)).status, 304);
}

TEST_F(EntityTags, OnlySuccessfulReadsOfRecordsHaveOne) {
  const auto missing = http.get("/api/v1/Orders/" + std::string(unknown_guid), if_none_match("*"));
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.header("ETag"), "");
  EXPECT_EQ(http.get("/api/events", if_none_match("*")).status, 200) << "a cursor tells what is new";
  EXPECT_EQ(http.get("/api/events").header("ETag"), "");
  EXPECT_EQ(http.get("/openapi.json").header("ETag"), "");
  const auto made = http.post("/api/v1/Orders", order_body(), if_none_match("*"));
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.header("ETag"), "");
  EXPECT_EQ(http.get(path + "/nothing", if_none_match("*")).status, 404);
}

TEST_F(EntityTags, AnotherBusinessGetsNothingForATag) {
  const auto tag = http.get(path).header("ETag");
  EXPECT_EQ(other_business().http.get(path, if_none_match(tag)).status, 404);
  EXPECT_EQ(other_business().http.get(path, if_none_match("*")).status, 404);
}

}  // namespace
}  // namespace waybill::tests
