#include "api/records/list_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view end_tag = "/*end*/";

/// The columns with an index that has the rows of one value in the order of their creation.
constexpr auto in_order_of_creation = std::to_array<std::string_view>(
    {"status", "customer_id", "external_reference", "shipping_method", "integration_id", "created_at"});

}  // namespace

Keys comparable_keys(std::string_view order) {
  constexpr std::string_view separator = ", ", descending = " desc";
  Keys keys{.columns = {}, .descending = order.ends_with(descending)};
  while (!order.empty()) {
    const auto end = std::min(order.find(separator), order.size());
    auto key = order.substr(0, end);
    if (keys.descending != key.ends_with(descending)) return {};
    if (keys.descending) key.remove_suffix(descending.size());
    if (key.find_first_of(" (") != std::string_view::npos) return {};
    if (!keys.columns.empty()) keys.columns += separator;
    keys.columns += key;
    order.remove_prefix(std::min(end + separator.size(), order.size()));
  }
  return keys;
}

void replace_tagged(std::string& text, std::string_view start_tag, std::string_view replacement) {
  for (auto at = text.find(start_tag); at != std::string::npos; at = text.find(start_tag, at)) {
    at += start_tag.size();
    const auto end = text.find(end_tag, at);
    text.replace(at, end - at, replacement);
    at += replacement.size();
  }
}

std::string_view tagged(std::string_view text, std::string_view start_tag) {
  text.remove_prefix(text.find(start_tag) + start_tag.size());
  return text.substr(0, text.find(end_tag));
}

void insert_after(std::string& text, std::string_view tag, std::string_view part) {
  text.insert(text.find(tag) + tag.size(), part);
}

void replace_last_tagged(std::string& text, std::string_view start_tag, std::string_view replacement) {
  const auto at = text.rfind(start_tag);
  text.replace(at, text.find(end_tag, at) + end_tag.size() - at, replacement);
}

bool is_piece_of_index(const Selection& selection) {
  const bool has_index =
      !selection.is_narrowed() ||
      std::ranges::find(in_order_of_creation, selection.whole.sole_column) != in_order_of_creation.end();
  return has_index && !selection.is_searched && selection.order == newest_first;
}

std::string write_as_range(std::string_view column_name, std::string& where) {
  const auto column = "r." + std::string(column_name);
  const auto equality = column + " = ";
  constexpr std::string_view beginning = " and ";
  if (column_name.empty() || column_name == "created_at" || !where.starts_with(beginning) ||
      where.compare(beginning.size(), equality.size(), equality) != 0) {
    return {};
  }
  const auto value = where.substr(beginning.size() + equality.size());
  where = std::string(beginning) + column + " >= " + value + " and " + column + " <= " + value;
  return column + " desc, ";
}

std::string with_hidden_values(std::string_view where) {
  std::string text;
  while (!where.empty()) {
    const auto begin = std::min(where.find('$'), where.size());
    const auto end = std::min(where.find_first_of(" )", begin), where.size());
    text += where.substr(0, begin);
    if (begin < end) {
      const auto parameter = where.substr(begin, end - begin);
      text.append("(select ").append(parameter);
      if (parameter.find(':') == std::string_view::npos) text += "::text";
      text += ")";
    }
    where.remove_prefix(end);
  }
  return text;
}

void hide_business(std::string& text) {
  text = replaced(std::move(text), "business_id = $1", "business_id = (select $1::uuid)");
}

std::string only_tested(std::string_view where) {
  return " and case when true" + std::string(where) + " then true end";
}

void keep_business_from_index(std::string& text) {
  constexpr std::string_view plain = "r.business_id = $1 and r.deleted_at is null/*where*/";
  constexpr std::string_view kept = "$1 = any (array[r.business_id]) and r.deleted_at is null/*where*/";
  text.replace(text.find(plain), plain.size(), kept);
}

bool is_by_status(std::string_view order) {
  return order.starts_with("r.status,") || order.starts_with("r.status desc,");
}

}  // namespace waybill::api
