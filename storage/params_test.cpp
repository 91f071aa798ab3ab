#include "storage/params.hpp"

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
