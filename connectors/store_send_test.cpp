#include "connectors/store_send.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

TEST(WithoutSecrets, EveryOccurrenceOfACredentialIsRemoved) {
  const StoreCredentials credentials{.api_key = "ck_123", .api_secret = "cs_456", .store_url = "https://s"};
  EXPECT_EQ(without_secrets("ck_123 and ck_123:cs_456 are wrong", credentials), "… and …:… are wrong");
}

TEST(WithoutSecrets, OtherTextStays) {
  const StoreCredentials credentials{.api_key = "a", .api_secret = "", .store_url = "https://s"};
  EXPECT_EQ(without_secrets("a bad answer", credentials), "a bad answer");
}

}  // namespace
}  // namespace waybill::connectors
