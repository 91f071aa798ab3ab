#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "net/http/curl_transfer.hpp"

namespace waybill::net {

/// Owns the transfers of a client, and keeps idle ones for the next requests. One thread.
class TransferPool {
 public:
  static constexpr std::size_t max_idle = 1024;

  explicit TransferPool(CurlTransfer::Shared shared) : shared_(std::move(shared)) {}
  TransferPool(const TransferPool&) = delete;
  TransferPool& operator=(const TransferPool&) = delete;

  /// An idle transfer, or a new one. It belongs to the caller until `give_back`.
  CurlTransfer& take();

  /// Destroys the transfer if there are enough idle ones.
  void give_back(CurlTransfer& transfer);

  /// All transfers, also the idle ones. Valid until the next `take` or `give_back`.
  std::span<const std::unique_ptr<CurlTransfer>> all() const { return transfers_; }

 private:
  const CurlTransfer::Shared shared_;
  std::vector<std::unique_ptr<CurlTransfer>> transfers_;
  std::vector<CurlTransfer*> idle_;
};

}  // namespace waybill::net
