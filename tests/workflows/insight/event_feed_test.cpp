#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

class EventFeed : public WorkflowTest {
 protected:
  /// A page after the cursor of the previous one.
  json::array page(const std::string& query = "limit=500") {
    const std::string after = cursor.empty() ? "" : "&after=" + cursor;
    const auto answer = tenant.http.get("/api/events?" + query + after);
    EXPECT_EQ(answer.status, 200) << answer.text;
    cursor = text_at(answer.body, "nextCursor");
    has_more = at(answer.body, "hasMore") == true;
    return answer.data().as_array();
  }

  /// The page backwards from the previous one.
  json::array page_before(const std::string& query) {
    const std::string before = cursor;
    cursor.clear();
    return page(query + "&before=" + before);
  }

  static std::vector<std::string> records(const json::array& events) {
    std::vector<std::string> guids;
    for (const auto& event : events) guids.push_back(text_at(event, "entityId"));
    return guids;
  }

  /// Inserts an order in a session whose transaction may be open.
  std::string insert(Session& session) {
    return session.value(
        "insert into orders (business_id, order_number) values ($1, gen_random_uuid()) returning guid",
        {tenant.id});
  }

  std::string cursor;
  bool has_more = false;
};

TEST_F(EventFeed, ListsEventsWithTypeTriggersAndRecord) {
  EXPECT_TRUE(page().empty());
  EXPECT_FALSE(has_more);
  const std::string order = tenant.create_order({{"notes", "a"}});
  tenant.move_order(order, "shipped");
  const auto events = page("limit=500&entityType=Order");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(text_at(events[0], "type"), "order_created");
  EXPECT_EQ(text_at(events[1], "type"), "order_shipped");
  EXPECT_EQ(events[1].at("triggers"), json::parse(R"(["order_shipped", "order_status_changed"])"));
  EXPECT_EQ(text_at(events[1], "entityType"), "Order");
  EXPECT_EQ(text_at(events[1], "entityId"), order);
  EXPECT_EQ(text_at(events[1], "entity.status"), "shipped");
  EXPECT_EQ(text_at(events[1], "entity.customer.name"),
            text_at(tenant.http.get("/api/v1/Orders/" + order).data(), "customer.name"));
  EXPECT_EQ(events[1].at("previous"), json::parse(R"({"status": "pending"})"));
  EXPECT_EQ(text_at(events[1], "cause.by.type"), "token");
  EXPECT_FALSE(text_at(events[1], "at").empty());
  EXPECT_TRUE(page("limit=500&entityType=Order").empty());
}

TEST_F(EventFeed, TakesTheFieldsOfSelect) {
  const std::string order = tenant.create_order();
  const auto events = page("limit=500&entityType=Order&$select=entityId,cause/depth");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0], json::value({{"entityId", order}, {"cause", {{"depth", 0}}}}));
  EXPECT_EQ(tenant.http.get("/api/events?$select=nonsense").status, 400);
}

TEST_F(EventFeed, TheCauseHasAllItsFieldsWhoeverMadeTheChange) {
  const std::string order = tenant.create_order();
  tenant.http.patch("/api/v1/Orders/" + order + "/status", {{"status", "processing"}, {"notes", "called"}});
  tenant.sql.rows("update orders set status = 'ready' where guid = $1", {order});
  const auto events = page("limit=500&entityType=Order");
  ASSERT_EQ(events.size(), 3U);
  for (const auto& event : events) {
    const json::object& cause = event.at("cause").as_object();
    EXPECT_EQ(cause.size(), 3U);
    EXPECT_EQ(cause.at("depth"), 0);
    EXPECT_EQ(cause.at("by").as_object().size(), 3U);
  }
  EXPECT_TRUE(events[0].at("cause").at("note").is_null());
  EXPECT_EQ(events[1].at("cause").at("note"), "called");
  EXPECT_FALSE(text_at(events[1], "cause.by.guid").empty());
  EXPECT_EQ(text_at(events[2], "cause.by.type"), "sql");
  EXPECT_TRUE(events[2].at("cause").at("by").at("guid").is_null());
}

TEST_F(EventFeed, PagesAndFiltersCoverEveryEventOnce) {
  std::vector<std::string> orders;
  for (int i = 0; i < 7; ++i) orders.push_back(tenant.insert_order());
  tenant.update_orders("notes = 'x' where true");
  std::vector<std::string> read;
  do {
    const auto events = page("limit=3");
    EXPECT_LE(events.size(), 3U);
    for (const auto& guid : records(events)) read.push_back(guid);
  } while (has_more);
  EXPECT_EQ(read.size(), 14U);
  EXPECT_EQ(std::vector(read.begin(), read.begin() + 7), orders);
  cursor.clear();
  EXPECT_EQ(page("type=order_updated&limit=4").size(), 4U);
  EXPECT_TRUE(has_more);
  EXPECT_EQ(page("type=order_updated&limit=4").size(), 3U);
  EXPECT_FALSE(has_more);
  cursor.clear();
  EXPECT_TRUE(page("entityType=Shipment").empty());
}

TEST_F(EventFeed, AnEventThatCommitsLateIsReadAfterLaterOnes) {
  Session early(world.database.url());
  early.exec("begin");
  const std::string late = insert(early);
  const std::string first = tenant.insert_order();
  EXPECT_EQ(records(page()), std::vector{first});
  const std::string second = tenant.insert_order();
  EXPECT_EQ(records(page()), std::vector{second});
  EXPECT_TRUE(page().empty());
  early.exec("commit");
  const std::string third = tenant.insert_order();
  EXPECT_EQ(records(page()), (std::vector{late, third}));
  EXPECT_TRUE(page().empty());
}

TEST_F(EventFeed, ManyOpenTransactionsLoseAndRepeatNothing) {
  std::vector<Session> sessions;
  for (int i = 0; i < 6; ++i) sessions.emplace_back(world.database.url());
  std::multiset<std::string> committed, read;
  const auto read_pages = [&](const std::string& query) {
    do {
      for (const auto& guid : records(page(query))) read.insert(guid);
    } while (has_more);
  };
  std::vector<std::vector<std::string>> open(sessions.size());
  for (std::size_t step = 0; step < 90; ++step) {
    const std::size_t i = step * 5 % sessions.size() + step / 7 % 2;
    if (i >= sessions.size()) continue;
    if (open[i].empty()) sessions[i].exec("begin");
    if (open[i].size() == 2 && step % 11 == 0) sessions[i].exec("savepoint a");
    open[i].push_back(insert(sessions[i]));
    if (open[i].size() > 2 + i) {
      sessions[i].exec(step % 4 == 0 ? "rollback" : "commit");
      if (step % 4 != 0) committed.insert(open[i].begin(), open[i].end());
      open[i].clear();
    }
    if (step % 3 == 0) read_pages("limit=2");
  }
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (open[i].empty()) continue;
    sessions[i].exec("commit");
    committed.insert(open[i].begin(), open[i].end());
  }
  read_pages("limit=2");
  EXPECT_EQ(read, committed);
}

TEST_F(EventFeed, TheEventsOfARecordAreInCommitOrder) {
  const std::string order = tenant.insert_order();
  Session first(world.database.url());
  first.exec("begin");
  insert(first);  // has a transaction id before the other writer
  tenant.sql.rows("update orders set notes = 'one' where guid = $1", {order});
  page();
  first.exec("update orders set notes = 'two' where guid = '" + order + "'");
  first.exec("commit");
  tenant.sql.rows("update orders set notes = 'three' where guid = $1", {order});
  std::vector<std::string> notes;
  for (const auto& event : page()) {
    if (text_at(event, "entityId") == order) notes.push_back(text_at(event, "entity.notes"));
  }
  EXPECT_EQ(notes, (std::vector<std::string>{"two", "three"}));
}

TEST_F(EventFeed, BackwardsItBeginsWithTheNewestAndEndsWithTheOldest) {
  EXPECT_TRUE(page("before=").empty());
  EXPECT_FALSE(has_more);
  cursor.clear();
  std::vector<std::string> orders;
  for (int i = 0; i < 7; ++i) orders.push_back(tenant.insert_order());
  tenant.update_orders("notes = 'x' where true");
  std::vector<std::string> read = records(page("before=&limit=3"));
  while (has_more) {
    const auto events = page_before("limit=3");
    EXPECT_LE(events.size(), 3U);
    for (const auto& guid : records(events)) read.push_back(guid);
  }
  EXPECT_EQ(read.size(), 14U);
  std::ranges::reverse(read);
  EXPECT_EQ(std::vector(read.begin(), read.begin() + 7), orders);
  cursor.clear();
  EXPECT_EQ(records(page("before=&type=order_created&limit=2")), (std::vector{orders[6], orders[5]}));
  EXPECT_EQ(records(page_before("type=order_created&limit=2")), (std::vector{orders[4], orders[3]}));
  cursor.clear();
  EXPECT_TRUE(page("before=&entityType=Shipment").empty());
  EXPECT_FALSE(has_more);
}

TEST_F(EventFeed, AfterThePlaceOfABackwardPageTheFeedContinuesWithoutAGap) {
  EXPECT_TRUE(page("before=").empty());
  const std::string first = tenant.insert_order();
  EXPECT_EQ(records(page()), std::vector{first}) << "the place of an empty feed is its beginning";
  cursor.clear();
  const std::string second = tenant.insert_order();
  EXPECT_EQ(records(page("before=&limit=1")), std::vector{second});
  Session writer(world.database.url());
  writer.exec("begin");
  const std::string late = insert(writer);
  const std::string third = tenant.insert_order();
  EXPECT_EQ(records(page()), (std::vector{second, third})) << "the page comes again, and what followed it";
  writer.exec("commit");
  EXPECT_EQ(records(page()), std::vector{late});
}

TEST_F(EventFeed, BackwardsALateCommitIsListedByItsId) {
  Session early(world.database.url());
  early.exec("begin");
  const std::string late = insert(early);
  const std::string first = tenant.insert_order();
  EXPECT_EQ(records(page("before=")), std::vector{first});
  early.exec("commit");
  cursor.clear();
  EXPECT_EQ(records(page("before=")), (std::vector{first, late}));
}

TEST_F(EventFeed, ForeignAndMalformedCursorsAreRefused) {
  tenant.insert_order();
  page();
  Tenant other(world.waybill, test_name() + "-other");
  const auto foreign = other.http.get("/api/events?after=" + cursor);
  EXPECT_EQ(foreign.status, 400);
  EXPECT_TRUE(foreign.details().contains("after"));
  const auto foreign_place = other.http.get("/api/events?before=" + cursor);
  EXPECT_EQ(foreign_place.status, 400);
  EXPECT_TRUE(foreign_place.details().contains("before"));
  EXPECT_TRUE(other.http.get("/api/events?before=").data().as_array().empty());
  EXPECT_TRUE(other.http.get("/api/events").data().as_array().empty());
  std::string changed = cursor;
  changed.back() = changed.back() == 'A' ? 'B' : 'A';
  changed[5] = changed[5] == 'A' ? 'B' : 'A';
  for (const std::string& bad : {changed, std::string("0"), std::string("!"), cursor.substr(0, 20)}) {
    EXPECT_EQ(tenant.http.get("/api/events?after=" + bad).status, 400) << bad;
    const auto backwards = tenant.http.get("/api/events?before=" + bad);
    EXPECT_EQ(backwards.status, 400) << bad;
    EXPECT_TRUE(backwards.details().contains("before"));
  }
}

TEST_F(EventFeed, APageHasOneDirection) {
  tenant.insert_order();
  page();
  for (const std::string& before : {std::string(), cursor}) {
    const auto answer = tenant.http.get("/api/events?after=" + cursor + "&before=" + before);
    EXPECT_EQ(answer.status, 400);
    EXPECT_TRUE(answer.details().contains("before"));
  }
}

TEST_F(EventFeed, BackwardsFromThePlaceOfAForwardPageItListsThatPageAndThoseBefore) {
  std::vector<std::string> orders;
  for (int i = 0; i < 5; ++i) orders.push_back(tenant.insert_order());
  EXPECT_EQ(page("limit=3").size(), 3U);
  EXPECT_EQ(records(page_before("limit=2")), (std::vector{orders[2], orders[1]}));
  EXPECT_TRUE(has_more);
  EXPECT_EQ(records(page_before("limit=2")), std::vector{orders[0]});
  EXPECT_FALSE(has_more);
  EXPECT_TRUE(page_before("limit=2").empty());
  EXPECT_FALSE(has_more);
}

TEST_F(EventFeed, ItHasNoNumberedPages) {
  for (const std::string query : {"Page=1", "Page=2&after=", "Page=1&before="}) {
    const auto answer = tenant.http.get("/api/events?" + query);
    EXPECT_EQ(answer.status, 400) << query;
    EXPECT_TRUE(answer.details().contains("Page")) << query;
  }
}

TEST_F(EventFeed, ItHasTotalsOnlyIfTheyAreAskedFor) {
  std::string order;
  for (int i = 0; i < 7; ++i) order = tenant.insert_order();
  tenant.update_orders("status = 'ready' where guid = '" + order + "'");
  tenant.insert_shipment(order);
  const auto total = [&](const std::string& query) {
    const auto answer = tenant.http.get("/api/events?" + query);
    EXPECT_EQ(answer.status, 200) << answer.text;
    return std::pair(at(answer.body, "totalCount").as_int64(), at(answer.body, "totalPages").as_int64());
  };
  EXPECT_EQ(total("after=&count=true&PageSize=4"), std::pair(9L, 3L));
  EXPECT_EQ(total("before=&count=true&entityType=Order"), std::pair(8L, 1L));
  EXPECT_EQ(total("count=true&type=order_created&limit=7"), std::pair(7L, 1L));
  EXPECT_EQ(total("count=true&type=customer_created"), std::pair(0L, 0L));
  const json::object without = tenant.http.get("/api/events?after=&count=false").body.as_object();
  EXPECT_FALSE(without.contains("totalCount"));
  EXPECT_FALSE(without.contains("totalPages"));
}

TEST_F(EventFeed, ACursorOfAFilterIsNoneOfAnother) {
  for (int i = 0; i < 3; ++i) tenant.insert_order();
  const std::vector<std::string> filters = {"", "&type=order_created", "&entityType=Order",
                                            "&type=order_created&entityType=Order"};
  for (const std::string& made_with : filters) {
    const auto first = tenant.http.get("/api/events?limit=1" + made_with);
    for (const std::string& used_with : filters) {
      const auto next =
          tenant.http.get("/api/events?limit=1&after=" + text_at(first.body, "nextCursor") + used_with);
      const bool fits = made_with.empty() || made_with == used_with;
      EXPECT_EQ(next.status, fits ? 200 : 400) << made_with << ' ' << used_with;
      if (next.status == 400) EXPECT_TRUE(next.details().contains("after"));
    }
  }
}

TEST_F(EventFeed, BadParametersAreRefused) {
  for (const char* query : {"limit=0", "limit=501", "limit=x", "type=order_eaten", "entityType=Parcel",
                            "PageSize=501", "PageSize=3&limit=3", "after=x&before=", "before=&limit=0"})
    EXPECT_EQ(tenant.http.get("/api/events?" + std::string(query)).status, 400) << query;
  for (int i = 0; i < 104; ++i) tenant.insert_order();
  EXPECT_EQ(page("").size(), 100U);
  EXPECT_TRUE(has_more);
  EXPECT_EQ(page("PageSize=3").size(), 3U);
}

}  // namespace
}  // namespace waybill::tests
