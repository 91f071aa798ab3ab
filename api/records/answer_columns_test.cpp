#include "api/records/answer_columns.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

constexpr std::string_view statement =
    "select w.position, /*fields*/\n"
    "r.guid, r.order_number as \"orderNumber\",\n"
    "r.customer_id as \"customer.guid\",\n"
    "(select c.name, 'a, b)' from c) as \"customer.name\",\n"
    "coalesce(r.tags, '[]') as tags, r.items as \"items{description,price}\",\n"
    "case when r.fits then r.metadata end\n    as metadata, r.street as \"sender!.street\"\n"
    "/*end*/ from orders r where /*where*/true/*end*/";

std::string only(std::initializer_list<std::string_view> fields) {
  const auto text = AnswerColumns(statement).only(std::vector(fields));
  constexpr std::string_view begin = "select w.position, /*fields*/",
                             end = "/*end*/ from orders r where /*where*/true/*end*/";
  EXPECT_TRUE(text.starts_with(begin) && text.ends_with(end)) << text;
  return text.substr(begin.size(), text.size() - begin.size() - end.size());
}

TEST(AnswerColumns, AStatementHasTheColumnsOfTheNamedFieldsInItsOwnOrder) {
  EXPECT_EQ(only({"guid"}), "r.guid");
  EXPECT_EQ(only({"tags", "orderNumber"}),
            "r.order_number as \"orderNumber\",coalesce(r.tags, '[]') as tags");
  EXPECT_EQ(only({"customer"}),
            "r.customer_id as \"customer.guid\",(select c.name, 'a, b)' from c) as \"customer.name\"");
  EXPECT_EQ(only({"items"}), "r.items as \"items{description,price}\"");
  EXPECT_EQ(only({"sender", "metadata"}),
            "case when r.fits then r.metadata end\n    as metadata,r.street as \"sender!.street\"");
}

TEST(AnswerColumns, AStatementKeepsOneColumnIfNoneIsNamed) {
  EXPECT_EQ(only({"purchase"}), "r.guid");
  EXPECT_EQ(only({"name", "customer.name", "r.guid"}), "r.guid");
}

}  // namespace
}  // namespace waybill::api
