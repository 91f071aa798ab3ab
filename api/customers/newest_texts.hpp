#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace waybill::api {

/// Collects texts and keeps the 1 000 newest of them.
template <typename Text, typename Age>
class NewestTexts {
 public:
  void add(Text text, Age newest) {
    const auto [entry, is_new] = texts_.try_emplace(std::move(text), newest);
    if (!is_new) entry->second = std::max(entry->second, newest);
    if (texts_.size() > 20 * most_) drop_old();
  }

  /// The texts, the newest first.
  std::vector<Text> newest() const {
    std::vector<Text> result;
    for (auto& [text, age] : sorted()) result.push_back(std::move(text));
    return result;
  }

 private:
  static constexpr std::size_t most_ = 1'000;
  using Texts = std::map<Text, Age>;

  std::vector<std::pair<Text, Age>> sorted() const {
    std::vector<std::pair<Text, Age>> all(texts_.begin(), texts_.end());
    std::ranges::sort(all, [](const auto& a, const auto& b) {
      return std::tie(b.second, a.first) < std::tie(a.second, b.first);
    });
    if (all.size() > most_) all.erase(all.begin() + most_, all.end());
    return all;
  }

  void drop_old() {
    const auto newest = sorted();
    texts_ = Texts(newest.begin(), newest.end());
  }

  Texts texts_;
};

}  // namespace waybill::api
