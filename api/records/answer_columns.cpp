#include "api/records/answer_columns.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/check.hpp"

namespace waybill::api {
namespace {

/// Returns the position of the comma that ends the column at the beginning of `text`, or its end.
std::size_t column_end(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = std::min(text.find(c, at + 1), text.size() - 1);
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      return at;
    }
  }
  return text.size();
}

/// Returns the field of `r.items as "items{quantity,price}"`, `r.status` or `… as "sender!.name"`.
std::string_view field_of(std::string_view column) {
  auto name = column.substr(column.find_last_of(" \n") + 1);
  if (name.starts_with('"'))
    name = name.substr(1, name.size() - 2);
  else
    name = name.substr(name.find('.') + 1);
  return name.substr(0, name.find_first_of(".!{"));
}

}  // namespace

AnswerColumns::AnswerColumns(std::string_view statement) {
  constexpr std::string_view begin_tag = "/*fields*/", end_tag = "/*end*/";
  const auto tag = statement.find(begin_tag);
  require(tag != std::string_view::npos, "the statement marks the columns of its answer");
  const auto begin = tag + begin_tag.size();
  const auto end = statement.find(end_tag, begin);
  before_ = statement.substr(0, begin);
  after_ = statement.substr(end);
  for (auto list = statement.substr(begin, end - begin); !list.empty();) {
    const auto length = column_end(list);
    const auto column = trimmed(list.substr(0, length));
    columns_.push_back({.text = column, .field = field_of(column)});
    list.remove_prefix(std::min(length + 1, list.size()));
  }
}

std::string AnswerColumns::only(std::span<const std::string_view> fields) const {
  std::string text(before_);
  const auto is_selected = [&](const Column& column) {
    return std::ranges::find(fields, column.field) != fields.end();
  };
  bool is_first = true;
  for (const auto& column : columns_) {
    if (!is_selected(column)) continue;
    if (!is_first) text += ',';
    is_first = false;
    text += column.text;
  }
  if (is_first) text += columns_.front().text;
  return text += after_;
}

}  // namespace waybill::api
