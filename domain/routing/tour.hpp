#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "domain/places/point.hpp"

namespace waybill::domain {

/// The distances between `size` places in km; the two directions may differ.
class Distances {
 public:
  explicit Distances(std::size_t size) : size_(size), values_(size * size) {}
  std::size_t size() const { return size_; }
  double operator()(std::size_t from, std::size_t to) const { return values_[from * size_ + to]; }
  double& operator()(std::size_t from, std::size_t to) { return values_[from * size_ + to]; }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

/// The ratio of road distances to straight lines.
inline constexpr double detour = 1.3;

/// Estimates road distances as 1.3 times the great circle.
Distances estimate_distances(std::span<const Point> points);

/// A short order of all places that begins with the first: nearest neighbour, 2-opt and Or-opt, then many
/// small perturbations, of which the improvements are kept. The result depends only on the distances. A tour
/// leads back to the first place, a path ends at the last. Takes a few milliseconds for 50 places, less than
/// 200 ms for 200.
std::vector<std::size_t> shortest_tour(const Distances& distances);
std::vector<std::size_t> shortest_path(const Distances& distances);

/// The length of an order, including the way back to its first place if `closed`.
double length_of(std::span<const std::size_t> order, const Distances& distances, bool closed);

}  // namespace waybill::domain
