#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace waybill {

/// The time that owners, such as businesses, have lately used of a thread that they share. A time counts half
/// after each half-life, so that an owner is not judged by what it did long ago. Owners of which almost
/// nothing counts are forgotten. Pure; not thread-safe.
template <typename Owner>
class TimeShares {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  using Length = std::chrono::steady_clock::duration;

  explicit TimeShares(Length half_life) : half_life_(half_life) {}

  /// Counts a time that ended at `now`.
  void add(const Owner& owner, Length time, Moment now) { change(owner, count(time), now); }

  /// The time of the owner that counts at `now`.
  Length used(const Owner& owner, Moment now) const {
    return Length(static_cast<Length::rep>(score(owner) / weight(now)));
  }

  /// A number by which owners are compared: the one that has used less has the smaller score. It changes only
  /// when a time is counted.
  double score(const Owner& owner) const {
    const auto found = uses_.find(owner);
    return found == uses_.end() ? 0 : found->second.score;
  }

  /// The owners of which at least `least` counts at `now`, the one with the least time first.
  std::vector<Owner> above(Length least, Moment now) const {
    std::vector<std::pair<double, Owner>> found;
    const double least_score = count(least) * weight(now);
    for (const auto& [owner, use] : uses_) {
      if (use.score >= least_score) found.emplace_back(use.score, owner);
    }
    std::ranges::sort(found, {}, &std::pair<double, Owner>::first);
    std::vector<Owner> owners;
    for (auto& each : found) owners.push_back(std::move(each.second));
    return owners;
  }

  /// The time that one item of the owner is expected to take: an average of its last ones.
  Length expected(const Owner& owner) const {
    const auto found = uses_.find(owner);
    return found == uses_.end() ? usual : found->second.expected;
  }
  /// Counts the expected time of an item that begins.
  void began(const Owner& owner, Moment now) { change(owner, count(expected(owner)), now); }
  /// Counts the time of items that began, instead of the time that was expected.
  void ended(const Owner& owner, std::size_t items, Length time, Moment now) {
    if (items == 0) return;
    const auto number = static_cast<Length::rep>(items);
    change(owner, count(time) - count(expected(owner) * number), now);
    Use& use = uses_.at(owner);
    use.expected += (time / number - use.expected) / 4;
  }

 private:
  struct Use {
    double score = 0;  // nanoseconds, times the weight of the moment at which each was used
    Length expected = usual;
  };
  static constexpr Length usual = std::chrono::milliseconds(1);
  static constexpr double highest_exponent = 32;
  static constexpr double negligible = 1000;  // nanoseconds

  static double count(Length time) {
    return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  }
  double exponent(Moment now) const { return count(now - origin_) / count(half_life_); }
  double weight(Moment now) const { return std::exp2(exponent(now)); }

  void change(const Owner& owner, double nanoseconds, Moment now) {
    if (exponent(now) > highest_exponent) move_origin(now);
    Use& use = uses_[owner];
    use.score = std::max(0.0, use.score + nanoseconds * weight(now));
  }

  /// Keeps the weights small, and forgets the owners of which nothing counts any more.
  void move_origin(Moment now) {
    const double divisor = weight(now);
    origin_ = now;
    for (auto& [owner, use] : uses_) use.score /= divisor;
    std::erase_if(uses_, [](const auto& use) { return use.second.score < negligible; });
  }

  Length half_life_;
  Moment origin_{};
  std::unordered_map<Owner, Use> uses_;
};

}  // namespace waybill
