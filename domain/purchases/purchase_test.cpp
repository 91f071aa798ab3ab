#include "domain/purchases/purchase.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "domain/purchases/purchase_examples.hpp"

namespace waybill::domain {
namespace {

using namespace std::chrono_literals;
using enum PurchaseStatus;

TEST(Purchases, HaveAGuidOfShipmentAndAttempt) {
  EXPECT_EQ(purchase_guid(shipment, 1), Guid::from_name(shipment, "purchase 1"));
  EXPECT_EQ(purchase_guid(shipment, 1).bytes[6] >> 4U, 5);
  EXPECT_NE(purchase_guid(shipment, 1), purchase_guid(shipment, 2));
  EXPECT_NE(stray_guid(purchase_guid(shipment, 1), "g2"), purchase_guid(shipment, 2));
}

TEST(Purchases, HaveTheStatusOfTheLabelApartFromRequestedOnes) {
  EXPECT_EQ(label_status(requested), "buying");
  for (const auto status : {buying, bought, refused, unknown, voiding, voided}) {
    EXPECT_EQ(label_status(status), text_of(status));
    EXPECT_EQ(purchase_status(text_of(status)), status);
  }
  EXPECT_THROW(purchase_status("void_refused"), std::invalid_argument);
}

TEST(Purchases, AreLookedUpBeforeADraftAndDraftedBeforeTheyAreBought) {
  Purchase purchase = requested_at_start();
  purchase.connector.clear();
  EXPECT_EQ(next_step(purchase, start), PurchaseStep::choose);
  EXPECT_EQ(chosen(purchase, "karrio", start), Effect::noted);
  EXPECT_EQ(next_step(purchase, start), PurchaseStep::look_up);
  EXPECT_EQ(drafted(purchase, "g1", quote_of(), start), Effect::ignored);
  EXPECT_EQ(begin_buying(purchase, start), Effect::ignored);
  EXPECT_EQ(looked_up(purchase, NothingFound{}, start), Effect::noted);
  EXPECT_EQ(next_step(purchase, start), PurchaseStep::draft);
  EXPECT_EQ(begin_buying(purchase, start), Effect::ignored);
  EXPECT_EQ(drafted(purchase, "g1", quote_of(), start), Effect::noted);
  EXPECT_EQ(next_step(purchase, start), PurchaseStep::buy);
  claimed(purchase);  // by another worker
  EXPECT_EQ(next_step(purchase, start), PurchaseStep::look_up);
  EXPECT_EQ(begin_buying(purchase, start), Effect::ignored);
  EXPECT_EQ(looked_up(purchase, DraftFound{"g1"}, start), Effect::noted);
  EXPECT_EQ(begin_buying(purchase, start), Effect::moved);
  EXPECT_EQ(begin_buying(purchase, start), Effect::ignored);
}

TEST(Purchases, AdoptALabelThatWasBoughtWithTheirReference) {
  Purchase purchase = requested_at_start();
  EXPECT_EQ(looked_up(purchase, label_of("g0"), start), Effect::moved);
  EXPECT_EQ(purchase.status, bought);
  EXPECT_EQ(purchase.gateway_id, "g0");
  EXPECT_FALSE(purchase.is_dearer);  // there was no quote
  EXPECT_EQ(purchase.next_at, std::nullopt);
}

TEST(Purchases, DoNotBuyNextToADraftOfALostTime) {
  Purchase purchase = requested_at_start();
  EXPECT_EQ(looked_up(purchase, DraftFound{"g0"}, start), Effect::moved);
  EXPECT_EQ(purchase.status, unknown);
  EXPECT_EQ(purchase.error.code, "DRAFT_EXISTS");
  Purchase second = requested_at_start();
  looked_up(second, NothingFound{}, start);  // and its worker dies while it makes a draft
  claimed(second);
  EXPECT_EQ(looked_up(second, DraftFound{"g0"}, start), Effect::noted);
  EXPECT_EQ(next_step(second, start), PurchaseStep::draft);
}

TEST(Purchases, AreRefusedIfTheQuoteIsNotAccepted) {
  const auto status_of = [](const Quote& quote) {
    Purchase purchase = requested_at_start();
    purchase.max_price = Money{"10", "EUR"};
    looked_up(purchase, NothingFound{}, start);
    drafted(purchase, "g1", quote, start);
    EXPECT_EQ(purchase.status == refused, !purchase.error.code.empty());
    EXPECT_EQ(purchase.gateway_id, "g1");
    return purchase.error.code;
  };
  EXPECT_EQ(status_of(quote_of("10.00")), "");
  EXPECT_EQ(status_of(quote_of("10.01")), "TOO_EXPENSIVE");
  EXPECT_EQ(status_of(quote_of("1.00", "USD")), "OTHER_CURRENCY");
}

TEST(Purchases, AnnounceTheDeliveryOfTheLabelOrElseOfItsQuote) {
  const Time of_quote = start + std::chrono::days(3), of_label = start + std::chrono::days(2);
  Quote quote = quote_of();
  quote.estimated_delivery = of_quote;
  const auto announced = [&](std::optional<Time> by_label) {
    Purchase purchase = requested_at_start();
    looked_up(purchase, NothingFound{}, start);
    drafted(purchase, "g1", quote, start);
    begin_buying(purchase, start);
    BoughtFacts label = label_of("g1");
    label.estimated_delivery = by_label;
    answered(purchase, label, start);
    return purchase.estimated_delivery;
  };
  EXPECT_EQ(announced(of_label), of_label);
  EXPECT_EQ(announced(std::nullopt), of_quote);
}

TEST(Purchases, ThatCostMoreThanTheirQuoteAreFlagged) {
  Purchase purchase = buying_purchase();
  BoughtFacts label = label_of("g1");
  label.price.amount = "7.51";
  answered(purchase, label, start);
  EXPECT_TRUE(purchase.is_dearer);
  EXPECT_EQ(purchase.price, (Money{"7.51", "EUR"}));
  EXPECT_FALSE(bought_purchase().is_dearer);
}

TEST(Purchases, AreChargedInTheCurrencyOfTheirQuoteIfTheGatewayNamesNone) {
  const auto bought_at = [](std::string amount) {
    Purchase purchase = buying_purchase();
    BoughtFacts label = label_of("g1");
    label.price = {std::move(amount), ""};
    answered(purchase, label, start);
    return purchase;
  };
  EXPECT_EQ(bought_at("7.50").price, (Money{"7.50", "EUR"}));
  EXPECT_FALSE(bought_at("7.50").is_dearer);
  EXPECT_TRUE(bought_at("7.51").is_dearer);
  Purchase adopted = requested_at_start();
  BoughtFacts label = label_of("g0");
  label.price.currency.clear();
  looked_up(adopted, label, start);
  EXPECT_EQ(adopted.price, Money()) << "there was no quote";
  Purchase unknown = unknown_purchase();
  looked_up(unknown, label_of("g1"), start);
  Purchase found = unknown_purchase();
  label = label_of("g1");
  label.price.currency.clear();
  looked_up(found, label, start);
  EXPECT_EQ(found.price, unknown.price);
}

TEST(Purchases, WithoutAReadablePriceHaveNoneAndAreFlagged) {
  for (const Money& price : {Money{"", "EUR"}, Money{"", ""}, Money{"12,5", "EUR"}, Money{"-1", "EUR"}}) {
    Purchase purchase = buying_purchase();
    BoughtFacts label = label_of("g1");
    label.price = price;
    answered(purchase, label, start);
    EXPECT_EQ(purchase.status, bought);
    EXPECT_EQ(purchase.price, Money());
    EXPECT_TRUE(purchase.is_dearer) << "it may have cost more";
  }
}

TEST(Purchases, ThatCostMoreThanTheChosenRateAreFlaggedAlsoIfTheirDraftIsDearer) {
  const auto bought_at = [](std::string draft, std::string charged) {
    Purchase purchase = requested_at_start();
    purchase.quote = quote_of("7.35");  // of the comparison
    looked_up(purchase, NothingFound{}, start);
    EXPECT_EQ(drafted(purchase, "g1", quote_of(std::move(draft)), start), Effect::noted);
    EXPECT_EQ(purchase.quote.rate_id, "rate") << "the draft's";
    begin_buying(purchase, start);
    BoughtFacts label = label_of("g1");
    label.price.amount = std::move(charged);
    answered(purchase, label, start);
    return purchase;
  };
  EXPECT_TRUE(bought_at("20.00", "20.00").is_dearer);
  EXPECT_EQ(bought_at("20.00", "20.00").quote.price, (Money{"7.35", "EUR"}));
  EXPECT_FALSE(bought_at("20.00", "7.35").is_dearer);
  EXPECT_FALSE(bought_at("7.30", "7.30").is_dearer);
  EXPECT_TRUE(bought_at("7.30", "7.31").is_dearer) << "the lower of the two counts";
}

TEST(Purchases, CompareMaxPriceWithTheDraftAlsoIfTheChosenRateIsLower) {
  Purchase purchase = requested_at_start();
  purchase.max_price = Money{"10", "EUR"};
  purchase.quote = quote_of("7.35");
  looked_up(purchase, NothingFound{}, start);
  drafted(purchase, "g1", quote_of("20.00"), start);
  EXPECT_EQ(purchase.status, refused);
  EXPECT_EQ(purchase.error.code, "TOO_EXPENSIVE");
  EXPECT_NE(purchase.error.text.find("20.00 EUR"), std::string::npos) << purchase.error.text;
}

TEST(Purchases, RepeatFailedCallsBeforeTheyBuyForADay) {
  Purchase purchase = requested_at_start();
  const auto times = lookups_of(purchase, start, [](Purchase& p, Time now) {
    claimed(p);
    call_failed(p, {.message = {"503", "Busy."}}, now);
  });
  ASSERT_GT(times.size(), 7U);
  EXPECT_EQ(std::vector(times.begin(), times.begin() + 6),
            (std::vector<Duration>{0s, 5s, 20s, 80s, 380s, 1280s}));
  EXPECT_EQ(purchase.status, refused);
  EXPECT_LE(times.back(), Duration(24h + 15min));
  Purchase final_failure = drafted_purchase();
  EXPECT_EQ(call_failed(final_failure, {.message = {"", "No."}, .is_final = true}, start), Effect::moved);
  EXPECT_EQ(final_failure.status, refused);
  Purchase told = requested_at_start();
  call_failed(told, {.message = {}, .retry_after = 90s}, start);
  EXPECT_EQ(told.next_at, start + 90s);
  call_failed(told, {.message = {}, .retry_after = 24h}, start);
  EXPECT_EQ(told.next_at, start + 1h);
}

TEST(Purchases, OfADeadWorkerAreUnknown) {
  Purchase purchase = buying_purchase();
  EXPECT_EQ(next_step(purchase, start + 2min), PurchaseStep::note_death);
  EXPECT_EQ(worker_died(purchase, start + 2min), Effect::moved);
  EXPECT_EQ(purchase.status, unknown);
  EXPECT_EQ(purchase.next_at, start + 2min + 5s);
  EXPECT_EQ(worker_died(purchase, start + 3min), Effect::ignored);
}

// A fail-over has lost the commit before the call.
TEST(Purchases, WhoseCallIsForgottenTakeItsAnswer) {
  Purchase refusal = drafted_purchase();
  EXPECT_EQ(answered(refusal, RefusedFacts{{"ADDRESS", "Wrong."}}, start), Effect::moved);
  EXPECT_EQ(refusal.status, refused);
  Purchase label = drafted_purchase();
  EXPECT_EQ(answered(label, label_of("g1"), start), Effect::moved);
  EXPECT_EQ(label.status, bought);
  Purchase nothing = drafted_purchase();
  EXPECT_EQ(answered(nothing, UnknownFacts{{"TIMEOUT", "No answer."}}, start), Effect::moved);
  EXPECT_EQ(nothing.status, unknown) << "it is not bought again";
  EXPECT_EQ(next_step(nothing, start + 5s), PurchaseStep::look_up);
  EXPECT_EQ(answered(nothing, RefusedFacts{{"ADDRESS", "Wrong."}}, start), Effect::moved)
      << "its late answer";
}

TEST(UnknownPurchases, AreLookedUpFiveTimesAndThenWaitForAPerson) {
  for (const FoundFacts& found : {FoundFacts(DraftFound{"g1"}), FoundFacts(NothingFound{})}) {
    Purchase purchase = unknown_purchase();
    const auto times = lookups_of(
        purchase, start, [&](Purchase& p, Time now) { EXPECT_EQ(looked_up(p, found, now), Effect::noted); });
    EXPECT_EQ(times, (std::vector<Duration>{5s, 30s, 2min, 10min, 1h}));
    EXPECT_EQ(purchase.status, unknown);
    EXPECT_FALSE(purchase.is_settled());
  }
}

TEST(UnknownPurchases, DoNotMakeUpForLookUpsThatWereMissed) {
  Purchase purchase = unknown_purchase();
  looked_up(purchase, NothingFound{}, start + 3min);
  EXPECT_EQ(purchase.next_at, start + 10min);
  looked_up(purchase, NothingFound{}, start + 5h);
  EXPECT_EQ(purchase.next_at, std::nullopt);
  Purchase early = unknown_purchase();
  looked_up(early, NothingFound{}, start + 4999ms);  // the clock of the worker is behind that of the claim
  EXPECT_EQ(early.next_at, start + 30s);
}

TEST(UnknownPurchases, AreLookedUpForADayIfTheLastLookUpFails) {
  Purchase purchase = unknown_purchase();
  const auto times = lookups_of(purchase, start, [](Purchase& p, Time now) {
    EXPECT_EQ(call_failed(p, {.message = {"503", "Busy."}}, now), Effect::noted);
  });
  EXPECT_EQ(times.size(), 5U + 23U);
  EXPECT_EQ(times[5], Duration(2h));
  EXPECT_EQ(times.back(), Duration(24h));
  EXPECT_EQ(purchase.status, unknown);
  EXPECT_EQ(purchase.error.code, "TIMEOUT");
}

TEST(UnknownPurchases, TakeTheLateAnswerOfTheirCall) {
  Purchase late = unknown_purchase();
  EXPECT_EQ(answered(late, label_of("g1"), start + 5min), Effect::moved);
  EXPECT_EQ(late.status, bought);
  Purchase denied = unknown_purchase();
  EXPECT_EQ(answered(denied, RefusedFacts{{"ADDRESS", "No."}}, start), Effect::moved);
  EXPECT_EQ(denied.status, refused);
  Purchase other = unknown_purchase();
  EXPECT_EQ(answered(other, label_of("g2"), start), Effect::stray);
  EXPECT_EQ(other.status, unknown);
}

TEST(UnknownPurchases, AreResolvedByAPerson) {
  Purchase purchase = unknown_purchase();
  EXPECT_EQ(resolved(purchase, Resolution::bought, "1Z9", start), Effect::moved);
  EXPECT_EQ(purchase.status, bought);
  EXPECT_EQ(purchase.tracking_numbers, std::vector<std::string>{"1Z9"});
  EXPECT_EQ(purchase.price, quote_of().price);
  EXPECT_EQ(purchase.error, PurchaseMessage()) << "that of the lost answer";
  EXPECT_FALSE(can_void(purchase));
  Purchase confirmed = purchase;
  EXPECT_EQ(answered(confirmed, label_of("g1"), start), Effect::noted);
  EXPECT_TRUE(confirmed.has_label && can_void(confirmed));
  EXPECT_EQ(resolved(purchase, Resolution::not_bought, "", start), Effect::moved);
  EXPECT_EQ(purchase.status, voided);
  Purchase settled = bought_purchase();
  EXPECT_EQ(resolved(settled, Resolution::not_bought, "", start), Effect::ignored);
}

TEST(PurchasesResolvedAsBought, AreLookedUpAtOnceAndForADay) {
  for (const bool fails : {false, true}) {
    Purchase purchase = unknown_purchase();
    resolved(purchase, Resolution::bought, "1Z9", start);
    EXPECT_EQ(next_step(purchase, start), PurchaseStep::look_up);
    const auto times = lookups_of(purchase, start, [&](Purchase& p, Time now) {
      EXPECT_EQ(next_step(p, now), PurchaseStep::look_up);
      EXPECT_EQ(fails ? call_failed(p, {.is_final = true}, now) : looked_up(p, DraftFound{"g1"}, now),
                Effect::noted);
    });
    EXPECT_EQ(times.front(), Duration());
    EXPECT_EQ(times.at(1), Duration(1h));
    EXPECT_EQ(times.back(), Duration(watched_after_resolve));
    EXPECT_EQ(purchase.status, bought);
    EXPECT_EQ(purchase.tracking_numbers, std::vector<std::string>{"1Z9"});
    EXPECT_FALSE(can_void(purchase));
  }
}

TEST(PurchasesResolvedAsBought, TakeTheFactsOfTheGatewayAndCanThenBeVoided) {
  Purchase purchase = unknown_purchase();
  resolved(purchase, Resolution::bought, "1Z9", start);
  BoughtFacts label = label_of("g1", false);
  label.price = {"9.90", "EUR"};
  EXPECT_EQ(looked_up(purchase, label, start), Effect::noted);
  EXPECT_EQ(purchase.tracking_numbers, std::vector<std::string>{"1Z1"});
  EXPECT_EQ(purchase.price, label.price);
  EXPECT_TRUE(purchase.is_dearer);
  EXPECT_EQ(purchase.error.code, other_number_code);
  EXPECT_EQ(next_step(purchase, start), PurchaseStep::fetch_label);
  EXPECT_EQ(label_fetched(purchase, start), Effect::noted);
  EXPECT_EQ(purchase.error.code, other_number_code) << "it stays for people";
  EXPECT_EQ(void_requested(purchase, start), Effect::moved);
  Purchase same = unknown_purchase();
  resolved(same, Resolution::bought, "1Z1", start);
  EXPECT_EQ(looked_up(same, label_of("g1"), start), Effect::noted);
  EXPECT_EQ(same.error, PurchaseMessage());
  EXPECT_EQ(same.next_at, std::nullopt);
}

TEST(Purchases, AreWithdrawnBeforeTheirBuyCallAlone) {
  for (Purchase purchase : {requested_at_start(), drafted_purchase()}) {
    EXPECT_EQ(withdraw(purchase, start), Effect::moved);
    EXPECT_EQ(purchase.status, refused);
    EXPECT_EQ(purchase.error.code, withdrawn_code);
    EXPECT_FALSE(purchase.is_open_or_bought());
    EXPECT_EQ(drafted(purchase, "g2", quote_of(), start), Effect::ignored) << "the worker was at work";
    EXPECT_EQ(begin_buying(purchase, start), Effect::ignored);
    EXPECT_EQ(withdraw(purchase, start), Effect::ignored);
    const auto times = lookups_of(purchase, start, [](Purchase& each, Time now) {
      EXPECT_EQ(looked_up(each, NothingFound{}, now), Effect::noted);
    });
    EXPECT_EQ(times.size(), 24U);
  }
  for (Purchase purchase : {buying_purchase(), unknown_purchase(), bought_purchase(), voiding_purchase()}) {
    const Purchase before = purchase;
    EXPECT_EQ(withdraw(purchase, start), Effect::ignored);
    EXPECT_EQ(purchase, before);
  }
}

TEST(Purchases, ThatAreWithdrawnWithoutACarrierAreNotLookedUp) {
  Purchase purchase = requested_at_start();
  purchase.connector.clear();
  EXPECT_EQ(withdraw(purchase, start), Effect::moved);
  EXPECT_FALSE(purchase.next_at);
}

// The facts are from before the purchase, such as those of a restored backup.
TEST(Purchases, ThatAreWithdrawnHaveALabelOfALostTimeVoided) {
  Purchase purchase = drafted_purchase();
  withdraw(purchase, start);
  EXPECT_EQ(looked_up(purchase, label_of("g1"), start + 1h), Effect::stray);
  EXPECT_FALSE(purchase.next_at);
  Purchase late = drafted_purchase();
  withdraw(late, start);
  EXPECT_EQ(answered(late, label_of("g1"), start), Effect::stray);
}

TEST(PurchasesResolvedAsNotBought, AreLookedUpForADay) {
  Purchase purchase = unknown_purchase();
  EXPECT_EQ(resolved(purchase, Resolution::not_bought, "", start), Effect::moved);
  EXPECT_FALSE(purchase.is_open_or_bought());
  bool fails = false;
  const auto times = lookups_of(purchase, start, [&](Purchase& p, Time now) {
    fails = !fails;
    EXPECT_EQ(fails ? call_failed(p, {}, now) : looked_up(p, DraftFound{"g1"}, now), Effect::noted);
  });
  EXPECT_EQ(times.size(), 24U);
  EXPECT_EQ(times.front(), Duration(1h));
  EXPECT_EQ(times.back(), Duration(24h));
}

TEST(PurchasesResolvedAsNotBought, HaveALabelThatTurnsUpAsAPurchaseOfItsOwnWhichIsVoided) {
  Purchase purchase = unknown_purchase();
  resolved(purchase, Resolution::not_bought, "", start);
  const Purchase before = purchase;
  EXPECT_EQ(answered(purchase, label_of("g1"), start + 1h), Effect::stray);
  EXPECT_EQ(purchase, before);
  EXPECT_EQ(looked_up(purchase, label_of("g1"), start + 1h), Effect::stray);
  EXPECT_EQ(purchase.status, refused);
  EXPECT_EQ(purchase.next_at, std::nullopt);
  Purchase stray = stray_of(purchase, label_of("g1"), start + 1h);
  EXPECT_EQ(stray.status, voiding);
  EXPECT_FALSE(stray.is_open_or_bought());
  EXPECT_EQ(next_step(stray, start + 1h), PurchaseStep::void_label);
  begin_voiding(stray, start + 1h);
  EXPECT_EQ(void_answered(stray, VoidAnswerKind::refused, {"TOO_LATE", "No."}, start + 2h), Effect::moved);
  EXPECT_EQ(stray.status, bought);
}

TEST(BoughtPurchases, FetchALabelThatIsMissing) {
  Purchase purchase = bought_purchase(false);
  EXPECT_EQ(next_step(purchase, start), PurchaseStep::fetch_label);
  EXPECT_EQ(call_failed(purchase, {.message = {"404", "Not yet."}}, start), Effect::noted);
  EXPECT_EQ(purchase.next_at, start + 5s);
  Purchase fetched = purchase;
  EXPECT_EQ(label_fetched(fetched, start + 5s), Effect::noted);
  EXPECT_EQ(fetched.next_at, std::nullopt);
  EXPECT_EQ(fetched.error, PurchaseMessage());
  EXPECT_EQ(label_fetched(fetched, start + 5s), Effect::ignored);
  const auto times = lookups_of(purchase, start, [](Purchase& p, Time now) { call_failed(p, {}, now); });
  EXPECT_LE(times.back(), Duration(longest_fetch));
  EXPECT_GT(times.back(), Duration(longest_fetch - 6h));
  EXPECT_EQ(purchase.status, bought);
}

TEST(BoughtPurchases, OfErasedPersonsAreKeptWithoutBytesLinkAndText) {
  Purchase purchase = buying_purchase();
  purchase.erased_at = start;
  answered(purchase, label_of("g1"), start);
  EXPECT_EQ(purchase.status, bought);
  EXPECT_FALSE(purchase.has_label);
  EXPECT_EQ(purchase.tracking_url, "");
  EXPECT_EQ(purchase.tracking_numbers, std::vector<std::string>{"1Z1"});
  EXPECT_EQ(purchase.next_at, std::nullopt);
  Purchase denied = buying_purchase();
  denied.erased_at = start;
  answered(denied, RefusedFacts{{"ADDRESS", "No such street."}}, start);
  EXPECT_EQ(denied.error, (PurchaseMessage{"ADDRESS", ""}));
}

}  // namespace
}  // namespace waybill::domain
