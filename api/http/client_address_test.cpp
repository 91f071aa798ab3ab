#include "api/http/client_address.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

std::string_view address(std::string_view peer, std::string_view forwarded_for) {
  static const std::vector<AddressBlock> proxies{
      AddressBlock::parse("10.0.0.1").value(), AddressBlock::parse("10.0.0.2").value(),
      AddressBlock::parse("172.16.0.0/12").value(), AddressBlock::parse("::1").value()};
  return client_address(peer, forwarded_for, proxies);
}

TEST(ClientAddress, IsThePeerUnlessThatIsATrustedProxy) {
  EXPECT_EQ(address("192.0.2.1", ""), "192.0.2.1");
  EXPECT_EQ(address("192.0.2.1", "198.51.100.7"), "192.0.2.1") << "anybody can claim that";
  EXPECT_EQ(address("10.0.0.1", "198.51.100.7"), "198.51.100.7");
  EXPECT_EQ(address("::1", "2001:db8::1"), "2001:db8::1");
}

TEST(ClientAddress, IsTheLastOneBeforeTheTrustedProxies) {
  EXPECT_EQ(address("10.0.0.1", "203.0.113.9, 198.51.100.7"), "198.51.100.7");
  EXPECT_EQ(address("10.0.0.1", "203.0.113.9,198.51.100.7 , 10.0.0.2"), "198.51.100.7");
  EXPECT_EQ(address("10.0.0.1", "10.0.0.2"), "10.0.0.2");
}

TEST(ClientAddress, AProxyMayBeAnyAddressOfABlock) {
  EXPECT_EQ(address("172.20.3.4", "198.51.100.7"), "198.51.100.7");
  EXPECT_EQ(address("172.20.3.4", "198.51.100.7, 172.31.0.9"), "198.51.100.7");
  EXPECT_EQ(address("::ffff:172.20.3.4", "198.51.100.7"), "198.51.100.7");
  EXPECT_EQ(address("172.32.3.4", "198.51.100.7"), "172.32.3.4");
}

TEST(ClientAddress, IgnoresTextThatIsNoAddress) {
  for (const auto* const text : {"", " ", "unknown", "_hidden", "198.51.100.7, ", "\"[::1]:80\""}) {
    EXPECT_EQ(address("10.0.0.1", text), "10.0.0.1") << text;
  }
  EXPECT_EQ(address("10.0.0.1", std::string(46, '1')), "10.0.0.1");
}

}  // namespace
}  // namespace waybill::api
