#include "base/percent_encoding.hpp"

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(PercentEncoding, OnlyUnreservedCharactersStay) {
  EXPECT_EQ(percent_encode("AZaz09-._~"), "AZaz09-._~");
  EXPECT_EQ(percent_encode("a b/c+&=%\xff"), "a%20b%2Fc%2B%26%3D%25%FF");
  EXPECT_EQ(percent_encode("Ä"), "%C3%84");
  EXPECT_EQ(percent_encode(""), "");
}

TEST(PercentEncoding, GivenCharactersStay) {
  std::string out = "?";
  append_percent_encoded(out, "a*b~/c", "*/");
  EXPECT_EQ(out, "?a*b%7E/c");
}

}  // namespace
}  // namespace waybill
