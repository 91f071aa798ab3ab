#include "api/records/keyset.hpp"

namespace waybill::api {
namespace {

using domain::SortKey;

/// Makes the ranges, the nearest first: those of the last key beneath equal values of all others, then those
/// of the key before it, and so on.
class Ranges {
 public:
  Ranges(std::span<const SortKey> keys, std::span<const std::string> values, bool is_joined)
      : keys_(keys), values_(values), is_joined_(is_joined) {}

  std::vector<std::string> make() {
    for (std::size_t end = keys_.size(); end > 0;) {
      const std::size_t begin = first_compared(end - 1);
      add_beyond(begin, end);
      end = begin;
    }
    return std::move(ranges_);
  }

 private:
  const std::string& text(std::size_t key) const {
    return is_joined_ ? keys_[key].joined_value : keys_[key].value;
  }
  bool is_null(std::size_t key) const { return values_[key].empty(); }
  /// True if the rows without a value follow those with one.
  bool ends_with_nulls(std::size_t key) const { return keys_[key].is_descending && keys_[key].may_be_null; }

  /// The first of the keys up to `last` that one comparison of rows covers: all have values and one
  /// direction, and no null follows between the values of the keys before.
  std::size_t first_compared(std::size_t last) const {
    std::size_t first = last;
    while (first > 0 && !is_null(first) && !is_null(first - 1) && !ends_with_nulls(first) &&
           keys_[first - 1].is_descending == keys_[last].is_descending) {
      --first;
    }
    return first;
  }

  /// Adds the rows that have the position's values before key `begin` and stand behind it by the keys from
  /// `begin` to `end`.
  void add_beyond(std::size_t begin, std::size_t end) {
    if (is_null(begin)) {
      if (!keys_[begin].is_descending) add(begin, text(begin) + " is not null");
      return;
    }
    std::string columns, values;
    for (std::size_t key = begin; key < end; ++key) {
      columns.append(key == begin ? "" : ", ").append(text(key));
      values.append(key == begin ? "" : ", ").append(values_[key]);
    }
    add(begin, "(" + columns + (keys_[begin].is_descending ? ") < (" : ") > (") + values + ")");
    if (ends_with_nulls(begin)) add(begin, text(begin) + " is null");
  }

  void add(std::size_t equal_keys, const std::string& condition) {
    std::string range = " and " + condition;
    for (std::size_t key = 0; key < equal_keys; ++key)
      range.append(" and ").append(text(key)).append(is_null(key) ? " is null" : " = " + values_[key]);
    ranges_.push_back(std::move(range));
  }

  const std::span<const SortKey> keys_;
  const std::span<const std::string> values_;
  const bool is_joined_;
  std::vector<std::string> ranges_;
};

}  // namespace

std::string order_text(std::span<const SortKey> keys, bool is_joined) {
  std::string text;
  for (const SortKey& key : keys) {
    text.append(text.empty() ? "" : ", ").append(is_joined ? key.joined_value : key.value);
    if (key.is_descending) text += " desc";
    if (key.may_be_null) text += key.is_descending ? " nulls last" : " nulls first";
  }
  return text;
}

std::vector<std::string> ranges_after(std::span<const SortKey> keys, std::span<const std::string> values,
                                      bool is_joined) {
  return Ranges(keys, values, is_joined).make();
}

std::string position_text(std::span<const SortKey> keys) {
  std::string text = "to_json(array[";
  for (const SortKey& key : keys)
    text.append(&key == keys.data() ? "" : ", ").append(key.value).append("::text");
  return text + "])::text";
}

}  // namespace waybill::api
