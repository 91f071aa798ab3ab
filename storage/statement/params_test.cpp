#include "storage/statement/params.hpp"

#include <optional>
#include <stdexcept>

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

TEST(Params, AreTextInOrder) {
  const std::string text = "text";
  Params params;
  params.add("literal").add(text).add(std::string_view("view")).add("").add_null();
  params.add(true).add(false).add(-7).add(INT64_MAX).add(std::size_t{3});
  params.add(std::optional<std::string>())
      .add(std::optional<std::string>("there"))
      .add(std::optional<int>(5));
  const std::vector<const char*> expected{
      "literal", "text",  "view",  "", nullptr, "t", "f", "-7", "9223372036854775807",
      "3",       nullptr, "there", "5"};
  ASSERT_EQ(params.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_STREQ(params.value(i), expected[i]);
}

TEST(Params, HaveLengthsAndFormatsIfAnyIsBinary) {
  Params params;
  params.add("text").add_null();
  EXPECT_EQ(params.lengths(), nullptr);
  EXPECT_EQ(params.formats(), nullptr);
  params.add(BinaryValue{std::string("a\0b", 3)}).add(1).add_null();
  ASSERT_EQ(params.size(), 5U);
  EXPECT_EQ(std::vector(params.formats(), params.formats() + 5), (std::vector{0, 0, 1, 0, 0}));
  EXPECT_EQ(params.lengths()[2], 3);
  EXPECT_EQ(std::string_view(params.value(2), 3), std::string_view("a\0b", 3));
  EXPECT_STREQ(params.value(0), "text");
  EXPECT_STREQ(params.value(3), "1");
  EXPECT_EQ(params.value(4), nullptr);
}

TEST(Params, RefuseANulByte) {
  EXPECT_THROW(Params().add(std::string_view("a\0b", 3)), std::invalid_argument);
}

TEST(ArrayLiteral, QuotesEveryElement) {
  EXPECT_EQ(ArrayLiteral().take(), "{}");
  EXPECT_EQ(ArrayLiteral().add("a").add("").add_null().add("NULL").add(R"(q"b\s,{})").take(),
            R"({"a","",NULL,"NULL","q\"b\\s,{}"})");
  ArrayLiteral literal;
  literal.add("first").take();
  EXPECT_EQ(literal.add("second").take(), R"({"second"})");
}

}  // namespace
}  // namespace waybill::storage
