#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/endpoint/schema.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "domain/values/email.hpp"

namespace waybill::api {

using domain::longest_email;

/// Returns the member at a dotted path of objects; null if it is missing or JSON null.
const json::value* find_value(const json::object& body, std::string_view path);

/// True for JSON null at a dotted path.
bool is_null_at(const json::object& body, std::string_view path);

/// Returns the string at a dotted path; nullopt for anything else.
std::optional<std::string> text_at(const json::object& body, std::string_view path);

/// Returns the uuid at `path`; nullopt if there is none.
std::optional<Guid> guid_at(const json::object& body, std::string_view path);

/// Returns the uuids of the array at `path`, sorted and each once; empty if there is none.
std::vector<Guid> guids_at(const json::object& body, std::string_view path);

/// Overwrites `value` with the text of `body` at `path`. A null, or a null object on the path, clears it; a
/// missing member changes nothing.
void merge_text(const json::object& body, std::string_view path, std::optional<std::string>& value);

/// Adds an error if the flat ("customerId") and the nested ("customer.guid") guid of a related record differ.
void check_related_guid(const json::object& body, std::string_view flat, std::string_view nested,
                        FieldErrors& errors);

/// Adds an error if the text at `path` is blank. An empty text is left to the schema.
void check_not_blank(const json::object& body, std::string_view path, FieldErrors& errors);

/// Adds an error if the text at `path` is empty or blank.
void check_has_text(const json::object& body, std::string_view path, FieldErrors& errors);

/// Throws Failure (409) if `ifVersion` is given and is not `current`, the version of that `kind` of
/// definition.
void check_version(const json::object& body, std::string_view kind, std::int64_t current);

/// Overwrites `value` with the guid of a related record, flat or nested ("customer.guid"). A null in either
/// place clears it; a missing member changes nothing.
void merge_related_guid(const json::object& body, std::string_view flat, std::string_view nested,
                        std::optional<Guid>& value);

/// Adds an error unless `level` is in `codes`, the JSON array of a carrier's service levels.
void check_service_level(std::string_view level, std::string_view codes, FieldErrors& errors);

/// Parses a stored list (docs/decisions/0003); returns [] for invalid JSON. SQL may have written the list, so
/// an entry can be any JSON value.
json::array stored_list(std::string_view text);

/// The properties of every address.
extern const Schema address_schema;

/// The names of the record types. Requests may write them in any case.
extern const Schema entity_type_schema;

}  // namespace waybill::api
