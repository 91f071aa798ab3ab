#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "domain/purchases/purchase.hpp"

namespace waybill::domain {
namespace {

using namespace std::chrono_literals;
using enum PurchaseStatus;

constexpr Duration lease = 2min;

/// One shipment with its purchases, workers that die or stop, and a gateway that loses answers, in random
/// order. Every change of a purchase is checked against the rules.
class World {
 public:
  explicit World(unsigned seed) : random_(seed) {}

  void act() {
    switch (pick(8)) {
      case 0:
        request();
        break;
      case 1:
      case 2:
      case 3:
        work();
        break;
      case 4:
        deliver();
        break;
      case 5:
        now_ += std::chrono::seconds(1 + pick(chance(10) ? 90'000 : 200));
        break;
      case 6:
        if (chance(20)) void_one();
        break;
      case 7:
        if (chance(10)) resolve();
        if (chance(5)) withdraw_one();
        break;
      default:
        break;
    }
  }

  /// No worker dies any more and each answer arrives, until nothing is to be done.
  void come_to_rest() {
    is_calm_ = true;
    for (int i = 0; i < 5'000; ++i) {
      deliver();
      std::optional<Time> next;
      for (const auto& [guid, stored] : purchases_) {
        if (!stored.purchase.next_at) continue;
        const Time at = std::max(*stored.purchase.next_at, stored.lease_until);
        next = next ? std::min(*next, at) : at;
      }
      if (!next) break;
      now_ = std::max(now_, *next);
      work();
    }
    while (!calls_.empty()) deliver();
  }

  void check_at_rest() {
    int settled = 0, strays = 0, resolved_away = 0;
    for (const auto& [guid, stored] : purchases_) {
      const Purchase& purchase = stored.purchase;
      EXPECT_LE(stored.buy_calls, 1);
      EXPECT_NE(purchase.status, requested);
      EXPECT_NE(purchase.status, buying);
      EXPECT_TRUE(!purchase.next_at);
      settled += purchase.status == bought && !purchase.is_stray ? 1 : 0;
      strays += purchase.is_stray ? 1 : 0;
      resolved_away += purchase.resolution == Resolution::not_bought ? 1 : 0;
    }
    EXPECT_LE(settled, 1);
    if (resolved_away == 0) EXPECT_EQ(strays, 0);
    // Each label that the gateway shows is in a record, or its purchase waits for a person or was resolved.
    for (const auto& [id, label] : gateway_) {
      if (!label.is_paid) continue;
      bool is_recorded = false, is_waiting = false;
      for (const auto& [guid, stored] : purchases_) {
        const Purchase& purchase = stored.purchase;
        is_recorded = is_recorded || (purchase.gateway_id == id && purchase.bought_at);
        if (guid != label.reference) continue;
        is_waiting = is_waiting || purchase.status == unknown || purchase.resolution != Resolution::none;
        // No look-up was answered before the request ended.
        is_waiting =
            is_waiting || (label.is_of_lost_time && purchase.status == refused && !purchase.looked_up_at);
      }
      // No request has come to this attempt yet.
      is_waiting = is_waiting || (label.is_of_lost_time && !purchases_.contains(label.reference));
      EXPECT_TRUE(is_recorded || is_waiting) << id;
    }
  }

  std::size_t count(PurchaseStatus status) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        purchases_, [&](const auto& entry) { return entry.second.purchase.status == status; }));
  }
  std::size_t passed_over() const { return passed_over_; }
  std::size_t strays() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(purchases_, [](const auto& entry) { return entry.second.purchase.is_stray; }));
  }

 private:
  struct Stored {
    Purchase purchase;
    Time lease_until{};
    int buy_calls = 0;
  };
  struct Label {
    Guid reference;
    bool is_paid = false;
    bool is_of_lost_time = false;  // its records here are lost
    bool is_shown = false;         // the gateway knows that it is bought
    bool is_voided = false;
  };
  /// An answer that arrives later, perhaps to a worker that has lost its lease.
  struct Call {
    Guid guid;
    AnswerFacts answer;
  };

  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  bool dies() { return !is_calm_ && chance(8); }

  static BoughtFacts facts(const std::string& id, bool has_label) {
    return {.gateway_id = id,
            .tracking_numbers = {"T" + id},
            .tracking_url = "",
            .service_code = "s",
            .service_name = "S",
            .price = {"5.00", "EUR"},
            .has_label = has_label};
  }

  /// Makes a change and checks what must hold for each.
  template <typename Change>
  Effect change(const Guid& guid, const Change& make) {
    Stored& stored = purchases_.at(guid);
    const Purchase before = stored.purchase;
    const Effect effect = make(stored.purchase);
    const Purchase& after = stored.purchase;
    if (effect == Effect::ignored) EXPECT_EQ(before, after);
    EXPECT_EQ(before.status != after.status, effect == Effect::moved);
    if (effect == Effect::moved) {
      EXPECT_TRUE(purchase_states().allows(text_of(before.status), text_of(after.status)))
          << text_of(before.status) << " to " << text_of(after.status);
    }
    if (before.bought_at) {
      EXPECT_TRUE(after.bought_at);
      if (!before.gateway_id.empty()) EXPECT_EQ(after.gateway_id, before.gateway_id);
      EXPECT_FALSE(after.tracking_numbers.empty() && !before.tracking_numbers.empty());
      EXPECT_TRUE(after.has_label || !before.has_label);
      EXPECT_TRUE(after.status == bought || after.status == voiding || after.status == voided);
    }
    if (before.buy_begun_at) {
      EXPECT_EQ(after.buy_begun_at, before.buy_begun_at);
    }
    int open = 0;
    for (const auto& [other, each] : purchases_) open += each.purchase.is_open_or_bought() ? 1 : 0;
    EXPECT_LE(open, 1);
    return effect;
  }

  void take(const Guid& guid, const BoughtFacts& label, Effect effect) {
    if (effect != Effect::stray) return;
    const Guid stray = stray_guid(guid, label.gateway_id);
    if (!purchases_.contains(stray))
      purchases_[stray] = {.purchase = stray_of(purchases_.at(guid).purchase, label, now_)};
  }

  void request() {
    for (const auto& [guid, stored] : purchases_) {
      if (stored.purchase.is_open_or_bought()) return;
    }
    if (attempts_ == 6) return;
    const Guid guid = purchase_guid(shipment_, ++attempts_);
    Purchase purchase;
    purchase.requested_at = now_;
    purchase.next_at = now_;
    purchases_[guid] = {.purchase = purchase};
    if (attempts_ > last_lost_ && chance(10)) lose_records();
  }

  /// The records of an earlier life are lost, as after the restoring of a backup: the last of its attempts,
  /// from this one on, and those before, whose labels were voided.
  void lose_records() {
    int attempt = attempts_;
    for (; attempt < attempts_ + 2 && chance(50); ++attempt) {
      Label& label = gateway_[add_label(purchase_guid(shipment_, attempt), true, true)];
      label.is_of_lost_time = label.is_voided = true;
    }
    gateway_[add_label(purchase_guid(shipment_, attempt), chance(50), chance(50))].is_of_lost_time = true;
    last_lost_ = attempt;
  }

  std::string add_label(const Guid& reference, bool is_paid, bool is_shown) {
    const std::string id = "g" + std::to_string(gateway_.size() + 1);
    gateway_[id] = {.reference = reference, .is_paid = is_paid, .is_shown = is_paid && is_shown};
    return id;
  }

  std::optional<Guid> due() {
    std::vector<Guid> all;
    for (const auto& [guid, stored] : purchases_) {
      if (stored.purchase.next_at && *stored.purchase.next_at <= now_ && stored.lease_until <= now_)
        all.push_back(guid);
    }
    if (all.empty()) return std::nullopt;
    return all[pick(static_cast<unsigned>(all.size()))];
  }

  /// A worker claims a purchase and performs its steps until it dies or nothing is due.
  void work() {
    const auto guid = due();
    if (!guid) return;
    claimed(purchases_.at(*guid).purchase);
    purchases_.at(*guid).lease_until = now_ + lease;
    for (int i = 0; i < 20; ++i) {
      if (dies()) return;
      const PurchaseStep step = next_step(purchases_.at(*guid).purchase, now_);
      if (step == PurchaseStep::none || !perform(*guid, step)) break;
      if (step == PurchaseStep::look_up_void || step == PurchaseStep::void_label) break;
      // A purchase that is being bought, or was, is left to the next claim.
      if (purchases_.at(*guid).purchase.status != requested) break;
    }
    purchases_.at(*guid).lease_until = is_calling_ ? purchases_.at(*guid).lease_until : Time{};
    is_calling_ = false;
  }

  /// Returns false if the worker ends.
  bool perform(const Guid& guid, PurchaseStep step) {
    switch (step) {
      case PurchaseStep::choose:
        change(guid, [&](Purchase& p) { return chosen(p, "karrio", now_); });
        return true;
      case PurchaseStep::look_up:
        look_up(guid);
        return true;
      case PurchaseStep::draft:
        return draft(guid);
      case PurchaseStep::buy:
        return buy(guid);
      case PurchaseStep::note_death:
        EXPECT_EQ(change(guid, [&](Purchase& p) { return worker_died(p, now_); }), Effect::moved);
        return true;
      case PurchaseStep::fetch_label:
        if (chance(30))
          change(guid, [&](Purchase& p) { return call_failed(p, {}, now_); });
        else
          change(guid, [&](Purchase& p) { return label_fetched(p, now_); });
        return true;
      case PurchaseStep::void_label:
        change(guid, [&](Purchase& p) { return begin_voiding(p, now_); });
        if (dies()) return false;
        answer_void(guid);
        return true;
      case PurchaseStep::look_up_void:
        answer_void(guid);
        return true;
      case PurchaseStep::none:
        break;
    }
    return false;
  }

  void answer_void(const Guid& guid) {
    const auto kind = static_cast<VoidAnswerKind>(pick(4));
    if (kind == VoidAnswerKind::voided) gateway_[purchases_.at(guid).purchase.gateway_id].is_voided = true;
    change(guid, [&](Purchase& p) { return void_answered(p, kind, {}, now_); });
  }

  void look_up(const Guid& guid) {
    if (chance(20)) {
      change(guid, [&](Purchase& p) { return call_failed(p, {.is_final = chance(5)}, now_); });
      return;
    }
    FoundFacts found = NothingFound{};
    const Purchase& purchase = purchases_.at(guid).purchase;
    for (const auto& [id, label] : gateway_) {
      if (purchase.gateway_id.empty() ? label.reference != guid : id != purchase.gateway_id) continue;
      if (label.is_shown && label.is_voided) {
        const Purchase before = purchase;
        const VoidedFacts voided_label{.label = facts(id, false)};
        change(guid, [&](Purchase& p) { return looked_up(p, voided_label, now_); });
        if (!needs_next_attempt(before, purchases_.at(guid).purchase)) return;
        purchases_[purchase_guid(shipment_, ++attempts_)] = {.purchase = next_attempt(before, now_)};
        ++passed_over_;
        return;
      }
      if (label.is_shown) {
        const BoughtFacts bought_label = facts(id, chance(50));
        take(guid, bought_label, change(guid, [&](Purchase& p) { return looked_up(p, bought_label, now_); }));
        return;
      }
      found = DraftFound{id};
    }
    change(guid, [&](Purchase& p) { return looked_up(p, found, now_); });
  }

  bool draft(const Guid& guid) {
    const std::string id = add_label(guid, false, false);
    if (dies()) return false;
    const Quote quote{"r", "s", "S", {"5.00", "EUR"}};
    change(guid, [&](Purchase& p) { return drafted(p, id, quote, now_); });
    return true;
  }

  bool buy(const Guid& guid) {
    const std::string id = purchases_.at(guid).purchase.gateway_id;
    const Effect effect = change(guid, [&](Purchase& p) { return begin_buying(p, now_); });
    EXPECT_EQ(effect, Effect::moved);
    if (effect != Effect::moved || dies()) return false;
    ++purchases_.at(guid).buy_calls;
    is_calling_ = true;
    Label& label = gateway_.at(id);
    label.is_paid = chance(70);
    label.is_shown = label.is_paid && chance(60);
    AnswerFacts answer = UnknownFacts{{"TIMEOUT", ""}};
    if (label.is_paid && chance(60)) answer = facts(id, chance(60));
    if (!label.is_paid && chance(60)) answer = RefusedFacts{{"NO", ""}};
    if (!chance(15)) calls_.push_back({guid, answer});  // otherwise the answer never arrives
    return false;
  }

  void deliver() {
    if (calls_.empty()) return;
    const auto call = calls_.begin() + pick(static_cast<unsigned>(calls_.size()));
    const Call taken = *call;
    if (!chance(10)) calls_.erase(call);  // otherwise it is applied twice
    const Effect effect = change(taken.guid, [&](Purchase& p) { return answered(p, taken.answer, now_); });
    if (const auto* const label = std::get_if<BoughtFacts>(&taken.answer)) take(taken.guid, *label, effect);
  }

  std::optional<Guid> any() {
    if (purchases_.empty()) return std::nullopt;
    return std::next(purchases_.begin(), pick(static_cast<unsigned>(purchases_.size())))->first;
  }

  void void_one() {
    if (const auto guid = any()) change(*guid, [&](Purchase& p) { return void_requested(p, now_); });
  }

  void withdraw_one() {
    if (const auto guid = any()) change(*guid, [&](Purchase& p) { return withdraw(p, now_); });
  }

  void resolve() {
    const auto guid = any();
    if (!guid) return;
    const auto outcome = chance(40) ? Resolution::bought : Resolution::not_bought;
    change(*guid, [&](Purchase& p) { return resolved(p, outcome, "P1", now_); });
  }

  std::mt19937 random_;
  const Guid shipment_ = Guid::from_name(namespace_url, "shipment");
  Time now_ = parse_timestamp("2026-11-20T08:00:00Z").value();
  std::map<Guid, Stored> purchases_;
  std::map<std::string, Label> gateway_;
  std::vector<Call> calls_;
  int attempts_ = 0, last_lost_ = 0;
  std::size_t passed_over_ = 0;
  bool is_calm_ = false, is_calling_ = false;
};

TEST(PurchasesInAWorldOfFailures, AreBoughtOnceAndNeverLost) {
  std::map<PurchaseStatus, std::size_t> ends;
  std::size_t strays = 0, passed_over = 0;
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed);
    for (int i = 0; i < 300; ++i) world.act();
    world.come_to_rest();
    world.check_at_rest();
    for (const auto status : {bought, refused, unknown, voiding, voided}) ends[status] += world.count(status);
    strays += world.strays();
    passed_over += world.passed_over();
    if (testing::Test::HasFailure()) return;
  }
  // The worlds reach every end.
  for (const auto status : {bought, refused, unknown, voided})
    EXPECT_GT(ends[status], 1'000U) << text_of(status);
  EXPECT_GT(strays, 500U);
  EXPECT_GT(passed_over, 500U);
}

}  // namespace
}  // namespace waybill::domain
