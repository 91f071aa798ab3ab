#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/endpoint/endpoint.hpp"

namespace waybill::api {

/// `$select` of OData 4: the fields of an answer that a client wants.
inline constexpr Parameter select_parameter{
    .name = "$select",
    .kind = Kind::text,
    .max_length = 2'000,
    .description =
        "The fields of the record, or of each entry, that the answer has, separated by commas; "
        "parts of a field by a slash, such as customer/name. Default: all."};

/// True if the answers of an endpoint can be reduced to fields: those of a GET that changes nothing, whose
/// data is a record or a list of records.
bool takes_select(const Endpoint& endpoint);

/// A selected field and its selected parts.
struct Selected {
  std::string_view name = {};          // empty for the record itself
  std::vector<Selected> members = {};  // empty: all
};

/// Returns the selected fields of a record. Adds an error for the first that `schema` does not have. A field
/// that is selected both as a whole and by parts is whole. The names of parts of a value of any kind are
/// views of `text`.
Selected parse_select(std::string_view text, const Schema& schema, FieldErrors& errors);

/// Returns the names before the first slash in the call's `$select`, each once; none: all fields. The views
/// are those of the call.
std::vector<std::string_view> selected_fields(const Call& call);

/// Returns `data`, the JSON of a record or of a list of records, without what is not selected. Members keep
/// their order, and a null keeps standing for an object.
std::string reduced(std::string_view data, const Selected& selected);

}  // namespace waybill::api
