#include "api/gate/request_check.hpp"

#include <algorithm>

#include "api/endpoint/selected.hpp"
#include "api/http/url.hpp"
#include "base/ascii.hpp"
#include "base/exact_number.hpp"
#include "base/joined_texts.hpp"
#include "base/json.hpp"
#include "base/number.hpp"
#include "base/utf8.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t deepest_body = 32;

/// Removes the next part up to `separator` from `text` and returns it in lower case, without blanks around
/// it.
std::string take_part(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const auto part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return ascii_lower(trimmed(part, " \t"));
}

bool is_multipart_type(std::string_view content_type) {
  if (take_part(content_type, ';') != "multipart/form-data") return false;
  while (!content_type.empty()) {
    const auto parameter = take_part(content_type, ';');
    if (parameter.starts_with("boundary=") && parameter != "boundary=") return true;
  }
  return false;
}

std::optional<std::string> number_problem(const Parameter& parameter, std::string_view text) {
  const double number = parse_number<double>(text).value_or(0);
  const auto bound = [](double value) { return decimal_text(json::value(value)).value_or("?"); };
  if (parameter.minimum && number < *parameter.minimum)
    return "must be at least " + bound(*parameter.minimum);
  if (parameter.maximum && number > *parameter.maximum) return "must be at most " + bound(*parameter.maximum);
  return std::nullopt;
}

std::optional<std::string> parameter_problem(const Parameter& parameter, std::string_view text) {
  if (const auto problem = text_problem(parameter.kind, text)) return std::string(*problem);
  const auto limit = length_limit(parameter.kind, parameter.max_length);
  if (count_characters(text) > limit) return "must have at most " + std::to_string(limit) + " characters";
  if (parameter.kind == Kind::integer || parameter.kind == Kind::number)
    return number_problem(parameter, text);
  if (!parameter.values.empty() && std::ranges::find(parameter.values, text) == parameter.values.end()) {
    return "must be one of " + joined_texts(parameter.values);
  }
  return std::nullopt;
}

/// A member's name as errors show it. A long one is cut, because the errors of all values below the member
/// repeat it.
std::string shown(std::string_view name) {
  constexpr std::size_t longest = 200;
  if (name.size() <= longest) return std::string(name);
  name = name.substr(0, longest);
  return std::string(name.substr(0, valid_utf8_prefix(name))) + "…";
}

/// Adds an error for each string with a NUL and each number out of range, and makes them null; other numbers
/// that are kept by their characters are rounded. Called before the other checks, as only the first error of
/// a field is reported.
void refuse_bad_values(json::value& value, const std::string& path, FieldErrors& errors,
                       std::size_t most_errors) {
  const auto refuse = [&](std::string_view message) {
    if (errors.size() < most_errors) errors.push_back({path.empty() ? "body" : path, std::string(message)});
    value = nullptr;
  };
  if (const auto number = exact_number(value)) {
    if (is_out_of_range(*number)) {
      refuse("is out of range");
    } else {
      value = nearest_double(*number);
    }
  } else if (const auto* const text = value.if_string()) {
    if (text->find('\0') != json::string::npos) refuse("must not contain a NUL character");
  } else if (auto* const array = value.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i)
      refuse_bad_values((*array)[i], path + "[" + std::to_string(i) + "]", errors, most_errors);
  } else if (auto* const object = value.if_object()) {
    for (auto& member : *object) {
      refuse_bad_values(member.value(), (path.empty() ? "" : path + ".") + shown(member.key()), errors,
                        most_errors);
    }
  }
}

/// Refuses the values of a body that cannot be read, except those in the entries of a list of records, for
/// which the handler has errors of their own.
void refuse_in_body(const Schema& schema, json::value& body, Call& call, FieldErrors& errors) {
  auto* const object = body.if_object();
  if (object == nullptr) return refuse_bad_values(body, {}, errors, most_field_errors);
  if (schema.find(domain::metadata_path) != nullptr)
    return refuse_unreadable(*object, errors, most_field_errors);
  for (auto& member : *object) {
    const auto* const property = schema.find(member.key());
    if (property != nullptr && property->has_records && member.value().is_array()) {
      call.has_bad_value = true;
    } else {
      refuse_bad_values(member.value(), shown(member.key()), errors, most_field_errors);
    }
  }
}

/// The own data of a record in a body; null if it has none.
json::object* own_data_of(json::value& record) {
  auto* const object = record.if_object();
  auto* const metadata = object == nullptr ? nullptr : object->if_contains(domain::metadata_path);
  return metadata == nullptr ? nullptr : metadata->if_object();
}

/// The records with own data in a body: the body itself, or the entries of its array.
std::vector<json::value*> records_in(const Schema& schema, json::value& body) {
  std::vector<json::value*> records;
  if (schema.find(domain::metadata_path) != nullptr) records.push_back(&body);
  for (const Property& property : schema.properties) {
    auto* const entries = property.has_records ? body.get_object().if_contains(property.name) : nullptr;
    if (entries == nullptr || !entries->is_array()) continue;
    for (json::value& entry : entries->get_array()) records.push_back(&entry);
  }
  return records;
}

bool has_rounded_numbers(json::value* record) {
  const auto* const own = own_data_of(*record);
  return own != nullptr &&
         std::ranges::any_of(*own, [](const auto& entry) { return entry.value().is_double(); });
}

/// Lets the numbers of own data keep all their digits, so that what a GET shows can be sent back. `text` is
/// that of `body`.
void keep_digits(const Schema& schema, std::string_view text, json::value& body) {
  const auto records = records_in(schema, body);
  if (std::ranges::none_of(records, has_rounded_numbers)) return;
  auto parsed = parse_exact_json(text, deepest_body);
  if (auto* const exact_body = std::get_if<json::value>(&parsed)) {
    const auto exact = records_in(schema, *exact_body);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (auto* const own = own_data_of(*records[i])) *own = std::move(*own_data_of(*exact.at(i)));
    }
  }
}

void read_array(const Endpoint& endpoint, json::value& body, FieldErrors& errors) {
  if (!body.is_array()) {
    errors.push_back({"body", "must be an array"});
    return;
  }
  auto& entries = body.get_array();
  if (entries.empty() || entries.size() > default_array_length) {
    errors.push_back({"body", "must have 1 to " + std::to_string(default_array_length) + " entries"});
    return;
  }
  for (std::size_t index = 0; index < entries.size() && errors.size() < most_field_errors; ++index) {
    const auto name = "[" + std::to_string(index) + "]";
    if (auto* const object = entries[index].if_object()) {
      if (endpoint.body) validate(*endpoint.body, *object, errors, name + ".");
      FieldErrors own;
      if (endpoint.body_check) endpoint.body_check(*object, own);
      for (auto& error : own) errors.push_back({name + "." + error.field, std::move(error.message)});
    } else {
      errors.push_back({name, "must be an object"});
    }
  }
}

/// Reads all values of a parameter that may be given several times (Kind::array). The first bad one is the
/// error.
void read_values(const Parameter& parameter, QueryPairs& pairs, Call& call, FieldErrors& errors) {
  for (auto& [name, value] : pairs) {
    if (name != parameter.name || value.empty()) continue;
    if (auto problem = parameter_problem(parameter, value)) {
      errors.push_back({std::string(parameter.name), std::move(*problem)});
      return;
    }
    call.query.emplace_back(parameter.name, std::move(value));
  }
}

}  // namespace

bool is_json_type(std::string_view content_type) {
  if (take_part(content_type, ';') != "application/json") return false;
  while (!content_type.empty()) {
    const auto parameter = take_part(content_type, ';');
    const bool other_charset =
        parameter.starts_with("charset=") && parameter != "charset=utf-8" && parameter != "charset=\"utf-8\"";
    if (other_charset) return false;
  }
  return true;
}

void check_content(const Endpoint& endpoint, const Request& request) {
  if (!request.content_encoding.empty() && !equal_ignoring_case(request.content_encoding, "identity")) {
    throw Failure(ErrorCode::unsupported_media_type, "The body must not have a Content-Encoding.");
  }
  const std::string_view content_type = request.content_type;
  if (endpoint.body_kind == BodyKind::multipart) {
    if (is_multipart_type(content_type)) return;
    throw Failure(ErrorCode::unsupported_media_type,
                  "The Content-Type must be multipart/form-data with a boundary.");
  }
  const bool is_json = endpoint.body_kind != BodyKind::raw && endpoint.body_kind != BodyKind::none;
  if (is_json && !is_json_type(content_type)) {
    throw Failure(ErrorCode::unsupported_media_type, "The Content-Type must be application/json.");
  }
}

void read_path(const RoutedEndpoint& endpoint, const Found& found, Call& call, FieldErrors& errors) {
  for (std::size_t index = 0; index < endpoint.parameters.size(); ++index) {
    const auto& parameter = endpoint.parameters[index];
    const auto value = found.values[index];
    if (parameter.is_text) {
      call.path_text = value;
    } else if (const auto guid = Guid::parse(value)) {
      call.ids.push_back(*guid);
    } else {
      errors.push_back({std::string(parameter.name), "must be a uuid"});
    }
  }
}

void read_parameters(const Endpoint& endpoint, std::string_view query, Call& call, FieldErrors& errors) {
  if (query.empty() && endpoint.query.empty()) return;
  std::vector<std::string> malformed;
  auto pairs = parse_query(query, malformed);
  for (auto& name : malformed) errors.push_back({std::move(name), "must be percent-encoded UTF-8"});
  const auto read = [&](const Parameter& parameter) {
    const auto is_named = [&](const auto& pair) { return pair.first == parameter.name; };
    const auto given = std::ranges::find_if(pairs, is_named);
    if (parameter.kind == Kind::array) return read_values(parameter, pairs, call, errors);
    const bool is_boolean = parameter.kind == Kind::boolean;
    if (parameter.flag && is_boolean && given != pairs.end() && given->second.empty()) given->second = "true";
    const bool may_be_empty =
        parameter.flag || parameter.kind == Kind::integer || parameter.kind == Kind::number;
    if (given == pairs.end() || (given->second.empty() && !may_be_empty)) {
      if (parameter.required) errors.push_back({std::string(parameter.name), "is required"});
    } else if (std::find_if(given + 1, pairs.end(), is_named) != pairs.end()) {
      errors.push_back({std::string(parameter.name), "must be given once"});
    } else if (auto problem = parameter_problem(parameter, given->second)) {
      errors.push_back({std::string(parameter.name), std::move(*problem)});
    } else {
      call.query.emplace_back(parameter.name, std::move(given->second));
    }
  };
  std::ranges::for_each(endpoint.query, read);
  if (takes_select(endpoint)) read(select_parameter);
}

void check_object(const Endpoint& endpoint, json::object& object, FieldErrors& errors) {
  static constexpr Schema nothing{"Nothing", {}};
  validate(endpoint.body ? *endpoint.body : nothing, object, errors);
  if (endpoint.body_check) endpoint.body_check(object, errors);
}

void refuse_unreadable(json::object& record, FieldErrors& errors, std::size_t most_errors) {
  for (auto& member : record) {
    const auto name = shown(member.key());
    auto* const own = member.key() == domain::metadata_path ? member.value().if_object() : nullptr;
    if (own == nullptr) {
      refuse_bad_values(member.value(), name, errors, most_errors);
      continue;
    }
    for (auto& entry : *own) {
      if (!exact_number(entry.value()))
        refuse_bad_values(entry.value(), name + "." + shown(entry.key()), errors, most_errors);
    }
  }
}

bool read_json(const Endpoint& endpoint, std::string_view text, Call& call, FieldErrors& errors) {
  static constexpr Schema nothing{"Nothing", {}};
  const Schema& schema = endpoint.body ? *endpoint.body : nothing;
  const bool is_object = endpoint.body_kind != BodyKind::array;
  if (text.empty() && is_object) text = "{}";
  auto parsed = parse_json(text);
  const bool is_plain = !std::holds_alternative<JsonError>(parsed);
  const std::size_t known_errors = errors.size();
  if (!is_plain) {  // perhaps only for values with a path
    parsed = parse_exact_json(text, deepest_body, {}, BadValues::keep);
    if (auto* const value = std::get_if<json::value>(&parsed)) refuse_in_body(schema, *value, call, errors);
  }
  const bool is_readable = errors.size() == known_errors;
  if (const auto* const error = std::get_if<JsonError>(&parsed)) {
    errors.push_back({"body", error->message + " at byte " + std::to_string(error->position)});
    return false;
  }
  call.body = std::move(std::get<json::value>(parsed));
  if (!is_object || (endpoint.body_kind == BodyKind::one_or_array && call.body.is_array())) {
    read_array(endpoint, call.body, errors);
  } else if (!call.body.is_object()) {
    errors.push_back({"body", "must be an object"});
  } else {
    validate(schema, call.body.get_object(), errors);
    if (is_plain) keep_digits(schema, text, call.body);
    if (endpoint.body_check) endpoint.body_check(call.body.get_object(), errors);
  }
  return is_readable;
}

}  // namespace waybill::api
