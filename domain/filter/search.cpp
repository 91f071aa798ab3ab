#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/blanks.hpp"
#include "base/utf8.hpp"
#include "domain/filter/filter.hpp"
#include "domain/filter/literal.hpp"
#include "domain/filter/relative.hpp"
#include "domain/filter/sigma.hpp"
#include "domain/filter/token.hpp"

namespace waybill::domain {
namespace {

using namespace odata;

constexpr std::size_t max_characters = 200;
constexpr std::size_t max_words = 16;

/// A word of a search as it is looked for: without its invisible characters, and as given if it has some.
using Spellings = std::vector<std::string>;

std::vector<Spellings> words_of(std::string_view text) {
  std::vector<Spellings> words;
  for (const auto word : words_between_blanks(text)) {
    auto& spellings = words.emplace_back(Spellings{without_blanks(word)});
    if (spellings.front() != word) spellings.emplace_back(word);
  }
  return words;
}

/// The conditions of texts in lower case that have a word of a search. A word with a sigma has two
/// parameters: an index finds candidates with any character in its place, see sigma.hpp.
class WordTest {
 public:
  /// Adds the parameters of the word, of which the first of all has the number `first_param`.
  WordTest(std::string_view word, int first_param, std::vector<std::string>& params)
      : folds_(has_sigma(word)) {
    const auto add = [&](const std::string& pattern) {
      params.push_back("%" + pattern + "%");
      return " like lower($" + std::to_string(first_param + static_cast<int>(params.size()) - 1) + ")";
    };
    indexed_ = has_trigram(folds_ ? with_sigmas_as(word, "_") : word);
    like_ = add(folds_ ? with_sigmas_as(like_escaped(word), "σ") : like_escaped(word));
    if (folds_ && indexed_) finds_ = add(with_sigmas_as(like_escaped(word), "_"));
  }

  /// True if a trigram index finds the word.
  bool indexed() const { return indexed_; }
  /// The condition with which the index of a text finds all that have the word, and maybe others.
  std::string finding(std::string_view text) const { return std::string(text) + (folds_ ? finds_ : like_); }
  /// The condition of a text without an index.
  std::string of(std::string_view text) const {
    return (folds_ ? folded_sigmas(text) : std::string(text)) + like_;
  }
  /// The condition of a text with an index, which is used only if it finds the word.
  std::string of_indexed(std::string_view text) const {
    if (!folds_) return std::string(text) + (indexed_ ? "" : " || ''") + like_;
    return indexed_ ? "(" + finding(text) + " and " + of(text) + ")" : of(text);
  }

 private:
  bool folds_;
  bool indexed_;
  std::string like_;
  std::string finds_;
};

// The relative's `search_text` has more than the searched fields, so its index only finds candidates.
std::string word_in_relative(const std::vector<const Field*>& fields, const WordTest& test,
                             std::string_view business) {
  const auto& key = *fields.front()->relative();
  std::string predicate;
  for (const auto* field : fields) {
    predicate += predicate.empty() ? "" : " or ";
    predicate += test.of("lower(x." + std::string(field->relative()->column) + ")");
  }
  const bool indexed = test.indexed();
  if (indexed) predicate = test.finding("x.search_text") + " and (" + predicate + ")";
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
  std::vector<Spellings> words = {};
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

std::string word_in_text(const SearchText& text, const WordTest& test) {
  std::string predicate = test.of_indexed(text.indexed);
  if (!text.searched.empty()) {
    const auto part = test.of(text.searched);
    predicate = test.indexed() ? test.finding(text.indexed) + " and " + part : part;
  }
  if (!text.condition.empty()) predicate += " and " + std::string(text.condition);
  return "(" + predicate + ")";
}

/// Adds the condition of a word, of which `condition` is that of a spelling.
void append_word(SqlFragment& fragment, const Spellings& spellings, int first_param, const auto& condition) {
  std::string any;
  bool is_indexed = true;
  for (const std::string& spelling : spellings) {
    const WordTest test(spelling, first_param, fragment.params);
    is_indexed = is_indexed && test.indexed();
    any += (any.empty() ? "" : " or ") + condition(test);
  }
  if (is_indexed) fragment.has_indexed_word = true;
  fragment.text += (fragment.text.empty() ? "((" : " and (") + any + ")";
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
  for (const auto& word : words) {
    append_word(fragment, word, first_param, [&](const WordTest& test) {
      std::string any;
      for (const auto function : texts)
        any.append(any.empty() ? "" : " or ").append(test.of_indexed("r." + std::string(function)));
      if (!relatives.empty()) any += " or " + word_in_relative(relatives, test, business);
      return any;
    });
  }
  fragment.text += ")";
  return fragment;
}

FilterResult compile_words(std::string_view text, std::span<const SearchText> texts, int first_param) {
  const auto [words, error] = checked_words(text);
  if (error) return *error;
  if (words.empty()) return SqlFragment{"true", {}};
  SqlFragment fragment;
  for (const auto& word : words) {
    append_word(fragment, word, first_param, [&](const WordTest& test) {
      std::string any;
      for (const SearchText& searched : texts)
        any += (any.empty() ? "" : " or ") + word_in_text(searched, test);
      return any;
    });
  }
  fragment.text += ")";
  return fragment;
}

}  // namespace waybill::domain
