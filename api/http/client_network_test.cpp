#include "api/http/client_network.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

TEST(NetworkOf, IsTheAddressOfIpv4AndTheUpperHalfOfIpv6) {
  EXPECT_EQ(network_of("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(network_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  EXPECT_EQ(network_of("2001:db8:1:2::9"), "2001:db8:1:2::");
  EXPECT_EQ(network_of("::ffff:192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(network_of("no address"), "no address");
}

}  // namespace
}  // namespace waybill::api
