#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"

// The values that a webhook expects in the JSON of a successful answer: {"lines.0.id": "number?"}.
namespace waybill::actions {

enum class AnswerType : std::uint8_t { string, number, boolean, timestamp, array, object, any };

struct AnswerField {
  std::string path;  // names and positions from 0, joined by dots
  AnswerType type{};
  bool optional = false;  // the value may be absent or null
};

inline constexpr std::size_t max_answer_fields = 30;
/// The depth of the declared values. Two levels more, of the list of a run's results, are the 32 that a
/// reader of JSON takes.
inline constexpr std::size_t max_answer_depth = 30;
/// The length of a number that a double would change. PostgreSQL reads such a number with any exponent of a
/// double.
inline constexpr std::size_t max_number_characters = 100;
inline constexpr std::size_t max_answer_body = 64UL * 1024;     // bytes
inline constexpr std::size_t max_stored_answers = 16UL * 1024;  // bytes of JSON of a run's answers
/// The attempts of a step that may get a successful answer without the expected values.
inline constexpr int max_answer_attempts = 3;

/// True for a path that a declaration, a condition and a tag of a template can name.
bool is_answer_path(std::string_view path);

/// Adds an error for each entry of an `answer` that is not valid, under `field`.
void check_answer(const json::value& given, const std::string& field, FieldErrors& errors);

/// The fields of a checked `answer`. Throws std::invalid_argument if this version cannot read one.
std::vector<AnswerField> parse_answer(const json::value& stored);

/// The declared values in an answer: an object in which each is at its path. A field inside another declared
/// one is part of that. Numbers have all their digits (base/exact_number.hpp). Otherwise the reason that the
/// answer is not as declared, as a sentence, also for values that are nested deeper than `max_answer_depth`,
/// and for numbers that are longer than `max_number_characters` or beyond all doubles.
std::variant<json::object, std::string> read_answer(const std::vector<AnswerField>& fields,
                                                    std::string_view body);
/// The same for an answer that is parsed already.
std::variant<json::object, std::string> declared_values(const std::vector<AnswerField>& fields,
                                                        const json::value& answer);

}  // namespace waybill::actions
