#include "worker/purchases/purchase_news.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using domain::Effect;
using enum domain::PurchaseStatus;
using testing::ElementsAre;
using testing::IsEmpty;

storage::ChangedPurchase changed(domain::PurchaseStatus before, domain::PurchaseStatus after,
                                 Effect effect = Effect::moved) {
  storage::ChangedPurchase made;
  made.effect = effect;
  made.before = before;
  made.purchase.facts.status = after;
  return made;
}

TEST(PurchaseNews, AMoveThatPeopleWaitForIsNews) {
  EXPECT_THAT(news_of(changed(buying, bought)), ElementsAre(PurchaseNews::bought));
  EXPECT_THAT(news_of(changed(requested, refused)), ElementsAre(PurchaseNews::refused));
  EXPECT_THAT(news_of(changed(buying, unknown)), ElementsAre(PurchaseNews::unknown));
  EXPECT_THAT(news_of(changed(voiding, voided)), ElementsAre(PurchaseNews::voided));
  EXPECT_THAT(news_of(changed(requested, buying)), IsEmpty());
  EXPECT_THAT(news_of(changed(bought, bought, Effect::noted)), IsEmpty());
  EXPECT_THAT(news_of(changed(unknown, unknown, Effect::ignored)), IsEmpty());
}

TEST(PurchaseNews, ARefusedVoidIsNoSecondPurchase) {
  auto back = changed(voiding, bought);
  back.purchase.facts.is_dearer = true;
  EXPECT_THAT(news_of(back), ElementsAre(PurchaseNews::void_refused));
}

TEST(PurchaseNews, ADearerPriceIsToldWithThePurchase) {
  auto dear = changed(unknown, bought);
  dear.purchase.facts.is_dearer = true;
  EXPECT_THAT(news_of(dear), ElementsAre(PurchaseNews::bought, PurchaseNews::dearer));
}

TEST(PurchaseNews, ASecondLabelIsToldOnceWhenItIsRecorded) {
  auto again = changed(refused, refused, Effect::stray);
  EXPECT_THAT(news_of(again), IsEmpty());
  again.stray = Guid::random();
  EXPECT_THAT(news_of(again), ElementsAre(PurchaseNews::stray));
}

}  // namespace
}  // namespace waybill::worker
