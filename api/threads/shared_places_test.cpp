#include "api/threads/shared_places.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

struct Piece {
  Guid business;
  int number = 0;
};
using Places = SharedPlaces<Piece>;
using Entry = Places::Entry;

TEST(SharedPlaces, NobodyIsRefusedBecauseOthersFillTheLimit) {
  Places places({.places = 2, .most = 64, .most_of_one = 32});
  const std::array loud{Guid::random(), Guid::random()};
  for (const Guid& business : loud) {
    for (int i = 0; i < 32; ++i) EXPECT_NE(places.enter(business), Entry::refused) << i;
    EXPECT_EQ(places.enter(business), Entry::refused);
  }
  const Guid quiet = Guid::random();
  for (int i = 0; i < 21; ++i) EXPECT_EQ(places.enter(quiet), Entry::waits) << "a third of the limit: " << i;
  EXPECT_EQ(places.enter(quiet), Entry::refused);
  EXPECT_EQ(places.enter(Guid::random()), Entry::waits);
  EXPECT_EQ(places.enter(Guid()), Entry::waits) << "strangers";
}

TEST(SharedPlaces, BusinessesThatComeAgainAndAgainStarveNobody) {
  Places places({.places = 1});
  const Guid patient = Guid::random();
  const std::array eager{Guid::random(), Guid::random(), Guid::random()};
  ASSERT_EQ(places.enter(patient), Entry::runs);
  const auto add = [&](const Guid& business) {
    ASSERT_EQ(places.enter(business), Entry::waits);
    places.wait(business, {.business = business});
  };
  for (int i = 0; i < 3; ++i) add(patient);
  for (const Guid& business : eager) add(business);
  Guid running = patient;
  std::map<Guid, int> turns;
  for (int i = 0; i < 12; ++i) {
    places.end(running);
    const auto next = places.next();
    ASSERT_TRUE(next);
    ++turns[next->business];
    if (running != patient) add(running);  // it comes when its last work has ended
    running = next->business;
  }
  for (const auto& [business, count] : turns) EXPECT_EQ(count, 3);
  EXPECT_EQ(turns.size(), 4U);
}

/// Random arrivals and ends, whose results are compared with the rules.
class SharedPlacesWorld {
 public:
  explicit SharedPlacesWorld(unsigned seed) : random_(seed), limits_(random_limits()), places_(limits_) {
    businesses_.emplace_back();
    for (int i = 0; i < 6; ++i) businesses_.push_back(Guid::random());
  }

  void run() {
    for (int step = 0; step < 2'000; ++step) {
      const int action = pick(100);
      if (action < 55) {
        enter(any_business());
      } else if (action < 80) {
        settle();
      } else if (action < 98) {
        end_one();
      } else {
        take_some();
      }
      check();
      if (testing::Test::HasFailure()) return;
    }
    while (total() > 0) {
      settle();
      end_one();
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_FALSE(places_.has_waiting());
  }

 private:
  struct Model {
    std::size_t size() const { return running + arriving.size() + waiting.size(); }

    std::size_t running = 0;
    std::vector<int> arriving;         // entered, not passed to `wait`
    std::vector<int> waiting;          // in the order of `wait`
    std::set<Guid> begun_in_its_wait;  // others that have begun since it waits without a place
  };

  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  Places::Limits random_limits() {
    return {.places = static_cast<std::size_t>(1 + pick(4)),
            .most = static_cast<std::size_t>(1 + pick(20)),
            .most_of_one = static_cast<std::size_t>(1 + pick(8))};
  }
  const Guid& any_business() { return businesses_[static_cast<std::size_t>(pick(7))]; }

  std::size_t share() const { return std::max<std::size_t>(limits_.places, 2) - 1; }
  std::size_t running() const {
    std::size_t sum = 0;
    for (const auto& [business, model] : models_) sum += model.running;
    return sum;
  }
  std::size_t total() const {
    std::size_t sum = 0;
    for (const auto& [business, model] : models_) sum += model.size();
    return sum;
  }
  bool may_run(const Guid& business) { return business.is_nil() || models_[business].running < share(); }

  void enter(const Guid& business) {
    Model& model = models_[business];
    const bool is_over = !business.is_nil() && model.size() >= limits_.most_of_one;
    const std::size_t together = static_cast<std::size_t>(std::ranges::count_if(
                                     models_, [](const auto& each) { return each.second.size() > 0; })) +
                                 (model.size() == 0 ? 1 : 0);
    const bool has_its_share =
        total() >= limits_.most && model.size() >= std::max<std::size_t>(limits_.most / together, 1);
    const bool is_free = running() < limits_.places && may_run(business);
    const Entry entry = places_.enter(business);
    if (entry == Entry::refused) {
      EXPECT_TRUE(is_over || has_its_share) << "it holds " << model.size() << " of " << total();
      return;
    }
    EXPECT_FALSE(is_over || has_its_share);
    EXPECT_EQ(entry == Entry::runs, is_free);
    if (entry == Entry::runs) return note_begin(business);
    model.arriving.push_back(++last_number_);
  }

  /// Lets those that have entered wait, and begins what has a place.
  void settle() {
    for (auto& [business, model] : models_) {
      for (const int number : std::exchange(model.arriving, {})) {
        places_.wait(business, {.business = business, .number = number});
        model.waiting.push_back(number);
      }
    }
    serve();
  }

  void serve() {
    while (const auto next = places_.next()) {
      Model& model = models_[next->business];
      ASSERT_FALSE(model.waiting.empty());
      EXPECT_EQ(next->number, model.waiting.front()) << "the work of a business keeps its order";
      model.waiting.erase(model.waiting.begin());
      note_begin(next->business);
    }
    for (auto& [business, model] : models_) {
      EXPECT_FALSE(!model.waiting.empty() && running() < limits_.places && may_run(business))
          << "it waits although a place is free";
    }
  }

  void note_begin(const Guid& begun) {
    ++models_[begun].running;
    models_[begun].begun_in_its_wait.clear();
    for (auto& [business, model] : models_) {
      if (business == begun || model.waiting.empty() || model.running > 0) continue;
      EXPECT_TRUE(model.begun_in_its_wait.insert(begun).second) << "a second turn while another one waits";
    }
  }

  void end_one() {
    std::vector<Guid> candidates;
    for (const auto& [business, model] : models_) {
      if (model.running > 0) candidates.push_back(business);
    }
    if (candidates.empty()) return;
    const Guid ended = candidates[static_cast<std::size_t>(pick(static_cast<int>(candidates.size())))];
    --models_[ended].running;
    places_.end(ended);
    serve();
  }

  void take_some() {
    const int below = last_number_ - pick(5);
    std::size_t expected = 0;
    for (auto& [business, model] : models_) {
      while (!model.waiting.empty() && model.waiting.front() < below) {
        model.waiting.erase(model.waiting.begin());
        ++expected;
      }
      if (model.waiting.empty()) model.begun_in_its_wait.clear();
    }
    EXPECT_EQ(places_.take_fronts([&](const Piece& piece) { return piece.number < below; }).size(), expected);
  }

  void check() {
    EXPECT_LE(running(), limits_.places);
    std::size_t waiting = 0;
    for (const auto& [business, model] : models_) {
      waiting += model.waiting.size();
      if (business.is_nil()) continue;
      EXPECT_LE(model.running, share());
      EXPECT_LE(model.size(), limits_.most_of_one);
    }
    EXPECT_EQ(places_.has_waiting(), waiting > 0);
    std::size_t bound = limits_.most;
    for (std::size_t n = 1; n <= businesses_.size(); ++n) bound += std::max<std::size_t>(limits_.most / n, 1);
    EXPECT_LE(total(), bound);
  }

  std::mt19937 random_;
  const Places::Limits limits_;
  Places places_;
  std::vector<Guid> businesses_;  // with the nil guid
  std::map<Guid, Model> models_;
  int last_number_ = 0;
};

TEST(SharedPlaces, KeepsItsRulesForRandomArrivalsAndEnds) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SharedPlacesWorld(seed).run();
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace waybill::api
