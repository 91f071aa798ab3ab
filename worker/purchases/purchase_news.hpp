#pragma once

#include <cstdint>
#include <vector>

#include "storage/carriers/purchases.hpp"

namespace waybill::worker {

/// The result of a change that people want to hear of.
enum class PurchaseNews : std::uint8_t {
  bought,
  dearer,  // with `bought`: the charged price is above the quote
  refused,
  unknown,
  voided,
  void_refused,
  stray,  // a second label of the shipment was recorded
};

/// The news of a change, each once in the life of a purchase or of its void. Pure.
std::vector<PurchaseNews> news_of(const storage::ChangedPurchase& changed);

/// Logs and counts the news of a committed change: no text of a carrier, no number, no link.
void report(const storage::ChangedPurchase& changed);

}  // namespace waybill::worker
