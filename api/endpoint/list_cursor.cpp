#include "api/endpoint/list_cursor.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "base/crypto.hpp"
#include "base/json.hpp"

namespace waybill::api {
namespace {

// The parameters that neither select nor sort; `$select` and `since` are not in every list.
constexpr auto of_one_page =
    std::to_array<std::string_view>({"after", "count", "PageSize", "$select", "since"});

std::string purpose_of(const Call& call, std::string_view list) {
  json::array parts{json::string(list)};
  for (const auto& [name, value] : call.query) {
    if (std::ranges::find(of_one_page, name) != of_one_page.end()) continue;
    parts.push_back(json::string(name));
    parts.push_back(json::string(value));
  }
  return "list-cursor:" + call.business().to_string() + to_json(parts);
}

/// Reads a JSON array of texts and nulls.
std::optional<Position> parse_position(std::string_view text) {
  const auto parsed = parse_json(text);
  const auto* const value = std::get_if<json::value>(&parsed);
  const json::array* const array = value == nullptr ? nullptr : value->if_array();
  if (array == nullptr) return std::nullopt;
  Position position;
  for (const auto& key : *array) {
    if (const auto* const string = key.if_string()) {
      position.emplace_back(std::string(*string));
    } else if (key.is_null()) {
      position.emplace_back(std::nullopt);
    } else {
      return std::nullopt;
    }
  }
  return position;
}

std::optional<std::string> opened(const SecretBox& secrets, std::string_view cursor,
                                  std::string_view purpose) {
  const auto sealed = base64url_decode(cursor);
  if (!sealed) return std::nullopt;
  try {
    return secrets.open(*sealed, purpose);
  } catch (const SecretError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<ListCursor> ListCursor::find(const Call& call, const SecretBox& secrets, std::string_view list,
                                           std::size_t keys) {
  const auto after = call.parameter(after_parameter.name);
  if (!after) return std::nullopt;
  if (call.parameter(page_parameter.name))
    throw invalid(std::string(page_parameter.name), "cannot be given together with after");
  ListCursor cursor(secrets, purpose_of(call, list));
  if (after->empty()) return cursor;
  const auto text = opened(secrets, *after, cursor.purpose_);
  if (text) cursor.position_ = parse_position(*text);
  if (!cursor.position_ || cursor.position_->size() != keys) {
    throw invalid(std::string(after_parameter.name),
                  "must be the nextCursor of an earlier page of this list, with the same filter and order");
  }
  return cursor;
}

std::string ListCursor::seal(std::string_view position) const {
  return base64url(secrets_->seal_alike(position, purpose_));
}

bool wants_count(const Call& call) { return call.parameter(count_parameter.name) == "true"; }

Answer cursor_answer(std::string data, const Page& page, const std::optional<std::string>& next,
                     std::optional<std::int64_t> total_count) {
  Answer answer = Answer::of(std::move(data));
  auto& members = answer.members;
  members = ",\"pageSize\":" + std::to_string(page.size);
  if (total_count) {
    const auto pages = (*total_count + page.size - 1) / page.size;
    members += ",\"totalCount\":" + std::to_string(*total_count) + ",\"totalPages\":" + std::to_string(pages);
  }
  members += ",\"nextCursor\":" + (next ? '"' + *next + '"' : "null");
  members += std::string(",\"hasMore\":") + (next ? "true" : "false");
  return answer;
}

}  // namespace waybill::api
