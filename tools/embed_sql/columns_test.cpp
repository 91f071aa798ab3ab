#include "tools/embed_sql/columns.hpp"

#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::embed_sql {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Columns, OtherLinesStayAsTheyAre) {
  EXPECT_EQ(with_columns("select 1\n  -- \\columns\nfrom a\n"), "select 1\n  -- \\columns\nfrom a\n");
}

TEST(Columns, AListHasTheColumnsOfASetInTheOrderOfTheTable) {
  const std::string names = with_columns("\\columns names customers.merged\n");
  EXPECT_EQ(
      names,
      "name, email, phone, company, street, city, state, postal_code, country, external_reference, tags, "
      "metadata\n");
  EXPECT_EQ(with_columns("\\columns names customers.imported\n"), "name, email, phone, company\n");
}

TEST(Columns, EachFormNamesTheColumn) {
  EXPECT_EQ(with_columns("\\columns values customers.imported n\n"), "n.name, n.email, n.phone, n.company\n");
  EXPECT_EQ(with_columns("\\columns values customers.imported (v.new)\n"),
            "(v.new).name, (v.new).email, (v.new).phone, (v.new).company\n");
  EXPECT_THAT(with_columns("\\columns assign customers.imported n\n"), StartsWith("name = n.name, email"));
  EXPECT_THAT(with_columns("\\columns typed products.merged\n"), HasSubstr("price numeric"));
}

TEST(Columns, ExceptLeavesColumnsOut) {
  EXPECT_EQ(with_columns("\\columns names customers.imported except email phone\n"), "name, company\n");
}

TEST(Columns, ALongListHasSeveralLines) {
  const std::string list = with_columns("\\columns values shipments.merged r\n");
  for (std::size_t begin = 0; begin < list.size(); begin = list.find('\n', begin) + 1)
    EXPECT_LE(list.find('\n', begin) - begin, 120U);
}

TEST(Columns, AnAnswerIsLabelledWithThePathsOfTheApi) {
  const std::string answer = with_columns("\\columns answer shipments.answered r\n");
  EXPECT_THAT(answer, StartsWith("r.guid,\nr.tracking_number as \"trackingNumber\",\nr.status,\n"));
  EXPECT_THAT(answer, HasSubstr("r.sender_city as \"sender!.address.city\""));
  EXPECT_THAT(answer, HasSubstr("coalesce(r.tags, '[]') as tags,\nr.metadata,\n"));
  EXPECT_THAT(answer, Not(HasSubstr("dispatch")));
  EXPECT_THAT(with_columns("\\columns answer orders.answered r\n"),
              HasSubstr("r.source_kind as \"source.type\""));
}

TEST(Columns, ABlockAddsReplacesAndMovesColumns) {
  const std::string answer = with_columns(
      "\\columns answer customers.listed r\n\\after guid moves company phone\n1 as one,\n2 as two\n"
      "\\instead metadata\nnull as metadata\n\\end\nfrom customers r\n");
  EXPECT_THAT(answer,
              StartsWith("r.guid,\nr.company,\nr.phone,\n1 as one,\n2 as two,\nr.name,\nr.email,\nr.street"));
  EXPECT_THAT(answer, testing::EndsWith("as tags,\nnull as metadata\nfrom customers r\n"));
}

TEST(Columns, ALineThatNamesNothingIsAnError) {
  for (const std::string line : {"\\columns names", "\\columns names customers",
                                 "\\columns names drivers.merged", "\\columns names customers.wanted",
                                 "\\columns list customers.merged", "\\columns names orders.merged except id",
                                 "\\columns names customers.imported except name email phone company",
                                 "\\columns answer customers.listed r\n\\after notes\n1\n\\end",
                                 "\\columns answer customers.listed r\n\\after guid\n1\n",
                                 "\\columns answer customers.listed r\n\\between guid\n\\end"}) {
    EXPECT_THROW(with_columns(line + '\n'), std::runtime_error) << line;
  }
}

}  // namespace
}  // namespace waybill::embed_sql
