#include "net/http/transfer_pool.hpp"

namespace waybill::net {

CurlTransfer& TransferPool::take() {
  if (idle_.empty()) return *transfers_.emplace_back(std::make_unique<CurlTransfer>(shared_));
  CurlTransfer& transfer = *idle_.back();
  idle_.pop_back();
  return transfer;
}

void TransferPool::give_back(CurlTransfer& transfer) {
  if (idle_.size() < max_idle) {
    idle_.push_back(&transfer);
  } else {
    std::erase_if(transfers_, [&](const auto& owned) { return owned.get() == &transfer; });
  }
}

}  // namespace waybill::net
