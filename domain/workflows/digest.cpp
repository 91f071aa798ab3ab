#include "domain/workflows/digest.hpp"

#include <algorithm>

#include "base/crypto.hpp"
#include "domain/workflows/definition_members.hpp"

namespace waybill::domain {
namespace {

constexpr auto shortest_time = std::chrono::seconds(1);
constexpr std::size_t list_frame = 64;  // more than the bytes of a list without its items and value

json::value shown_time(Duration time) {
  return time > Duration::zero() ? json::value(format_duration(time)) : json::value();
}

/// Reads a member that is a duration; zero if it is missing or wrong.
Duration parse_digest_time(const json::object& object, std::string_view member, FieldErrors& errors) {
  const json::value* const value = given(object, member);
  if (value == nullptr) return Duration::zero();
  const auto time = parse_duration(text_of(value).value_or(""));
  if (time && *time >= shortest_time) return *time;
  errors.push_back(
      {"digest." + std::string(member), "must be an ISO 8601 duration of a second or longer, such as PT1H"});
  return Duration::zero();
}

DigestTerms parse_terms(const json::object& object, FieldErrors& errors) {
  DigestTerms terms{.every = parse_digest_time(object, "every", errors),
                    .quiet = parse_digest_time(object, "quiet", errors),
                    .at_most = parse_digest_time(object, "atMost", errors)};
  const bool has_every = given(object, "every") != nullptr;
  const bool has_quiet = given(object, "quiet") != nullptr;
  if (has_every == has_quiet)
    errors.push_back(
        {"digest", has_every ? "must have only one of every and quiet" : "needs every or quiet"});
  if (!has_quiet && given(object, "atMost") != nullptr) errors.push_back({"digest.atMost", "needs quiet"});
  if (has_quiet && terms.at_most == Duration::zero()) terms.at_most = usual_at_most;
  if (const json::value* const max = given(object, "max")) {
    const bool is_whole = max->is_int64() && max->get_int64() >= 1 && max->get_int64() <= most_digest_items;
    if (is_whole) terms.max = static_cast<int>(max->get_int64());
    if (!is_whole)
      errors.push_back(
          {"digest.max", "must be a whole number from 1 to " + std::to_string(most_digest_items)});
  }
  return terms;
}

}  // namespace

Time DigestTerms::due(Time first_event, Time last_event) const {
  if (every > Duration::zero()) return first_event + every;
  return std::min(last_event + quiet, first_event + at_most);
}

DigestExtent DigestExtent::begun(Time at, std::size_t value_bytes) {
  return {.began_at = at, .last_at = at, .due_at = Time::max(), .bytes = value_bytes + list_frame};
}

bool DigestExtent::takes(Time at, std::size_t item_bytes) const {
  return !is_full && at < due_at && bytes + item_bytes < largest_digest;
}

void DigestExtent::add(const DigestTerms& terms, Time at, std::size_t item_bytes) {
  ++count;
  bytes += item_bytes + 1;
  last_at = std::max(last_at, at);
  due_at = terms.due(began_at, last_at);
  if (count >= terms.max) fill(at);
}

void DigestExtent::fill(Time at) {
  is_full = true;
  due_at = std::min(due_at, at);
}

json::object Digest::shown() const {
  return {{"by", by ? json::value(*by) : json::value()},
          {"every", shown_time(terms.every)},
          {"quiet", shown_time(terms.quiet)},
          {"atMost", shown_time(terms.at_most)},
          {"max", terms.max}};
}

json::value Digest::value_of(const json::object& entity) const {
  const json::value* const value = by ? value_at(entity, *by) : nullptr;
  return value == nullptr ? json::value() : *value;
}

Guid digest_value_key(std::string_view value) {
  const auto hash = sha256(value);
  Guid key;
  std::copy_n(hash.begin(), key.bytes.size(), key.bytes.begin());
  return key;
}

std::optional<Digest> parse_digest(const json::value& definition, const RecordType& type,
                                   FieldErrors& errors) {
  if (definition.is_null()) return std::nullopt;
  const json::object* const object =
      members(definition, "digest", {"by", "every", "quiet", "atMost", "max"}, errors);
  if (object == nullptr) return std::nullopt;
  Digest digest{.by = std::nullopt, .terms = parse_terms(*object, errors)};
  if (const json::value* const by = given(*object, "by"))
    digest.by = parse_value_path(*by, "digest.by", type, errors);
  return digest;
}

}  // namespace waybill::domain
