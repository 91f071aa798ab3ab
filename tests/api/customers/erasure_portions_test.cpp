// An erasure consists of short transactions, and can be repeated after an interruption.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/customers/erasure_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

class ErasurePortions : public ErasureTest {
 protected:
  /// Orders of a customer whose deliveries go to somebody else, with the person's address in their own data.
  void insert_orders_of(const std::string& customer, int count) {
    tenant.sql.rows(
        "insert into orders (business_id, order_number, customer_id, delivery_name, metadata)"
        " select $1::uuid, 'many-' || n, $2::uuid, 'Neighbour ' || n, jsonb_build_object('for', $3::text, "
        "'size', 4)"
        " from generate_series(1, $4::int) n",
        {tenant.id, customer, std::string(email), std::to_string(count)});
  }
  bool is_customer_erased(const std::string& customer) {
    return tenant.sql.value("select name from customers where guid = $1", {customer}) == "Erased";
  }
};

TEST_F(ErasurePortions, ManyRecordsAreErasedInSeveralPortions) {
  const auto customer = create_person();
  insert_orders_of(customer, 800);
  tenant.sql.rows("update orders set notes = $2 where customer_id = $1", {customer, std::string(name)});
  tenant.settle();
  const auto counts = erase(customer);
  EXPECT_EQ(at(counts, "orders"), 800);
  EXPECT_GE(at(counts, "events").as_int64(), 1'600);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_EQ(dump().find("neighbour"), std::string::npos);
}

/// The text of a row escapes some characters, and patterns have characters with a meaning.
TEST_F(ErasurePortions, WordsWithAnyCharactersAreFoundInOwnData) {
  for (const std::string_view word : {R"(Quux "the Q" Zenobia)", R"(Quux\Zenobia)", "Quux\tZenobia",
                                      "100% Quux_Z", "Quux, Zenobia (Z)", "QUÜX ÉA"}) {
    SCOPED_TRACE(word);
    const auto customer =
        tenant.sql.value("insert into customers (business_id, name) values ($1, $2) returning guid",
                         {tenant.id, std::string(word)});
    const auto order = tenant.sql.value(
        "insert into orders (business_id, order_number, customer_id, delivery_name, external_reference, "
        "tags, metadata, items, shipping_method) "
        "select $1, 'words', $2, 'Neighbour', 'for ' || w, jsonb_build_array(w, 'kept'), "
        "jsonb_build_object('for', upper(w) || '!', 'kept', 'kept'), "
        "json_build_array(json_build_object('sku', 'for ' || w)), 'to ' || upper(w) "
        "from (values ($3)) v (w) returning guid",
        {tenant.id, customer, std::string(word)});
    tenant.settle();
    erase(customer);
    const std::string left = tenant.sql.value(
        "select concat_ws(' ', external_reference, tags::text, metadata::text, "
        R"(regexp_replace(items::text, ', "guid": "[^"]*"', ''), shipping_method) )"
        "from orders where guid = $1",
        {order});
    EXPECT_EQ(left, R"(["kept"] {"kept": "kept"} [{"sku": "for Erased", "price": null, "quantity": null, )"
                    R"("productId": null, "dimensions": null, "description": null}] to Erased)");
    EXPECT_EQ(
        tenant.sql.number(
            "select count(*) from events where entity_id = $1 and order_after::text ~* 'qu[uü]x'", {order}),
        0);
    tenant.sql.rows("delete from orders where guid = $1", {order});
  }
}

TEST_F(ErasurePortions, ALockedOrderMakesNoWriterOfAnotherWait) {
  const auto customer = create_person();
  insert_orders_of(customer, 2);
  const auto orders =
      tenant.sql.column("select guid from orders where customer_id = $1 order by guid", {customer});
  auto holder = world.database.connect();
  holder.exec("begin; select from orders where guid = '" + orders.at(1) + "' for update");
  std::jthread eraser([client = world.waybill.http(http.token()), customer]() mutable {
    EXPECT_EQ(client.post("/api/v1/Customers/" + customer + "/erase").status, 200);
  });
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type "
               "= 'Lock' and application_name = 'waybill analysis'") == 1;
  }));
  auto writer = world.database.connect();
  writer.exec("set lock_timeout = '2s'; update orders set status = 'processing' where guid = '" +
              orders.at(0) + "'");
  holder.exec("rollback");
  eraser.join();
  EXPECT_EQ(traces(), std::vector<std::string>());
}

TEST_F(ErasurePortions, ARepeatedRequestErasesWhatAnInterruptedOneSearchedFor) {
  // The order is that of a deleted customer, which is found by an address that is erased first.
  const auto deleted = create_person();
  insert_orders_of(deleted, 1);
  ASSERT_EQ(http.del("/api/v1/Customers/" + deleted).status, 200);
  const auto customer =
      text_at(http.post("/api/v1/Customers", {{"name", name}, {"email", email}}).data(), "guid");
  auto holder = world.database.connect();
  holder.exec("begin; select from orders for update");
  std::jthread eraser([client = world.waybill.http(http.token()), customer]() mutable {
    EXPECT_EQ(client.post("/api/v1/Customers/" + customer + "/erase").status, 503);
  });
  ASSERT_TRUE(eventually([&] { return is_customer_erased(customer) && is_customer_erased(deleted); }));
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = "
               "current_database() and wait_event_type = 'Lock' and application_name = 'waybill analysis'") ==
           1;
  }));
  eraser.join();
  holder.exec("rollback");
  EXPECT_FALSE(traces().empty()) << "the order";
  erase(customer);
  EXPECT_EQ(traces(), std::vector<std::string>());
}

}  // namespace
}  // namespace waybill::tests
