#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/schema.hpp"
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

/// The properties of every address.
extern const Schema address_schema;

}  // namespace waybill::api
