#include "domain/routing/tour.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>
#include <random>

#include <gmock/gmock.h>

namespace waybill::domain {
namespace {

struct Spot {
  double x;
  double y;
};

Distances flat(const std::vector<Spot>& spots) {
  Distances distances(spots.size());
  for (std::size_t i = 0; i < spots.size(); ++i) {
    for (std::size_t j = 0; j < spots.size(); ++j) {
      distances(i, j) = std::hypot(spots[i].x - spots[j].x, spots[i].y - spots[j].y);
    }
  }
  return distances;
}

/// Shuffles the places.
std::vector<Spot> shuffled(std::vector<Spot> spots) {
  std::mt19937 random(7);
  std::ranges::shuffle(spots, random);
  return spots;
}

struct Run {
  double length;
  double seconds;
};

Run run(const std::vector<Spot>& spots) {
  const auto distances = flat(shuffled(spots));
  const auto begin = std::clock();  // CPU time, because the machine may be busy
  const auto order = shortest_tour(distances);
  const auto seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  auto sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < spots.size(); ++i) EXPECT_EQ(sorted.at(i), i) << "each place once";
  EXPECT_EQ(order.front(), 0U);
  return {length_of(order, distances, true), seconds};
}

/// Times are meaningless without optimisation or under a sanitizer.
bool is_fast_build() {
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return false;
#endif
#endif
  return true;
#else
  return false;
#endif
}

void expect_within(double percent, const Run& found, double optimum) {
  EXPECT_GE(found.length, optimum * (1 - 1e-9)) << "nothing is shorter than the shortest";
  EXPECT_LE(found.length, optimum * (1 + percent / 100));
  if (is_fast_build()) EXPECT_LT(found.seconds, 0.2);
}

TEST(Tour, AGridOf200StopsIsWithinFivePercentOfTheOptimum) {
  std::vector<Spot> grid;
  for (int x = 0; x < 20; ++x) {
    for (int y = 0; y < 10; ++y) grid.push_back({static_cast<double>(x), static_cast<double>(y)});
  }
  // An even number of places in a grid has a tour whose every step is one.
  expect_within(5, run(grid), 200);
}

TEST(Tour, ACircleOf200StopsIsTheTour) {
  std::vector<Spot> circle;
  for (int i = 0; i < 200; ++i) {
    const double angle = 2 * std::numbers::pi * i / 200;
    circle.push_back({100 * std::cos(angle), 100 * std::sin(angle)});
  }
  expect_within(5, run(circle), 200 * 2 * 100 * std::sin(std::numbers::pi / 200));
}

TEST(Tour, ClustersAreVisitedOneAfterAnother) {
  // Ten combs on a wide circle. Each comb is 2 rows of 10 places: its shortest way from end to end of the
  // lower row goes up and down, and the combs are so far apart that each is entered once.
  std::vector<Spot> clusters;
  constexpr int comb_count = 10;
  constexpr double radius = 1000;
  for (int comb = 0; comb < comb_count; ++comb) {
    const double angle = 2 * std::numbers::pi * comb / comb_count;
    const Spot along{-std::sin(angle), std::cos(angle)};
    const Spot outwards{std::cos(angle), std::sin(angle)};
    for (int i = 0; i < 10; ++i) {
      for (int row = 0; row < 2; ++row) {
        const double a = i - 4.5;
        const double o = radius + row;
        clusters.push_back({o * outwards.x + a * along.x, o * outwards.y + a * along.y});
      }
    }
  }
  // Known by construction: 19 steps of one in each comb, from one end of the inner row to the other, and ten
  // equal gaps between the ends of inner rows.
  const double half_turn = std::numbers::pi / comb_count;
  const double gap = 2 * (radius * std::sin(half_turn) - 4.5 * std::cos(half_turn));
  expect_within(5, run(clusters), comb_count * (19 + gap));
}

TEST(Tour, ScatteredStopsAreNearTheExpectedOptimum) {
  std::vector<Spot> scattered;
  scattered.reserve(200);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> coordinate(0, 1);
  for (int i = 0; i < 200; ++i) scattered.push_back({coordinate(random), coordinate(random)});
  const auto found = run(scattered);
  // 0.7124 sqrt(n A) (1 + 0.33 / n) is the mean optimum of random instances (Johnson, McGeoch, Rothberg
  // 1996); a single instance deviates by a few percent.
  EXPECT_LT(found.length, 1.06 * 0.7124 * std::sqrt(200.0) * (1 + 0.33 / 200) + 0.7);
}

TEST(Tour, SmallToursAreOptimal) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> coordinate(0, 100);
  for (std::size_t size = 1; size <= 8; ++size) {
    std::vector<Spot> spots;
    spots.reserve(size);
    for (std::size_t i = 0; i < size; ++i) spots.push_back({coordinate(random), coordinate(random)});
    const auto distances = flat(spots);
    std::vector<std::size_t> order(size);
    for (std::size_t i = 0; i < size; ++i) order[i] = i;
    double best_tour = 1e9;
    double best_path = 1e9;
    do {
      if (order.front() != 0) break;
      best_tour = std::min(best_tour, length_of(order, distances, true));
      if (order.back() == size - 1) best_path = std::min(best_path, length_of(order, distances, false));
    } while (std::ranges::next_permutation(order).found);
    EXPECT_NEAR(length_of(shortest_tour(distances), distances, true), best_tour, 1e-9) << size;
    const auto path = shortest_path(distances);
    EXPECT_NEAR(length_of(path, distances, false), best_path, 1e-9) << size;
    EXPECT_EQ(path.front(), 0U);
    EXPECT_EQ(path.back(), size - 1);
  }
}

TEST(Tour, OneWayRoadsDecideTheDirection) {
  Distances distances(4);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) distances(i, j) = i == j ? 0 : 10;
  }
  for (std::size_t i = 0; i < 4; ++i) distances((i + 1) % 4, i) = 1;  // cheap in the reverse direction
  EXPECT_THAT(shortest_tour(distances), testing::ElementsAre(0, 3, 2, 1));
}

TEST(Tour, TheSameStopsHaveTheSameRoute) {
  std::vector<Spot> spots;
  spots.reserve(60);
  std::mt19937 random(5);
  for (int i = 0; i < 60; ++i) {
    spots.push_back({static_cast<double>(random() % 1000), static_cast<double>(random() % 1000)});
  }
  EXPECT_EQ(shortest_tour(flat(spots)), shortest_tour(flat(spots)));
}

TEST(Tour, StopsAtOnePlaceAreHandled) {
  const std::vector<Spot> spots(50, Spot{1, 1});
  EXPECT_EQ(length_of(shortest_tour(flat(spots)), flat(spots), true), 0);
}

TEST(Tour, RoadsAreEstimatedAs13TimesTheGreatCircle) {
  const std::vector<Point> points{{38.7167, -9.1333}, {41.1496, -8.6109}};  // Lisbon, Porto
  const auto distances = estimate_distances(points);
  EXPECT_NEAR(distances(0, 1), 1.3 * 274, 1.3);
  EXPECT_EQ(distances(0, 1), distances(1, 0));
  EXPECT_EQ(distances(0, 0), 0);
}

}  // namespace
}  // namespace waybill::domain
