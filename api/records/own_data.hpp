#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "api/endpoint/schema.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "domain/values/own_data.hpp"

// The users' own data of orders, shipments, customers and products: a reference to another system, tags and
// metadata. A record without them has null in the columns; answers show its tags as an empty list.
namespace waybill::api {

using domain::most_tags;

extern const Schema metadata_schema;

/// The properties of requests and answers. Bodies with them need `check_own_data` in their body check.
inline constexpr Property tags_property{
    .name = "tags",
    .kind = Kind::array,
    .max_length = most_tags,
    .max_entry = domain::longest_tag,
    .items = Kind::string,
    .description = "Strings of up to 50 characters, unique without regard to case. Empty if there are none."};
inline constexpr Property metadata_property{
    .name = "metadata",
    .kind = Kind::any,
    .schema = &metadata_schema,
    .description =
        "Values by key. Null if there are none. A change keeps the keys that it leaves out; null "
        "removes a key."};

/// Appends an error for each bad tag (`tags[3]`) and each bad key or value of the metadata
/// (`metadata.KEY`).
void check_own_data(const json::object& body, FieldErrors& errors);

using domain::tag_problem;

/// Returns `tags` without repetitions: of tags that differ only in case, the first stays.
json::array distinct_tags(const json::array& tags);

/// The tags of a checked body as a value of the column: without repetitions, null for none.
json::value tags_value(const json::value& tags);

/// The stored metadata after the change `given` of a checked body, as JSON; nullopt for none. Adds an error
/// if the result has too many keys.
std::optional<std::string> merged_metadata(const std::optional<std::string>& stored, const json::value& given,
                                           FieldErrors& errors);

/// The failure of a change after which a record has too many keys.
Failure too_much_metadata();

}  // namespace waybill::api
