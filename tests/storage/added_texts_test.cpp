// A text that a later migration adds to a record by `add_text` has all that the texts of the table have.
#include <optional>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/records/record_type.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/sql_errors.hpp"

namespace waybill::tests {
namespace {

using domain::EntityType;
using domain::RecordType;
using testing::HasSubstr;

class AddedTexts : public testing::Test {
 protected:
  void add(std::string_view table, const std::string& personal, std::string_view column = "gift_message") {
    const std::string name(column), place(table);
    database.exec("alter table " + place + " add column if not exists " + name + " text; call add_text('" +
                  place + "', '" + name + "', 200, '" + personal + "')");
  }

  /// The text after an erasure of a person with the word `ann`; null if it is cleared.
  std::optional<std::string> erased(std::string_view table, const std::string& message) {
    const std::string name(table);
    return database
        .rows("select (erased(r" + std::string(table == "customers" ? "" : ", array['ann']") +
                  ")).gift_message from jsonb_populate_record(null::" + name +
                  ", jsonb_build_object('guid', gen_random_uuid(), 'gift_message', $1::text)) r",
              {message})
        .at(0)
        .at(0);
  }

  TestDatabase database;
};

TEST_F(AddedTexts, AreLimitedForSqlWritersOfEachRecord) {
  database.exec("insert into businesses (name) values ('one')");
  for (const RecordType& type : domain::record_types()) {
    add(type.table, "no");
    const std::string table(type.table);
    const std::string required = type.type == EntityType::order      ? "order_number"
                                 : type.type == EntityType::shipment ? "tracking_number"
                                                                     : "name";
    const auto insert = [&](int characters) {
      return "insert into " + table + " (business_id, " + required +
             ", gift_message) select guid, '1', repeat('ü', " + std::to_string(characters) +
             ") from businesses";
    };
    Session writer(database.url());
    EXPECT_THAT(error_of(writer, insert(201)), HasSubstr("gift_message must have at most 200 characters"));
    EXPECT_EQ(error_of(writer, insert(200)), "");
    EXPECT_THAT(error_of(writer, "update " + table + " set gift_message = gift_message || 'x'"),
                HasSubstr("gift_message must have at most 200 characters"));
  }
}

TEST_F(AddedTexts, ThatAreTooLongStayInRowsThatWaybillItselfWrote) {
  add("customers", "yes");
  Session waybill(database.url());
  waybill.exec(R"(set waybill.cause = '{"by": {"type": "api"}}')");
  waybill.exec("insert into businesses (name) values ('one')");
  waybill.exec(
      "insert into customers (business_id, name, gift_message) "
      "select guid, 'Ann', repeat('x', 201) from businesses");
  Session writer(database.url());
  EXPECT_EQ(error_of(writer, "update customers set name = 'Bob', gift_message = gift_message"), "");
}

TEST_F(AddedTexts, AreMeasuredWithTheirRecord) {
  for (const RecordType& type : domain::record_types()) {
    add(type.table, "no");
    EXPECT_THAT(database.value("select prosrc from pg_proc where oid = ('bounded_record(' || $1 || "
                               "')')::regprocedure",
                               {std::string(type.table)}),
                HasSubstr("octet_length(r.gift_message)"));
  }
}

TEST_F(AddedTexts, AreErasedAsTheirRowSays) {
  add("orders", "yes");
  add("shipments", "if_named");
  add("customers", "if_named");
  EXPECT_EQ(erased("orders", "for Bob"), std::nullopt);
  EXPECT_EQ(erased("shipments", "for Bob"), "for Bob");
  EXPECT_EQ(erased("shipments", "for Ann"), std::nullopt);
  EXPECT_EQ(erased("customers", "for Bob"), std::nullopt);
}

TEST_F(AddedTexts, KeepTheErasureOfTheOtherColumns) {
  const std::string source = "select prosrc from pg_proc where oid = 'erased(orders, text[])'::regprocedure";
  const std::string before = database.value(source);
  add("orders", "yes");
  EXPECT_THAT(database.value(source), HasSubstr(before.substr(0, before.find("  return o;"))));
}

TEST_F(AddedTexts, CanBeAddedAgainByAStepThatIsRepeated) {
  add("orders", "yes");
  const std::string all =
      "select string_agg(pg_get_functiondef(p.oid), '') from pg_proc p where proname = 'erased'";
  const std::string once = database.value(all);
  add("orders", "yes");
  EXPECT_EQ(database.value(all), once);
}

TEST_F(AddedTexts, AreRefusedWhereNoErasureCanClearThem) {
  Session owner(database.url());
  owner.exec("alter table products add column gift_message text");
  EXPECT_THAT(error_of(owner, "call add_text('products', 'gift_message', 200, 'yes')"),
              HasSubstr("no function erases gift_message of products"));
  EXPECT_THAT(error_of(owner, "call add_text('orders', 'notes', 200, 'perhaps')"),
              HasSubstr("no function erases notes of orders"));
}

}  // namespace
}  // namespace waybill::tests
