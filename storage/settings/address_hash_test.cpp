#include "storage/settings/address_hash.hpp"

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

const Guid business = Guid::parse("11111111-1111-1111-1111-111111111111").value();
const Guid other = Guid::parse("22222222-2222-2222-2222-222222222222").value();

TEST(AddressHash, IsTheSameForEverySpellingOfAnAddress) {
  const AddressHash hash("key");
  EXPECT_EQ(hash.of(business, "Ada@Example.com"), hash.of(business, "ada@example.com"));
  EXPECT_NE(hash.of(business, "ada@example.com"), hash.of(business, "ida@example.com"));
}

TEST(AddressHash, DependsOnTheKeyAndTheBusiness) {
  EXPECT_NE(AddressHash("key").of(business, "a@b.c"), AddressHash("other").of(business, "a@b.c"));
  EXPECT_NE(AddressHash("key").of(business, "a@b.c"), AddressHash("key").of(other, "a@b.c"));
}

}  // namespace
}  // namespace waybill::storage
