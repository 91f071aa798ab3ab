#include "net/http/transfer_pool.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "net/http/curl_global.hpp"

namespace waybill::net {
namespace {

class NoSockets final : public CurlTransfer::SocketObserver {
 public:
  void socket_opened(curl_socket_t /*socket*/) override {}
  void socket_closed(curl_socket_t /*socket*/) override {}
};

class TransferPoolTest : public ::testing::Test {
 protected:
  TransferPoolTest() { initialise_curl(); }

  const TrustStore trust_{""};
  NoSockets sockets_;
  TransferPool pool_{{.user_agent = "test", .allow_private = false, .trust = trust_, .sockets = sockets_}};
};

TEST_F(TransferPoolTest, AnIdleTransferIsUsedAgain) {
  CurlTransfer& first = pool_.take();
  CurlTransfer& second = pool_.take();
  EXPECT_NE(&first, &second);
  pool_.give_back(first);
  EXPECT_EQ(&pool_.take(), &first);
  EXPECT_EQ(pool_.all().size(), 2U);
}

TEST_F(TransferPoolTest, TransfersBeyondTheLimitOfIdleOnesAreDestroyed) {
  std::vector<CurlTransfer*> taken(TransferPool::max_idle + 1);
  std::ranges::generate(taken, [this] { return &pool_.take(); });
  EXPECT_EQ(pool_.all().size(), TransferPool::max_idle + 1);
  for (CurlTransfer* const transfer : taken) pool_.give_back(*transfer);
  EXPECT_EQ(pool_.all().size(), TransferPool::max_idle);
}

}  // namespace
}  // namespace waybill::net
