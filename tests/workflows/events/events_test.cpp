#include <map>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class Events : public WorkflowTest {
 protected:
  // The notes of each delivered order, in order of arrival.
  std::vector<std::string> notes_received(std::string_view hook = "hook") const {
    std::vector<std::string> notes;
    for (const Received& request : receiver.received(tenant.path(hook))) {
      notes.push_back(text_at(request.json_body(), "data.entity.notes"));
    }
    return notes;
  }

  // Several sessions raise a number in the notes of one order.
  static constexpr std::size_t writers = 4;
  static constexpr std::size_t all_changes = writers * 40;
  void increment_concurrently() {
    const std::string order = tenant.insert_order({{"notes", "'0'"}});
    const std::string increment = "update orders set notes = notes::int + 1 where guid = '" + order +
                                  "' and business_id = '" + tenant.id + "'";
    std::vector<std::thread> threads;
    threads.reserve(writers);
    for (std::size_t writer = 0; writer < writers; ++writer) {
      threads.emplace_back([&] {
        Session session = world.database.connect();
        for (std::size_t change = 0; change < all_changes / writers; ++change) session.exec(increment);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

// The value with each scalar replaced by its type, on which a receiver's parser depends.
json::value shape(const json::value& value) {
  if (const auto* object = value.if_object()) {
    json::object result;
    for (const auto& [key, member] : *object) result[key] = shape(member);
    return result;
  }
  if (const auto* array = value.if_array()) {
    json::array result;
    for (const json::value& element : *array) result.push_back(shape(element));
    return result;
  }
  return value.is_number() ? json::value("number") : json::value(json::to_string(value.kind()));
}

TEST_F(Events, FromPsqlAreTheSameAsFromTheApi) {
  tenant.webhook(url("api"), "order_updated", {{"conditions", {{"status", "pending"}}}});
  const std::string by_api = tenant.create_order();
  const std::string by_sql = tenant.create_order();
  tenant.put_order(by_api, {{"notes", "ring twice"}});
  const auto first = wait_for(1, "api");
  tenant.update_orders("notes = 'ring twice' where guid = '" + by_sql + "'");
  const auto both = wait_for(2, "api");
  ASSERT_EQ(both.size(), 2U);
  const json::value from_api = both[0].json_body();
  const json::value from_sql = both[1].json_body();
  EXPECT_EQ(text_at(from_api, "data.entity.guid"), by_api);
  EXPECT_EQ(text_at(from_sql, "data.entity.guid"), by_sql);
  EXPECT_EQ(shape(from_api), shape(from_sql));
  EXPECT_EQ(at(from_api, "data.previous"), at(from_sql, "data.previous"));
  EXPECT_EQ(at(from_sql, "data.previous"), (json::object{{"notes", nullptr}}));
  EXPECT_EQ(text_at(from_sql, "data.entity.notes"), "ring twice");
}

TEST_F(Events, AnOrderInsertedByPsqlFiresOrderCreated) {
  tenant.webhook(url(), "order_created");
  const std::string order = tenant.insert_order({{"delivery_city", "'Porto'"}, {"total_value", "12.30"}});
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  const json::value body = received[0].json_body();
  EXPECT_EQ(text_at(body, "type"), "order_created");
  EXPECT_EQ(text_at(body, "data.entity.guid"), order);
  EXPECT_EQ(text_at(body, "data.entity.deliveryAddress.city"), "Porto");
  EXPECT_DOUBLE_EQ(at(body, "data.entity.totalValue").to_number<double>(), 12.3);
  EXPECT_EQ(at(body, "data.previous"), json::object{});
}

TEST_F(Events, ItemsWrittenBySqlInAnyFormArriveInOneForm) {
  tenant.webhook(url(), "order_created");
  const std::string order = tenant.insert_order({{"items", R"('[ {"sku": "a", "quantity": 1,
        "guid": "1", "sku": "b"} ]')"}});
  const auto body = wait_for(1).at(0).json_body();
  EXPECT_EQ(text_at(body, "data.entity.items.0.sku"), "b") << "the last of equal names, as in jsonb";
  EXPECT_EQ(tenant.sql.value("select items from orders where guid = $1", {order}),
            R"([{"sku": "b", "guid": "1", "price": null, "quantity": 1, "productId": null, )"
            R"("dimensions": null, "description": null}])");
  EXPECT_THROW(tenant.insert_order({{"items", R"('[{"sku": "\u0000"}]')"}}), std::exception);
  EXPECT_THROW(tenant.insert_order({{"items", "'{}'"}}), std::exception);
  tenant.sql.exec("update orders set items = items::jsonb || '[{\"sku\": \"c\"}]' where guid = '" + order +
                  "'");
  EXPECT_EQ(tenant.sql.value("select items->1->>'sku' from orders where guid = $1", {order}), "c");
}

TEST_F(Events, NumbersWrittenBySqlKeepAllTheirDigits) {
  const std::string id = "12345678901234567890123";
  const std::string share = "0.12345678901234567891";
  tenant.webhook(url(), "order_created");
  tenant.webhook(url("digest"), "order_created", {{"digest", {{"every", "PT1H"}, {"max", 1}}}});
  tenant.webhook(url("template"), "order_created",
                 {{"action",
                   {{"type", "webhook"},
                    {"recipient", url("template")},
                    {"template", R"({"id": {{metadata.id}}, "all": {{{metadata}}}})"}}}});
  const std::string order =
      tenant.insert_order({{"metadata", "'{\"id\": " + id + ", \"share\": " + share + "}'"},
                           {"items", "'[{\"sku\": \"a\", \"quantity\": 1, \"price\": " + share + "}]'"}});
  const std::string whole = "\"metadata\":{\"id\":" + id + ",\"share\":" + share + "}";
  for (const auto* const hook : {"hook", "digest"}) {
    const auto body = wait_for(1, hook).at(0).body;
    EXPECT_THAT(body, HasSubstr(whole)) << hook;
    EXPECT_THAT(body, HasSubstr("\"price\":" + share)) << hook;
  }
  EXPECT_EQ(wait_for(1, "template").at(0).body,
            "{\"id\": " + id + ", \"all\": {\"id\":" + id + ",\"share\":" + share + "}}");
  EXPECT_THAT(tenant.http.get("/api/v1/Orders/" + order).text, HasSubstr(whole)) << "as GET shows it";
  EXPECT_THAT(tenant.http.get("/api/events?after=").text, HasSubstr(whole));
  tenant.put_order(order, {{"metadata", {{"note", "x"}}}});
  EXPECT_EQ(tenant.sql.value("select metadata ->> 'id' from orders where guid = $1", {order}), id)
      << "a change of another key";
}

TEST_F(Events, AnEqualValueWrittenBySqlInAnotherFormFiresNothing) {
  tenant.webhook(url(), "product_updated", {{"entityType", "Product"}});
  tenant.sql.exec("insert into products (business_id, name, sku, weight, length, customs_value) values ('" +
                  tenant.id + "', 'Lamp', 'L-1', 1, 2.50, 3)");
  const auto update = [&](const std::string& columns) {
    tenant.sql.exec("update products set " + columns + " where business_id = '" + tenant.id + "'");
  };
  update("weight = 1.000, length = 2.5, customs_value = 3.00");
  update("tags = '[]', metadata = '{}'");
  update("tags = null, metadata = null");
  tenant.settle();
  update("weight = 1.001");
  EXPECT_EQ(to_json(at(wait_for(1).at(0).json_body(), "data.previous")), R"({"weight":1})");
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path()), 1U);
}

TEST_F(Events, EntityContainsItsRelatedRecords) {
  tenant.webhook(url(), "order_updated");
  const std::string order = tenant.create_order();
  tenant.sql.exec("insert into shipments (business_id, tracking_number, order_id) values ('" + tenant.id +
                  "', 'WB-" + order + "', '" + order + "')");
  tenant.put_order(order, {{"notes", "x"}});
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  const json::value body = received[0].json_body();
  EXPECT_EQ(text_at(body, "data.entity.customer.name"), "Ada Lovelace");
  EXPECT_EQ(text_at(body, "data.entity.customer.email"), "ada@example.com");
  EXPECT_EQ(text_at(body, "data.entity.items.0.description"), "Lamp");
  EXPECT_EQ(text_at(body, "data.entity.shipments.0.trackingNumber"), "WB-" + order);
  EXPECT_TRUE(at(body, "data.entity.shipments.0.labelStatus").is_null());
}

TEST_F(Events, ARolledBackTransactionFiresNothing) {
  const std::string created = tenant.webhook(url("created"), "order_created");
  tenant.webhook(url(), "order_updated");
  const std::string order = tenant.insert_order();
  wait_for(1, "created");
  tenant.sql.exec("begin");
  tenant.insert_order({{"notes", "'rolled back'"}});
  tenant.update_orders("notes = 'rolled back' where guid = '" + order + "'");
  tenant.sql.exec("rollback");
  tenant.sql.exec("begin");
  tenant.update_orders("notes = 'kept' where guid = '" + order + "'");
  tenant.sql.exec("savepoint here");
  tenant.update_orders("notes = 'taken back' where guid = '" + order + "'");
  tenant.sql.exec("rollback to here; commit");
  wait_for(1);
  tenant.settle();
  EXPECT_THAT(notes_received(), ElementsAre("kept"));
  EXPECT_EQ(receiver.count(tenant.path("created")), 1U);
  EXPECT_EQ(tenant.runs("workflowId=" + created).size(), 1U);
}

TEST_F(Events, TwoStatementsOfOneTransactionMakeTwoEvents) {
  tenant.webhook(url(), "order_updated");
  const std::string order = tenant.insert_order();
  tenant.sql.exec("begin");
  tenant.update_orders("notes = 'one' where guid = '" + order + "'");
  tenant.update_orders("notes = 'two' where guid = '" + order + "'");
  tenant.sql.exec("commit");
  const auto received = wait_for(2);
  tenant.settle();
  EXPECT_THAT(notes_received(), UnorderedElementsAre("one", "two"));
  EXPECT_NE(received.at(0).header("webhook-id"), received.at(1).header("webhook-id"));
  for (const Received& request : received) {
    const json::value body = request.json_body();
    EXPECT_EQ(text_at(body, "data.previous.notes"), text_at(body, "data.entity.notes") == "two" ? "one" : "");
  }
}

TEST_F(Events, AStatementOnManyRowsMakesAnEventForEachRow) {
  constexpr std::size_t many = 500;
  tenant.webhook(url("created"), "order_created");
  tenant.webhook(url(), "order_updated");
  tenant.sql.exec("insert into orders (business_id, order_number) select '" + tenant.id +
                  "', 'N' || n from generate_series(1, 500) n");
  tenant.update_orders("notes = order_number where true");
  const auto entities = [&](std::string_view hook) {
    std::set<std::string> guids;
    for (const Received& request : receiver.received(tenant.path(hook))) {
      guids.insert(text_at(request.json_body(), "data.entity.guid"));
    }
    return guids.size();
  };
  wait_for(many, "created");
  wait_for(many);
  EXPECT_EQ(entities("created"), many);
  EXPECT_EQ(entities("hook"), many);
  EXPECT_EQ(receiver.count(tenant.path()), many);
}

TEST_F(Events, ConcurrentChangesOfOneRecordFormAChainWithoutGaps) {
  tenant.webhook(url(), "order_updated");
  increment_concurrently();
  const auto received = wait_for(all_changes);
  std::map<int, int> previous;
  for (const Received& request : received) {
    const json::value body = request.json_body();
    previous[std::stoi(text_at(body, "data.entity.notes"))] = std::stoi(text_at(body, "data.previous.notes"));
  }
  ASSERT_EQ(previous.size(), all_changes);
  for (const auto& [notes, before] : previous) EXPECT_EQ(before, notes - 1);
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path()), all_changes);
}

TEST_F(Events, AnOrderedWorkflowDeliversTheEventsOfARecordInCommitOrder) {
  tenant.webhook(url(), "order_updated", {{"ordered", true}});
  increment_concurrently();
  wait_for(all_changes);
  const std::vector<std::string> notes = notes_received();
  ASSERT_EQ(notes.size(), all_changes);
  for (std::size_t i = 0; i < notes.size(); ++i) EXPECT_EQ(notes[i], std::to_string(i + 1));
}

TEST_F(Events, EventsOfOneRecordStayInOrderBesideASlowWorkflow) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next(tenant.path("slow"), Reply::after(gate));
  tenant.webhook(url("slow"), "order_updated");
  tenant.webhook(url(), "order_updated", {{"ordered", true}});
  const std::string order = tenant.insert_order();
  tenant.update_orders("notes = 'first' where guid = '" + order + "'");
  receiver.wait_for(tenant.path("slow"), 1);
  tenant.update_orders("notes = 'second' where guid = '" + order + "'");
  wait_for(2);
  EXPECT_THAT(notes_received(), ElementsAre("first", "second"));
  gate->open();
}

TEST_F(Events, EventsOfAnotherBusinessFireNothing) {
  Tenant other(world.waybill, "other than " + tenant.name);
  tenant.webhook(url(), "order_created");
  other.insert_order();
  other.settle();
  const std::string own_order = tenant.insert_order();
  const auto received = wait_for(1);
  tenant.settle();
  ASSERT_EQ(receiver.count(tenant.path()), 1U);
  EXPECT_EQ(text_at(received[0].json_body(), "data.entity.guid"), own_order);
}

TEST_F(Events, OlderThanAWorkflowAreNotMatched) {
  const std::string order = tenant.insert_order();
  tenant.settle();
  tenant.webhook(url(), "order_created");
  tenant.update_orders("notes = 'later' where guid = '" + order + "'");
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
}

TEST_F(Events, TheEventOfADeletedRecordContainsItsLastState) {
  tenant.webhook(url(), "order_deleted");
  const std::string hard = tenant.insert_order({{"notes", "'hard'"}});
  const std::string by_api = tenant.create_order({{"notes", "by the API"}});
  tenant.sql.exec("delete from orders where guid = '" + hard + "'");
  wait_for(1);
  ASSERT_EQ(tenant.http.post("/api/v1/Orders/delete", json::array{{{"guid", by_api}}}).status, 200);
  const auto received = wait_for(2);
  ASSERT_EQ(received.size(), 2U);
  EXPECT_THAT(notes_received(), ElementsAre("hard", "by the API"));
  EXPECT_EQ(at(received[0].json_body(), "data.previous"), json::object{});
}

TEST_F(Events, TruncationOfARecordTableIsRefused) {
  EXPECT_THROW(tenant.sql.exec("truncate orders"), std::runtime_error);
}

}  // namespace
}  // namespace waybill::tests
