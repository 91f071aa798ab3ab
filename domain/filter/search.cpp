#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "domain/filter/filter.hpp"
#include "domain/filter/literal.hpp"
#include "domain/filter/relative.hpp"
#include "domain/filter/token.hpp"

namespace waybill::domain {
namespace {

using namespace odata;

constexpr std::size_t max_characters = 200;
constexpr std::size_t max_words = 16;

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view space = " \t\n\v\f\r";
  std::vector<std::string_view> words;
  for (auto at = text.find_first_not_of(space); at < text.size(); at = text.find_first_not_of(space, at)) {
    const auto end = std::min(text.find_first_of(space, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// The relative's `search_text` has more than the searched fields, so its index only finds candidates.
std::string word_in_relative(const std::vector<const Field*>& fields, const std::string& pattern,
                             bool indexed, std::string_view business) {
  const auto& key = *fields.front()->relative();
  std::string predicate;
  for (const auto* field : fields) {
    predicate += predicate.empty() ? "" : " or ";
    predicate += "lower(x." + std::string(field->relative()->column) + ") like " + pattern;
  }
  if (indexed) predicate = "x.search_text like " + pattern + " and (" + predicate + ")";
  // The index on the key begins with the business, and a list may keep its own condition from indexes.
  return "(r.business_id = " + std::string(business) + " and " +
         relative_meets(key, indexed ? predicate : "(" + predicate + ")", business, false) + ")";
}

/// The functions of the row that have the searchable own fields.
std::vector<std::string_view> search_texts(const RecordType& type) {
  std::vector<std::string_view> texts;
  for (const auto& field : type.fields) {
    const auto* const column = field.column();
    if (column == nullptr || column->search_text.empty()) continue;
    if (std::ranges::find(texts, column->search_text) == texts.end()) texts.push_back(column->search_text);
  }
  return texts;
}

std::vector<const Field*> searchable_relatives(const RecordType& type) {
  std::vector<const Field*> fields;
  for (const auto& field : type.fields) {
    if (field.relative() != nullptr && field.relative()->is_searched) fields.push_back(&field);
  }
  return fields;
}

/// The words of a search with their error, if there is one.
struct Words {
  std::vector<std::string_view> words = {};
  std::optional<FilterError> error = {};
};

Words checked_words(std::string_view text) {
  try {
    require_clean_text(text);
  } catch (const SyntaxError& error) {
    return {.error = FilterError{error_sentence(error, text)}};
  }
  auto words = words_of(text);
  if (count_characters(text) > max_characters) return {.error = FilterError{"longer than 200 characters"}};
  if (words.size() > max_words) return {.error = FilterError{"more than 16 words"}};
  return {.words = std::move(words)};
}

std::string word_in_text(const SearchText& text, const std::string& pattern, bool indexed) {
  const std::string like = " like " + pattern;
  std::string predicate = std::string(text.indexed) + (indexed ? like : " || ''" + like);
  if (!text.searched.empty()) {
    const auto part = std::string(text.searched) + like;
    predicate = indexed ? predicate + " and " + part : part;
  }
  if (!text.condition.empty()) predicate += " and " + std::string(text.condition);
  return "(" + predicate + ")";
}

}  // namespace

FilterResult compile_search(std::string_view text, const RecordType& type, int first_param,
                            std::string_view business) {
  const auto [words, error] = checked_words(text);
  if (error) return *error;
  if (words.empty()) return SqlFragment{"true", {}};
  const auto texts = search_texts(type);
  const auto relatives = searchable_relatives(type);
  SqlFragment fragment;
  for (const auto word : words) {
    const auto pattern =
        "lower($" + std::to_string(first_param + static_cast<int>(fragment.params.size())) + ")";
    fragment.params.push_back("%" + like_escaped(word) + "%");
    fragment.text += fragment.text.empty() ? "(" : " and ";
    const bool indexed = has_trigram(word);
    if (indexed) fragment.has_indexed_word = true;
    std::string_view separator = "(";
    for (const auto function : texts) {
      fragment.text.append(separator).append("r.").append(function);
      fragment.text += indexed ? " like " : " || '' like ";  // prevents the use of the index
      fragment.text += pattern;
      separator = " or ";
    }
    if (!relatives.empty()) fragment.text += " or " + word_in_relative(relatives, pattern, indexed, business);
    fragment.text += ")";
  }
  fragment.text += ")";
  return fragment;
}

FilterResult compile_words(std::string_view text, std::span<const SearchText> texts, int first_param) {
  const auto [words, error] = checked_words(text);
  if (error) return *error;
  if (words.empty()) return SqlFragment{"true", {}};
  SqlFragment fragment;
  for (const auto word : words) {
    const auto number = first_param + static_cast<int>(fragment.params.size());
    const auto pattern = "lower($" + std::to_string(number) + ")";
    fragment.params.push_back("%" + like_escaped(word) + "%");
    std::string predicate;
    for (const SearchText& searched : texts) {
      predicate += (predicate.empty() ? "" : " or ") + word_in_text(searched, pattern, has_trigram(word));
    }
    fragment.text += (fragment.text.empty() ? "((" : " and (") + predicate + ")";
  }
  fragment.text += ")";
  return fragment;
}

}  // namespace waybill::domain
