#include <atomic>
#include <thread>

#include "domain/records/state_machines.hpp"
#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

class OrderActionsTest : public ApiTest {
 protected:
  static std::string path_of(std::string_view guid, std::string_view more = "") {
    return "/api/v1/Orders/" + std::string(guid) + std::string(more);
  }

  Response move(std::string_view guid, std::string_view status) {
    return http.patch(path_of(guid, "/status"), {{"status", status}});
  }

  std::string carrier(std::string_view code) {
    return tenant.sql.value("select guid from carriers where code = $1", {std::string(code)});
  }
};

TEST_F(OrderActionsTest, OnlyTheStatusChangesOfTheTableAreAllowed) {
  for (const auto from : domain::order_states().states) {
    for (const auto to : domain::order_states().states) {
      const auto guid = tenant.insert_order({{"status", "'" + std::string(from) + "'"}});
      const auto response = move(guid, to);
      const auto name = std::string(from) + " to " + std::string(to);
      if (from == to || domain::order_states().allows(from, to)) {
        EXPECT_EQ(response.status, 200) << name;
        EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"status", to}})) << name;
      } else {
        expect_invalid(response, {"status"});
        for (const auto next : domain::order_states().next(from)) {
          EXPECT_NE(text_at(response.details(), "status").find(next), std::string::npos) << name;
        }
      }
      EXPECT_EQ(text_at(http.get(path_of(guid)).data(), "status"), response.status == 200 ? to : from)
          << name;
    }
  }
}

TEST_F(OrderActionsTest, AChangeToTheSameStatusIsNoEvent) {
  const auto guid = tenant.create_order();
  const auto events = events_of(guid);
  EXPECT_EQ(move(guid, "pending").status, 200);
  EXPECT_EQ(events_of(guid), events);
  EXPECT_EQ(move(guid, "ready").status, 200);
  EXPECT_EQ(events_of(guid), events + 1);
}

TEST_F(OrderActionsTest, ConcurrentStatusChangesFollowTheTransitionTable) {
  const auto guid = tenant.create_order();
  constexpr int rivals = 8;
  std::atomic<int> moved = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < rivals; ++i) {
    threads.emplace_back([&, i, client = http.with_token(http.token())]() mutable {
      const auto to = i % 2 == 0 ? "shipped" : "cancelled";
      if (client.patch(path_of(guid, "/status"), {{"status", to}}).status == 200) ++moved;
    });
  }
  threads.clear();
  // After the first change, requests for its status got 200 without an event; others were refused.
  EXPECT_EQ(moved, rivals / 2);
  EXPECT_EQ(events_of(guid), 2);
}

TEST_F(OrderActionsTest, BadStatusChangesAreRefused) {
  const auto guid = tenant.create_order();
  expect_invalid(http.patch(path_of(guid, "/status"), json::object{}), {"status"});
  expect_invalid(move(guid, "lost"), {"status"});
  expect_invalid(http.patch(path_of(guid, "/status"), {{"status", 1}, {"notes", std::string(10'001, 'n')}}),
                 {"status", "notes"});
  expect_refused(move(unknown_guid, "ready"), 404, "NOT_FOUND");
  expect_invalid(http.patch("/api/v1/Orders/42/status", {{"status", "ready"}}), {"orderId"});
}

TEST_F(OrderActionsTest, TheHistoryShowsEachChangeAndItsAuthor) {
  const auto guid = tenant.create_order({{"status", "draft"}});
  http.patch(path_of(guid, "/status"), {{"status", "pending"}, {"notes", "go \"on\""}});
  http.put(path_of(guid), {{"notes", "no status change"}});
  tenant.sql.exec("update orders set status = 'ready' where guid = '" + guid + "'");
  const auto response = http.get(path_of(guid, "/history"));
  ASSERT_EQ(response.status, 200) << response.text;
  const auto& history = response.data();
  ASSERT_EQ(history.as_array().size(), 3U) << response.text;
  EXPECT_TRUE(at(history, "0.from").is_null());
  EXPECT_EQ(text_at(history, "0.to"), "draft");
  EXPECT_EQ(text_at(history, "0.by.type"), "token");
  EXPECT_EQ(text_at(history, "1.from"), "draft");
  EXPECT_EQ(text_at(history, "1.to"), "pending");
  EXPECT_EQ(text_at(history, "1.notes"), "go \"on\"");
  EXPECT_EQ(text_at(history, "1.by.guid"),
            tenant.sql.value("select guid from api_tokens where business_id = $1", {tenant.id}));
  EXPECT_FALSE(text_at(history, "1.by.name").empty());
  EXPECT_EQ(text_at(history, "1.at").size(), 24U);
  EXPECT_EQ(at(history, "2.by"), json::value({{"type", "sql"}, {"guid", nullptr}, {"name", "waybill"}}));
  EXPECT_TRUE(at(history, "2.notes").is_null());
}

TEST_F(OrderActionsTest, TheHistoryIncludesChangesOlderThanTheOutbox) {
  const auto guid = tenant.create_order();
  tenant.settle();
  tenant.sql.exec(
      "insert into status_history (business_id, entity_id, event_id, at, status_from, status_to, cause) "
      "values ('" +
      tenant.id + "', '" + guid +
      R"(', 0, '2020-01-01 00:00Z', null, 'draft', '{"by": {"type": "import"}}'))");
  const json::value history = http.get(path_of(guid, "/history")).data();
  EXPECT_EQ(text_at(history, "0.at"), "2020-01-01T00:00:00.000Z");
  EXPECT_EQ(text_at(history, "0.by.type"), "import");
  EXPECT_EQ(text_at(history, "1.to"), "pending");
}

TEST_F(OrderActionsTest, BulkDeletionIsAllOrNothing) {
  const auto first = tenant.create_order();
  const auto second = tenant.create_order();
  expect_refused(http.post("/api/v1/Orders/delete", json::array{{{"guid", first}}, {{"guid", unknown_guid}}}),
                 404, "NOT_FOUND");
  EXPECT_EQ(http.get(path_of(first)).status, 200);
  const auto response = http.post("/api/v1/Orders/delete",
                                  json::array{{{"guid", first}}, {{"guid", second}}, {{"guid", first}}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value(json::array{}));
  for (const auto& guid : {first, second}) {
    expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
    expect_refused(http.get(path_of(guid, "/history")), 404, "NOT_FOUND");
    expect_refused(move(guid, "ready"), 404, "NOT_FOUND");
    expect_refused(http.post("/api/v1/Orders/delete", json::array{{{"guid", guid}}}), 404, "NOT_FOUND");
  }
  const auto list = http.get("/api/v1/Orders");
  EXPECT_EQ(at(list.body, "totalCount"), 0);
  EXPECT_TRUE(list.data().as_array().empty());
  expect_invalid(http.post("/api/v1/Orders/delete", json::array{{{"guid", "x"}}, json::object{}}),
                 {"[0].guid", "[1].guid"});
}

TEST_F(OrderActionsTest, TheNumberOfADeletedOrderIsFree) {
  const auto guid = tenant.create_order({{"orderNumber", "A-1"}});
  http.post("/api/v1/Orders/delete", json::array{{{"guid", guid}}});
  EXPECT_NE(tenant.create_order({{"orderNumber", "A-1"}}), guid);
}

TEST_F(OrderActionsTest, AssigningACarrierIsAllOrNothing) {
  const auto first = tenant.create_order();
  const auto second = tenant.create_order();
  const auto assign = [&](const json::value& orders, std::string_view carrier_id, const json::value& level) {
    return http.post("/api/v1/Orders/assign-carrier",
                     {{"orderIds", orders}, {"carrierId", carrier_id}, {"serviceLevel", level}});
  };
  const auto fedex = carrier("fedex");
  expect_refused(assign({first, unknown_guid}, fedex, "express"), 404, "NOT_FOUND");
  expect_refused(assign({first}, unknown_guid, "express"), 404, "NOT_FOUND");
  expect_invalid(assign({first}, fedex, "by balloon"), {"serviceLevel"});
  expect_invalid(http.post("/api/v1/Orders/assign-carrier", json::object{}), {"orderIds", "carrierId"});
  expect_invalid(assign({first, "x"}, "y", 1), {"orderIds[1]", "carrierId", "serviceLevel"});
  EXPECT_TRUE(http.get(path_of(first)).data().at("carrier").is_null());

  const auto response = assign({first, second, first}, fedex, "express");
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_FALSE(response.body.as_object().contains("data"));
  for (const auto& guid : {first, second}) {
    const auto order = http.get(path_of(guid));
    EXPECT_EQ(text_at(order.data(), "carrier.name"), "FedEx");
    EXPECT_EQ(text_at(order.data(), "serviceLevel"), "express");
  }
  const auto events = events_of(first);
  EXPECT_EQ(assign({first}, fedex, "express").status, 200);
  EXPECT_EQ(events_of(first), events) << "nothing changed";
}

TEST_F(OrderActionsTest, ACarrierAndACollectionDateAreAssignedUntilTheOrderIsShipped) {
  for (const auto* const status : {"shipped", "delivered"}) {
    const auto free = tenant.create_order(), locked = tenant.create_order();
    tenant.sql.exec("update orders set status = '" + std::string(status) + "' where guid = '" + locked + "'");
    const auto events = events_of(locked);
    expect_refused(http.post("/api/v1/Orders/assign-carrier",
                             {{"orderIds", {free, locked}}, {"carrierId", carrier("ups")}}),
                   409, "CONFLICT");
    expect_refused(
        http.post(path_of(locked, "/assign-collection-date"), {{"collectionDate", "2026-12-01T10:00:00Z"}}),
        409, "CONFLICT");
    EXPECT_EQ(events_of(locked), events);
    EXPECT_TRUE(http.get(path_of(free)).data().at("carrier").is_null()) << "all or none";
  }
}

TEST_F(OrderActionsTest, TheOrderKeepsItsServiceLevelIfTheNewCarrierHasIt) {
  const auto guid = tenant.create_order({{"carrierId", carrier("fedex")}, {"serviceLevel", "express"}});
  const auto assign = [&](std::string_view code) {
    http.post("/api/v1/Orders/assign-carrier", {{"orderIds", {guid}}, {"carrierId", carrier(code)}});
    return http.get(path_of(guid)).data().at("serviceLevel");
  };
  EXPECT_EQ(assign("ups"), "express");
  EXPECT_TRUE(assign("stuart").is_null());
}

TEST_F(OrderActionsTest, BulkRequestsHaveAtMost1000Orders) {
  json::array guids(1000, json::object{{"guid", unknown_guid}});
  expect_refused(http.post("/api/v1/Orders/delete", guids), 404, "NOT_FOUND");
  guids.push_back(json::object{{"guid", unknown_guid}});
  expect_refused(http.post("/api/v1/Orders/delete", guids), 400, "VALIDATION_ERROR");
  const json::array ids(1001, json::value(unknown_guid));
  expect_invalid(
      http.post("/api/v1/Orders/assign-carrier", {{"orderIds", ids}, {"carrierId", carrier("ups")}}),
      {"orderIds"});
}

TEST_F(OrderActionsTest, ACollectionDateHasAWindowThatEndsAfterItBegins) {
  const auto guid = tenant.create_order();
  const auto assign = [&](const json::object& body) {
    return http.post(path_of(guid, "/assign-collection-date"), body);
  };
  const json::object window{{"start", "09:00"}, {"end", "17:30"}};
  const auto response = assign({{"collectionDate", "2026-12-01T10:00:00.5Z"}, {"timeWindow", window}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"collectionDate", "2026-12-01T10:00:00.500Z"}}));
  EXPECT_EQ(http.get(path_of(guid)).data().at("timeWindow"), json::value(window));

  EXPECT_EQ(assign({{"collectionDate", "2026-12-02T10:00:00Z"}}).status, 200);
  EXPECT_EQ(http.get(path_of(guid)).data().at("timeWindow"), json::value(window))
      << "an absent field is kept";
  EXPECT_EQ(assign({{"collectionDate", "2026-12-02T10:00:00Z"}, {"timeWindow", nullptr}}).status, 200);
  EXPECT_TRUE(http.get(path_of(guid)).data().at("timeWindow").is_null()) << "null clears the field";

  expect_invalid(assign({}), {"collectionDate"});
  expect_invalid(assign({{"collectionDate", "2026-02-30T10:00:00Z"}, {"timeWindow", {{"start", "25:00"}}}}),
                 {"collectionDate", "timeWindow.start", "timeWindow.end"});
  for (const auto* const end : {"09:00", "08:59"}) {
    expect_invalid(assign({{"collectionDate", "2026-12-01T10:00:00Z"},
                           {"timeWindow", {{"start", "09:00"}, {"end", end}}}}),
                   {"timeWindow.end"});
  }
  expect_refused(http.post(path_of(unknown_guid, "/assign-collection-date"),
                           {{"collectionDate", "2026-12-01T10:00:00Z"}}),
                 404, "NOT_FOUND");
}

TEST_F(OrderActionsTest, AnOrderListsItsShipmentsInOrderOfCreation) {
  const auto guid = tenant.create_order();
  const auto ship = [&](std::string_view number, std::string_view when) {
    tenant.sql.rows(
        "insert into shipments (business_id, tracking_number, order_id, created_at) values ($1, $2, $3, $4)",
        {tenant.id, std::string(number), guid, std::string(when)});
  };
  ship("WB2", "2026-01-02");
  ship("WB1", "2026-01-01");
  ship("WB3", "2026-01-03");
  tenant.sql.exec(
      "update shipments set deleted_at = now() where tracking_number = 'WB3' and business_id = '" +
      tenant.id + "'");
  const json::value shipments = http.get(path_of(guid)).data().at("shipments");
  ASSERT_EQ(shipments.as_array().size(), 2U);
  EXPECT_EQ(text_at(shipments, "0.trackingNumber"), "WB1");
  EXPECT_EQ(text_at(shipments, "1.trackingNumber"), "WB2");
  EXPECT_EQ(text_at(shipments, "1.status"), "created");
}

TEST_F(OrderActionsTest, ConcurrentGetsReturnTheRequestedOrders) {
  std::vector<std::string> guids;
  for (int i = 0; i < 4; ++i) guids.push_back(tenant.create_order());
  const auto foreign_order = other_business().create_order();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i, client = http.with_token(http.token())]() mutable {
      for (int n = 0; n < 25; ++n) {
        const auto& guid = guids.at(static_cast<std::size_t>((i + n) % 4));
        EXPECT_EQ(text_at(client.get(path_of(guid)).data(), "guid"), guid);
        EXPECT_EQ(client.get(path_of(foreign_order)).status, 404);
      }
    });
  }
}

}  // namespace
}  // namespace waybill::tests
