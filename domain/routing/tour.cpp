#include "domain/routing/tour.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>

namespace waybill::domain {
namespace {

using Node = std::uint32_t;

constexpr std::size_t neighbour_count = 10;
constexpr std::size_t longest_segment = 3;
constexpr double epsilon = 1e-9;

/// Improves a closed tour over symmetric distances in place.
class Improver {
 public:
  explicit Improver(const Distances& distances)
      : size_(distances.size()), distances_(distances), place_(size_), is_waiting_(size_) {
    find_neighbours();
    start_greedily();
  }

  void improve() {
    wait_for_all();
    settle();
  }

  /// Iterated local search: cuts the tour at three places near each other, swaps the two parts between them,
  /// improves the touched places, and reverts all of it if the tour is then longer.
  void perturb(std::size_t rounds) {
    constexpr std::size_t smallest = 5;
    if (size_ < smallest) return;
    std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same route for the same stops
    const std::size_t reach = std::min<std::size_t>(50, size_ / 3);
    auto best = order_;
    double best_length = length();
    for (std::size_t round = 0; round < rounds; ++round) {
      swap_parts(random() % size_, 1 + random() % reach, 1 + random() % reach);
      settle();
      const double now = length();
      if (now <= best_length + epsilon) {
        if (now < best_length - epsilon) best_length = now;
        best = order_;
      } else {
        order_ = best;
        renumber();
      }
    }
  }

  const std::vector<Node>& order() const { return order_; }

 private:
  double cost(Node a, Node b) const { return distances_(a, b); }
  Node next(Node node) const { return order_[place_[node] + 1 == size_ ? 0 : place_[node] + 1]; }
  Node previous(Node node) const { return order_[place_[node] == 0 ? size_ - 1 : place_[node] - 1]; }

  double length() const {
    double sum = cost(order_.back(), order_.front());
    for (std::size_t i = 0; i + 1 < size_; ++i) sum += cost(order_[i], order_[i + 1]);
    return sum;
  }

  void find_neighbours() {
    width_ = std::min(neighbour_count, size_ - 1);
    std::vector<Node> others(size_);
    neighbours_.reserve(size_ * width_);
    for (Node node = 0; node < size_; ++node) {
      std::iota(others.begin(), others.end(), 0);
      others.erase(others.begin() + node);
      std::ranges::partial_sort(others, others.begin() + static_cast<std::ptrdiff_t>(width_), {},
                                [&](Node other) { return cost(node, other); });
      neighbours_.insert(neighbours_.end(), others.begin(),
                         others.begin() + static_cast<std::ptrdiff_t>(width_));
      others.push_back(0);
    }
  }

  std::span<const Node> neighbours(Node node) const {
    return std::span(neighbours_).subspan(node * width_, width_);
  }

  void start_greedily() {
    std::vector<Node> left(size_);
    std::iota(left.begin(), left.end(), 0);
    for (Node at = 0; !left.empty();) {
      order_.push_back(at);
      std::erase(left, at);
      if (!left.empty())
        at = *std::ranges::min_element(left, {}, [&](Node other) { return cost(order_.back(), other); });
    }
    renumber();
  }

  void renumber() {
    for (std::size_t i = 0; i < size_; ++i) place_[order_[i]] = i;
  }

  void wait_for(Node node) {
    if (is_waiting_[node]) return;
    is_waiting_[node] = true;
    waiting_.push_back(node);
  }
  void wait_for_all() {
    for (const Node node : order_) wait_for(node);
  }

  void settle() {
    while (!waiting_.empty()) {
      const Node node = waiting_.back();
      waiting_.pop_back();
      is_waiting_[node] = false;
      while (improve_at(node)) {
      }
    }
  }

  bool improve_at(Node node) {
    return cross(node, true) || cross(node, false) || move_segments(node, true) || move_segments(node, false);
  }

  /// 2-opt: replaces the edge from `a` (forwards or backwards) and a near edge by two others, which reverses
  /// the part between them.
  bool cross(Node a, bool forwards) {
    const Node b = forwards ? next(a) : previous(a);
    for (const Node c : neighbours(a)) {
      const double gain = cost(a, b) - cost(a, c);
      if (gain <= epsilon) return false;
      const Node d = forwards ? next(c) : previous(c);
      if (c == b || d == a || gain + cost(c, d) - cost(b, d) <= epsilon) continue;
      forwards ? reverse_part(place_[b], place_[c]) : reverse_part(place_[c], place_[b]);
      for (const Node touched : {a, b, c, d}) wait_for(touched);
      return true;
    }
    return false;
  }

  /// Reverses the nodes from one place to another (wrapping at the end), or all others, which gives the same
  /// tour.
  void reverse_part(std::size_t from, std::size_t to) {
    std::size_t inner = (to + size_ - from) % size_ + 1;
    if (2 * inner > size_) {
      inner = size_ - inner;
      const std::size_t old_from = from;
      from = to + 1 == size_ ? 0 : to + 1;
      to = old_from == 0 ? size_ - 1 : old_from - 1;
    }
    for (std::size_t swaps = inner / 2; swaps > 0; --swaps) {
      std::swap(order_[from], order_[to]);
      place_[order_[from]] = from;
      place_[order_[to]] = to;
      from = from + 1 == size_ ? 0 : from + 1;
      to = to == 0 ? size_ - 1 : to - 1;
    }
  }

  /// Or-opt: moves a segment of up to three nodes with `a` at one end between two adjacent nodes, with `a`
  /// next to its near neighbour.
  bool move_segments(Node a, bool forwards) {
    const Node before = forwards ? previous(a) : next(a);
    Node end = a;
    for (std::size_t count = 1; count <= longest_segment && count + 3 <= size_; ++count) {
      const Node after = forwards ? next(end) : previous(end);
      const double gain = cost(before, a) + cost(end, after) - cost(before, after);
      if (move_segment(a, end, forwards, count, gain)) {
        for (const Node touched : {a, end, before, after}) wait_for(touched);
        return true;
      }
      end = after;
    }
    return false;
  }

  bool move_segment(Node a, Node end, bool forwards, std::size_t count, double gain) {
    for (const Node c : neighbours(a)) {
      if (gain - cost(a, c) <= epsilon) return false;
      if (is_in_segment(c, a, forwards, count)) continue;
      for (const Node d : {next(c), previous(c)}) {
        if (is_in_segment(d, a, forwards, count)) continue;
        if (gain + cost(c, d) - cost(a, c) - cost(end, d) <= epsilon) continue;
        move_between(a, end, forwards, count, c, d);
        wait_for(c);
        wait_for(d);
        return true;
      }
    }
    return false;
  }

  bool is_in_segment(Node node, Node a, bool forwards, std::size_t count) const {
    const std::size_t offset =
        forwards ? (place_[node] + size_ - place_[a]) % size_ : (place_[a] + size_ - place_[node]) % size_;
    return offset < count;
  }

  void move_between(Node a, Node end, bool forwards, std::size_t count, Node c, Node d) {
    std::vector<Node> segment;  // from `a` to `end`
    for (Node node = a;; node = forwards ? next(node) : previous(node)) {
      segment.push_back(node);
      if (node == end) break;
    }
    const bool a_first = next(c) == d;  // c, a … end, d
    if (!a_first) std::ranges::reverse(segment);
    const Node left = a_first ? c : d;
    scratch_.clear();
    Node node = forwards ? next(end) : next(a);
    for (std::size_t rest = size_ - count; rest > 0; --rest, node = next(node)) {
      scratch_.push_back(node);
      if (node == left) scratch_.insert(scratch_.end(), segment.begin(), segment.end());
    }
    order_.swap(scratch_);
    renumber();
  }

  void swap_parts(std::size_t from, std::size_t first, std::size_t second) {
    std::ranges::rotate(order_, order_.begin() + static_cast<std::ptrdiff_t>(from));
    const auto begin = order_.begin() + 1;
    const auto middle = begin + static_cast<std::ptrdiff_t>(first);
    const auto end = middle + static_cast<std::ptrdiff_t>(second);
    for (const auto edge : {begin - 1, begin, middle - 1, middle, end - 1}) wait_for(*edge);
    wait_for(end == order_.end() ? order_.front() : *end);
    std::rotate(begin, middle, end);
    renumber();
  }

  const std::size_t size_;
  const Distances& distances_;
  std::vector<Node> order_;
  std::vector<std::size_t> place_;  // by node: its index in order_
  std::vector<bool> is_waiting_;
  std::vector<Node> waiting_;
  std::vector<Node> scratch_;
  std::size_t width_ = 0;
  std::vector<Node> neighbours_;  // the `width_` nearest of each node, the nearest first
};

/// The mean of both directions; moves that reverse a part of the tour need symmetric distances.
Distances symmetric(const Distances& distances) {
  Distances mean(distances.size());
  for (std::size_t i = 0; i < distances.size(); ++i) {
    for (std::size_t j = 0; j < distances.size(); ++j) mean(i, j) = (distances(i, j) + distances(j, i)) / 2;
  }
  return mean;
}

std::vector<std::size_t> improved(const Distances& distances) {
  constexpr std::size_t rounds_per_place = 20;
  constexpr std::size_t most_rounds = 5'000;
  if (distances.size() < 3) {
    std::vector<std::size_t> order(distances.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  Improver improver(distances);
  improver.improve();
  improver.perturb(std::min(most_rounds, rounds_per_place * distances.size()));
  std::vector<std::size_t> order(improver.order().begin(), improver.order().end());
  std::ranges::rotate(order, std::ranges::find(order, 0U));
  return order;
}

void reverse_after_first(std::vector<std::size_t>& order) { std::reverse(order.begin() + 1, order.end()); }

}  // namespace

Distances estimate_distances(std::span<const Point> points) {
  Distances distances(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      distances(i, j) = distances(j, i) = detour * haversine_km(points[i], points[j]);
    }
  }
  return distances;
}

std::vector<std::size_t> shortest_tour(const Distances& distances) {
  auto order = improved(symmetric(distances));
  auto other = order;
  if (!other.empty()) reverse_after_first(other);
  return length_of(other, distances, true) < length_of(order, distances, true) - epsilon ? other : order;
}

std::vector<std::size_t> shortest_path(const Distances& distances) {
  const auto size = distances.size();
  if (size < 3) return improved(distances);
  // Solves it as a tour in which the edge from the last place to the first is so short that it is always
  // used.
  auto closed = symmetric(distances);
  double sum = 1;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) sum += closed(i, j);
  }
  closed(0, size - 1) = closed(size - 1, 0) = -sum;
  auto order = improved(closed);
  if (order.back() != size - 1) reverse_after_first(order);
  return order;
}

double length_of(std::span<const std::size_t> order, const Distances& distances, bool closed) {
  double length = 0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) length += distances(order[i], order[i + 1]);
  if (closed && order.size() > 1) length += distances(order.back(), order.front());
  return length;
}

}  // namespace waybill::domain
