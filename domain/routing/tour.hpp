#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "domain/places/point.hpp"

namespace waybill::domain {

/// The distances between `size` places in km; from and to may differ.
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

/// How much longer roads are than straight lines.
inline constexpr double detour = 1.3;

/// Roads as 1.3 times the great circle.
Distances estimate_distances(std::span<const Point> points);

/// A short order of all places that begins with the first: nearest neighbour, 2-opt and Or-opt, then the same
/// from many small perturbations, of which the better are kept. The result depends on nothing but the
/// distances. As a tour it leads back to the first; else it ends at the last. Takes a few milliseconds for 50
/// places, less than 200 for 200.
std::vector<std::size_t> shortest_tour(const Distances& distances);
std::vector<std::size_t> shortest_path(const Distances& distances);

/// The length of an order, back to its first place if `closed`.
double length_of(std::span<const std::size_t> order, const Distances& distances, bool closed);

}  // namespace waybill::domain
