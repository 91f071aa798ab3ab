#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/route/schema.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// The member at a dotted path of objects, unless it is missing or null.
const json::value* given(const json::object& body, std::string_view path);

/// A string at a dotted path; nullopt for anything else.
std::optional<std::string> text_at(const json::object& body, std::string_view path);

/// The uuid at `path` (a string that was checked to be one), in lower case; nullopt when there is none.
std::optional<std::string> guid_at(const json::object& body, std::string_view path);

/// Overwrites `value` with what `body` says at `path`: null clears, and so does an object of `path` that is
/// null; what is missing changes nothing.
void merge_text(const json::object& body, std::string_view path, std::optional<std::string>& value);

/// A relative that may be named flat ("customerId") or nested ("customer.guid"), but not as two different
/// ones.
void check_relative(const json::object& body, std::string_view flat, std::string_view nested,
                    FieldErrors& errors);

/// A text at `path` that is blank. One that must not be empty by its schema is reported there.
void check_not_blank(const json::object& body, std::string_view path, FieldErrors& errors);
/// Overwrites the guid `value` with the one `body` names, flat or nested ("customer.guid"); null anywhere
/// clears, what is missing changes nothing.
void merge_relative(const json::object& body, std::string_view flat, std::string_view nested,
                    std::optional<std::string>& value);

/// `codes`: those of a carrier's service levels, a JSON array.
void check_service_level(std::string_view level, std::string_view codes, FieldErrors& errors);

/// A stored list (docs/decisions/0003). SQL may have written it, so its entries can be anything; [] for what
/// cannot be read.
json::array stored_list(std::string_view text);

/// The properties of every address.
extern const Schema address_schema;

}  // namespace waybill::api
