#include "api/records/keyset.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using domain::SortKey;
using Ranges = std::vector<std::string>;

SortKey key(std::string name, bool is_descending = false, bool may_be_null = false) {
  return {
      .value = name, .joined_value = "s." + name, .is_descending = is_descending, .may_be_null = may_be_null};
}

TEST(Keyset, KeysOfOneDirectionAreComparedTogether) {
  const std::vector<SortKey> up{key("a"), key("g")}, down{key("a", true), key("g", true)};
  EXPECT_EQ(ranges_after(up, std::vector<std::string>{"$1", "$2"}), (Ranges{" and (a, g) > ($1, $2)"}));
  EXPECT_EQ(ranges_after(down, std::vector<std::string>{"$1", "$2"}), (Ranges{" and (a, g) < ($1, $2)"}));
}

TEST(Keyset, NullsBeginARisingOrder) {
  const std::vector<SortKey> keys{key("a", false, true), key("g")};
  EXPECT_EQ(ranges_after(keys, std::vector<std::string>{"$1", "$2"}), (Ranges{" and (a, g) > ($1, $2)"}));
  EXPECT_EQ(ranges_after(keys, std::vector<std::string>{"", "$2"}),
            (Ranges{" and (g) > ($2) and a is null", " and a is not null"}));
}

TEST(Keyset, NullsEndAFallingOrder) {
  const std::vector<SortKey> keys{key("a", true, true), key("g", true)};
  EXPECT_EQ(ranges_after(keys, std::vector<std::string>{"$1", "$2"}),
            (Ranges{" and (a, g) < ($1, $2)", " and a is null"}));
  EXPECT_EQ(ranges_after(keys, std::vector<std::string>{"", "$2"}),
            (Ranges{" and (g) < ($2) and a is null"}));
}

TEST(Keyset, KeysOfOtherDirectionsAreComparedWithinEqualValues) {
  const std::vector<SortKey> keys{key("a", true), key("b"), key("g")};
  EXPECT_EQ(ranges_after(keys, std::vector<std::string>{"$1", "$2", "$3"}),
            (Ranges{" and (b, g) > ($2, $3) and a = $1", " and (a) < ($1)"}));
}

TEST(Keyset, OrdersAndConditionsOfAJoinNameItsColumns) {
  const std::vector<SortKey> keys{key("a", true, true), key("g", true)};
  EXPECT_EQ(order_text(keys), "a desc nulls last, g desc");
  EXPECT_EQ(order_text(keys, true), "s.a desc nulls last, s.g desc");
  EXPECT_EQ(ranges_after(keys, std::vector<std::string>{"", "$2"}, true),
            (Ranges{" and (s.g) < ($2) and s.a is null"}));
  EXPECT_EQ(position_text(keys), "to_json(array[a::text, g::text])::text");
}

// A model of SQL for the texts above: keys are named a, b, ..., and values are digits.
class Model {
 public:
  using Row = std::vector<std::optional<int>>;

  explicit Model(std::mt19937& random) : random_(random), keys_(1 + below(4)) {
    bool is_descending = false;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      is_descending = below(2) == 0;
      keys_[i] = key(std::string(1, static_cast<char>('a' + i)), is_descending, below(2) == 0);
    }
    keys_.push_back(key(std::string(1, static_cast<char>('a' + keys_.size())), is_descending));
    for (int guid = 0; guid < 40; ++guid) {
      Row row;
      for (std::size_t i = 0; i + 1 < keys_.size(); ++i)
        row.push_back(keys_[i].may_be_null && below(3) == 0 ? std::nullopt : std::optional(below(3)));
      row.emplace_back(guid);
      rows_.push_back(std::move(row));
    }
    std::ranges::sort(rows_, [this](const Row& one, const Row& other) { return is_before(one, other); });
  }

  void expect_ranges_behind_each_row() const {
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      std::vector<std::string> values;
      for (const auto& value : rows_[at]) values.push_back(value ? std::to_string(*value) : "");
      std::vector<Row> found;
      for (const auto& range : ranges_after(keys_, values))
        std::ranges::copy_if(rows_, std::back_inserter(found),
                             [&](const Row& row) { return meets(row, range); });
      EXPECT_EQ(found, std::vector<Row>(rows_.begin() + static_cast<std::ptrdiff_t>(at) + 1, rows_.end()))
          << order_text(keys_) << " behind " << testing::PrintToString(values);
    }
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  bool is_before(const Row& one, const Row& other) const {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (one[i] != other[i]) return (one[i] < other[i]) != keys_[i].is_descending;
    return false;
  }

  static std::vector<std::string> split(std::string_view text, std::string_view separator) {
    std::vector<std::string> parts;
    while (true) {
      const auto end = text.find(separator);
      parts.emplace_back(text.substr(0, end));
      if (end == std::string_view::npos) return parts;
      text.remove_prefix(end + separator.size());
    }
  }

  static const std::optional<int>& value(const Row& row, const std::string& name) {
    return row.at(static_cast<std::size_t>(name.at(0) - 'a'));
  }

  /// Compares like SQL: a null on the way makes the comparison of rows null.
  static bool compares(const Row& row, const std::string& condition) {
    const bool is_less = condition.find(") < (") != std::string::npos;
    const auto sides = split(condition, is_less ? ") < (" : ") > (");
    const auto names = split(sides.at(0).substr(1), ", ");
    const auto values = split(sides.at(1).substr(0, sides.at(1).size() - 1), ", ");
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto& own = value(row, names[i]);
      if (!own) return false;
      if (const int other = std::stoi(values[i]); *own != other) return (*own < other) == is_less;
    }
    return false;
  }

  static bool meets(const Row& row, const std::string& range) {
    for (const auto& condition : split(range.substr(5), " and ")) {
      if (condition.starts_with('(')) {
        if (!compares(row, condition)) return false;
        continue;
      }
      const auto& own = value(row, condition);
      const bool is_met = condition.ends_with(" is null")       ? !own
                          : condition.ends_with(" is not null") ? own.has_value()
                                                                : own == std::stoi(condition.substr(4));
      if (!is_met) return false;
    }
    return true;
  }

  std::mt19937& random_;
  std::vector<SortKey> keys_;
  std::vector<Row> rows_;
};

TEST(Keyset, TheRangesAreTheRowsBehindThePositionInTheirOrder) {
  std::mt19937 random(7);  // NOLINT(*-msc51-cpp): the same cases in each run
  for (int i = 0; i < 300; ++i) Model(random).expect_ranges_behind_each_row();
}

}  // namespace
}  // namespace waybill::api
