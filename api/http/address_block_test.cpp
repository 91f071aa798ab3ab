#include "api/http/address_block.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

bool has(std::string_view block, std::string_view address) {
  const std::vector<AddressBlock> blocks{AddressBlock::parse(block).value()};
  return AddressBlock::any_has(blocks, address);
}

TEST(AddressBlock, AnAddressIsABlockOfItself) {
  EXPECT_TRUE(has("10.0.0.1", "10.0.0.1"));
  EXPECT_FALSE(has("10.0.0.1", "10.0.0.2"));
  EXPECT_TRUE(has("fd00::1", "fd00:0:0::0001"));
  EXPECT_FALSE(has("fd00::1", "fd00::2"));
}

TEST(AddressBlock, HasTheAddressesOfItsPrefixAndNoOther) {
  EXPECT_TRUE(has("10.1.0.0/16", "10.1.0.0"));
  EXPECT_TRUE(has("10.1.0.0/16", "10.1.255.255"));
  EXPECT_FALSE(has("10.1.0.0/16", "10.0.255.255"));
  EXPECT_FALSE(has("10.1.0.0/16", "10.2.0.0"));
  EXPECT_TRUE(has("172.16.0.0/12", "172.31.255.255"));
  EXPECT_FALSE(has("172.16.0.0/12", "172.32.0.0"));
  EXPECT_TRUE(has("fd00::/8", "fdff::1"));
  EXPECT_FALSE(has("fd00::/8", "fe00::1"));
  EXPECT_TRUE(has("2001:db8:8000::/33", "2001:db8:ffff::1"));
  EXPECT_FALSE(has("2001:db8:8000::/33", "2001:db8:7fff::1"));
  EXPECT_TRUE(has("10.1.2.3/16", "10.1.9.9")) << "bits after the prefix are ignored";
}

TEST(AddressBlock, MayHaveAllAddressesOfAFamilyOrOne) {
  EXPECT_TRUE(has("0.0.0.0/0", "203.0.113.9"));
  EXPECT_FALSE(has("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(has("::/0", "2001:db8::1"));
  EXPECT_FALSE(has("::/0", "203.0.113.9"));
  EXPECT_TRUE(has("10.0.0.1/32", "10.0.0.1"));
  EXPECT_FALSE(has("10.0.0.1/32", "10.0.0.0"));
  EXPECT_FALSE(has("::1/128", "::"));
}

TEST(AddressBlock, AMappedAddressIsItsIpv4Address) {
  EXPECT_TRUE(has("10.0.0.0/8", "::ffff:10.9.8.7"));
  EXPECT_FALSE(has("10.0.0.0/8", "::ffff:11.9.8.7"));
  EXPECT_TRUE(has("::ffff:10.0.0.1", "10.0.0.1"));
  EXPECT_TRUE(has("::ffff:10.0.0.0/104", "10.9.8.7"));
  EXPECT_FALSE(has("::ffff:10.0.0.0/104", "11.9.8.7"));
}

TEST(AddressBlock, OtherTextIsNoBlock) {
  for (const auto* const text : {"",
                                 " ",
                                 "nonsense",
                                 "proxy.example.com",
                                 "10.0.0",
                                 "10.0.0.256",
                                 "10.0.0.0/",
                                 "10.0.0.0/33",
                                 "10.0.0.0/-1",
                                 "10.0.0.0/8/8",
                                 "10.0.0.0/a",
                                 "10.0.0.0/ 8",
                                 " 10.0.0.0/8",
                                 "/8",
                                 "fd00::/129",
                                 "::ffff:10.0.0.0/129",
                                 "[::1]",
                                 "10.0.0.1:80",
                                 "10.0.0.0-10.0.0.9",
                                 "10.0.0.0/255.0.0.0"}) {
    EXPECT_FALSE(AddressBlock::parse(text)) << text;
  }
}

TEST(AddressBlock, TextThatIsNoAddressIsInNone) {
  for (const auto* const text : {"", "unknown", "10.0.0.0/8", "10.0.0"}) {
    EXPECT_FALSE(has("0.0.0.0/0", text)) << text;
    EXPECT_FALSE(has("::/0", text)) << text;
  }
  EXPECT_FALSE(AddressBlock::any_has({}, "10.0.0.1"));
}

}  // namespace
}  // namespace waybill::api
