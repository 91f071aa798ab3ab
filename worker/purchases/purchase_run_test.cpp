#include "worker/purchases/purchase_run.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using namespace connectors;
using domain::Effect;
using domain::PurchaseMessage;
using domain::PurchaseStatus;
using storage::ChangedPurchase;
using storage::PurchaseChange;
using storage::PurchaseKey;
using storage::StoredPurchase;

/// A worker dies at this place. No std::exception, because nothing may catch it.
struct Died {};

class NoConnector final : public GatewayConnector {
 public:
  std::string_view name() const override { return "fake"; }
  std::span<const std::string_view> features() const override { return {}; }
  std::span<const LabelFormat> formats() const override { return {}; }
  bool needs_url() const override { return false; }
  int calls_per_minute() const override { return 60; }
  bool makes_call_secret() const override { return false; }
  std::unique_ptr<Gateway> open(GatewayAccount, Send, const Clock&) const override { return nullptr; }
  GatewayHint read_call(std::string_view, const InboundCall&) const override { return {}; }
};
const NoConnector fake_connector;
const Guid dead_carrier = Guid::from_name(Guid(), "dead");

GatewayError busy() { return {GatewayError::Problem::busy, {"503", "Busy."}}; }

/// A purchase in its database, its gateway, and the workers that share it.
struct World {
  explicit World(unsigned seed, bool chaos) : random(seed), is_chaotic(chaos) {
    purchase.key = {Guid::from_name(Guid(), "business"), shipment, domain::purchase_guid(shipment, 1)};
    purchase.reference = purchase.key.guid;
    purchase.wanted = R"({"choose": "cheapest"})";
    purchase.facts.requested_at = now;
    purchase.facts.next_at = now;
  }

  /// True at random while the world is chaotic.
  bool chance(int percent) { return is_chaotic && static_cast<int>(random() % 100) < percent; }

  struct Label {
    std::string reference;
    bool is_paid = false;
    bool is_void = false;
    int calls = 0;
  };

  std::minstd_rand random;
  bool is_chaotic;
  const Guid shipment = Guid::from_name(Guid(), "shipment");
  StoredPurchase purchase;
  std::vector<std::string> strays;  // their gateway ids
  Time now = Time(1'000'000s);
  int owner = 0;
  Time leased_until{};
  std::map<std::string, Label> gateway;
  int buy_calls = 0, void_calls = 0, good_calls = 0, failed_calls = 0, depth = 0;
  std::string price = "5.00";
  std::optional<std::string> draft_price;  // unless it is `price`; also charged
  std::string sold_service = "ground";     // that of the label
  bool has_dead_carrier = false;           // a second one, which never answers
  bool test_mode = false, is_connected = true, is_shipment_valid = true, is_failing = false;
  int valid_reads = 1'000'000;                    // of the shipment, before it is over
  bool gave_up = false;                           // the run has ended its lease
  std::optional<PurchaseStatus> loses_answer_of;  // the next commit with this status has no answer
  std::function<void()> on_consignment;           // called when the shipment is read
  std::string committed_before_buy;               // the status in the database at the buy call

  void work(int worker);
};

BoughtLabel label_of(const World& world, const std::string& id, bool with_file) {
  BoughtLabel label{.gateway_id = id,
                    .tracking_numbers = {"1Z" + id},
                    .tracking_url = "",
                    .service_code = world.sold_service,
                    .service_name = "Ground",
                    .price = world.draft_price.value_or(world.price),
                    .currency = "EUR"};
  if (with_file) label.label = LabelFile{LabelFormat::pdf, "%PDF-"};
  return label;
}

class FakeGateway final : public Gateway {
 public:
  FakeGateway(World& world, bool is_dead) : world_(world), is_dead_(is_dead) {}

  asio::awaitable<bool> check(Consignment) override { co_return true; }
  asio::awaitable<RatesAnswer> rates(Consignment) override {
    may_fail();
    co_return offers(world_.price);
  }
  asio::awaitable<Draft> draft(Consignment consignment) override {
    EXPECT_EQ(consignment.reference, world_.purchase.reference.to_string());
    may_fail();
    const std::string id = "shp_" + std::to_string(world_.gateway.size() + 1);
    world_.gateway[id] = {.reference = consignment.reference};
    may_fail();  // the answer is lost
    co_return Draft{id, offers(world_.draft_price.value_or(world_.price))};
  }
  asio::awaitable<PurchaseAnswer> buy(std::string id, std::string rate_id, std::string reference,
                                      LabelFormat) override {
    EXPECT_EQ(rate_id, "rate");
    EXPECT_EQ(reference, world_.purchase.reference.to_string());
    World::Label& label = world_.gateway.at(id);
    ++world_.buy_calls;
    ++label.calls;
    world_.committed_before_buy = domain::text_of(world_.purchase.facts.status);
    if (world_.chance(15)) throw Died();
    if (world_.chance(20)) co_return RefusedPurchase{{"address", "The address is wrong."}};
    if (world_.chance(15)) co_return UnknownPurchase{{"cut", "Nothing arrived."}};
    label.is_paid = true;
    if (world_.chance(15)) throw Died();
    if (world_.chance(25)) {  // the call outlasts its lease, and another worker takes the purchase
      world_.now += storage::purchase_lease + 1s;
      if (world_.depth < 3) world_.work(9);
    }
    if (world_.chance(25)) co_return UnknownPurchase{{"timeout", "No answer."}};
    co_return label_of(world_, id, !world_.chance(40));
  }
  asio::awaitable<FoundPurchase> find(std::string id, std::string reference) override {
    may_fail();
    FoundPurchase found = NotThere{};
    for (const auto& [key, label] : world_.gateway) {
      if (id.empty() ? label.reference != reference : key != id) continue;
      if (label.is_paid && !label.is_void) co_return label_of(world_, key, !world_.chance(40));
      found = label.is_void ? FoundPurchase(VoidedLabel{label_of(world_, key, false)}) : StillDraft{key};
    }
    co_return found;
  }
  asio::awaitable<LabelFile> label(std::string, LabelFormat) override {
    may_fail();
    co_return LabelFile{LabelFormat::pdf, "%PDF-"};
  }
  asio::awaitable<VoidResult> void_label(std::string id, bool after_unknown) override {
    World::Label& label = world_.gateway.at(id);
    EXPECT_EQ(after_unknown, world_.void_calls > 0 || after_unknown);
    ++world_.void_calls;
    EXPECT_TRUE(world_.purchase.facts.void_begun_at) << "written before the call";
    if (world_.chance(15)) throw Died();
    if (world_.chance(20)) co_return VoidResult{VoidAnswer::unknown, {}};
    label.is_void = true;
    if (world_.chance(15)) throw Died();
    if (world_.chance(20)) co_return VoidResult{VoidAnswer::unknown, {}};
    co_return VoidResult{VoidAnswer::voided, {}};
  }
  asio::awaitable<TrackAnswer> track(std::string) override { co_return TrackAnswer{}; }

 private:
  void may_fail() {
    if (world_.chance(8)) throw Died();
    if (is_dead_ || world_.is_failing || world_.chance(20)) throw busy();
  }
  static RatesAnswer offers(const std::string& price) {
    CarrierRate rate;
    rate.id = "rate";
    rate.service_code = "ground";
    rate.price = price;
    rate.currency = "EUR";
    return {.rates = {rate}, .messages = {}};
  }

  World& world_;
  const bool is_dead_;
};

class FakeHost final : public PurchaseHost {
 public:
  FakeHost(World& world, int worker) : world_(world), worker_(worker) {}

  Time now() const override { return world_.now; }
  bool may_begin(const Guid&) const override {
    return world_.owner == worker_ && world_.now < world_.leased_until;
  }

  asio::awaitable<std::optional<ChangedPurchase>> change(PurchaseChange change) override {
    for (;;) {
      if (world_.chance(4)) throw Died();
      world_.now += 1ms;
      const bool is_broken = world_.chance(8);
      if (world_.loses_answer_of) {
        auto changed = make(change);
        if (changed.effect != Effect::moved || changed.purchase.facts.status != *world_.loses_answer_of)
          co_return changed;
        world_.loses_answer_of.reset();
        continue;
      }
      if (!is_broken || world_.chance(50)) {  // a broken connection may have committed
        auto changed = make(change);
        if (world_.chance(4)) throw Died();
        if (!is_broken) co_return changed;
      }
      if (change.needs_lease && !may_begin(change.key.guid)) throw GivenUp();
    }
  }

  asio::awaitable<std::vector<ConnectedCarrier>> carriers(PurchaseKey, std::vector<Guid> named) override {
    const Guid guid = Guid::from_name(Guid(), "carrier");
    std::vector<ConnectedCarrier> found;
    if (world_.is_connected && (named.empty() || named.front() == guid)) {
      ConnectedCarrier& carrier = found.emplace_back();
      carrier.guid = guid;
      carrier.connector = &fake_connector;
      carrier.account.test_mode = world_.test_mode;
      carrier.service_codes = {{"standard", "ground"}, {"express", "ground"}, {"sameday", "air"}};
    }
    if (world_.has_dead_carrier && named.empty()) {
      ConnectedCarrier& dead = found.emplace_back();
      dead.guid = dead_carrier;
      dead.connector = &fake_connector;
    }
    co_return found;
  }
  asio::awaitable<std::variant<Consignment, PurchaseMessage>> consignment(PurchaseKey) override {
    if (world_.on_consignment) world_.on_consignment();
    if (!world_.is_shipment_valid || world_.valid_reads-- <= 0)
      co_return PurchaseMessage{"INVALID_SHIPMENT", "no street"};
    co_return Consignment();
  }
  std::unique_ptr<Gateway> open(const ConnectedCarrier& carrier, const Guid&, Duration,
                                Gateways::Turn) override {
    return std::make_unique<FakeGateway>(world_, carrier.guid == dead_carrier);
  }
  void note_call(const Guid&, const ConnectedCarrier&, const GatewayError* failure) override {
    ++(failure == nullptr ? world_.good_calls : world_.failed_calls);
  }

 private:
  ChangedPurchase make(const PurchaseChange& change) {
    ChangedPurchase changed;
    changed.purchase = world_.purchase;
    changed.before = world_.purchase.facts.status;
    changed.had_lease = may_begin(change.key.guid);
    if (change.needs_lease && !changed.had_lease) return changed;
    domain::Purchase& facts = changed.purchase.facts;
    const bool had_label = facts.has_label;
    changed.effect = change.make(changed.purchase, world_.now);
    if (changed.effect == Effect::stray) {
      EXPECT_NE(change.label, nullptr);
      world_.strays.push_back(change.label->gateway_id);
    }
    if (facts.has_label && !had_label && change.file == nullptr) {
      facts.has_label = false;
      facts.next_at = world_.now;
    }
    world_.purchase = changed.purchase;
    world_.gave_up = change.ends_lease;
    return changed;
  }

  World& world_;
  const int worker_;
};

/// Claims the purchase if it is due, and runs it; again after a run that has given it up.
void World::work(int worker) {
  if (!purchase.facts.next_at || *purchase.facts.next_at > now || (owner != 0 && leased_until > now)) return;
  ++depth;
  owner = worker;
  leased_until = now + storage::purchase_lease;
  domain::claimed(purchase.facts);
  FakeHost host(*this, worker);
  PurchaseRun run(host, purchase);
  asio::io_context io;
  std::exception_ptr thrown;
  asio::co_spawn(io, run.perform(), [&](std::exception_ptr error) { thrown = std::move(error); });
  io.run();
  --depth;
  bool is_dead = false;
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Died&) {
    is_dead = true;
  } catch (const PurchaseHost::GivenUp&) {  // NOLINT(bugprone-empty-catch)
  }
  if (!is_dead && owner == worker && purchase.facts.status != PurchaseStatus::buying) owner = 0;
  if (std::exchange(gave_up, false)) work(worker);
}

/// No failures any more, until nothing is due.
void come_to_rest(World& world) {
  world.is_chaotic = false;
  for (int i = 0; i < 1'000 && world.purchase.facts.next_at; ++i) {
    world.now =
        std::max({world.now, *world.purchase.facts.next_at, world.owner != 0 ? world.leased_until : Time()});
    world.work(1);
  }
}

TEST(PurchaseRun, BuysInOneGoAndStoresTheLabel) {
  World world(1, false);
  world.work(1);
  const domain::Purchase& facts = world.purchase.facts;
  EXPECT_EQ(facts.status, PurchaseStatus::bought);
  EXPECT_EQ(facts.price, (domain::Money{"5.00", "EUR"}));
  EXPECT_TRUE(facts.has_label);
  EXPECT_EQ(facts.connector, "fake");
  EXPECT_EQ(world.purchase.service_level, "standard");
  EXPECT_EQ(world.purchase.test_mode, false);
  EXPECT_EQ(world.buy_calls, 1);
  EXPECT_EQ(world.committed_before_buy, "buying");
  EXPECT_FALSE(facts.next_at);
}

TEST(PurchaseRun, TheLevelIsTheWantedOneOfThoseWithItsCode) {
  World world(1, false);
  world.purchase.wanted = R"({"serviceLevel": "express"})";
  world.work(1);
  EXPECT_EQ(world.purchase.facts.status, PurchaseStatus::bought);
  EXPECT_EQ(world.purchase.service_level, "express");
}

TEST(PurchaseRun, EachAnswerAndFailureIsNotedForTheAccount) {
  World world(1, false);
  world.work(1);
  EXPECT_EQ(world.good_calls, 3) << "rates, look-up, draft";
  EXPECT_EQ(world.failed_calls, 0);
  World failing(1, false);
  failing.is_failing = true;
  failing.work(1);
  EXPECT_EQ(failing.failed_calls, 1);
  EXPECT_EQ(failing.good_calls, 0);
}

TEST(PurchaseRun, WithoutARateOrAConnectionNothingIsBought) {
  World dear(1, false);
  dear.purchase.facts.max_price = domain::Money{"4.99", "EUR"};
  dear.work(1);
  EXPECT_EQ(dear.purchase.facts.error.code, "TOO_EXPENSIVE");
  World lonely(1, false);
  lonely.is_connected = false;
  lonely.work(1);
  EXPECT_EQ(lonely.purchase.facts.error.code, "NO_CONNECTOR");
  World odd(1, false);
  odd.is_shipment_valid = false;
  odd.work(1);
  EXPECT_EQ(odd.purchase.facts.error.code, "INVALID_SHIPMENT");
  World over(1, false);
  over.valid_reads = 2;  // for the rates and the draft
  over.work(1);
  EXPECT_FALSE(over.purchase.facts.gateway_id.empty()) << "the draft is made";
  EXPECT_EQ(over.purchase.facts.error.code, "INVALID_SHIPMENT");
  for (const World* const world : {&dear, &lonely, &odd, &over}) {
    EXPECT_EQ(world->purchase.facts.status, PurchaseStatus::refused);
    EXPECT_EQ(world->buy_calls, 0);
  }
}

TEST(PurchaseRun, ACarrierThatDoesNotAnswerIsLeftOut) {
  World dear(1, false);
  dear.has_dead_carrier = true;
  dear.purchase.facts.max_price = domain::Money{"4.99", "EUR"};
  dear.work(1);
  EXPECT_EQ(dear.purchase.facts.status, PurchaseStatus::refused) << "at once";
  EXPECT_EQ(dear.purchase.facts.error.code, "TOO_EXPENSIVE");
  dear.purchase = World(1, false).purchase;
  dear.purchase.facts.max_price = domain::Money{"9", "USD"};
  dear.work(1);
  EXPECT_EQ(dear.purchase.facts.error.code, "OTHER_CURRENCY");
  World cheap(1, false);
  cheap.has_dead_carrier = true;
  cheap.work(1);
  EXPECT_EQ(cheap.purchase.facts.status, PurchaseStatus::bought);
}

TEST(PurchaseRun, ACarrierThatDoesNotAnswerIsAskedAgainIfNoOtherHasTheService) {
  World world(1, false);
  world.has_dead_carrier = true;
  world.purchase.wanted = R"({"choose": "cheapest", "serviceCodes": ["air"]})";
  world.work(1);
  EXPECT_EQ(world.purchase.facts.status, PurchaseStatus::requested);
  EXPECT_EQ(world.purchase.facts.error.code, "503");
  EXPECT_GT(world.purchase.facts.next_at, world.now);
}

TEST(PurchaseRun, TheServiceLevelIsThatOfTheServiceThatTheGatewayHasSold) {
  const auto level_sold = [](std::string service, bool is_answer_lost) {
    World world(1, false);
    world.purchase.wanted = R"({"serviceLevel": "express"})";
    world.sold_service = std::move(service);
    if (is_answer_lost) world.loses_answer_of = PurchaseStatus::bought;
    world.work(1);
    EXPECT_EQ(world.purchase.facts.status, PurchaseStatus::bought);
    EXPECT_EQ(world.purchase.facts.service_code, world.sold_service);
    return world.purchase.service_level;
  };
  for (const bool is_answer_lost : {false, true}) {
    EXPECT_EQ(level_sold("ground", is_answer_lost), "express") << "several levels have this service";
    EXPECT_EQ(level_sold("air", is_answer_lost), "sameday");
    EXPECT_EQ(level_sold("sea", is_answer_lost), "") << "the carrier has no level for it";
  }
}

TEST(PurchaseRun, ALabelThatIsFoundHasTheServiceLevelThatWasSold) {
  World world(1, false);
  world.gateway["shp_1"] = {.reference = world.purchase.reference.to_string(), .is_paid = true};
  world.purchase.wanted = R"({"serviceLevel": "express"})";
  world.sold_service = "air";
  world.work(1);
  EXPECT_EQ(world.purchase.facts.status, PurchaseStatus::bought);
  EXPECT_EQ(world.purchase.service_level, "sameday");
}

TEST(PurchaseRun, ADraftThatIsDearerThanTheChosenRateIsDearerThanTheQuote) {
  World world(1, false);
  world.draft_price = "20.00";
  world.work(1);
  EXPECT_EQ(world.purchase.facts.status, PurchaseStatus::bought);
  EXPECT_TRUE(world.purchase.facts.is_dearer);
  EXPECT_EQ(world.purchase.facts.quote.price, (domain::Money{"5.00", "EUR"}));
  EXPECT_EQ(world.purchase.facts.price, (domain::Money{"20.00", "EUR"}));
}

TEST(PurchaseRun, ARateOfAPersonThatIsDearerInTheDraftIsNotBought) {
  World world(1, false);
  world.purchase.wanted = R"({"rate": {"carrierId": ")" + Guid::from_name(Guid(), "carrier").to_string() +
                          R"(", "serviceCode": "ground", "price": "4.99", "currency": "EUR"}})";
  world.purchase.carrier_id = Guid::from_name(Guid(), "carrier");
  world.purchase.facts.connector = "fake";
  world.work(1);
  EXPECT_EQ(world.purchase.facts.error.code, "PRICE_CHANGED");
  EXPECT_EQ(world.buy_calls, 0);
}

TEST(PurchaseRun, AnotherModeIsRefusedBeforeTheCall) {
  World world(1, false);
  world.purchase.carrier_id = Guid::from_name(Guid(), "carrier");
  world.purchase.facts.connector = "fake";
  world.purchase.test_mode = true;
  world.work(1);
  EXPECT_EQ(world.purchase.facts.status, PurchaseStatus::refused);
  EXPECT_EQ(world.purchase.facts.error.code, "MODE");
  EXPECT_TRUE(world.gateway.empty());
}

TEST(PurchaseRun, ALabelThatWasVoidedBeforeIsRecordedAndNothingIsBought) {
  World world(1, false);
  world.gateway["shp_1"] = {
      .reference = world.purchase.reference.to_string(), .is_paid = true, .is_void = true};
  world.work(1);
  const domain::Purchase& facts = world.purchase.facts;
  EXPECT_EQ(facts.status, PurchaseStatus::voided);
  EXPECT_EQ(facts.tracking_numbers, std::vector<std::string>{"1Zshp_1"});
  EXPECT_EQ(facts.price, (domain::Money{"5.00", "EUR"}));
  EXPECT_EQ(world.gateway.size(), 1U) << "no draft is made";
  EXPECT_EQ(world.buy_calls, 0);
}

TEST(PurchaseRun, APurchaseThatIsWithdrawnDuringItsRunIsNotBought) {
  for (int read = 1; read <= 3; ++read) {  // before the rates, the draft, and the buy call
    World world(1, false);
    int reads = 0;
    world.on_consignment = [&] {
      if (++reads == read) EXPECT_EQ(domain::withdraw(world.purchase.facts, world.now), Effect::moved);
    };
    world.work(1);
    EXPECT_EQ(reads, read);
    EXPECT_EQ(world.purchase.facts.status, PurchaseStatus::refused);
    EXPECT_EQ(world.purchase.facts.error.code, domain::withdrawn_code);
    come_to_rest(world);
    EXPECT_EQ(world.buy_calls, 0) << read;
  }
}

TEST(PurchaseRun, ACommitWithoutAnAnswerIsRecognized) {
  for (const auto status : {PurchaseStatus::buying, PurchaseStatus::bought}) {
    World world(1, false);
    world.loses_answer_of = status;
    world.work(1);
    EXPECT_EQ(world.purchase.facts.status, PurchaseStatus::bought);
    EXPECT_EQ(world.buy_calls, 1);
  }
}

TEST(PurchaseRun, AVoidWithoutAConnectionWaitsForOne) {
  World world(1, false);
  world.work(1);
  domain::void_requested(world.purchase.facts, world.now);
  world.is_connected = false;
  world.work(1);
  EXPECT_EQ(world.purchase.facts.status, PurchaseStatus::voiding);
  EXPECT_EQ(world.purchase.facts.error.code, "NOT_CONNECTED");
  EXPECT_EQ(world.void_calls, 0);
  world.is_connected = true;
  come_to_rest(world);
  EXPECT_EQ(world.purchase.facts.status, PurchaseStatus::voided);
}

TEST(PurchaseRunProperty, NoLabelIsBoughtTwiceOrLost) {
  int bought = 0, refused = 0, unknown = 0, voided = 0;
  for (unsigned seed = 1; seed <= 3'000; ++seed) {
    World world(seed, true);
    for (int i = 0; i < 40; ++i) {
      world.now += std::chrono::seconds(world.random() % 60);
      world.work(1 + i % 3);
      if (world.chance(2)) domain::void_requested(world.purchase.facts, world.now);
      if (world.chance(1)) domain::withdraw(world.purchase.facts, world.now);
    }
    come_to_rest(world);
    const domain::Purchase& facts = world.purchase.facts;
    ASSERT_LE(world.buy_calls, 1) << seed;
    if (world.buy_calls > 0) EXPECT_EQ(world.committed_before_buy, "buying") << seed;
    EXPECT_NE(facts.status, PurchaseStatus::requested) << seed;
    EXPECT_NE(facts.status, PurchaseStatus::buying) << seed;
    EXPECT_FALSE(facts.next_at) << seed;
    EXPECT_TRUE(world.strays.empty()) << seed;
    for (const auto& [id, label] : world.gateway) {
      if (!label.is_paid) continue;
      const bool is_recorded = facts.bought_at && facts.gateway_id == id;
      EXPECT_TRUE(is_recorded || facts.status == PurchaseStatus::unknown) << seed;
      if (label.is_void) EXPECT_EQ(facts.status, PurchaseStatus::voided) << seed;
    }
    if (facts.status == PurchaseStatus::bought) EXPECT_TRUE(facts.has_label) << seed;
    bought += facts.status == PurchaseStatus::bought ? 1 : 0;
    refused += facts.status == PurchaseStatus::refused ? 1 : 0;
    unknown += facts.status == PurchaseStatus::unknown ? 1 : 0;
    voided += facts.status == PurchaseStatus::voided ? 1 : 0;
  }
  EXPECT_GT(std::min({bought, refused, unknown, voided}), 50) << "each end is reached";
}

}  // namespace
}  // namespace waybill::worker
