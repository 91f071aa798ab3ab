#include <string>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

/// A database that refuses new rows of one table with the error of a full disk.
class FullDisk : public testing::Test {
 protected:
  void fill(const std::string& table) {
    world.database.exec(
        "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'could not "
        "extend file: No space left on device' using errcode = '53100'; end $$;"
        "create trigger full_disk before insert on " +
        table + " for each row execute function refuse()");
  }
  void make_room(const std::string& table) { world.database.exec("drop trigger full_disk on " + table); }

  const json::object order{{"customer", {{"name", "Ada Lovelace"}}},
                           {"items", {{{"description", "Lamp"}, {"quantity", 2}, {"price", 19.99}}}},
                           {"deliveryAddress", {{"street", "Rua Augusta 1"}, {"city", "Lisbon"}}}};

  World world;
  Receiver receiver;
  Tenant tenant{world.waybill, "full"};
};

TEST_F(FullDisk, AChangeIsRefusedWith503WhileReadsWork) {
  fill("orders");
  const Response refused = tenant.http.post("/api/v1/Orders", order);
  EXPECT_EQ(refused.status, 503) << refused.text;
  EXPECT_EQ(refused.error_code(), "UNAVAILABLE");
  EXPECT_NE(refused.text.find("no room left to store anything"), std::string::npos) << refused.text;
  EXPECT_NE(refused.header("retry-after"), "");
  EXPECT_EQ(tenant.http.get("/api/v1/Orders").status, 200);
  make_room("orders");
  EXPECT_EQ(tenant.http.post("/api/v1/Orders", order).status, 201);
}

TEST_F(FullDisk, TheServiceIsNotReadyAfterARefusedWriteUntilThereIsRoom) {
  Http http = world.waybill.http();
  const auto becomes = [&](int status) {
    return eventually([&] { return http.get("/readyz").status == status; });
  };
  // Replaces the function that the check of readiness uses to make PostgreSQL write a temporary file.
  world.database.exec(
      "create function generate_series(integer, integer) returns setof integer language plpgsql as $$ begin "
      "raise exception 'could not write to file' using errcode = '53100'; end $$");
  world.database.exec("alter database " + world.database.name() + " set search_path = public, pg_catalog");
  world.database.terminate_connections();
  EXPECT_TRUE(becomes(200)) << "nothing is tried before a write was refused";
  fill("orders");
  EXPECT_TRUE(eventually([&] {
    return tenant.http.post("/api/v1/Orders", order).text.find("no room left") != std::string::npos;
  }));
  EXPECT_TRUE(becomes(503));
  EXPECT_NE(http.get("/readyz").text.find("its disk is full"), std::string::npos);
  EXPECT_EQ(http.get("/healthz").status, 200);
  EXPECT_EQ(tenant.http.get("/api/v1/Orders").status, 200);
  world.database.exec("drop function generate_series(integer, integer)");
  make_room("orders");
  EXPECT_TRUE(becomes(200));
  EXPECT_EQ(tenant.http.post("/api/v1/Orders", order).status, 201);
}

TEST_F(FullDisk, ARunThatCannotBeRecordedIsHeldAndSentOnce) {
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  fill("runs");
  tenant.insert_order();
  ASSERT_EQ(receiver.wait_for("/hook", 1).size(), 1U);
  ASSERT_TRUE(world.waybill.process().wait_for_line("worker.batch_record_failed"));
  EXPECT_EQ(world.database.number("select count(*) from runs"), 0);
  make_room("runs");
  EXPECT_EQ(tenant.run_with_status(workflow, "succeeded").at("attempts"), 1);
  tenant.settle();
  EXPECT_EQ(receiver.count("/hook"), 1U);
}

}  // namespace
}  // namespace waybill::tests
