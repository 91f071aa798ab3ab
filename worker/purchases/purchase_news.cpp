#include "worker/purchases/purchase_news.hpp"

#include <string>

#include "base/observe.hpp"

namespace waybill::worker {
namespace {

Observable observable_of(PurchaseNews news) {
  switch (news) {
    case PurchaseNews::bought:
      return Observable::purchase_bought;
    case PurchaseNews::dearer:
      return Observable::purchase_dearer;
    case PurchaseNews::refused:
      return Observable::purchase_refused;
    case PurchaseNews::unknown:
      return Observable::purchase_unknown;
    case PurchaseNews::voided:
      return Observable::purchase_voided;
    case PurchaseNews::void_refused:
      return Observable::purchase_void_refused;
    case PurchaseNews::stray:
      break;
  }
  return Observable::purchase_stray;
}

}  // namespace

std::vector<PurchaseNews> news_of(const storage::ChangedPurchase& changed) {
  using enum domain::PurchaseStatus;
  std::vector<PurchaseNews> news;
  const domain::Purchase& now = changed.purchase.facts;
  if (changed.effect == domain::Effect::moved) {
    switch (now.status) {
      case bought:
        news.push_back(changed.before == voiding ? PurchaseNews::void_refused : PurchaseNews::bought);
        if (changed.before != voiding && now.is_dearer) news.push_back(PurchaseNews::dearer);
        break;
      case refused:
        news.push_back(PurchaseNews::refused);
        break;
      case unknown:
        news.push_back(PurchaseNews::unknown);
        break;
      case voided:
        news.push_back(PurchaseNews::voided);
        break;
      case requested:
      case buying:
      case voiding:
        break;
    }
  }
  if (changed.stray) news.push_back(PurchaseNews::stray);
  return news;
}

void report(const storage::ChangedPurchase& changed) {
  const storage::StoredPurchase& purchase = changed.purchase;
  for (const PurchaseNews news : news_of(changed)) {
    observe(observable_of(news), {{"purchase", purchase.key.guid.to_string()},
                                  {"shipment", purchase.key.shipment_id.to_string()},
                                  {"business", purchase.key.business_id.to_string()},
                                  {"connector", std::string_view(purchase.facts.connector)}});
  }
}

}  // namespace waybill::worker
