#include "worker/purchases/rate_choice.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using connectors::AskedCarrier;
using connectors::CarrierRate;
using connectors::GatewayError;
using domain::Money;
using domain::PurchaseMessage;
using By = WantedRate::By;

const Guid ups = Guid::from_name(Guid(), "ups");
const Guid dhl = Guid::from_name(Guid(), "dhl");

CarrierRate rate(std::string code, std::string price, std::optional<int> days = std::nullopt,
                 std::string currency = "EUR") {
  CarrierRate made;
  made.id = "rate_" + code + price;
  made.service_code = std::move(code);
  made.price = std::move(price);
  made.currency = std::move(currency);
  made.transit_days = days;
  return made;
}

AskedCarrier asked(const Guid& carrier, std::vector<CarrierRate> rates, json::object service_codes = {}) {
  AskedCarrier made;
  made.carrier.guid = carrier;
  made.carrier.service_codes = std::move(service_codes);
  made.answer.rates = std::move(rates);
  return made;
}

/// The chosen rate's id, or the code of the refusal.
std::string choice(const WantedRate& wanted, const std::vector<AskedCarrier>& asked,
                   const std::optional<Money>& max_price = std::nullopt) {
  const auto made = choose_rate(wanted, asked, max_price);
  if (const auto* const reason = std::get_if<PurchaseMessage>(&made)) return reason->code;
  return std::get<ChosenRate>(made).rate.id;
}

WantedRate read(std::string_view wanted, std::string_view level = "") {
  return read_wanted(wanted, level).value();
}

TEST(WantedRate, IsReadInEachOfItsForms) {
  const auto shown = read(R"({"rate": {"carrierId": ")" + ups.to_string() +
                          R"(", "serviceCode": "ground", "price": "7.30", "currency": "EUR"}})");
  EXPECT_EQ(shown.by, By::rate);
  EXPECT_EQ(shown.rate->carrier, ups);
  EXPECT_EQ(shown.rate->service_code, "ground");
  EXPECT_EQ(shown.rate->price, (Money{"7.30", "EUR"}));
  EXPECT_EQ(shown.rate->transit_days, std::nullopt);
  EXPECT_EQ(read(R"({"rate": {"carrierId": ")" + ups.to_string() +
                 R"(", "serviceCode": "ground", "price": "7.30", "currency": "EUR", "transitDays": 2}})")
                .rate->transit_days,
            2);
  EXPECT_EQ(read(R"({"rate": {"carrierId": ")" + ups.to_string() +
                 R"(", "serviceCode": "ground", "price": 7.3, "currency": "EUR"}})")
                .rate->price.amount,
            "7.3");
  EXPECT_EQ(read(R"({"serviceLevel": "express"})", "standard").level, "express");
  EXPECT_EQ(read(R"({"choose": "fastest"})", "standard").by, By::fastest);
  const auto narrowed = read(R"({"choose": "cheapest", "serviceCodes": ["a", "b"], "carrierIds": [")" +
                             dhl.to_string() + R"("]})");
  EXPECT_EQ(narrowed.by, By::cheapest);
  EXPECT_EQ(narrowed.service_codes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(narrowed.carriers, std::vector{dhl});
}

TEST(WantedRate, FollowsTheServiceLevelIfTheRequestSaysNothing) {
  EXPECT_EQ(read("{}", "standard").by, By::level);
  EXPECT_EQ(read("{}", "standard").level, "standard");
  EXPECT_EQ(read("{}").by, By::cheapest);
}

TEST(WantedRate, IsNotReadWithAWrongMember) {
  for (const auto* const wanted :
       {"", "[]", R"({"choose": "best"})", R"({"choose": 1})", R"({"serviceLevel": ""})", R"({"rate": {}})",
        R"({"rate": 1})", R"({"serviceCodes": "a"})", R"({"serviceCodes": [1]})", R"({"carrierIds": ["x"]})",
        R"({"rate": {"carrierId": "x", "serviceCode": "a", "price": "1", "currency": "EUR"}})",
        R"({"rate": {"carrierId": "00000000-0000-0000-0000-000000000001", "serviceCode": "a",
            "price": "-1", "currency": "EUR"}})"})
    EXPECT_FALSE(read_wanted(wanted, "")) << wanted;
}

TEST(RateChoice, ARateOfAPersonIsBoughtUnlessItIsDearer) {
  WantedRate wanted{.by = By::rate, .rate = WantedRate::Shown{ups, "ground", {"7.30", "EUR"}}};
  const auto offers = [](std::string price, std::string currency = "EUR") {
    return std::vector{
        asked(dhl, {rate("ground", "1")}),
        asked(ups, {rate("air", "1"), rate("ground", std::move(price), 1, std::move(currency))})};
  };
  EXPECT_EQ(choice(wanted, offers("7.3")), "rate_ground7.3");
  EXPECT_EQ(choice(wanted, offers("7.29")), "rate_ground7.29");
  EXPECT_EQ(choice(wanted, offers("7.31")), "PRICE_CHANGED");
  EXPECT_EQ(choice(wanted, offers("7.31"), Money{"9", "EUR"}), "PRICE_CHANGED");
  EXPECT_EQ(choice(wanted, offers("7.3", "USD")), "PRICE_CHANGED");
  EXPECT_EQ(choice(wanted, offers("7.3"), Money{"7", "EUR"}), "TOO_EXPENSIVE");
  wanted.rate->service_code = "sea";
  EXPECT_EQ(choice(wanted, offers("7.3")), "NO_RATE");
}

TEST(RateChoice, OfSeveralRatesOfAServiceTheOneThatAPersonHasChosenIsBought) {
  const auto slow = rate("ground", "5.00", 5), fast = rate("ground", "7.00", 1);
  const auto chosen = [](const CarrierRate& shown) {
    return WantedRate{
        .by = By::rate,
        .rate = WantedRate::Shown{ups, "ground", {shown.price, shown.currency}, shown.transit_days}};
  };
  for (const auto& offers : {std::vector{asked(ups, {slow, fast})}, std::vector{asked(ups, {fast, slow})}}) {
    EXPECT_EQ(choice(chosen(fast), offers), fast.id);
    EXPECT_EQ(choice(chosen(slow), offers), slow.id);
  }
  const auto lower = rate("ground", "6.50", 1), dearer = rate("ground", "7.01", 1);
  EXPECT_EQ(choice(chosen(fast), {asked(ups, {slow, lower})}), lower.id) << "its price has fallen";
  EXPECT_EQ(choice(chosen(fast), {asked(ups, {lower, fast})}), fast.id) << "it is still there";
  EXPECT_EQ(choice(chosen(fast), {asked(ups, {slow, dearer})}), "PRICE_CHANGED") << "another one is slower";
  const auto later = rate("ground", "7.00", 2);
  EXPECT_EQ(choice(chosen(fast), {asked(ups, {slow, later})}), later.id) << "its time has changed";
  EXPECT_EQ(choice(chosen(fast), {asked(ups, {slow})}), slow.id) << "the service has one rate now";
  const auto unknown = rate("ground", "7.00");
  EXPECT_EQ(choice(chosen(unknown), {asked(ups, {slow, unknown})}), unknown.id);
}

TEST(RateChoice, ARateOfAPersonThatIsInAnotherCurrencyNowIsRefusedWithThisReason) {
  const WantedRate wanted{.by = By::rate, .rate = WantedRate::Shown{ups, "ground", {"5.00", "USD"}}};
  const auto text = [&](std::vector<CarrierRate> rates) {
    const auto made = choose_rate(wanted, std::vector{asked(ups, std::move(rates))}, std::nullopt);
    EXPECT_EQ(std::get<PurchaseMessage>(made).code, "PRICE_CHANGED");
    return std::get<PurchaseMessage>(made).text;
  };
  EXPECT_EQ(text({rate("ground", "4.00")}),
            "The carrier's price is in EUR now; the rate that was chosen is in USD.");
  EXPECT_EQ(text({rate("ground", "4.00"), rate("ground", "5.01", 1, "USD")}),
            "The carrier's price is above the rate that was chosen.");
}

TEST(RateChoice, AServiceLevelIsTheCodeThatTheCarrierGivesIt) {
  const WantedRate wanted{.by = By::level, .level = "express"};
  const json::object codes{{"express", "air"}, {"standard", "ground"}};
  EXPECT_EQ(choice(wanted, {asked(ups, {rate("ground", "1"), rate("air", "9")}, codes)}), "rate_air9");
  EXPECT_EQ(choice(wanted, {asked(ups, {rate("ground", "1")}, codes)}), "NO_RATE");
  EXPECT_EQ(choice(wanted, {asked(ups, {rate("air", "9")})}), "NO_RATE") << "the carrier has no code for it";
  const WantedRate with_codes{.by = By::level, .level = "express", .service_codes = {"air", "sea"}};
  EXPECT_EQ(choice(with_codes, {asked(ups, {rate("sea", "1"), rate("air", "9")}, codes)}), "rate_air9");
  EXPECT_EQ(choice(with_codes, {asked(ups, {rate("ground", "1"), rate("air", "9")})}), "rate_air9");
}

TEST(RateChoice, OtherCurrenciesAreLeftOutAndNeverCompared) {
  const std::vector offers{asked(ups, {rate("a", "1", 1, "USD"), rate("b", "5")}),
                           asked(dhl, {rate("c", "4", 1, "GBP")})};
  EXPECT_EQ(choice({}, offers, Money{"9", "EUR"}), "rate_b5");
  EXPECT_EQ(choice({}, offers, Money{"9", "CHF"}), "OTHER_CURRENCY");
  EXPECT_EQ(choice({}, offers), "OTHER_CURRENCY");
  EXPECT_EQ(choice({}, offers, Money{"4.99", "EUR"}), "TOO_EXPENSIVE");
}

TEST(RateChoice, TheFastestRateIsOneWhateverTheCurrenciesOfSlowerOnesAre) {
  const WantedRate fastest{.by = By::fastest};
  const auto one = rate("air", "21.50", 1, "USD"), other = rate("road", "7.30", 2);
  EXPECT_EQ(choice(fastest, {asked(ups, {one}), asked(dhl, {other})}), one.id);
  EXPECT_EQ(choice(fastest, {asked(dhl, {other}), asked(ups, {one, rate("slow", "1.00")})}), one.id);
  const auto equal = rate("night", "20.00", 1);
  EXPECT_EQ(choice(fastest, {asked(ups, {one}), asked(dhl, {other, equal})}), "OTHER_CURRENCY");
  EXPECT_EQ(choice(fastest, {asked(ups, {one}), asked(dhl, {other, equal})}, Money{"30", "EUR"}), equal.id);
  EXPECT_EQ(choice(fastest, {asked(ups, {rate("a", "1.00", std::nullopt, "USD"), rate("b", "2.00")})}),
            "OTHER_CURRENCY")
      << "all times are unknown";
  EXPECT_EQ(choice({}, {asked(ups, {one}), asked(dhl, {other})}), "OTHER_CURRENCY") << "the cheapest";
}

TEST(RateChoice, TooExpensiveNamesTheLowestPrice) {
  const std::vector offers{asked(ups, {rate("a", "12.00"), rate("b", "9.50"), rate("c", "1", 1, "USD")}),
                           asked(dhl, {rate("d", "10")})};
  const auto made = choose_rate({}, offers, Money{"9.49", "EUR"});
  const auto& reason = std::get<PurchaseMessage>(made);
  EXPECT_EQ(reason.code, "TOO_EXPENSIVE");
  EXPECT_EQ(reason.text, "Each rate is above maxPrice; the lowest is 9.50 EUR.");
}

TEST(RateChoice, APriceOfATrillionIsNeverBought) {
  EXPECT_EQ(choice({}, {asked(ups, {rate("a", "1000000000000")})}), "NO_RATE");
  EXPECT_EQ(choice({}, {asked(ups, {rate("a", "999999999999.99")})}), "rate_a999999999999.99");
}

TEST(RateChoice, ARefusalTellsTheReasonOfACarrier) {
  auto failed = asked(ups, {});
  failed.failure = GatewayError(GatewayError::Problem::busy, {"503", "The carrier is down."});
  const std::vector offers{failed};
  const auto reason = std::get<PurchaseMessage>(choose_rate({}, offers, std::nullopt));
  EXPECT_EQ(reason.code, "NO_RATE");
  EXPECT_NE(reason.text.find("The carrier is down."), std::string::npos);
  EXPECT_EQ(choice({}, {}), "NO_RATE");
  EXPECT_EQ(choice({}, {asked(ups, {rate("a", "free")})}), "NO_RATE") << "a price that cannot be read";
}

TEST(RateChoice, ARefusalTellsWhatWasTried) {
  const auto text = [](const WantedRate& wanted, const std::vector<AskedCarrier>& offers) {
    return std::get<PurchaseMessage>(choose_rate(wanted, offers, std::nullopt)).text;
  };
  const auto named = [](AskedCarrier carrier, std::string name) {
    carrier.carrier.name = std::move(name);
    return carrier;
  };
  auto failed = named(asked(dhl, {}), "DHL");
  failed.failure = GatewayError(GatewayError::Problem::busy, {"503", "The carrier is down."});
  const json::object codes{{"express", "air"}};
  EXPECT_EQ(
      text(
          {.by = By::level, .level = "express"},
          {named(asked(ups, {rate("sea", "1"), rate("sea", "2"), rate("rail", "3")}, codes), "UPS"), failed}),
      "No carrier has a rate with the service level express for this shipment. UPS (air): offers sea, rail. "
      "DHL (no code for this level): The carrier is down.");
  EXPECT_EQ(text({.by = By::rate, .rate = WantedRate::Shown{ups, "air", {"7", "EUR"}}},
                 {named(asked(ups, {}), "UPS")}),
            "No carrier has a rate with the service air for this shipment. UPS: no rates, and no reason.");
  EXPECT_EQ(text({.service_codes = {"a", "b"}}, {named(asked(ups, {rate("c", "1")}), "UPS")}),
            "No carrier has a rate of the services a, b for this shipment. UPS: offers c.");
  std::vector<AskedCarrier> many;
  for (int i = 0; i < 100; ++i) many.push_back(failed);
  EXPECT_LT(text({}, many).size(), 1'100U);
}

/// Random offers; prices are cents, so that another order of comparison can be tried.
class RandomOffers {
 public:
  explicit RandomOffers(unsigned seed) : random_(seed) {}

  int pick(int size) { return static_cast<int>(random_() % static_cast<unsigned>(size)); }

  std::vector<AskedCarrier> make() {
    std::vector<AskedCarrier> all;
    for (int i = pick(4); i >= 0; --i) {
      all.push_back(asked(Guid::from_name(Guid(), std::to_string(i)), {}));
      for (int k = pick(5); k > 0; --k) {
        const int cents = pick(300);
        std::string text = std::to_string(cents / 100) + "." + std::to_string(cents / 10 % 10);
        if (cents % 10 != 0 || pick(2) == 0) text += std::to_string(cents % 10);
        const auto days = pick(3) == 0 ? std::nullopt : std::optional(pick(4));
        auto made = rate(std::string(1, static_cast<char>('a' + pick(3))), std::move(text), days,
                         pick(5) == 0 ? "USD" : "EUR");
        made.id = std::to_string(cents);
        all.back().answer.rates.push_back(std::move(made));
      }
    }
    return all;
  }

 private:
  std::minstd_rand random_;
};

TEST(RateChoiceProperty, TheBestOfThePermittedRatesIsChosen) {
  for (unsigned seed = 1; seed <= 3'000; ++seed) {
    RandomOffers random(seed);
    const auto offers = random.make();
    WantedRate wanted{.by = random.pick(2) == 0 ? By::cheapest : By::fastest};
    if (random.pick(3) == 0) wanted.service_codes = {"a", "c"};
    if (random.pick(3) == 0) wanted.carriers = {offers.front().carrier.guid};
    const int most = random.pick(350);
    const Money max_price{
        std::to_string(most / 100) + "." + std::to_string(most / 10 % 10) + std::to_string(most % 10), "EUR"};
    using Key = std::tuple<int, int, int>;
    std::vector<Key> keys;
    int place = 0;
    for (const auto& each : offers) {
      for (const auto& offer : each.answer.rates) {
        ++place;
        const int cents = std::stoi(offer.id);
        if (offer.currency != "EUR" || cents > most) continue;
        if (!wanted.service_codes.empty() && offer.service_code == "b") continue;
        if (!wanted.carriers.empty() && each.carrier.guid != wanted.carriers.front()) continue;
        const int days = offer.transit_days.value_or(std::numeric_limits<int>::max());
        keys.push_back(wanted.by == By::cheapest ? Key(cents, days, place) : Key(days, cents, place));
      }
    }
    const auto made = choose_rate(wanted, offers, max_price);
    ASSERT_EQ(std::holds_alternative<ChosenRate>(made), !keys.empty()) << seed;
    if (keys.empty()) continue;
    const auto& chosen = std::get<ChosenRate>(made);
    const Key best = *std::ranges::min_element(keys);
    const int cents = std::stoi(chosen.rate.id);
    const int days = chosen.rate.transit_days.value_or(std::numeric_limits<int>::max());
    EXPECT_EQ(wanted.by == By::cheapest ? std::pair(cents, days) : std::pair(days, cents),
              std::pair(std::get<0>(best), std::get<1>(best)))
        << seed;
    const auto& of = offers.at(chosen.carrier).answer.rates;
    EXPECT_TRUE(std::ranges::any_of(of, [&](const CarrierRate& each) { return each.id == chosen.rate.id; }))
        << seed;
  }
}

// Without maxPrice, all rates are permitted in whichever currency.
TEST(RateChoiceProperty, CurrenciesCountOnlyWherePricesAreCompared) {
  int chosen = 0, refused = 0;
  for (unsigned seed = 1; seed <= 3'000; ++seed) {
    RandomOffers random(seed);
    const auto offers = random.make();
    const bool by_time = random.pick(2) == 0;
    using Key = std::tuple<int, int>;
    std::vector<std::pair<Key, std::string>> compared;  // with the currency
    int shortest = std::numeric_limits<int>::max();
    for (const auto& each : offers) {
      for (const auto& offer : each.answer.rates) {
        const int days = offer.transit_days.value_or(std::numeric_limits<int>::max());
        if (by_time && days < shortest) compared.clear();
        if (by_time && days > shortest) continue;
        shortest = std::min(shortest, days);
        compared.emplace_back(Key(std::stoi(offer.id), days), offer.currency);
      }
    }
    const auto made = choose_rate({.by = by_time ? By::fastest : By::cheapest}, offers, std::nullopt);
    const auto* const reason = std::get_if<PurchaseMessage>(&made);
    const bool are_mixed = std::ranges::any_of(
        compared, [&](const auto& each) { return each.second != compared.front().second; });
    ASSERT_EQ(reason == nullptr, !compared.empty() && !are_mixed) << seed;
    if (reason != nullptr) {
      EXPECT_EQ(reason->code, compared.empty() ? no_rate_code : "OTHER_CURRENCY") << seed;
      refused += are_mixed ? 1 : 0;
      continue;
    }
    ++chosen;
    const auto& rate = std::get<ChosenRate>(made).rate;
    const int days = rate.transit_days.value_or(std::numeric_limits<int>::max());
    EXPECT_EQ(Key(std::stoi(rate.id), days), std::ranges::min_element(compared)->first) << seed;
  }
  EXPECT_GT(std::min(chosen, refused), 100) << "both are reached";
}

TEST(RateChoiceProperty, MoreCarriersNeverGiveADearerRate) {
  for (unsigned seed = 1; seed <= 1'000; ++seed) {
    RandomOffers random(seed);
    const auto offers = random.make();
    const Money max_price{"9", "EUR"};
    const auto all = choose_rate({}, offers, max_price);
    const auto fewer = choose_rate({}, std::span(offers).first(offers.size() - 1), max_price);
    if (const auto* const chosen = std::get_if<ChosenRate>(&fewer)) {
      const auto& best = std::get<ChosenRate>(all).rate;
      EXPECT_LE(std::stoi(best.id), std::stoi(chosen->rate.id)) << seed;
    }
  }
}

}  // namespace
}  // namespace waybill::worker
