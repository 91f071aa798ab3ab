#include "net/destination/address_check.hpp"

#include <arpa/inet.h>
#include <cstdint>

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

bool allows(AddressCheck& check, const char* address, std::uint16_t port = 443) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_port = htons(port);
  EXPECT_EQ(inet_pton(AF_INET, address, &in.sin_addr), 1);
  return check.allows(reinterpret_cast<const sockaddr&>(in));
}

TEST(AddressCheck, AGuardedRequestReachesOnlyPublicAddressesAndPorts) {
  AddressCheck check(true);
  EXPECT_TRUE(allows(check, "93.184.216.34"));
  EXPECT_FALSE(check.has_refused());
  EXPECT_FALSE(allows(check, "127.0.0.1"));
  EXPECT_FALSE(allows(check, "93.184.216.34", 25));
  EXPECT_TRUE(check.has_refused());
}

TEST(AddressCheck, AnUnguardedRequestReachesEveryAddress) {
  AddressCheck check(false);
  EXPECT_TRUE(allows(check, "127.0.0.1", 25));
  EXPECT_FALSE(check.has_refused());
  EXPECT_FALSE(check.has_refused_all());
}

TEST(AddressCheck, AllAddressesAreRefusedUntilOneIsAllowed) {
  AddressCheck check(true);
  EXPECT_FALSE(check.has_refused_all()) << "none was checked";
  EXPECT_FALSE(allows(check, "10.0.0.1"));
  EXPECT_TRUE(check.has_refused_all());
  EXPECT_TRUE(allows(check, "93.184.216.34"));
  EXPECT_TRUE(check.has_refused());
  EXPECT_FALSE(check.has_refused_all());
}

}  // namespace
}  // namespace waybill::net
