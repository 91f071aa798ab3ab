#include <gtest/gtest.h>

#include "domain/filter/filter.hpp"

namespace waybill::domain {
namespace {

// The SQL, or the message.
std::string compiled(std::string_view text, EntityType type = EntityType::order) {
  const auto result = compile_orderby(text, record_type(type));
  if (const auto* error = std::get_if<FilterError>(&result)) return error->message;
  EXPECT_TRUE(std::get<SqlFragment>(result).params.empty());
  return std::get<SqlFragment>(result).text;
}

TEST(OrderBy, GuidBreaksTiesInTheDirectionOfTheLastKey) {
  EXPECT_EQ(compiled("createdAt desc"), "r.created_at desc, r.guid desc");
  EXPECT_EQ(compiled("createdAt"), "r.created_at, r.guid");
  EXPECT_EQ(compiled("createdAt ASC"), "r.created_at, r.guid");
  EXPECT_EQ(compiled("status desc , orderNumber asc"), "r.status desc, r.order_number, r.guid");
}

TEST(OrderBy, NullSortsBelowEveryValue) {
  EXPECT_EQ(compiled("notes"), "r.notes nulls first, r.guid");
  EXPECT_EQ(compiled("collectionDate Desc"), "r.collection_date desc nulls last, r.guid desc");
}

TEST(OrderBy, RelativesSortByTheirValue) {
  EXPECT_EQ(
      compiled("customer/name desc"),
      "(select x.name from customers x where x.business_id = r.business_id and x.guid = r.customer_id) desc "
      "nulls last, r.guid desc");
}

TEST(OrderBy, FieldsOfTheCustomerAlsoSortByAJoin) {
  const auto order = std::get<SqlFragment>(compile_orderby(
      "status desc, customer/name desc, customer/email, totalValue", record_type(EntityType::order)));
  EXPECT_EQ(
      order.join,
      " left join customers sorted on sorted.business_id = r.business_id and sorted.guid = r.customer_id");
  EXPECT_EQ(order.joined_text,
            "r.status desc, sorted.name desc nulls last, sorted.email nulls first, r.total_value, r.guid");
  EXPECT_EQ(std::get<SqlFragment>(compile_orderby("status", record_type(EntityType::order))).join, "");
}

TEST(OrderBy, AKeyThatIsNoColumnIsComputed) {
  const auto is_computed = [](std::string_view text, EntityType type = EntityType::order) {
    return std::get<SqlFragment>(compile_orderby(text, record_type(type))).has_computed_key;
  };
  EXPECT_FALSE(is_computed("status, notes desc"));
  EXPECT_TRUE(is_computed("status, source/type"));
  EXPECT_TRUE(is_computed("carrier/name"));
  EXPECT_TRUE(is_computed("variantCount", EntityType::product));
}

TEST(OrderBy, DerivedFieldsSortByTheirFunction) {
  EXPECT_EQ(compiled("source/type"), "r.source_kind nulls first, r.guid");
}

TEST(OrderBy, TheKeysAreThoseOfTheText) {
  const auto order = std::get<SqlFragment>(
      compile_orderby("customer/name desc, notes, status", record_type(EntityType::order)));
  ASSERT_EQ(order.keys.size(), 4U);
  EXPECT_EQ(order.keys[0].joined_value, "sorted.name");
  EXPECT_TRUE(order.keys[0].is_descending && order.keys[0].may_be_null);
  EXPECT_EQ(order.keys[1].value, "left(r.notes, 200)") << "a text without the limit of a line";
  EXPECT_TRUE(order.keys[1].is_cut);
  EXPECT_EQ(order.keys[2].value, "r.status");
  EXPECT_FALSE(order.keys[2].is_descending || order.keys[2].may_be_null || order.keys[2].is_cut);
  EXPECT_EQ(order.keys[3].joined_value, "r.guid");
  const auto newest = std::get<SqlFragment>(compile_orderby("", record_type(EntityType::order)));
  ASSERT_EQ(newest.keys.size(), 2U);
  EXPECT_EQ(newest.keys[1].value, "r.guid");
  EXPECT_TRUE(newest.keys[1].is_descending);
}

TEST(OrderBy, NoKeyFollowsTheGuid) {
  EXPECT_EQ(compiled("guid"), "r.guid");
  EXPECT_EQ(compiled("status, guid desc, notes"), "r.status, r.guid desc");
}

TEST(OrderBy, EmptyTextIsTheNewestFirst) { EXPECT_EQ(compiled(" "), "r.created_at desc, r.guid desc"); }

TEST(OrderBy, ErrorsNameTheCharacter) {
  EXPECT_EQ(compiled("nmae"), "unknown field nmae at character 1");
  EXPECT_EQ(compiled("status, CreatedAt"), "unknown field CreatedAt at character 9");
  EXPECT_EQ(compiled("items"), "unknown field items at character 1");
  EXPECT_EQ(compiled("status, tags"), "tags cannot be sorted by at character 9");
  EXPECT_EQ(compiled("metadata/a-b"), "metadata.a-b cannot be sorted by at character 1");
  EXPECT_EQ(compiled("status down"), "a comma or the end is expected, not down at character 8");
  EXPECT_EQ(compiled("status desc desc"), "a comma or the end is expected, not desc at character 13");
  EXPECT_EQ(compiled("status,"), "a field is expected at character 8");
  EXPECT_EQ(compiled(",status"), "a field is expected at character 1");
  EXPECT_EQ(compiled("status; drop"), "unexpected ; at character 7");
  EXPECT_EQ(compiled("status, notes, status desc"), "status is given twice at character 16");
  EXPECT_EQ(compiled("customer.name, customer/name"), "customer.name is given twice at character 16");
}

TEST(OrderBy, TakesAtMost8Fields) {
  const std::string eight =
      "name,email,phone,company,address.city,address.street,address.state,address.country";
  EXPECT_TRUE(compiled(eight, EntityType::customer).ends_with(", r.guid"));
  EXPECT_EQ(compiled(eight + ",createdAt", EntityType::customer), "more than 8 fields at character 84");
}

TEST(OrderBy, IsAtMost4KiBLong) {
  EXPECT_EQ(compiled("status" + std::string(4090, ' ')), "r.status, r.guid");
  EXPECT_EQ(compiled("status" + std::string(4091, ' ')), "longer than 4096 bytes at character 4097");
}

}  // namespace
}  // namespace waybill::domain
